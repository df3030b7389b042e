// SPDX-License-Identifier: Apache-2.0
//
// The ring: a live file mapped into this process, from which threads take
// chunks to record into. Threads take and return chunks without locks; the
// writer thread empties full chunks into capture files and recycles them.
//
// Chunk life: free list -> Acquire (active) -> MarkFull -> full list -> writer
// -> Recycle -> free list. A thread that exits parks its chunk half used, and
// the next new thread goes on in it. When a session stops, the writer seizes
// the chunks that threads still hold; those stay out of circulation until
// their thread has left them, because it may be about to store into them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/own_file.h"
#include "collector/sync.h"
#include "format/live_file.h"

namespace stepscope::collector {

// What x86_64 and 4 KiB pages of aarch64 have. Rings are aligned to it.
inline constexpr uint64_t kHugePage = 2u << 20;

struct RingSizes {
  uint32_t chunks = 0;
  uint32_t threads = 0;
  uint64_t names_bytes = 0;
  uint64_t threads_offset = 0;
  uint64_t names_offset = 0;
  uint64_t chunks_offset = 0;
  uint64_t total_bytes = 0;
};

// How a memory budget is divided. Budgets under 1 MiB count as 1 MiB.
RingSizes DivideBudget(uint64_t budget, uint64_t names_in_use);

// Where a ring is mapped. A thread keeps its own copy from attaching to
// leaving: the mapping stays until then, even if the ring is taken down and
// another made meanwhile.
struct RingMap {
  std::byte* base = nullptr;
  uint64_t threads_offset = 0;
  uint64_t chunks_offset = 0;
  uint64_t total_bytes = 0;

  format::ThreadEntry* entry(uint32_t i) const {
    return reinterpret_cast<format::ThreadEntry*>(
        base + threads_offset + uint64_t{i} * format::kThreadEntryBytes);
  }
  format::ChunkHeader* chunk(uint32_t i) const {
    return reinterpret_cast<format::ChunkHeader*>(
        base + chunks_offset + uint64_t{i} * format::kChunkBytes);
  }
  format::Slot* slots(uint32_t i) const {
    return reinterpret_cast<format::Slot*>(chunk(i) + 1);
  }
  // Position of a slot for a SlotRef; false if it is not in this ring.
  bool PositionOf(const format::Slot* slot, uint32_t* position) const;
};

class Ring {
 public:
  static constexpr uint32_t kNone = IndexStack::kNone;

  // Creates and maps the file at `path`, reserves a first part. False with the
  // last error set.
  bool Create(const char* path, const RingSizes& sizes, uint64_t serial);
  // Removes the file and maps plain memory over the range, so that a store by
  // a straggler hits that. The range is given back when no thread holds a
  // chunk, else kept.
  // `keep_counters` leaves header, threads and names behind as a short file.
  // `file` takes it over: closing it frees the memory, which takes a while.
  void Destroy(bool keep_counters, OwnFile* file);
  // In a forked child: forget without touching anything.
  void Abandon();

  // Writer thread, and who waits for it.
  bool exists() const { return exists_; }
  const char* path() const { return path_; }
  const RingSizes& sizes() const { return sizes_; }
  format::LiveHeader* header() const {
    return reinterpret_cast<format::LiveHeader*>(map().base);
  }
  format::ThreadEntry* entry(uint32_t i) const { return map().entry(i); }
  format::ChunkHeader* chunk(uint32_t i) const { return map().chunk(i); }
  format::Slot* slots(uint32_t i) const { return map().slots(i); }

  // Tells rings of this process apart; 0 while there is none.
  uint64_t serial() const { return serial_.load(std::memory_order_acquire); }
  RingMap map() const {
    return {base_.load(std::memory_order_relaxed),
            threads_offset_.load(std::memory_order_relaxed),
            chunks_offset_.load(std::memory_order_relaxed),
            total_bytes_.load(std::memory_order_relaxed)};
  }

  // True if the file system has given the chunk its memory. Others must not be
  // touched.
  bool IsReady(uint32_t chunk) const {
    return ready_[chunk].load(std::memory_order_acquire) != 0;
  }

  // Makes sure that stores into the mapped range find memory; faults it in.
  // False with errno set: there is no room. Any thread; needs no descriptor.
  static bool Populate(std::byte* begin, uint64_t bytes);

  // --- any thread that holds the ring ----------------------------------------
  // An empty chunk, header filled, state kActive; kNone: budget used up.
  uint32_t Acquire(const RingMap& map, uint32_t generation, uint32_t thread_uid,
                   uint32_t seq, uint32_t entry_index);
  // A parked chunk of this session with at least `room` slots left; its
  // `used` says where to go on. kNone: there is none.
  uint32_t AcquireParked(const RingMap& map, uint32_t generation,
                         uint32_t room);
  // The owner will not touch the chunk again: full, or its session is over.
  void Leave(const RingMap& map, uint32_t chunk);
  // True if so many full chunks wait that the writer should come.
  bool Crowded() const {
    return full_count_.load(std::memory_order_relaxed) * 4 >=
           ready_count_.load(std::memory_order_relaxed);
  }
  // The owner exits in the middle of a chunk.
  void Park(const RingMap& map, uint32_t chunk, uint32_t used);

  // Threads between attaching to a session and leaving their last chunk.
  void AddHolder() { holders_.fetch_add(1, std::memory_order_seq_cst); }
  void DropHolder() { holders_.fetch_sub(1, std::memory_order_seq_cst); }

  uint32_t AcquireEntry();
  void ReleaseEntry(uint32_t entry_index);
  uint32_t NextUid() {
    return uids_.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  // --- writer thread ---------------------------------------------------------
  // Prefaults a further part; false when all of it is ready or the file system
  // has no more room.
  bool GrowStep();
  uint32_t TakeFull() {
    full_count_.store(0, std::memory_order_relaxed);
    return full_.TakeAll();
  }
  uint32_t NextFull(uint32_t chunk) { return IndexStack::Next(next_, chunk); }
  // Takes over a chunk that a thread holds or parked when its session stops.
  bool Seize(uint32_t chunk, uint32_t generation);
  // True while a full chunk of that session is not in its file.
  bool IsPending(uint32_t chunk, uint32_t generation) const;
  // True if the chunk's slots are in a file already.
  bool InFile(uint32_t chunk) const {
    return (owner_bits_[chunk].load(std::memory_order_acquire) & kInFile) != 0;
  }
  // After its block is written: zeroes and frees, or leaves that to the moment
  // when its owner leaves it.
  void Recycle(uint32_t chunk);

 private:
  static constexpr uint32_t kMaxChunks = 1u << 15;  // 2 GiB
  static constexpr uint32_t kMaxThreads = 4096;
  // Bits of owner_bits_[chunk].
  static constexpr uint32_t kOwnerLeft = 1;
  static constexpr uint32_t kInFile = 2;

  void ZeroAndFree(uint32_t chunk);
  uint32_t TakeFresh();
  bool MakeReady(uint32_t chunk, uint32_t count);
  bool ReserveAll();
  uint32_t RunAt(uint32_t chunk) const;

  bool exists_ = false;
  std::atomic<std::byte*> base_{nullptr};
  std::atomic<uint64_t> threads_offset_{0};
  std::atomic<uint64_t> chunks_offset_{0};
  std::atomic<uint64_t> total_bytes_{0};
  RingSizes sizes_;
  OwnFile file_;
  std::atomic<uint64_t> serial_{0};
  char path_[4096] = {};
  std::atomic<uint32_t> ready_count_{0};
  std::atomic<uint32_t> fresh_{0};   // chunks that nobody has asked for yet
  std::atomic<uint32_t> wanted_{0};  // chunks there may be in all
  // False: the kernel is too old to say whether there is room.
  static std::atomic<bool> can_populate_;
  bool no_huge_ = false;  // writer thread: the system makes no huge pages
  std::atomic<uint64_t> incarnations_{0};
  std::atomic<uint32_t> uids_{0};
  std::atomic<uint32_t> holders_{0};
  IndexStack free_;
  IndexStack full_;
  std::atomic<uint32_t> full_count_{0};  // about; a hint
  IndexStack parked_;
  IndexStack entries_;
  std::atomic<uint32_t> next_[kMaxChunks];         // free_ and full_
  std::atomic<uint32_t> next_parked_[kMaxChunks];  // parked_
  std::atomic<uint8_t> on_parked_[kMaxChunks];
  std::atomic<uint8_t> owner_bits_[kMaxChunks];
  std::atomic<uint8_t> ready_[kMaxChunks];
  std::atomic<uint32_t> next_entry_[kMaxThreads];

  // Address ranges given up while a thread held a chunk in them. The oldest is
  // used again when the list is full: no thread sleeps between two stores for
  // that many sessions.
  static constexpr uint32_t kMaxRetired = 64;
  struct Range {
    std::byte* base;
    uint64_t bytes;
  };
  Range retired_[kMaxRetired] = {};
  uint32_t retired_count_ = 0;
  std::byte* TakeRange(uint64_t bytes);
};

}  // namespace stepscope::collector
