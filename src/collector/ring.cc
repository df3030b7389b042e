// SPDX-License-Identifier: Apache-2.0
#include "collector/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "collector/error.h"
#include "collector/names.h"
#include "collector/random.h"

namespace stepscope::collector {
namespace {

using format::ChunkHeader;
using format::ChunkState;
using format::kChunkBytes;

constexpr uint64_t kPage = 65536;  // alignment that suits 4 and 64 KiB pages

uint64_t RoundUp(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

ChunkState LoadState(const ChunkHeader* chunk) {
  return static_cast<ChunkState>(
      __atomic_load_n(&chunk->state, __ATOMIC_ACQUIRE));
}
void StoreState(ChunkHeader* chunk, ChunkState state) {
  __atomic_store_n(&chunk->state, static_cast<uint32_t>(state),
                   __ATOMIC_RELEASE);
}
bool ChangeState(ChunkHeader* chunk, ChunkState from, ChunkState to) {
  auto expected = static_cast<uint32_t>(from);
  return __atomic_compare_exchange_n(&chunk->state, &expected,
                                     static_cast<uint32_t>(to), false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

}  // namespace

RingSizes DivideBudget(uint64_t budget, uint64_t names_in_use) {
  budget = std::clamp<uint64_t>(budget, 1u << 20, uint64_t{2} << 30);
  RingSizes sizes;
  sizes.threads = static_cast<uint32_t>(
      std::clamp<uint64_t>(budget / (16 * 1024), 64, 4096));
  const uint64_t names =
      std::clamp<uint64_t>(budget / 16, 64 * 1024, kMaxNameArena);
  sizes.names_bytes = RoundUp(std::max(names, names_in_use + 32 * 1024), kPage);
  sizes.threads_offset = format::kLiveHeaderBytes;
  const uint64_t threads_bytes =
      uint64_t{sizes.threads} * format::kThreadEntryBytes;
  sizes.names_offset = RoundUp(sizes.threads_offset + threads_bytes, kPage);
  sizes.chunks_offset = sizes.names_offset + sizes.names_bytes;
  // The private copy of the names and the writer's buffers count as well.
  const uint64_t other = sizes.chunks_offset + sizes.names_bytes + (1u << 18);
  const uint64_t left = budget > other ? budget - other : 0;
  sizes.chunks = static_cast<uint32_t>(
      std::clamp<uint64_t>(left / kChunkBytes, 4, (1u << 15) - 1));
  sizes.total_bytes =
      sizes.chunks_offset + uint64_t{sizes.chunks} * kChunkBytes;
  return sizes;
}

std::byte* Ring::TakeRange(uint64_t bytes) {
  for (uint32_t i = 0; i < retired_count_; ++i) {
    if (retired_count_ < kMaxRetired || retired_[i].bytes != bytes) continue;
    std::byte* range = retired_[i].base;
    std::copy(retired_ + i + 1, retired_ + retired_count_, retired_ + i);
    --retired_count_;
    return range;
  }
  // Chunks are aligned to their size, on which the hot path relies, and the
  // file's huge pages lie on those of the address space.
  void* p = mmap(nullptr, bytes + kHugePage, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(p);
  return reinterpret_cast<std::byte*>(RoundUp(start, kHugePage));
}

bool Ring::Create(const char* path, const RingSizes& sizes, uint64_t serial) {
  std::snprintf(path_, sizeof(path_), "%s", path);
  if (!file_.Open(path, O_RDWR | O_CREAT | O_EXCL, 0600)) {
    const int reason = errno;
    SetLastError("%s: cannot create the live file: %s", path, strerror(reason));
    errno = reason;
    return false;
  }
  sizes_ = sizes;
  const uint32_t first = std::min(2u, sizes.chunks);
  const uint64_t first_bytes = uint64_t{first} * kChunkBytes;
  std::byte* base = nullptr;
  if (ftruncate(file_.Use(), static_cast<off_t>(sizes.total_bytes)) == 0)
    base = TakeRange(sizes.total_bytes);
  bool good = base != nullptr &&
              mmap(base, sizes.total_bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, file_.Use(), 0) != MAP_FAILED;
  if (good) {
    can_populate_.store(true, std::memory_order_relaxed);
    good = Populate(base, sizes.names_offset) &&
           Populate(base + sizes.chunks_offset, first_bytes);
    // A kernel before 5.14, or a sandbox, does not say whether there is room.
    if (!good && errno != EFAULT && errno != ENOMEM) {
      good = ReserveAll();
      can_populate_.store(false, std::memory_order_relaxed);
      if (good) Populate(base, sizes.names_offset);
    }
  }
  if (!good) {
    const int reason = errno;
    SetLastError(
        "%s: cannot reserve %llu bytes for recording: %s", path,
        static_cast<unsigned long long>(sizes.names_offset + first_bytes),
        strerror(reason));
    if (base != nullptr) munmap(base, sizes.total_bytes);
    file_.Close();
    unlink(path);
    errno = reason;
    return false;
  }
  base_.store(base, std::memory_order_relaxed);
  threads_offset_.store(sizes.threads_offset, std::memory_order_relaxed);
  chunks_offset_.store(sizes.chunks_offset, std::memory_order_relaxed);
  total_bytes_.store(sizes.total_bytes, std::memory_order_relaxed);
  exists_ = true;
  free_.Reset();
  full_.Reset();
  full_count_.store(0, std::memory_order_relaxed);
  parked_.Reset();
  entries_.Reset();
  for (uint32_t i = 0; i < sizes.chunks; ++i) {
    on_parked_[i].store(0, std::memory_order_relaxed);
    owner_bits_[i].store(0, std::memory_order_relaxed);
    ready_[i].store(0, std::memory_order_relaxed);
  }
  // Entry 0 counts what no attached thread can: see session.h.
  for (uint32_t i = sizes.threads - 1; i >= 1; --i)
    entries_.Push(next_entry_, i);
  holders_.store(0, std::memory_order_relaxed);
  ready_count_.store(0, std::memory_order_relaxed);
  wanted_.store(sizes.chunks, std::memory_order_relaxed);
  fresh_.store(first, std::memory_order_relaxed);
  MakeReady(0, first);
  for (uint32_t i = first; i > 0; --i) free_.Push(next_, i - 1);
  format::LiveHeader* h = header();
  h->version = format::kLiveVersion;
  h->header_bytes = format::kLiveHeaderBytes;
  RandomBytes(h->ring_id, sizeof(h->ring_id));
  h->pid = static_cast<uint32_t>(getpid());
  h->chunk_bytes = kChunkBytes;
  h->chunk_count = sizes.chunks;
  h->thread_capacity = sizes.threads;
  h->threads_offset = sizes.threads_offset;
  h->names_offset = sizes.names_offset;
  h->names_bytes = sizes.names_bytes;
  h->chunks_offset = sizes.chunks_offset;
  std::memcpy(h->magic, format::kLiveMagic, sizeof(h->magic));
  serial_.store(serial, std::memory_order_release);
  return true;
}

void Ring::Destroy(bool keep_counters, OwnFile* file) {
  if (!exists_) return;
  serial_.store(0, std::memory_order_release);
  // What is left in them was counted as lost, and so must not be found.
  for (uint32_t i = 0; keep_counters && i < sizes_.chunks; ++i)
    if (IsReady(i)) StoreState(chunk(i), ChunkState::kFree);
  const Range range{base_.load(std::memory_order_relaxed), sizes_.total_bytes};
  mmap(range.base, range.bytes, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (keep_counters) {
    const auto kept = static_cast<off_t>(sizes_.chunks_offset);
    if (ftruncate(file_.Use(), kept) != 0)
      SetLastError("%s: cannot shorten: %s", path_, strerror(errno));
  } else {
    unlink(path_);
  }
  file->TakeFrom(&file_);
  exists_ = false;
  ready_count_.store(0, std::memory_order_relaxed);
  if (holders_.load(std::memory_order_seq_cst) == 0)
    munmap(range.base, range.bytes);  // nobody can store here any more
  else if (retired_count_ < kMaxRetired)
    retired_[retired_count_++] = range;
}

void Ring::Abandon() {
  exists_ = false;
  file_.ForgetAfterFork();
  serial_.store(0, std::memory_order_relaxed);
  ready_count_.store(0, std::memory_order_relaxed);
}

bool RingMap::PositionOf(const format::Slot* slot, uint32_t* position) const {
  const auto at = reinterpret_cast<uintptr_t>(slot);
  const auto first = reinterpret_cast<uintptr_t>(base) + chunks_offset;
  if (at < first || at >= reinterpret_cast<uintptr_t>(base) + total_bytes)
    return false;
  const uint64_t offset = at - first;
  const uint64_t within = offset % kChunkBytes;
  if (within < format::kChunkHeaderBytes || within % sizeof(format::Slot) != 0)
    return false;
  *position = format::SlotPosition(
      static_cast<uint32_t>(offset / kChunkBytes),
      static_cast<uint32_t>((within - format::kChunkHeaderBytes) /
                            sizeof(format::Slot)));
  return true;
}

uint32_t Ring::Acquire(const RingMap& map, uint32_t generation,
                       uint32_t thread_uid, uint32_t seq,
                       uint32_t entry_index) {
  uint32_t index = free_.Pop(next_);
  // When recording outruns the writer's preparations, a system call is better
  // than to drop.
  if (index == kNone) index = TakeFresh();
  if (index == kNone) return kNone;
  ChunkHeader* c = map.chunk(index);
  owner_bits_[index].store(0, std::memory_order_relaxed);
  c->thread_uid = thread_uid;
  c->seq = seq;
  // Atomic because the writer asks chunks of any state for their session.
  __atomic_store_n(&c->generation, generation, __ATOMIC_RELAXED);
  c->entry = entry_index;
  c->used = 0;
  c->incarnation = incarnations_.fetch_add(1, std::memory_order_relaxed) + 1;
  StoreState(c, ChunkState::kActive);
  return index;
}

uint32_t Ring::AcquireParked(const RingMap& map, uint32_t generation,
                             uint32_t room) {
  for (int tries = 0; tries < 8; ++tries) {
    const uint32_t index = parked_.Pop(next_parked_);
    if (index == kNone) return kNone;
    on_parked_[index].store(0, std::memory_order_release);
    ChunkHeader* c = map.chunk(index);
    // Entries may be stale: the state tells.
    if (!ChangeState(c, ChunkState::kParked, ChunkState::kActive)) continue;
    if (c->generation == generation &&
        c->used + room <= format::kSlotsPerChunk) {
      owner_bits_[index].store(0, std::memory_order_relaxed);
      return index;
    }
    Leave(map, index);
  }
  return kNone;
}

// Owner and writer each set one of two bits; who comes second returns the
// chunk to circulation.
void Ring::Leave(const RingMap& map, uint32_t index) {
  ChunkHeader* c = map.chunk(index);
  const uint8_t before =
      owner_bits_[index].fetch_or(kOwnerLeft, std::memory_order_acq_rel);
  if (ChangeState(c, ChunkState::kActive, ChunkState::kFull) ||
      ((before & kInFile) != 0 &&
       ChangeState(c, ChunkState::kWritten, ChunkState::kFull))) {
    full_.Push(next_, index);
    full_count_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Ring::Park(const RingMap& map, uint32_t index, uint32_t used) {
  ChunkHeader* c = map.chunk(index);
  c->used = used;
  if (used + 8 > format::kSlotsPerChunk ||
      !ChangeState(c, ChunkState::kActive, ChunkState::kParked)) {
    Leave(map, index);
    return;
  }
  if (on_parked_[index].exchange(1, std::memory_order_acq_rel) == 0)
    parked_.Push(next_parked_, index);
}

uint32_t Ring::AcquireEntry() { return entries_.Pop(next_entry_); }

void Ring::ReleaseEntry(uint32_t entry_index) {
  __atomic_store_n(&entry(entry_index)->state,
                   static_cast<uint32_t>(format::ThreadState::kFree),
                   __ATOMIC_RELEASE);
  entries_.Push(next_entry_, entry_index);
}

bool Ring::Seize(uint32_t index, uint32_t generation) {
  ChunkHeader* c = chunk(index);
  // The state first: it is stored last when a chunk is handed out.
  const ChunkState state = LoadState(c);
  if (state != ChunkState::kParked && state != ChunkState::kActive)
    return false;
  if (__atomic_load_n(&c->generation, __ATOMIC_RELAXED) != generation)
    return false;
  if (state == ChunkState::kParked &&
      ChangeState(c, ChunkState::kParked, ChunkState::kFull)) {
    owner_bits_[index].fetch_or(kOwnerLeft, std::memory_order_acq_rel);
    return true;
  }
  return state == ChunkState::kActive &&
         ChangeState(c, ChunkState::kActive, ChunkState::kFull);
}

bool Ring::IsPending(uint32_t index, uint32_t generation) const {
  const ChunkHeader* c = chunk(index);
  return LoadState(c) == ChunkState::kFull && c->generation == generation &&
         !InFile(index);
}

void Ring::Recycle(uint32_t index) {
  ChunkHeader* c = chunk(index);
  if ((owner_bits_[index].load(std::memory_order_acquire) & kOwnerLeft) == 0) {
    StoreState(c, ChunkState::kWritten);
    const uint8_t before =
        owner_bits_[index].fetch_or(kInFile, std::memory_order_acq_rel);
    if ((before & kOwnerLeft) == 0) return;  // comes back when it is left
  }
  ZeroAndFree(index);
}

void Ring::ZeroAndFree(uint32_t index) {
  ChunkHeader* c = chunk(index);
  StoreState(c, ChunkState::kFree);
  std::memset(c + 1, 0, kChunkBytes - sizeof(ChunkHeader));
  owner_bits_[index].store(0, std::memory_order_relaxed);
  free_.Push(next_, index);
}

}  // namespace stepscope::collector
