// SPDX-License-Identifier: Apache-2.0
//
// What an allocation is for: concluded from where and when it was made and
// freed, since nobody says it.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/interval.h"
#include "analysis/memory_script.h"
#include "analysis/steps.h"
#include "trace/trace.h"

namespace stepscope {

enum class MemoryCategory : uint8_t {
  kParameters,
  kGradients,
  kOptimizerState,
  kActivations,
  kTemporary,
  kWorkspace,
  kOther,
};
inline constexpr size_t kMemoryCategories = 7;
std::string_view MemoryCategoryName(MemoryCategory category);

class MemoryCategories {
 public:
  // Refers to the tree's trace. Passes that nobody marked count, too.
  MemoryCategories(const EventTree& tree, const StepTable& steps);

  MemoryCategory Of(const BlockLife& allocation);
  // Whether a call of the optimizer of a process begins between two times.
  bool OptimizerBetween(uint32_t process, int64_t from_ns, int64_t to_ns) const;

 private:
  enum class Where : uint8_t {
    kSetUp,
    kForward,
    kBackward,
    kOptimizer,
    kWorkspace
  };

  Where WhereIs(const MemoryEvent& event);
  Where WhereIsOwner(Row row);
  // Of a recorded operator: what it ran in.
  Where WhereIsOperator(Row row) const;
  uint32_t ProcessOf(Row row) const;
  // The end of the optimizer's range around a time; negative: in none.
  int64_t OptimizerEnd(uint32_t process, int64_t time_ns) const;
  bool InBackward(uint32_t process, int64_t time_ns) const;

  MemoryCategory StatedBy(Row owner) const;

  const Trace& trace_;
  const StringId levels_place_;  // whose owners are categories; empty: none
  const bool alone_;             // a snapshot: stacks are all that is known
  bool has_steps_ = false;
  // By process, and by time.
  std::vector<std::vector<Interval>> optimizer_;
  std::vector<std::vector<Interval>> backward_;  // apart from each other
  std::unordered_map<Row, Where> where_;
};

}  // namespace stepscope
