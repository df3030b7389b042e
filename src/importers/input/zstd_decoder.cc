// SPDX-License-Identifier: Apache-2.0
#include "importers/input/decoder.h"

#ifdef STEPSCOPE_HAVE_ZSTD

#include <zstd.h>

namespace stepscope {
namespace {

// The library's own limit on the window (128 MiB) bounds the memory.
class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()) {}
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }
  bool ready() const { return stream_ != nullptr; }

  Step Decode(std::span<const uint8_t> in, std::span<uint8_t> out) override {
    ZSTD_inBuffer source = {in.data(), in.size(), 0};
    ZSTD_outBuffer target = {out.data(), out.size(), 0};
    Step step;
    while (source.pos < source.size && target.pos < target.size) {
      const size_t before = source.pos + target.pos;
      const size_t left = ZSTD_decompressStream(stream_, &target, &source);
      if (ZSTD_isError(left)) {
        reason_ = ZSTD_getErrorName(left);
        step.damaged = true;
        break;
      }
      at_boundary_ = left == 0;
      if (source.pos + target.pos == before) break;
    }
    step.consumed = source.pos;
    step.produced = target.pos;
    return step;
  }
  bool AtBoundary() const override { return at_boundary_; }
  std::string_view reason() const override { return reason_; }

 private:
  ZSTD_DStream* stream_;
  bool at_boundary_ = true;
  std::string_view reason_;
};

}  // namespace

bool HaveZstd() { return true; }

std::unique_ptr<Decoder> MakeZstdDecoder() {
  auto decoder = std::make_unique<ZstdDecoder>();
  if (!decoder->ready()) return nullptr;
  return decoder;
}

}  // namespace stepscope

#else

namespace stepscope {

bool HaveZstd() { return false; }
std::unique_ptr<Decoder> MakeZstdDecoder() { return nullptr; }

}  // namespace stepscope

#endif
