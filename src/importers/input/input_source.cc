// SPDX-License-Identifier: Apache-2.0
#include "importers/input/input_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "importers/input/decoder.h"
#include "importers/input/temporary_copy.h"

namespace stepscope {
namespace {

constexpr size_t kSourceBytes = size_t{256} << 10;
// Bytes that are read before somebody looks whether it was cancelled.
constexpr size_t kCancelEvery = size_t{64} << 20;
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

bool IsStandardInput(const std::string& path) {
  return path == "-" || path == "/dev/stdin" || path == "/dev/fd/0" ||
         path == "/proc/self/fd/0";
}

std::string ShownPath(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

InputSource::InputSource(Kind kind, std::string path, InputLimits limits)
    : kind_(kind), path_(std::move(path)), limits_(limits) {}
InputSource::~InputSource() = default;

Result<std::unique_ptr<InputSource>> InputSource::Open(const std::string& path,
                                                       InputLimits limits) {
  const std::string shown = ShownPath(path);
  File file;
  if (path == "-") {
    const int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return FileError(shown, errno);
    file = File::FromDescriptor(fd, shown);
  } else {
    STEPSCOPE_TRY_ASSIGN(file, File::OpenForReading(path));
  }
  return OfFile(std::move(file), path != "-", limits);
}

Result<std::unique_ptr<InputSource>> InputSource::OpenFound(
    const std::string& path, InputLimits limits) {
  STEPSCOPE_TRY_ASSIGN(File file, File::OpenRegular(path));
  return OfFile(std::move(file), true, limits);
}

Result<std::unique_ptr<InputSource>> InputSource::OpenConfined(
    const std::string& path, InputLimits limits) {
  STEPSCOPE_TRY_ASSIGN(File file, File::OpenWithoutLinks(path));
  return OfFile(std::move(file), true, limits);
}

Result<std::unique_ptr<InputSource>> InputSource::OfFile(File file, bool named,
                                                         InputLimits limits) {
  const std::string shown = file.path();
  struct stat status = {};
  if (fstat(file.fd(), &status) != 0) return FileError(shown, errno);
  if (S_ISDIR(status.st_mode)) return FileError(shown, EISDIR);
  // Standard input may be a file of which others have read a part.
  const bool is_file =
      S_ISREG(status.st_mode) && (named || lseek(file.fd(), 0, SEEK_CUR) == 0);
  std::unique_ptr<InputSource> input(
      new InputSource(is_file ? Kind::kFile : Kind::kPipe, shown, limits));
  if (is_file) input->source_size_ = static_cast<uint64_t>(status.st_size);
  input->file_ = std::move(file);
  input->named_ = named;
  STEPSCOPE_TRY(input->Begin());
  return input;
}

Result<std::unique_ptr<InputSource>> InputSource::FromBytes(
    std::span<const uint8_t> bytes, std::string name, InputLimits limits) {
  std::unique_ptr<InputSource> input(
      new InputSource(Kind::kMemory, std::move(name), limits));
  input->bytes_ = bytes;
  input->source_size_ = bytes.size();
  STEPSCOPE_TRY(input->Begin());
  return input;
}

Status InputSource::Begin() {
  STEPSCOPE_TRY_ASSIGN(const size_t got, ReadSource(magic_));
  magic_size_ = got;
  read_offset_ = 0;
  compression_ = Recognise({magic_, got});
  if (compression_ == Compression::kNone) return Ok();
  if (compression_ == Compression::kZstd && !HaveZstd())
    return Fail(ErrorCode::kUnsupported,
                path() +
                    ": compressed with zstd, which this build does not "
                    "read; decompress it first");
  decoder_ = compression_ == Compression::kGzip ? MakeGzipDecoder()
                                                : MakeZstdDecoder();
  if (decoder_ == nullptr)
    return Fail(ErrorCode::kIo, path() + ": not enough memory to decompress");
  source_.resize(kSourceBytes);
  return Ok();
}

Result<std::span<const uint8_t>> InputSource::Head(size_t size) {
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

Result<size_t> InputSource::Read(std::span<uint8_t> out) {
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

Error InputSource::Cancelled() const {
  return Fail(ErrorCode::kCancelled, path_ + ": cancelled while it was read");
}

// A pipe gives what it has: asks again until `out` is full or it ends.
Result<size_t> InputSource::ReadPipe(std::span<uint8_t> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = read(file_.fd(), out.data() + done, out.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(path_, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
    if (cancel_ != nullptr && cancel_->cancelled()) return Cancelled();
  }
  return done;
}

// The next bytes of the source itself.
Result<size_t> InputSource::ReadSource(std::span<uint8_t> out) {
  if (cancel_ != nullptr && cancel_->cancelled()) return Cancelled();
  size_t done = 0;
  if (kind_ == Kind::kPipe && read_offset_ < magic_size_) {
    done = std::min(out.size(), magic_size_ - read_offset_);
    std::memcpy(out.data(), magic_ + read_offset_, done);
  }
  const std::span<uint8_t> rest = out.subspan(done);
  switch (kind_) {
    case Kind::kFile: {
      STEPSCOPE_TRY_ASSIGN(done, file_.ReadAt(read_offset_, rest));
      break;
    }
    case Kind::kPipe: {
      if (rest.empty()) break;
      STEPSCOPE_TRY_ASSIGN(const size_t got, ReadPipe(rest));
      done += got;
      break;
    }
    case Kind::kMemory: {
      const std::span<const uint8_t> left = bytes_.subspan(read_offset_);
      done = std::min(left.size(), rest.size());
      if (done > 0) std::memcpy(rest.data(), left.data(), done);
      break;
    }
  }
  read_offset_ += done;
  return done;
}

Result<size_t> InputSource::ReadPlain(std::span<uint8_t> out) {
  STEPSCOPE_TRY_ASSIGN(const size_t got, ReadSource(out));
  source_offset_ += got;
  return got;
}

// False at the end of the file.
Result<bool> InputSource::FillSource() {
  if (source_first_ < source_last_) return true;
  STEPSCOPE_TRY_ASSIGN(const size_t got, ReadSource(source_));
  source_first_ = 0;
  source_last_ = got;
  return got > 0;
}

Result<size_t> InputSource::ReadDecoded(std::span<uint8_t> out) {
  size_t done = 0;
  while (done < out.size() && !ended_) {
    STEPSCOPE_TRY_ASSIGN(const bool more, FillSource());
    if (!more) {
      ended_ = true;
      if (!decoder_->AtBoundary())
        damage_ =
            Format("byte %" PRIu64 ": compressed data are cut short; %" PRIu64
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
      damage_ =
          Format("byte %" PRIu64
                 ": compressed data are damaged (%.*s); "
                 "%" PRIu64 " bytes could be read",
                 source_offset_, static_cast<int>(decoder_->reason().size()),
                 decoder_->reason().data(), decoded_);
    }
    STEPSCOPE_TRY(CheckLimits(decoded_));
  }
  return done;
}

Status InputSource::CheckLimits(uint64_t produced) const {
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
uint64_t InputSource::SizeHint() const {
  constexpr uint64_t kUnknown = uint64_t{1} << 20;
  if (kind_ == Kind::kPipe) return kUnknown;
  if (compression_ == Compression::kNone) return source_size_ + 1;
  uint8_t tail[4] = {};
  uint64_t hint = source_size_ * 8;
  if (compression_ == Compression::kGzip && kind_ == Kind::kFile &&
      source_size_ > 4) {
    const auto got = file_.ReadAt(source_size_ - 4, tail);
    if (got && *got == 4) {
      const uint64_t stated = uint64_t{tail[0]} | uint64_t{tail[1]} << 8 |
                              uint64_t{tail[2]} << 16 | uint64_t{tail[3]} << 24;
      if (stated / 64 < source_size_) hint = std::max(hint / 8, stated);
    }
  }
  return std::min(hint, limits_.max_whole_bytes) + 1;
}

Result<std::span<const uint8_t>> InputSource::WholeBytes() {
  if (kind_ == Kind::kMemory && compression_ == Compression::kNone)
    return bytes_;
  const Error refused =
      Fail(ErrorCode::kIo, path() + ": not enough memory to hold it");
  if (!whole_.Resize(SizeHint())) return refused;
  size_t done = 0;
  while (true) {
    const std::span<uint8_t> room = whole_.span().subspan(done);
    const size_t wanted = std::min(room.size(), kCancelEvery);
    STEPSCOPE_TRY_ASSIGN(const size_t got, Read(room.first(wanted)));
    done += got;
    if (got < wanted) break;
    if (done < whole_.size()) continue;
    if (!has_positions() && done > limits_.max_whole_bytes)
      return Fail(
          ErrorCode::kUnsupported,
          path() + Format(": expands to more than %" PRIu64 " bytes in memory",
                          limits_.max_whole_bytes));
    if (!whole_.Resize(whole_.size() * 2)) return refused;
  }
  // The column keeps its size: cutting it would touch the unused end.
  return std::span<const uint8_t>(whole_.data(), done);
}

Result<File> InputSource::PlainFile() {
  if (has_positions()) {
    const int fd = fcntl(file_.fd(), F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return FileError(path_, errno);
    return File::FromDescriptor(fd, path_);
  }
  STEPSCOPE_TRY_ASSIGN(const auto copy, TemporaryCopy::Make(*this));
  copy->RemoveName();
  return copy->TakeFile();
}

}  // namespace stepscope
