// SPDX-License-Identifier: Apache-2.0
//
// What memory would be reserved under other settings of the allocator, with
// another batch size, or on a device of another size: by a replay of the
// recorded allocations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace stepscope {

struct MemoryWhatifOptions {
  // Each as in PYTORCH_CUDA_ALLOC_CONF, answered one by one.
  std::vector<std::string> settings;
  std::optional<int64_t> device_bytes;  // what the allocator may reserve
  double batch = 1;                     // that many times the recorded batch
};

// One replay.
struct MemoryWhatifRow {
  std::string place;
  std::string change;  // "as recorded", or what was changed
  int64_t peak_reserved_bytes = 0;
  int64_t peak_allocated_bytes = 0;
  int64_t saving_bytes = 0;  // reserved at most, less than recorded
  uint64_t segments = 0;     // that were made
  uint64_t retries = 0;      // after which it fitted, or did not
  std::optional<bool> fits;  // none: no size was given
  int64_t short_bytes = 0;   // at the worst
  // Where it was short of most; else where most was reserved.
  std::optional<uint64_t> step;
  std::string name;
  std::string line;
};

struct MemoryWhatif {
  // Of the recording itself, by place: what the replay has to give back.
  struct Recorded {
    std::string place;
    std::string settings;  // empty: the defaults
    int64_t peak_reserved_bytes = 0;
    int64_t peak_allocated_bytes = 0;
    int64_t replayed_reserved_bytes = 0;
    uint64_t allocations = 0;
    bool exact() const {
      return peak_reserved_bytes == replayed_reserved_bytes;
    }
  };
  std::vector<Recorded> recorded;
  std::vector<MemoryWhatifRow> rows;  // by place, in the order asked for
  std::optional<int64_t> device_bytes;
  std::vector<std::string> notes;
};

// Fails where a setting makes no sense, and where the trace has no addresses.
Result<MemoryWhatif> ComputeMemoryWhatif(const Trace& trace,
                                         const MemoryWhatifOptions& options);

}  // namespace stepscope
