// SPDX-License-Identifier: Apache-2.0
#include "snapshot/snapshot_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/hash.h"

namespace stepscope {
namespace {

constexpr char kMagic[8] = {'S', 'S', 'S', 'N', 'A', 'P', '\r', '\n'};
constexpr uint32_t kByteOrder = 0x01020304;
// The largest page of any machine: sections are mapped one by one, too.
constexpr uint64_t kSectionAlign = 65536;
constexpr size_t kPieceBytes = size_t{1} << 20;
// More than there will ever be kinds of sections, or bytes in an element.
constexpr uint64_t kMostSections = 1024;
constexpr uint32_t kMostElementBytes = 4096;

struct Header {
  char magic[8];
  uint32_t byte_order;
  uint32_t version;
  uint64_t file_bytes;
  uint64_t contents_offset;
  uint64_t sections;
  uint64_t hashes;
  uint64_t contents_hash;
  int64_t written_s;  // the time of writing that the file has; 0: any
  uint64_t hash;      // of what is before it
};
static_assert(sizeof(Header) == 72);

// Eight sums at once: a multiplication has to wait for the one before. Two
// words are never multiplied with each other: a zero would hide the other.
uint64_t HashPiece(std::span<const std::byte> bytes) {
  constexpr uint64_t kSeed = 0x9e3779b97f4a7c15u;
  constexpr uint64_t kOdd = 0xd1342543de82ef95u;
  uint64_t sums[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::byte* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= 64; left -= 64, p += 64) {
    uint64_t words[8];
    std::memcpy(words, p, sizeof words);
    for (size_t i = 0; i < 8; ++i)
      sums[i] = MixHash(sums[i] ^ words[i], kOdd) + kSeed;
  }
  uint64_t hash = Hash64({reinterpret_cast<const char*>(p), left});
  for (const uint64_t sum : sums) hash = MixHash(hash ^ sum, kOdd) + kSeed;
  return hash ^ bytes.size();
}

template <typename T>
uint64_t HashOf(const std::vector<T>& values) {
  return HashPiece(std::as_bytes(std::span(values)));
}

uint64_t HeaderHash(const Header& header) {
  return HashPiece(
      std::as_bytes(std::span(&header, 1)).first(offsetof(Header, hash)));
}

// Whole elements, so that whoever looks at a piece sees no halves.
size_t PieceBytes(uint32_t element_bytes) {
  return kPieceBytes / element_bytes * element_bytes;
}

uint64_t PiecesOf(const SnapshotEntry& entry) {
  const uint64_t piece = PieceBytes(entry.element_bytes);
  return entry.bytes / piece + (entry.bytes % piece != 0);
}

}  // namespace

SnapshotWriter::SnapshotWriter(int fd, std::string path,
                               const CancelToken* cancel)
    : fd_(fd), path_(std::move(path)), cancel_(cancel) {
  piece_.reserve(kPieceBytes);
  const Header none = {};
  Write(std::as_bytes(std::span(&none, 1)));
}

void SnapshotWriter::Write(std::span<const std::byte> bytes) {
  if (!status_) return;
  if (cancel_ != nullptr && cancel_->cancelled()) {
    status_ = Fail(ErrorCode::kCancelled, path_ + ": cancelled");
    return;
  }
  status_ = WriteAll(
      fd_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path_);
  at_ += bytes.size();
}

void SnapshotWriter::PadTo(uint64_t multiple) {
  static constexpr std::byte kZeros[kSectionAlign] = {};
  const uint64_t beyond = at_ % multiple;
  if (beyond > 0) Write({kZeros, static_cast<size_t>(multiple - beyond)});
}

void SnapshotWriter::EndPiece() {
  if (piece_.empty()) return;
  hashes_.push_back(HashPiece(piece_));
  Write(piece_);
  entries_.back().bytes += piece_.size();
  piece_.clear();
}

void SnapshotWriter::Begin(uint32_t kind, uint32_t element_bytes) {
  EndPiece();
  PadTo(kSectionAlign);
  entries_.push_back({kind, element_bytes, at_, 0, hashes_.size()});
  piece_bytes_ = PieceBytes(element_bytes);
}

void SnapshotWriter::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty() && status_) {
    const size_t part = std::min(bytes.size(), piece_bytes_ - piece_.size());
    piece_.insert(piece_.end(), bytes.begin(),
                  bytes.begin() + static_cast<ptrdiff_t>(part));
    bytes = bytes.subspan(part);
    if (piece_.size() == piece_bytes_) EndPiece();
  }
}

Status SnapshotWriter::Finish() {
  EndPiece();
  PadTo(kSectionAlign);
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.byte_order = kByteOrder;
  header.version = kSnapshotVersion;
  header.contents_offset = at_;
  header.sections = entries_.size();
  header.hashes = hashes_.size();
  header.contents_hash = HashOf(entries_) + HashOf(hashes_);
  Write(std::as_bytes(std::span(entries_)));
  Write(std::as_bytes(std::span(hashes_)));
  header.file_bytes = at_;
  // Whole and even seconds are what every file system can keep; a write at any
  // later time sets another.
  if (Sync()) header.written_s = std::time(nullptr) & ~int64_t{1};
  header.hash = HeaderHash(header);
  STEPSCOPE_TRY(status_);
  if (pwrite(fd_, &header, sizeof header, 0) !=
      static_cast<ssize_t>(sizeof header))
    return FileError(path_, errno);
  const timespec times[2] = {{0, UTIME_OMIT}, {header.written_s, 0}};
  if (header.written_s != 0) (void)futimens(fd_, times);
  return Ok();
}

// Some at a time, so that it can be cancelled.
bool SnapshotWriter::Sync() {
  constexpr uint64_t kSome = uint64_t{64} << 20;
  for (uint64_t at = 0; at < at_; at += kSome) {
    if (cancel_ != nullptr && cancel_->cancelled()) {
      status_ = Fail(ErrorCode::kCancelled, path_ + ": cancelled");
      return false;
    }
    (void)sync_file_range(fd_, static_cast<off_t>(at),
                          static_cast<off_t>(kSome),
                          SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                              SYNC_FILE_RANGE_WAIT_AFTER);
  }
  if (fdatasync(fd_) == 0) return true;
  if (errno == EIO || errno == ENOSPC || errno == EDQUOT)
    status_ = FileError(path_, errno);
  return false;
}

SnapshotFile::~SnapshotFile() {
  if (mapped_ != nullptr) munmap(const_cast<std::byte*>(mapped_), size_);
}

Error SnapshotFile::Damaged(std::string_view what) const {
  return Fail(ErrorCode::kCorrupt, file_.path() + ": " + std::string(what));
}

Result<std::shared_ptr<const SnapshotFile>> SnapshotFile::Open(File file) {
  std::shared_ptr<SnapshotFile> opened(new SnapshotFile);
  opened->file_ = std::move(file);
  STEPSCOPE_TRY(opened->Map());
  return std::shared_ptr<const SnapshotFile>(std::move(opened));
}

Status SnapshotFile::Map() {
  STEPSCOPE_TRY_ASSIGN(const uint64_t size, file_.Size());
  Header header = {};
  STEPSCOPE_TRY_ASSIGN(
      const size_t got,
      file_.ReadAt(0, {reinterpret_cast<uint8_t*>(&header), sizeof header}));
  if (got != sizeof header ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return Damaged("not a snapshot, or not written to its end");
  if (header.byte_order != kByteOrder || header.version != kSnapshotVersion)
    return Damaged("a snapshot of another version or machine");
  if (header.hash != HeaderHash(header)) return Damaged("damaged header");
  if (header.file_bytes != size) return Damaged("not of its stated length");
  const uint64_t room =
      header.contents_offset <= size ? size - header.contents_offset : 0;
  if (header.sections > kMostSections || header.hashes > room / 8 ||
      room != header.sections * sizeof(SnapshotEntry) + header.hashes * 8)
    return Damaged("damaged contents");
  entries_.resize(static_cast<size_t>(header.sections));
  hashes_.resize(static_cast<size_t>(header.hashes));
  const auto read = [&](auto& into, uint64_t offset) -> Result<bool> {
    const std::span<std::byte> out = std::as_writable_bytes(std::span(into));
    STEPSCOPE_TRY_ASSIGN(
        const size_t bytes,
        file_.ReadAt(offset,
                     {reinterpret_cast<uint8_t*>(out.data()), out.size()}));
    return bytes == out.size();
  };
  STEPSCOPE_TRY_ASSIGN(const bool some, read(entries_, header.contents_offset));
  STEPSCOPE_TRY_ASSIGN(
      const bool rest,
      read(hashes_,
           header.contents_offset + header.sections * sizeof(SnapshotEntry)));
  if (!some || !rest ||
      header.contents_hash != HashOf(entries_) + HashOf(hashes_))
    return Damaged("damaged contents");
  for (const SnapshotEntry& entry : entries_) {
    const uint32_t element = entry.element_bytes;
    if (entry.offset % kSectionAlign != 0 ||
        entry.offset > header.contents_offset ||
        entry.bytes > header.contents_offset - entry.offset || element == 0 ||
        element > kMostElementBytes || entry.bytes % element != 0 ||
        entry.first_hash > hashes_.size() ||
        PiecesOf(entry) > hashes_.size() - entry.first_hash)
      return Damaged("damaged contents");
  }
  void* const mapped = mmap(nullptr, static_cast<size_t>(size), PROT_READ,
                            MAP_SHARED, file_.fd(), 0);
  if (mapped == MAP_FAILED) return FileError(file_.path(), errno);
  mapped_ = static_cast<const std::byte*>(mapped);
  size_ = static_cast<size_t>(size);
  struct stat status = {};
  unchanged_ = header.written_s != 0 && fstat(file_.fd(), &status) == 0 &&
               status.st_mtim.tv_sec == header.written_s &&
               status.st_mtim.tv_nsec == 0;
  return Ok();
}

Status SnapshotFile::Verify(Executor& executor, const Look& look,
                            const CancelToken* cancel) const {
  struct Piece {
    const SnapshotEntry* entry;
    uint64_t number;
  };
  std::vector<Piece> pieces;
  for (const SnapshotEntry& entry : entries_)
    for (uint64_t i = 0; i < PiecesOf(entry); ++i)
      pieces.push_back({&entry, i});
  std::atomic<size_t> next{0};
  std::atomic<bool> good{true};
  const auto check = [&](const Piece& piece, std::span<uint8_t> buffer) {
    const SnapshotEntry& entry = *piece.entry;
    const uint64_t whole = PieceBytes(entry.element_bytes);
    const uint64_t at = piece.number * whole;
    const auto bytes =
        buffer.first(static_cast<size_t>(std::min(whole, entry.bytes - at)));
    const Result<size_t> got = file_.ReadAt(entry.offset + at, bytes);
    const auto data = std::as_bytes(bytes);
    return got && *got == bytes.size() &&
           HashPiece(data) == hashes_[entry.first_hash + piece.number] &&
           (!look || look(entry.kind, at / entry.element_bytes, data));
  };
  // A buffer that stays in the processor's cache for each thread.
  executor.ForEach(executor.threads(), [&](size_t) {
    std::vector<uint8_t> buffer(kPieceBytes);
    while (good) {
      const size_t i = next++;
      if (i >= pieces.size() || (cancel != nullptr && cancel->cancelled()))
        return;
      if (!check(pieces[i], buffer)) good = false;
    }
  });
  if (cancel != nullptr && cancel->cancelled())
    return Fail(ErrorCode::kCancelled, file_.path() + ": cancelled");
  if (!good) return Damaged("damaged section");
  return Ok();
}

const SnapshotEntry* SnapshotFile::Find(uint32_t kind) const {
  const auto found = std::find_if(
      entries_.begin(), entries_.end(),
      [kind](const SnapshotEntry& entry) { return entry.kind == kind; });
  return found == entries_.end() ? nullptr : &*found;
}

bool SnapshotFile::MapOver(uint32_t kind, const void* at, size_t bytes) const {
  const SnapshotEntry* const entry = Find(kind);
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  // The last page may hold more than the section does.
  const size_t whole = bytes / page * page;
  if (entry == nullptr || entry->bytes != bytes || whole == 0 ||
      reinterpret_cast<uintptr_t>(at) % page != 0)
    return false;
  void* const address = const_cast<void*>(at);
  return mmap(address, whole, PROT_READ, MAP_SHARED | MAP_FIXED, file_.fd(),
              static_cast<off_t>(entry->offset)) == address;
}

std::span<const std::byte> SnapshotFile::bytes(uint32_t kind) const {
  const SnapshotEntry* const entry = Find(kind);
  if (entry == nullptr) return {};
  return {mapped_ + entry->offset, static_cast<size_t>(entry->bytes)};
}

}  // namespace stepscope
