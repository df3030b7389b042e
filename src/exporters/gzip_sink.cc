// SPDX-License-Identifier: Apache-2.0
#include "exporters/gzip_sink.h"

#include <zlib.h>

#include <algorithm>

namespace stepscope {
namespace {

constexpr size_t kOutputBytes = size_t{256} << 10;
constexpr int kGzipWindowBits = 15 + 16;  // zlib's way to ask for gzip

class GzipSink : public Sink {
 public:
  explicit GzipSink(std::unique_ptr<Sink> next)
      : next_(std::move(next)), output_(kOutputBytes) {}
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  ~GzipSink() override {
    if (ready_) deflateEnd(&stream_);
  }

  bool Init(int level) {
    ready_ = deflateInit2(&stream_, level, Z_DEFLATED, kGzipWindowBits, 8,
                          Z_DEFAULT_STRATEGY) == Z_OK;
    return ready_;
  }

  Status Write(Block& block) override {
    const char* data = block.data.get();
    size_t left = block.size;
    while (left > 0) {
      size_t piece = std::min(left, size_t{1} << 30);  // avail_in is 32 bits
      STEPSCOPE_TRY(Deflate(data, piece, Z_NO_FLUSH));
      data += piece;
      left -= piece;
    }
    block.size = 0;
    return Ok();
  }

  Status Close() override {
    STEPSCOPE_TRY(Deflate(nullptr, 0, Z_FINISH));
    if (output_.size > 0) STEPSCOPE_TRY(next_->Write(output_));
    return next_->Close();
  }

 private:
  // zlib cannot fail here: the stream is sound and there is always room.
  Status Deflate(const char* data, size_t size, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));
    stream_.avail_in = static_cast<uInt>(size);
    while (true) {
      char* begin = output_.data.get() + output_.size;
      stream_.next_out = reinterpret_cast<Bytef*>(begin);
      stream_.avail_out = static_cast<uInt>(output_.capacity - output_.size);
      deflate(&stream_, flush);
      output_.size = output_.capacity - stream_.avail_out;
      if (stream_.avail_out > 0) return Ok();
      STEPSCOPE_TRY(next_->Write(output_));
    }
  }

  std::unique_ptr<Sink> next_;
  Block output_;
  z_stream stream_ = {};
  bool ready_ = false;
};

}  // namespace

Result<std::unique_ptr<Sink>> MakeGzipSink(std::unique_ptr<Sink> next,
                                           int level) {
  auto sink = std::make_unique<GzipSink>(std::move(next));
  if (!sink->Init(level))
    return Fail(ErrorCode::kInvalidArgument,
                "gzip level " + std::to_string(level) + ": expected 1 to 9");
  return std::unique_ptr<Sink>(std::move(sink));
}

}  // namespace stepscope
