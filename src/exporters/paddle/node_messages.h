// SPDX-License-Identifier: Apache-2.0
//
// The messages of a node tree, field by field.
#pragma once

#include <vector>

#include "exporters/pid_pool.h"
#include "exporters/proto/wire.h"
#include "trace/trace.h"

namespace stepscope::paddle {

// Where ids are taken from that another process or thread has already.
inline constexpr int64_t kFirstFreeId = 0x10000000;

struct Peak {
  uint64_t allocated = 0;
  uint64_t reserved = 0;
};

// Paddle's number for a type; ours beyond its list become the nearest.
uint32_t PaddleType(uint16_t type);

class NodeMessages {
 public:
  explicit NodeMessages(const Trace& trace);

  int64_t pid(uint32_t process) const { return pids_[process]; }

  void FillHost(proto::Message& out, Row row) const;
  void FillRoot(proto::Message& out, int64_t pid, int64_t tid) const;
  void FillCall(proto::Message& out, Row row, uint64_t correlation) const;
  void FillDevice(proto::Message& out, Row row, uint64_t correlation) const;
  void FillMemory(proto::Message& out, const MemoryEvent& event,
                  const Peak& peak) const;
  // Shapes and the like. False: the event has none.
  bool FillSupplement(proto::Message& out, Row row) const;

 private:
  uint64_t Absolute(int64_t time_ns) const {
    return static_cast<uint64_t>(trace_.epoch_ns() + time_ns);
  }
  int64_t PidOf(uint32_t track) const;

  const Trace& trace_;
  std::vector<int64_t> pids_;  // by process
};

}  // namespace stepscope::paddle
