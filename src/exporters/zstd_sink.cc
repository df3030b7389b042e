// SPDX-License-Identifier: Apache-2.0
#include "exporters/zstd_sink.h"

#ifdef STEPSCOPE_HAVE_ZSTD

#include <zstd.h>

namespace stepscope {
namespace {

constexpr size_t kOutputBytes = size_t{256} << 10;
constexpr int kLevel = 3;  // zstd's own default

class ZstdSink : public Sink {
 public:
  explicit ZstdSink(std::unique_ptr<Sink> next)
      : next_(std::move(next)),
        output_(kOutputBytes),
        stream_(ZSTD_createCStream()) {}
  ZstdSink(const ZstdSink&) = delete;
  ZstdSink& operator=(const ZstdSink&) = delete;
  ~ZstdSink() override { ZSTD_freeCStream(stream_); }

  bool Init() {
    return stream_ != nullptr &&
           ZSTD_isError(ZSTD_initCStream(stream_, kLevel)) == 0;
  }

  Status Write(Block& block) override {
    ZSTD_inBuffer input = {block.data.get(), block.size, 0};
    while (input.pos < input.size)
      STEPSCOPE_TRY(Compress(input, ZSTD_e_continue, nullptr));
    block.size = 0;
    return Ok();
  }

  Status Close() override {
    ZSTD_inBuffer nothing = {nullptr, 0, 0};
    for (size_t left = 1; left > 0;)
      STEPSCOPE_TRY(Compress(nothing, ZSTD_e_end, &left));
    if (output_.size > 0) STEPSCOPE_TRY(next_->Write(output_));
    return next_->Close();
  }

 private:
  Status Compress(ZSTD_inBuffer& input, ZSTD_EndDirective mode, size_t* left) {
    ZSTD_outBuffer output = {output_.data.get(), output_.capacity,
                             output_.size};
    const size_t rest = ZSTD_compressStream2(stream_, &output, &input, mode);
    if (ZSTD_isError(rest) != 0)
      return Fail(ErrorCode::kIo,
                  std::string("zstd: ") + ZSTD_getErrorName(rest));
    output_.size = output.pos;
    if (left != nullptr) *left = rest;
    if (output.pos < output.size) return Ok();
    return next_->Write(output_);
  }

  std::unique_ptr<Sink> next_;
  Block output_;
  ZSTD_CStream* stream_;
};

}  // namespace

Result<std::unique_ptr<Sink>> MakeZstdSink(std::unique_ptr<Sink> next) {
  auto sink = std::make_unique<ZstdSink>(std::move(next));
  if (!sink->Init()) return Fail(ErrorCode::kIo, "zstd: not enough memory");
  return std::unique_ptr<Sink>(std::move(sink));
}

}  // namespace stepscope

#else

namespace stepscope {

Result<std::unique_ptr<Sink>> MakeZstdSink(std::unique_ptr<Sink>) {
  return Fail(ErrorCode::kUnsupported,
              "this build does not write zstd; choose a name that ends in .gz");
}

}  // namespace stepscope

#endif
