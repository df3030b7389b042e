// SPDX-License-Identifier: Apache-2.0
//
// The live file (*.sscap.live): the mapping that threads record into, readable
// by another process at any moment, also after this one was killed. A clean
// stop removes it; a capture whose End block is missing names its live file,
// and the reader joins the two.
//
//   live = LiveHeader (4096 B)  ThreadEntry (256 B) x thread_capacity
//          names (names_bytes)  chunk (64 KiB) x chunk_count
//
// All fields are native little-endian. The reader trusts none of the sizes.
#pragma once

#include <cstdint>

#include "format/slot.h"

namespace stepscope::format {

inline constexpr char kLiveMagic[8] = {'S', 'S', 'L', 'I', 'V', 'E', '1', '\n'};
inline constexpr uint32_t kLiveVersion = 1;
inline constexpr uint32_t kLiveHeaderBytes = 4096;
inline constexpr uint32_t kThreadNameBytes = 64;

struct LiveHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint8_t ring_id[16];  // equal to FileHeader::ring_id of its captures
  uint32_t pid;
  uint32_t chunk_bytes;
  uint32_t chunk_count;
  uint32_t thread_capacity;
  uint64_t threads_offset;
  uint64_t names_offset;
  uint64_t names_bytes;  // room
  uint64_t chunks_offset;
  uint64_t names_used;     // bytes committed; stored with release
  uint64_t heartbeat;      // tick when the writer thread last looked
  uint64_t names_refused;  // names beyond the bound so far
};
static_assert(sizeof(LiveHeader) <= kLiveHeaderBytes);

enum class ThreadState : uint32_t { kFree = 0, kLive = 1, kExited = 2 };

// One thread's membership in one session. Also the record of Threads blocks.
struct ThreadEntry {
  uint32_t state;       // ThreadState
  uint32_t uid;         // never reused within a ring
  uint32_t tid;         // kernel thread id
  uint32_t generation;  // session
  uint64_t attach_tick;
  uint64_t exit_tick;  // 0 while alive
  // Events (and, apart, side records) that this thread attempted and lost,
  // by stepscope_drop_reason; stored by the thread itself.
  uint64_t dropped[STEPSCOPE_DROP_REASONS];
  uint64_t side_dropped;
  // The same for losses after hand-over; stored by the writer thread.
  uint64_t lost_io;
  uint64_t lost_file_limit;
  uint64_t runs;                // runs of slots begun so far
  uint64_t lost_side;           // side records lost after hand-over
  char name[kThreadNameBytes];  // NUL-terminated
  uint64_t unused[3];
};
static_assert(sizeof(ThreadEntry) == 224);
inline constexpr uint32_t kThreadEntryBytes = 256;

// One interned (name, type). `length` bytes follow, zero-padded to 8.
struct NameRecord {
  uint32_t id;           // site id
  uint32_t type;         // stepscope_event_type
  uint32_t length;       // bytes kept
  uint32_t full_length;  // bytes given; more than length: clipped
};
static_assert(sizeof(NameRecord) == 16);
inline constexpr uint32_t kMaxNameBytes = 64 * 1024;
constexpr uint64_t NameRecordBytes(uint64_t length) {
  return sizeof(NameRecord) + ((length + 7) & ~uint64_t{7});
}

}  // namespace stepscope::format
