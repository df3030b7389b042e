// SPDX-License-Identifier: Apache-2.0
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "importers/input/decoder.h"

namespace stepscope {
namespace {

constexpr int kGzipWindow = 15 + 16;  // largest window, gzip header

uInt Clip(size_t size) {
  return static_cast<uInt>(
      std::min<size_t>(size, std::numeric_limits<uInt>::max()));
}

class GzipDecoder : public Decoder {
 public:
  GzipDecoder() : ready_(inflateInit2(&stream_, kGzipWindow) == Z_OK) {}
  ~GzipDecoder() override { inflateEnd(&stream_); }
  bool ready() const { return ready_; }

  Step Decode(std::span<const uint8_t> in, std::span<uint8_t> out) override {
    Step step;
    while (step.consumed < in.size() && step.produced < out.size()) {
      const auto rest = in.subspan(step.consumed);
      if (between_members_ && !BeginMember(rest, step)) break;
      stream_.next_in = rest.data();
      stream_.avail_in = Clip(rest.size());
      stream_.next_out = out.data() + step.produced;
      stream_.avail_out = Clip(out.size() - step.produced);
      const uInt had_in = stream_.avail_in;
      const uInt had_out = stream_.avail_out;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      step.consumed += had_in - stream_.avail_in;
      step.produced += had_out - stream_.avail_out;
      if (code == Z_STREAM_END) {
        between_members_ = true;
        first_member_ = false;
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        reason_ = stream_.msg != nullptr ? stream_.msg : "invalid gzip data";
        step.damaged = true;
        break;
      }
    }
    return step;
  }
  bool AtBoundary() const override { return between_members_; }
  std::string_view reason() const override { return reason_; }

 private:
  // Zeros after a member are the padding of tapes and block devices.
  bool BeginMember(std::span<const uint8_t> rest, Step& step) {
    size_t zeros = 0;
    if (!first_member_)
      while (zeros < rest.size() && rest[zeros] == 0) ++zeros;
    step.consumed += zeros;
    if (zeros > 0) return false;
    if (rest[0] != 0x1f) {
      reason_ = "what follows the compressed data is not gzip";
      step.damaged = true;
      return false;
    }
    inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  z_stream stream_ = {};
  bool ready_;
  bool between_members_ = true;
  bool first_member_ = true;
  std::string_view reason_;
};

}  // namespace

std::unique_ptr<Decoder> MakeGzipDecoder() {
  auto decoder = std::make_unique<GzipDecoder>();
  if (!decoder->ready()) return nullptr;
  return decoder;
}

}  // namespace stepscope
