// SPDX-License-Identifier: Apache-2.0
//
// FluidProfile: reads what fluid.profiler writes (/tmp/profile). One process;
// a host thread's events and CUDA calls lie on one track, told apart by their
// type, so that they nest; the block an event ran in is its argument "block"
// where it is not 0. Tracks are in the order in which the file names them.
#pragma once

#include <cstdint>
#include <vector>

#include "importers/proto/proto_importers.h"
#include "importers/proto/recorder.h"
#include "importers/proto/tracks.h"

namespace stepscope::proto {

class FluidProfile {
 public:
  FluidProfile(const Input& input, TraceBuilder& builder);
  void Read();

 private:
  void ReadEvent(Bytes event, bool cut);
  void ReadMemory(Bytes event, bool cut);
  void AddMemoryEvents();
  void SetStart(uint64_t start, uint64_t end);

  const Input& input_;
  Recorder out_;
  Tracks tracks_;
  uint32_t process_ = 0;
  // A memory event of the file is a lifetime; these are both ends of each.
  std::vector<MemoryEvent> memory_;
};

}  // namespace stepscope::proto
