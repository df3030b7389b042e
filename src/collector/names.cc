// SPDX-License-Identifier: Apache-2.0
#include "collector/names.h"

#include <sys/mman.h>

#include <cstring>

#include "collector/core.h"
#include "collector/ring.h"
#include "collector/sync.h"
#include "format/slot.h"

namespace stepscope::collector {
namespace {

using format::kMaxNameBytes;
using format::NameRecord;
using format::NameRecordBytes;

constexpr uint32_t kTableSlots = kMaxNames * 2;
constexpr uint32_t kFirstId = format::kRefusedSite + 1;
// Space of the live file's name region is reserved in these steps, so that a
// store into it can never hit a full file system.
constexpr uint64_t kLiveStep = 256 * 1024;

// Private memory, reserved once, touched as names come.
struct Memory {
  std::atomic<uint64_t> table[kTableSlots];  // hash32 << 32 | id, 0 empty
  std::atomic<uint32_t> offset[kMaxNames];   // of the record in the arena
  alignas(8) uint8_t arena[kMaxNameArena];
};

struct LiveCopy {
  uint8_t* base = nullptr;
  uint64_t capacity = 0;
  uint64_t reserved = 0;
  uint64_t* used = nullptr;
};

std::atomic<Memory*> names_memory{nullptr};
std::atomic<uint64_t> arena_used{0};
std::atomic<uint32_t> next_id{kFirstId};
std::atomic<uint64_t> refused{0};
BoundedLock names_lock;
LiveCopy live_names;  // guarded by it

Memory* GetMemory() {
  Memory* m = names_memory.load(std::memory_order_acquire);
  if (m != nullptr) return m;
  void* fresh = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED) return nullptr;
  if (names_memory.compare_exchange_strong(m, static_cast<Memory*>(fresh),
                                           std::memory_order_acq_rel))
    return static_cast<Memory*>(fresh);
  munmap(fresh, sizeof(Memory));
  return m;
}

uint32_t HashName(const char* name, size_t length, uint32_t type) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ (uint64_t{type} << 32) ^ length;
  size_t i = 0;
  for (; i + 8 <= length; i += 8) {
    uint64_t word;
    std::memcpy(&word, name + i, 8);
    hash = (hash ^ word) * 0x9fb21c651e98df25u;
    hash ^= hash >> 32;
  }
  uint64_t tail = 0;
  std::memcpy(&tail, name + i, length - i);
  hash = (hash ^ tail) * 0x9fb21c651e98df25u;
  hash ^= hash >> 29;
  const auto folded = static_cast<uint32_t>(hash ^ (hash >> 32));
  return folded == 0 ? 1 : folded;
}

const NameRecord* RecordOf(const Memory* m, uint32_t id) {
  const uint32_t at = m->offset[id - kFirstId].load(std::memory_order_relaxed);
  return reinterpret_cast<const NameRecord*>(m->arena + at);
}

bool Matches(const Memory* m, uint32_t id, const char* name, size_t kept,
             size_t full, uint32_t type) {
  const NameRecord* record = RecordOf(m, id);
  return record->type == type && record->length == kept &&
         record->full_length == full &&
         std::memcmp(record + 1, name, kept) == 0;
}

// The id of the name if it is known; else 0, and `*slot` is where it goes.
uint32_t Probe(const Memory* m, uint32_t hash, const char* name, size_t kept,
               size_t full, uint32_t type, uint32_t* slot) {
  for (uint32_t i = hash % kTableSlots;; i = (i + 1) % kTableSlots) {
    const uint64_t entry = m->table[i].load(std::memory_order_acquire);
    *slot = i;
    if (entry == 0) return 0;
    const auto id = static_cast<uint32_t>(entry);
    if (static_cast<uint32_t>(entry >> 32) == hash &&
        Matches(m, id, name, kept, full, type))
      return id;
  }
}

// Appends one record to the live file. REQUIRES: names_lock held.
bool CopyToLive(const uint8_t* record, uint64_t bytes) {
  if (live_names.base == nullptr) return true;
  const uint64_t used = *live_names.used;
  if (bytes > live_names.capacity - used) return false;
  while (live_names.reserved < used + bytes) {
    const uint64_t step = live_names.capacity - live_names.reserved < kLiveStep
                              ? live_names.capacity - live_names.reserved
                              : kLiveStep;
    auto* const at =
        reinterpret_cast<std::byte*>(live_names.base) + live_names.reserved;
    if (!Ring::Populate(at, step)) return false;
    live_names.reserved += step;
  }
  std::memcpy(live_names.base + used, record, bytes);
  __atomic_store_n(live_names.used, used + bytes, __ATOMIC_RELEASE);
  return true;
}

uint32_t Refuse() {
  refused.fetch_add(1, std::memory_order_relaxed);
  return format::kRefusedSite;
}

// REQUIRES: names_lock held. The record becomes visible to look-ups last. A
// fork may stop this anywhere for the child: the id is taken before the record
// counts, so that the child cannot give it to another name.
uint32_t Add(Memory* m, uint32_t hash, const char* name, size_t kept,
             size_t full, uint32_t type) {
  uint32_t slot = 0;
  const uint32_t known = Probe(m, hash, name, kept, full, type, &slot);
  if (known != 0) return known;
  const uint32_t id = next_id.load(std::memory_order_relaxed);
  const uint64_t at = arena_used.load(std::memory_order_relaxed);
  const uint64_t bytes = NameRecordBytes(kept);
  if (id - kFirstId >= kMaxNames - 1 || bytes > kMaxNameArena - at)
    return Refuse();
  auto* record = reinterpret_cast<NameRecord*>(m->arena + at);
  *record = {id, type, static_cast<uint32_t>(kept),
             full > 0xffffffffu ? 0xffffffffu : static_cast<uint32_t>(full)};
  std::memcpy(record + 1, name, kept);
  if (!CopyToLive(m->arena + at, bytes)) return Refuse();
  m->offset[id - kFirstId].store(static_cast<uint32_t>(at),
                                 std::memory_order_relaxed);
  next_id.store(id + 1, std::memory_order_relaxed);
  arena_used.store(at + bytes, std::memory_order_release);
  m->table[slot].store(uint64_t{hash} << 32 | id, std::memory_order_release);
  return id;
}

}  // namespace

uint32_t InternName(const char* name, size_t length, uint32_t type) {
  if (name == nullptr) {
    name = "(null)";
    length = kUnknownLength;
  }
  if (length == kUnknownLength) length = std::strlen(name);
  const size_t kept = length < kMaxNameBytes ? length : kMaxNameBytes;
  Memory* m = GetMemory();
  if (m == nullptr) return Refuse();
  const uint32_t hash = HashName(name, kept, type);
  uint32_t slot = 0;
  const uint32_t known = Probe(m, hash, name, kept, length, type, &slot);
  if (known != 0) return known;
  // Once full, stay cheap: no lock for names that cannot be added.
  if (NamesFull()) return Refuse();
  ForgetParent();
  const SignalsHeld held;
  if (!names_lock.Lock()) return Refuse();
  const uint32_t id = Add(m, hash, name, kept, length, type);
  names_lock.Unlock();
  return id;
}

bool HasZeroByte(uint64_t word) {
  return ((word - 0x0101010101010101u) & ~word & 0x8080808080808080u) != 0;
}

// Byte by byte, where a word could cross into an unmapped page.
bool EqualsTail(const char* kept, const char* name, size_t left) {
  for (size_t i = 0; i < left; ++i)
    if (kept[i] != name[i] || kept[i] == '\0') return false;
  return name[left] == '\0';
}

// Compares a NUL-terminated string with a record a word at a time. A word that
// does not cross a page cannot fault even where it reads past the terminator,
// and the first word that differs, be it by the terminator, ends the loop. A
// record with a NUL inside equals no such string.
__attribute__((no_sanitize("address"))) bool EqualsText(
    const NameRecord* record, const char* name) {
  const auto* kept = reinterpret_cast<const char*>(record + 1);
  for (size_t left = record->length;; left -= 8, kept += 8, name += 8) {
    if (left == 0) return *name == '\0';
    if ((reinterpret_cast<uintptr_t>(name) & 4095) > 4088)
      return EqualsTail(kept, name, left);
    uint64_t mine, theirs;  // records are padded with zeros to whole words
    std::memcpy(&mine, kept, 8);
    std::memcpy(&theirs, name, 8);
    if (left < 8) {
      const uint64_t text = ~uint64_t{0} >> (64 - 8 * left);
      const uint64_t text_and_end = (text << 8) | 0xff;
      return ((mine ^ theirs) & text_and_end) == 0 &&
             !HasZeroByte(mine | ~text);
    }
    if (mine != theirs || HasZeroByte(mine)) return false;
  }
}

const NameRecord* NameRecordOf(uint32_t id) {
  const Memory* m = names_memory.load(std::memory_order_acquire);
  return m == nullptr || id < kFirstId ? nullptr : RecordOf(m, id);
}

bool NameEquals(const NameRecord* record, const char* name, size_t length,
                uint32_t type) {
  if (record->type != type || record->full_length != record->length)
    return false;
  if (length == kUnknownLength) return EqualsText(record, name);
  return record->length == length && std::memcmp(record + 1, name, length) == 0;
}

uint64_t NameRecords(uint64_t offset, const uint8_t** records) {
  const Memory* m = names_memory.load(std::memory_order_acquire);
  const uint64_t used = arena_used.load(std::memory_order_acquire);
  if (m == nullptr || offset >= used) return 0;
  *records = m->arena + offset;
  return used - offset;
}

bool NamesFull() { return NameCount() >= kMaxNames - 1; }

uint64_t NameCount() {
  return next_id.load(std::memory_order_relaxed) - kFirstId;
}

uint64_t NamesRefused() { return refused.load(std::memory_order_relaxed); }

bool AttachLiveNames(uint8_t* base, uint64_t capacity, uint64_t* used) {
  if (!names_lock.Lock()) return false;
  live_names = {base, capacity, 0, used};
  const uint8_t* records = nullptr;
  const uint64_t bytes = NameRecords(0, &records);
  const bool fits = bytes == 0 || CopyToLive(records, bytes);
  if (!fits) live_names = LiveCopy{};
  names_lock.Unlock();
  return fits;
}

void DetachLiveNames() {
  if (!names_lock.Lock()) return;
  live_names = LiveCopy{};
  names_lock.Unlock();
}

void ResetNamesAfterFork() {
  names_lock.ResetAfterFork();
  live_names = LiveCopy{};
}

}  // namespace stepscope::collector
