// SPDX-License-Identifier: Apache-2.0
//
// What memory would be reserved under other settings of the allocator, by a
// changed program, with another batch size, or on a device of another size: by
// a replay of the recorded allocations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/replay/batch_fit.h"
#include "analysis/replay/memory_changes.h"
#include "base/result.h"
#include "trace/trace.h"

namespace stepscope {

struct MemoryWhatifOptions {
  // Each as in PYTORCH_CUDA_ALLOC_CONF, answered one by one, and for each
  // change of the program.
  std::vector<std::string> settings;
  std::optional<int64_t> device_bytes;  // what the allocator may reserve
  double batch = 1;                     // that many times the recorded batch
  // Recordings of the same program with so many times the batch, to which its
  // growth is fitted.
  std::vector<std::pair<double, std::shared_ptr<const Trace>>> recorded;
  // Modules or ranges whose calls are made again in the backward pass, one by
  // one.
  std::vector<std::string> checkpoints;
  bool free_early = false;  // what a step leaves to the next one
};

// MemoryWhatifRow::change of free_early alone.
inline constexpr std::string_view kFreeEarlyChange = "free early";

// One replay.
struct MemoryWhatifRow {
  std::string place;
  std::string process;  // as ProcessName() has it; empty: there is one
  std::optional<int64_t> rank;
  std::string change;  // "as recorded", or what was changed
  int64_t peak_reserved_bytes = 0;
  int64_t peak_allocated_bytes = 0;
  int64_t saving_bytes = 0;  // reserved at most, less than without the change
  uint64_t segments = 0;     // that were made
  uint64_t retries = 0;      // after which it fitted, or did not
  std::optional<bool> fits;  // none: no size was given
  int64_t short_bytes = 0;   // at the worst
  // Where it was short of most; else where most was reserved.
  std::optional<uint64_t> step;
  std::string name;
  std::string line;
  std::optional<MadeAgain> made_again;    // of a checkpoint
  std::optional<FreedEarly> freed_early;  // of free_early
};

struct MemoryWhatif {
  // Of the recording itself, by place: what the replay has to give back.
  struct Recorded {
    std::string place;
    std::string process;
    std::optional<int64_t> rank;
    std::string settings;  // empty: the defaults
    int64_t peak_reserved_bytes = 0;
    int64_t peak_allocated_bytes = 0;
    int64_t replayed_reserved_bytes = 0;
    uint64_t allocations = 0;
    std::optional<BatchFit> fit;  // none: sizes are as many times the batch
    bool exact() const {
      return peak_reserved_bytes == replayed_reserved_bytes;
    }
  };
  std::vector<Recorded> recorded;     // who reserved most first
  std::vector<MemoryWhatifRow> rows;  // as `recorded`, in the order asked for
  std::optional<int64_t> device_bytes;
  bool has_device_work = false;  // so that times of devices are known
  std::vector<std::string> notes;
};

// Whose memory it is: "rank 3, Place(gpu:0)".
template <typename Of>
std::string WhoseText(const Of& row) {
  return row.process.empty() ? row.place : row.process + ", " + row.place;
}

// Fails where a setting makes no sense, where no call has the name of a
// checkpoint, and where the trace has no addresses.
Result<MemoryWhatif> ComputeMemoryWhatif(const Trace& trace,
                                         const MemoryWhatifOptions& options);

}  // namespace stepscope
