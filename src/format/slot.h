// SPDX-License-Identifier: Apache-2.0
//
// What a chunk of slots holds: events, and records of several slots that carry
// arguments, counters, memory events and the like. Shared by the recorder, the
// writer thread and the reader. Persisted numbers: never renumber.
//
//   chunk (64 KiB)  = ChunkHeader (64 B)  4092 x slot (16 B)
//   event slot      = begin:u64  dur:u32  site:u32         site < kSiteLimit
//   side record     = begin:u64  aux+1:u32  0xFFFF kind:u8 n:u8, then n slots
//
// A slot with begin == 0 is unused; unused slots may precede used ones, since
// a slot is taken before it is filled. A side record's header is stored before
// its payload with aux+1 == 0 ("incomplete"), so that a reader can step over a
// payload that a kill cut short.
#pragma once

#include <stepscope/c.h>

#include <cstdint>

namespace stepscope::format {

using Slot = stepscope_slot_v1;
static_assert(sizeof(Slot) == 16);

inline constexpr uint32_t kChunkBytes = STEPSCOPE_CHUNK_BYTES;
inline constexpr uint32_t kChunkHeaderBytes = 64;
inline constexpr uint32_t kSlotsPerChunk =
    (kChunkBytes - kChunkHeaderBytes) / sizeof(Slot);
static_assert(kSlotsPerChunk == 4092);

// Site ids of events are below this; at or above it is a side record.
inline constexpr uint32_t kSiteLimit = 0xffff0000u;
// The id that stands for every name beyond the bound on distinct names.
inline constexpr uint32_t kRefusedSite = 1;

enum class SideKind : uint8_t {
  kOwner = 1,    // the slots that follow belong to another thread
  kLateEnd = 2,  // end of an event whose slot is not in this thread's chunk
  kArg = 3,
  kCounter = 4,
  kMemory = 5,
  kFlow = 6,
};

constexpr uint32_t SideSite(SideKind kind, uint32_t payload_slots) {
  return kSiteLimit | (static_cast<uint32_t>(kind) << 8) | payload_slots;
}
constexpr bool IsSide(uint32_t site) { return site >= kSiteLimit; }
constexpr SideKind SideKindOf(uint32_t site) {
  return static_cast<SideKind>((site >> 8) & 0xff);
}
constexpr uint32_t SidePayloadSlots(uint32_t site) { return site & 0xff; }
inline constexpr uint32_t kMaxPayloadSlots = 255;

// Names a slot across chunk reuse: position in the ring, and its begin tick,
// which tells the incarnations of one position apart.
struct SlotRef {
  uint32_t position;  // chunk index * 4096 + slot index in the chunk
  uint32_t extra;     // kArg: site id that interns the key; else 0
  uint64_t begin;     // begin tick of the event
};
static_assert(sizeof(SlotRef) == 16);
constexpr uint32_t SlotPosition(uint32_t chunk, uint32_t slot) {
  return chunk * 4096 + slot;
}

// kOwner: 1 payload slot.
struct OwnerPayload {
  uint32_t thread_uid;
  uint32_t seq;    // number of this run of slots among the thread's runs
  uint32_t entry;  // index in the live file's thread table
  uint32_t unused;
};
static_assert(sizeof(OwnerPayload) == 16);

// kLateEnd: header begin = end tick; payload = SlotRef.
// kArg: payload = SlotRef, then the value, zero-padded to whole slots;
//   aux = ArgKind | clipped << 7 | size << 8, size in bytes (text) or values.
enum class ArgKind : uint8_t { kI64 = 1, kF64 = 2, kText = 3, kI64List = 4 };
inline constexpr uint32_t kArgClipped = 0x80;

// kCounter: 1 payload slot.
struct CounterPayload {
  uint32_t site;  // interned name
  uint32_t kind;  // ArgKind::kI64 or kF64
  uint64_t bits;
};
static_assert(sizeof(CounterPayload) == 16);

// kMemory: 3 payload slots.
struct MemoryPayload {
  uint64_t address;
  uint64_t bytes;
  uint64_t total_allocated;
  uint64_t total_reserved;
  uint32_t place_site;  // interned place string
  uint32_t kind;        // stepscope_memory_kind
  uint64_t unused;
};
static_assert(sizeof(MemoryPayload) == 48);

// kFlow: 1 payload slot.
struct FlowPayload {
  uint64_t id;
  uint32_t site;   // interned name
  uint32_t phase;  // 0 begin, 1 end, 2 step
};
static_assert(sizeof(FlowPayload) == 16);

// Life of a chunk. The order at hand-over is: block written -> kFree -> slots
// zeroed -> free list, so that after a kill a chunk is in the file, in the ring
// or in both (told by its incarnation), never in neither.
enum class ChunkState : uint32_t {
  kFree = 0,
  kActive = 1,   // a thread records into it
  kFull = 2,     // waiting for the writer
  kParked = 3,   // its thread exited; a new thread may go on in it
  kWritten = 4,  // in the file; kept from reuse until its thread moved on
};

struct ChunkHeader {
  uint32_t state;        // ChunkState
  uint32_t thread_uid;   // owner of the first run; uids are never reused
  uint64_t incarnation;  // unique per hand-out of a chunk in this ring
  uint32_t seq;          // number of the first run among the thread's runs
  uint32_t generation;   // session
  uint32_t entry;        // index in the thread table
  uint32_t used;         // kParked: slots used; else a hint only
  uint64_t unused[4];
};
static_assert(sizeof(ChunkHeader) == kChunkHeaderBytes);

}  // namespace stepscope::format
