// SPDX-License-Identifier: Apache-2.0
#include "collector/capture_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "collector/error.h"
#include "collector/random.h"
#include "format/crc32c.h"

namespace stepscope::collector {

using format::BlockHeader;
using format::BlockKind;

namespace {

// What the last blocks of a session take: entries of some hundred threads,
// facts, names and the end.
constexpr uint64_t kSpareBytes = 64 * 1024;

}  // namespace

bool CaptureFile::Create(const char* path, uint32_t generation,
                         const uint8_t ring_id[16]) {
  if (!file_.Open(path, O_RDWR | O_CREAT | O_EXCL, 0644)) {
    SetLastError("%s: cannot create the capture: %s", path, strerror(errno));
    return false;
  }
  format::FileHeader header{};
  std::memcpy(header.magic, format::kFileMagic, sizeof(header.magic));
  header.version = format::kFileVersion;
  header.header_bytes = sizeof(header);
  RandomBytes(header.session_id, sizeof(header.session_id));
  std::memcpy(header.ring_id, ring_id, sizeof(header.ring_id));
  header.generation = generation;
  header.crc = format::Crc32c(&header, offsetof(format::FileHeader, crc));
  bytes_.store(0, std::memory_order_relaxed);
  next_seq_ = 0;
  write_error_ = 0;
  failed_before_ = false;
  closing_ = false;
  spare_ = Spare::kUnknown;
  const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
  if (Append(bytes, sizeof(header), 0, true) == AppendResult::kOk) return true;
  SetLastError("%s: cannot write: %s", path, strerror(errno));
  Close();
  unlink(path);
  return false;
}

bool CaptureFile::Reopen(const char* path, uint64_t at, uint64_t size,
                         uint32_t next_seq) {
  if (!file_.Open(path, O_WRONLY, 0)) return false;
  const auto offset = static_cast<off_t>(at);
  const int fd = file_.Use();
  if (lseek(fd, 0, SEEK_END) != static_cast<off_t>(size) ||
      (at != size && ftruncate(fd, offset) != 0) ||
      lseek(fd, offset, SEEK_SET) != offset) {
    Close();
    return false;
  }
  bytes_.store(at, std::memory_order_relaxed);
  limit_ = 0;
  next_seq_ = next_seq;
  failed_before_ = true;  // nobody waits for it
  closing_ = true;
  spare_ = Spare::kUnknown;
  return true;
}

void CaptureFile::TakeOver(CaptureFile* other) {
  file_.TakeFrom(&other->file_);
  bytes_.store(other->bytes(), std::memory_order_relaxed);
  next_seq_ = other->next_seq_;
  closing_ = false;
  spare_ = other->spare_;
}

void CaptureFile::Close() {
  // Gives back what is reserved behind the end. Without room for that nothing
  // is lost but room.
  if (spare_ == Spare::kReserved && is_open() &&
      ftruncate(file_.Use(), static_cast<off_t>(bytes())) != 0)
    errno = 0;
  file_.Close();
}

bool CaptureFile::KeepSpare(uint64_t bytes) {
  if (closing_) return true;
  // A limit on the size of files is not asked for, which would be one more
  // system call to be allowed; the first block that meets it leaves what was
  // not enough for it.
  if (write_error_ == EFBIG) {
    errno = EFBIG;
    return false;
  }
  if (spare_ == Spare::kRefused) return true;
  int result = 0;
  do {
    result = fallocate(file_.Use(), FALLOC_FL_KEEP_SIZE,
                       static_cast<off_t>(this->bytes()),
                       static_cast<off_t>(bytes + kSpareBytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0) {
    spare_ = Spare::kReserved;
    return true;
  }
  // What was reserved for the block before stays.
  if (errno == ENOSPC || errno == EDQUOT) return false;
  spare_ = Spare::kRefused;
  return true;
}

bool CaptureFile::Read(uint64_t offset, void* out, uint64_t count) const {
  auto* to = static_cast<uint8_t*>(out);
  uint64_t done = 0;
  while (done < count) {
    const ssize_t n = pread(file_.Use(), to + done, count - done,
                            static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;  // shorter than what was written
    if (n <= 0) return false;
    done += static_cast<uint64_t>(n);
  }
  return true;
}

uint64_t CaptureFile::Seal(uint8_t* block, uint64_t payload, BlockKind kind) {
  const uint64_t padded = format::PaddedBytes(payload);
  std::memset(block + sizeof(BlockHeader) + payload, 0, padded - payload);
  BlockHeader header{};
  header.magic = format::kBlockMagic;
  header.kind = static_cast<uint16_t>(kind);
  header.version = format::VersionOf(kind);
  header.bytes = payload;
  header.payload_crc = format::Crc32c(block + sizeof(BlockHeader), payload);
  header.seq = next_seq_++;
  header.header_crc =
      format::Crc32c(&header, offsetof(BlockHeader, header_crc));
  std::memcpy(block, &header, sizeof(header));
  return sizeof(header) + padded;
}

AppendResult CaptureFile::Append(const uint8_t* blocks, uint64_t bytes,
                                 uint32_t count, bool essential) {
  if (!essential && limit_ != 0 && this->bytes() + bytes > limit_) {
    next_seq_ -= count;
    return AppendResult::kFileLimit;
  }
  uint64_t done = 0;
  bool good = KeepSpare(bytes);
  while (good && done < bytes) {
    const ssize_t n = write(file_.Use(), blocks + done, bytes - done);
    if (n > 0)
      done += static_cast<uint64_t>(n);
    else
      good = n < 0 && errno == EINTR;
  }
  if (good) {
    bytes_.store(this->bytes() + bytes, std::memory_order_relaxed);
    return AppendResult::kOk;
  }
  const int reason = errno;
  if (!failed_before_)
    SetLastError("capture: write failed after %llu bytes: %s",
                 static_cast<unsigned long long>(this->bytes()),
                 strerror(reason));
  failed_before_ = true;
  if (write_error_ == 0) write_error_ = reason;
  next_seq_ -= count;
  // Cut the torn block off; if even that fails, the reader's CRC will.
  const int fd = file_.Use();
  const auto end = static_cast<off_t>(this->bytes());
  if (done > 0 && fd >= 0 && ftruncate(fd, end) == 0) lseek(fd, end, SEEK_SET);
  errno = reason;
  return AppendResult::kIoError;
}

AppendResult CaptureFile::AppendSmall(BlockKind kind, const void* payload,
                                      size_t bytes) {
  alignas(8) uint8_t block[sizeof(BlockHeader) + 4096 + 8];
  if (bytes > 4096) bytes = 4096;
  std::memcpy(block + sizeof(BlockHeader), payload, bytes);
  const uint64_t total = Seal(block, bytes, kind);
  return Append(block, total, 1, true);
}

AppendResult CaptureFile::AppendFact(const char* key, const char* value) {
  uint8_t payload[1024];
  const uint32_t lengths[2] = {static_cast<uint32_t>(std::strlen(key)),
                               static_cast<uint32_t>(std::strlen(value))};
  const size_t all = sizeof(lengths) + lengths[0] + lengths[1];
  if (all > sizeof(payload)) return AppendResult::kFileLimit;
  std::memcpy(payload, lengths, sizeof(lengths));
  std::memcpy(payload + sizeof(lengths), key, lengths[0]);
  std::memcpy(payload + sizeof(lengths) + lengths[0], value, lengths[1]);
  const bool closing = closing_;
  UseSpare();  // facts are few, and say what was lost
  const AppendResult result = AppendSmall(BlockKind::kProcess, payload, all);
  closing_ = closing;
  return result;
}

}  // namespace stepscope::collector
