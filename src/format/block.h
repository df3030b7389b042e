// SPDX-License-Identifier: Apache-2.0
//
// The capture file (*.sscap): a header and a run of self-delimiting blocks,
// append-only, no mandatory footer. docs/formats/capture.md is its grammar.
// Persisted numbers: never renumber; a changed payload gets a new version.
#pragma once

#include <cstdint>

namespace stepscope::format {

inline constexpr char kFileMagic[8] = {'S', 'S', 'C', 'A', 'P', '0', '1', '\n'};
inline constexpr uint32_t kFileVersion = 1;

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;   // 64
  uint8_t session_id[16];  // random
  uint8_t ring_id[16];     // of the live file
  uint32_t generation;     // session's generation in that ring
  uint32_t flags;          // 0
  uint32_t unused;
  uint32_t crc;  // CRC-32C of the 60 bytes before
};
static_assert(sizeof(FileHeader) == 64);

inline constexpr uint32_t kBlockMagic = 0x4b425353u;  // "SSBK"

// Starts at a multiple of 8 bytes. Payload follows, zero-padded to 8.
struct BlockHeader {
  uint32_t magic;
  uint16_t kind;         // BlockKind
  uint16_t version;      // of the payload
  uint64_t bytes;        // payload without padding
  uint32_t payload_crc;  // CRC-32C
  uint32_t seq;          // 0, 1, 2... in this file
  uint32_t unused;
  uint32_t header_crc;  // CRC-32C of the 28 bytes before
};
static_assert(sizeof(BlockHeader) == 32);
constexpr uint64_t PaddedBytes(uint64_t bytes) {
  return (bytes + 7) & ~uint64_t{7};
}

enum class BlockKind : uint16_t {
  kProcess = 1,  // {u32 key bytes, u32 value bytes, key, value}*
  kClock = 2,    // ClockHeader, Anchor*
  kNames = 3,    // NameRecord + bytes, as in the live file
  kThreads = 4,  // ThreadEntry* (later entries of a uid supersede)
  kEvents = 5,   // EventsHeader, packed slots (event_codec.h)
  kUsage = 6,    // UsageSample*
  kEnd = 7,      // EndRecord: the session was stopped cleanly
  kDevice = 8,   // DeviceHeader, records of <stepscope/plugin.h>
  kTiles = 9,    // reserved; readers skip and count them
  kIndex = 10,   // likewise
  kTable = 11,   // TableHeader, columns (table.h): a converted trace
};

// The version of the payload that is written now. Readers know all before it.
constexpr uint16_t VersionOf(BlockKind kind) {
  return kind == BlockKind::kEvents ? 2 : 1;
}

// Counter kinds of Clock blocks.
enum class ClockKind : uint32_t { kTsc = 1, kCntvct = 2, kMonotonic = 3 };

struct ClockHeader {
  uint32_t kind;        // ClockKind
  uint32_t count;       // anchors that follow
  uint64_t nominal_hz;  // as the hardware states it; 0: unknown
};
static_assert(sizeof(ClockHeader) == 16);

// One instant on every clock. Between anchors the reader interpolates.
struct Anchor {
  uint64_t tick;
  int64_t monotonic_ns;
  int64_t realtime_ns;
  int64_t boottime_ns;
  uint64_t error_ns;  // half the bracket around the monotonic reading
};
static_assert(sizeof(Anchor) == 40);

struct EventsHeader {
  uint32_t thread_uid;
  uint32_t seq;          // number of this run among the thread's runs
  uint64_t incarnation;  // of the chunk; equal to ChunkHeader's
  uint32_t chunk;        // index in the ring
  uint32_t first_slot;   // index in the chunk
  uint32_t slots;        // slots covered, unused ones included
  uint32_t events;       // event slots (instants included)
  uint32_t side_records;
  uint32_t controls;   // of the packed items; version 1: unused
  uint64_t base_tick;  // first delta is relative to this
};
static_assert(sizeof(EventsHeader) == 48);

struct DeviceHeader {
  uint32_t device_type;  // name id: "GPU"
  uint32_t records;
  uint32_t unused[2];
};
static_assert(sizeof(DeviceHeader) == 16);

// CPU time of process and machine at one instant.
struct UsageSample {
  uint64_t tick;
  int64_t process_user_ns;
  int64_t process_system_ns;
  int64_t machine_busy_ns;  // summed over all cores
  int64_t machine_idle_ns;
};
static_assert(sizeof(UsageSample) == 40);

struct EndRecord {
  uint64_t stop_tick;
  uint64_t names_refused;
  uint64_t unused[2];
};
static_assert(sizeof(EndRecord) == 32);

}  // namespace stepscope::format
