// SPDX-License-Identifier: Apache-2.0
#include "importers/input/input_file.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "importers/input/decoder.h"

namespace stepscope {
namespace {

constexpr size_t kSourceBytes = size_t{256} << 10;
constexpr uint8_t kGzipMagic[] = {0x1f, 0x8b};
constexpr uint8_t kZstdMagic[] = {0x28, 0xb5, 0x2f, 0xfd};
// A skippable frame may come first; only its first byte varies.
constexpr uint8_t kZstdSkippable[] = {0x2a, 0x4d, 0x18};

template <size_t N>
bool StartsWith(std::span<const uint8_t> data, const uint8_t (&magic)[N]) {
  return data.size() >= N && std::equal(magic, magic + N, data.begin());
}

Compression Recognise(std::span<const uint8_t> head) {
  if (StartsWith(head, kGzipMagic)) return Compression::kGzip;
  if (StartsWith(head, kZstdMagic)) return Compression::kZstd;
  if (head.size() >= 4 && (head[0] & 0xf0) == 0x50 &&
      StartsWith(head.subspan(1), kZstdSkippable))
    return Compression::kZstd;
  return Compression::kNone;
}

}  // namespace

InputFile::InputFile(File file, InputLimits limits)
    : file_(std::move(file)), limits_(limits) {}
InputFile::~InputFile() = default;

Result<std::unique_ptr<InputFile>> InputFile::Open(const std::string& path,
                                                   InputLimits limits) {
  STEPSCOPE_TRY_ASSIGN(File file, File::OpenForReading(path));
  std::unique_ptr<InputFile> input(new InputFile(std::move(file), limits));
  STEPSCOPE_TRY(input->Begin());
  return input;
}

Status InputFile::Begin() {
  STEPSCOPE_TRY_ASSIGN(source_size_, file_.Size());
  uint8_t magic[4];
  STEPSCOPE_TRY_ASSIGN(const size_t got, file_.ReadAt(0, magic));
  compression_ = Recognise({magic, got});
  if (compression_ == Compression::kNone) return Ok();
  if (compression_ == Compression::kZstd && !HaveZstd())
    return Fail(ErrorCode::kUnsupported,
                path() + ": compressed with zstd, which this build does not "
                         "read; decompress it first");
  decoder_ = compression_ == Compression::kGzip ? MakeGzipDecoder()
                                                : MakeZstdDecoder();
  if (decoder_ == nullptr)
    return Fail(ErrorCode::kIo, path() + ": not enough memory to decompress");
  source_.resize(kSourceBytes);
  return Ok();
}

Result<std::span<const uint8_t>> InputFile::Head(size_t size) {
  if (head_first_ > 0) {
    head_.erase(head_.begin(),
                head_.begin() + static_cast<ptrdiff_t>(head_first_));
    head_first_ = 0;
  }
  const size_t had = head_.size();
  if (had < size) {
    head_.resize(size);
    const std::span<uint8_t> rest = std::span(head_).subspan(had);
    const Result<size_t> got =
        decoder_ == nullptr ? ReadPlain(rest) : ReadDecoded(rest);
    head_.resize(had + (got ? *got : 0));
    if (!got) return got.error();
  }
  return std::span<const uint8_t>(head_).first(std::min(size, head_.size()));
}

Result<size_t> InputFile::Read(std::span<uint8_t> out) {
  size_t done = std::min(out.size(), head_.size() - head_first_);
  if (done > 0) std::memcpy(out.data(), head_.data() + head_first_, done);
  head_first_ += done;
  if (done < out.size()) {
    STEPSCOPE_TRY_ASSIGN(const size_t got,
                         decoder_ == nullptr ? ReadPlain(out.subspan(done))
                                             : ReadDecoded(out.subspan(done)));
    done += got;
  }
  offset_ += done;
  return done;
}

Result<size_t> InputFile::ReadPlain(std::span<uint8_t> out) {
  STEPSCOPE_TRY_ASSIGN(const size_t got, file_.ReadAt(read_offset_, out));
  read_offset_ += got;
  source_offset_ += got;
  return got;
}

// False at the end of the file.
Result<bool> InputFile::FillSource() {
  if (source_first_ < source_last_) return true;
  STEPSCOPE_TRY_ASSIGN(const size_t got, file_.ReadAt(read_offset_, source_));
  read_offset_ += got;
  source_first_ = 0;
  source_last_ = got;
  return got > 0;
}

Result<size_t> InputFile::ReadDecoded(std::span<uint8_t> out) {
  size_t done = 0;
  while (done < out.size() && !ended_) {
    STEPSCOPE_TRY_ASSIGN(const bool more, FillSource());
    if (!more) {
      ended_ = true;
      if (!decoder_->AtBoundary())
        damage_ = Format("byte %" PRIu64
                         ": compressed data are cut short; %" PRIu64
                         " bytes could be read",
                         source_offset_, decoded_);
      break;
    }
    const auto in = std::span<const uint8_t>(source_).subspan(
        source_first_, source_last_ - source_first_);
    const Decoder::Step step = decoder_->Decode(in, out.subspan(done));
    source_first_ += step.consumed;
    source_offset_ += step.consumed;
    done += step.produced;
    decoded_ += step.produced;
    if (step.damaged) {
      ended_ = true;
      damage_ = Format("byte %" PRIu64 ": compressed data are damaged (%.*s); "
                       "%" PRIu64 " bytes could be read",
                       source_offset_,
                       static_cast<int>(decoder_->reason().size()),
                       decoder_->reason().data(), decoded_);
    }
    STEPSCOPE_TRY(CheckLimits(decoded_));
  }
  return done;
}

Status InputFile::CheckLimits(uint64_t produced) const {
  if (produced > limits_.max_bytes)
    return Fail(ErrorCode::kUnsupported,
                path() + Format(": expands to more than %" PRIu64
                                " bytes; decompress it first if it is sound",
                                limits_.max_bytes));
  if (produced > limits_.ratio_from &&
      produced / limits_.max_ratio > source_offset_)
    return Fail(ErrorCode::kUnsupported,
                path() + Format(": byte %" PRIu64 ": expands more than %" PRIu64
                                " times; decompress it first if it is sound",
                                source_offset_, limits_.max_ratio));
  return Ok();
}

// gzip says the size of the last member, modulo 2^32. Too small a guess costs
// a copy, too large a one nothing: memory is not touched before it is written.
uint64_t InputFile::SizeHint() const {
  if (compression_ == Compression::kNone) return source_size_ + 1;
  uint8_t tail[4] = {};
  uint64_t hint = source_size_ * 8;
  if (compression_ == Compression::kGzip && source_size_ > 4) {
    const auto got = file_.ReadAt(source_size_ - 4, tail);
    if (got && *got == 4) {
      const uint64_t stated = uint64_t{tail[0]} | uint64_t{tail[1]} << 8 |
                              uint64_t{tail[2]} << 16 | uint64_t{tail[3]} << 24;
      if (stated / 64 < source_size_) hint = std::max(hint / 8, stated);
    }
  }
  return std::min(hint, limits_.max_whole_bytes) + 1;
}

Result<std::span<const uint8_t>> InputFile::WholeBytes() {
  const Error refused =
      Fail(ErrorCode::kIo, path() + ": not enough memory to hold it");
  if (!whole_.Resize(SizeHint())) return refused;
  size_t done = 0;
  while (true) {
    STEPSCOPE_TRY_ASSIGN(const size_t got, Read(whole_.span().subspan(done)));
    done += got;
    if (done < whole_.size()) break;
    if (decoder_ != nullptr && done > limits_.max_whole_bytes)
      return Fail(ErrorCode::kUnsupported,
                  path() + Format(": expands to more than %" PRIu64
                                  " bytes in memory",
                                  limits_.max_whole_bytes));
    if (!whole_.Resize(whole_.size() * 2)) return refused;
  }
  // The column keeps its size: cutting it would touch the unused end.
  return std::span<const uint8_t>(whole_.data(), done);
}

}  // namespace stepscope
