// SPDX-License-Identifier: Apache-2.0
//
// What an allocation is for: concluded from where and when it was made and
// freed, since nobody says it.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/interval.h"
#include "analysis/memory_script.h"
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
std::string_view MemoryCategoryName(MemoryCategory category);

class MemoryCategories {
 public:
  explicit MemoryCategories(const Trace& trace);

  MemoryCategory Of(const BlockLife& allocation);

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
  // The end of the optimizer's range around a time; negative: in none.
  int64_t OptimizerEnd(int64_t time_ns) const;
  bool OptimizerBetween(int64_t from_ns, int64_t to_ns) const;
  bool InBackward(int64_t time_ns) const;

  const Trace& trace_;
  const bool alone_;  // a snapshot: stacks are all that is known
  bool has_steps_ = false;
  std::vector<Interval> optimizer_;  // by time
  std::vector<Interval> backward_;   // by time, apart from each other
  std::unordered_map<Row, Where> where_;
};

}  // namespace stepscope
