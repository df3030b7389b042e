// SPDX-License-Identifier: Apache-2.0
//
// The collectives of one rank, in which it meets the others: kernels of NCCL
// and its like, and what the host does by itself (gloo, MPI, events of type
// Communication that launched nothing). Calls that only put a kernel into a
// queue (c10d::, nccl:, record_param_comms) meet nobody and are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/communication.h"
#include "analysis/event_tree.h"
#include "analysis/steps.h"
#include "trace/job/collective_kind.h"

namespace stepscope {

inline constexpr int64_t kNoStep = INT64_MIN;

// What calls have in common that one rank makes in one place of its program.
struct CallSignature {
  CollectiveKind kind = CollectiveKind::kOther;
  std::string name;            // of the first such event
  std::string group;           // of ranks; empty: not stated
  std::vector<int64_t> ranks;  // of the group; empty: not stated
  int64_t group_size = 0;      // 0: not stated
  uint64_t bytes = 0;          // 0: not stated
  int64_t source = -1;         // of point-to-point; -1: not stated
  int64_t target = -1;

  friend bool operator==(const CallSignature&, const CallSignature&) = default;
};

struct RankCall {
  Interval time;  // of the trace that it is from
  Row row = kNoRow;
  uint32_t signature = 0;
  int64_t seq = -1;        // as stated by the program
  int64_t step = kNoStep;  // number of the step that made it
  bool on_device = false;
};

// Of one process.
struct RankCalls {
  uint32_t process = 0;
  int64_t rank = -1;  // -1: not stated
  std::vector<CallSignature> signatures;
  std::vector<RankCall> calls;  // by start
};

// Whether a trace can have calls of its own to match: collectives, or remote
// calls of parameter servers (rpc_pairs.h).
bool MayHaveCalls(const Trace& trace, const Communication& communication);

// By process of the trace, empty ones as well.
std::vector<RankCalls> FindRankCalls(const EventTree& tree,
                                     const StepTable& steps, NameClasses& names,
                                     const Communication& communication);

}  // namespace stepscope
