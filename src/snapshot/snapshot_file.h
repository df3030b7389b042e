// SPDX-License-Identifier: Apache-2.0
//
// A snapshot: a file of numbered sections that is read where it lies, mapped.
// Only for files that nobody but their writer's user can change, and that are
// never changed once they have their name: see server/files/import_cache.h.
//
//   header     72 bytes, written last: a cut file has none
//   sections   each at a multiple of 65,536, zeros between them
//   contents   one entry per section, then the hash of every piece of each
//
// A section is hashed in pieces of about a megabyte, so that several threads
// can check one. All numbers are this machine's; the header says which.
//
// What was written has reached the disk before the header has, and the header
// holds the time of writing that the file is given last. So a file that still
// has that time is what was written, unless the disk itself has lost it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/cancel.h"
#include "base/executor.h"
#include "base/file.h"
#include "base/result.h"

namespace stepscope {

// Stored on disk; another layout is another number.
inline constexpr uint32_t kSnapshotVersion = 5;

// Whether every byte of a T is a value's. Padding would be stored with whatever
// happened to lie there. Types with a double are told to the compiler by hand.
template <typename T>
inline constexpr bool kNamesEveryByte =
    std::has_unique_object_representations_v<T>;

// What the contents of a file say about one section.
struct SnapshotEntry {
  uint32_t kind = 0;
  uint32_t element_bytes = 1;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t first_hash = 0;  // of those behind all entries
};

// Not thread-safe.
class SnapshotWriter {
 public:
  // Into an empty file that is open for writing and outlives this. `path` is
  // for messages. Where `cancel` is set and cancelled, writing fails.
  SnapshotWriter(int fd, std::string path, const CancelToken* cancel = nullptr);
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // Begins a section and ends the one before. Failures are kept for Finish().
  void Begin(uint32_t kind, uint32_t element_bytes = 1);
  void Append(std::span<const std::byte> bytes);
  template <typename T>
  void Add(uint32_t kind, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && kNamesEveryByte<T>);
    Begin(kind, sizeof(T));
    Append(std::as_bytes(values));
  }
  bool failed() const { return !status_; }
  // Writes contents and header, and waits for the disk.
  Status Finish();

 private:
  void EndPiece();
  void Write(std::span<const std::byte> bytes);
  void PadTo(uint64_t multiple);
  // Whether all that was written lies on the disk.
  bool Sync();

  const int fd_;
  const std::string path_;
  const CancelToken* const cancel_;
  Status status_ = Ok();
  uint64_t at_ = 0;
  std::vector<std::byte> piece_;
  size_t piece_bytes_ = 0;
  std::vector<SnapshotEntry> entries_;
  std::vector<uint64_t> hashes_;
};

// A file that was opened, mapped as long as this lives. Thread-safe.
class SnapshotFile {
 public:
  // Checks header and contents, not what is in the sections. kCorrupt: this is
  // no snapshot of this version and machine, or it is damaged.
  static Result<std::shared_ptr<const SnapshotFile>> Open(File file);
  ~SnapshotFile();
  SnapshotFile(const SnapshotFile&) = delete;
  SnapshotFile& operator=(const SnapshotFile&) = delete;

  // Whether every section is what was written. Reads them by position, a piece
  // at a time, so that pages nobody asks for are not mapped. `look` sees each
  // piece while it is at hand, on several threads; false: it is not as it
  // should be.
  using Look = std::function<bool(uint32_t kind, uint64_t first_element,
                                  std::span<const std::byte> piece)>;
  Status Verify(Executor& executor, const Look& look = {},
                const CancelToken* cancel = nullptr) const;

  // Whether nobody has written to the file since it was finished.
  bool unchanged() const { return unchanged_; }
  bool has(uint32_t kind) const { return Find(kind) != nullptr; }
  std::span<const std::byte> bytes(uint32_t kind) const;  // empty: none
  // Nothing: there is none, or of other elements.
  template <typename T>
  std::optional<std::span<const T>> Section(uint32_t kind) const {
    const SnapshotEntry* const entry = Find(kind);
    if (entry == nullptr || entry->element_bytes != sizeof(T))
      return std::nullopt;
    return std::span<const T>(
        reinterpret_cast<const T*>(mapped_ + entry->offset),
        entry->bytes / sizeof(T));
  }
  // Puts the pages of a section, whose bytes these are, in the place of
  // anonymous ones, which are given back. Readers notice nothing: the bytes
  // are the same, and the system swaps the pages at one instant. REQUIRES: the
  // memory is a mapping of its own, and nobody writes to it any more.
  bool MapOver(uint32_t kind, const void* at, size_t bytes) const;
  uint64_t file_bytes() const { return size_; }

 private:
  SnapshotFile() = default;
  Status Map();
  Error Damaged(std::string_view what) const;
  const SnapshotEntry* Find(uint32_t kind) const;

  File file_;
  const std::byte* mapped_ = nullptr;
  size_t size_ = 0;
  bool unchanged_ = false;
  std::vector<SnapshotEntry> entries_;
  std::vector<uint64_t> hashes_;
};

}  // namespace stepscope
