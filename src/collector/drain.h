// SPDX-License-Identifier: Apache-2.0
//
// Turns chunks into blocks of capture files. Used by the writer thread only.
// Blocks are gathered and written together; a chunk is recycled only after its
// blocks were written, or counted as lost.
#pragma once

#include <cstdint>

#include "collector/core.h"
#include "format/event_codec.h"
#include "format/live_file.h"

namespace stepscope::collector {

class Drain {
 public:
  static Drain* Get();

  // Writes and recycles all full chunks; returns how many there were.
  uint32_t DrainFull();
  // The same for chunks that threads of a stopped session still hold, or were
  // about to hand over.
  void DrainSession(Session* session);

  // Gathers one thread's record; Flush writes.
  AppendResult AppendThread(Session* session, const format::ThreadEntry& entry);
  // Writes a block of any size, copied in pieces of whole name records.
  AppendResult AppendCopy(Session* session, format::BlockKind kind,
                          const uint8_t* bytes, uint64_t count);
  AppendResult Flush();
  // In a forked child: forget what the parent's writer was gathering.
  void ResetAfterFork();

 private:
  // One run of slots that belong to one thread.
  struct Run {
    uint32_t uid, seq, entry, first, count;
  };
  static constexpr uint64_t kBatchBytes = 512 * 1024;
  static constexpr uint64_t kRoom =
      kBatchBytes + format::MaxPackedBytes(format::kSlotsPerChunk) + 4096;
  static constexpr uint32_t kMaxBatch = 512;

  void AddChunk(Session* session, uint32_t chunk);
  void AddRun(Session* session, uint32_t chunk, const Run& run);
  void CountLost(AppendResult why);
  void Use(Session* session);
  void Clear();

  Session* session_ = nullptr;  // whose blocks are gathered
  uint64_t bytes_ = 0;
  uint32_t blocks_ = 0;
  bool essential_ = false;
  uint32_t chunks_[kMaxBatch] = {};  // to recycle after the write
  uint32_t chunk_count_ = 0;
  struct Gathered {
    uint32_t entry = 0, uid = 0, events = 0, side = 0;
  };
  Gathered runs_[kMaxBatch * 4] = {};
  uint32_t run_count_ = 0;
  uint32_t full_[1u << 15] = {};
  alignas(64) uint8_t buffer_[kRoom] = {};
};

}  // namespace stepscope::collector
