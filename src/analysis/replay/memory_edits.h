// SPDX-License-Identifier: Apache-2.0
//
// ScriptEdits: ops that go in between those of a script. Positions are those of
// the unchanged script.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "memory/replay.h"
#include "trace/trace.h"

namespace stepscope {

// Where each allocation is made and freed, by its id.
struct ScriptPlaces {
  static constexpr uint32_t kNever = 0xffffffffu;

  explicit ScriptPlaces(const memory::Script& script)
      : made(script.allocations, kNever), freed(script.allocations, kNever) {
    for (uint32_t i = 0; i < script.ops.size(); ++i) {
      const memory::Op& op = script.ops[i];
      if (op.kind == memory::OpKind::kAllocate) made[op.id] = i;
      if (op.kind == memory::OpKind::kFree) freed[op.id] = i;
    }
  }

  std::vector<uint32_t> made;  // kNever: it was found
  std::vector<uint32_t> freed;
};

// The first op at a time or later.
inline uint32_t FirstOpFrom(const Trace& trace, const memory::Script& script,
                            int64_t time_ns) {
  const auto events = trace.memory().stored();
  return static_cast<uint32_t>(
      std::partition_point(script.ops.begin(), script.ops.end(),
                           [&](const memory::Op& op) {
                             return events[op.event].time_ns < time_ns;
                           }) -
      script.ops.begin());
}

class ScriptEdits {
 public:
  // Before the op that stands at `at` now; several in the order of the calls.
  void Insert(uint32_t at, const memory::Op& op) { added_.push_back({at, op}); }
  void InsertFree(uint32_t at, const memory::Op& like, uint32_t id) {
    memory::Op op = like;
    op.kind = memory::OpKind::kFree;
    op.bytes = 0;
    op.id = id;
    Insert(at, op);
  }

  // Segments are made where the changed sequence needs them: when they were
  // recorded is left out.
  void Apply(memory::Script& script) {
    StableSort(added_.begin(), added_.end(),
               [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<memory::Op> ops;
    ops.reserve(script.ops.size() + added_.size());
    auto next = added_.begin();
    for (uint32_t i = 0; i <= script.ops.size(); ++i) {
      for (; next != added_.end() && next->first == i; ++next)
        ops.push_back(next->second);
      if (i < script.ops.size() &&
          script.ops[i].kind != memory::OpKind::kReserve)
        ops.push_back(script.ops[i]);
    }
    script.ops = std::move(ops);
  }

 private:
  std::vector<std::pair<uint32_t, memory::Op>> added_;
};

}  // namespace stepscope
