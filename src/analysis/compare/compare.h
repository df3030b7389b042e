// SPDX-License-Identifier: Apache-2.0
//
// Compare: two traces item by item, per step, with what noise alone could do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/compare/step_profile.h"

namespace stepscope {

struct CompareRow {
  CompareKey key;
  bool in_a = false;
  bool in_b = false;
  uint64_t calls_a = 0;
  uint64_t calls_b = 0;
  double mean_a = 0;  // ns (or bytes) of a step
  double mean_b = 0;
  MeanDifference change;

  // Of A's mean; 0 where there is none.
  double ratio() const { return mean_a > 0 ? change.difference / mean_a : 0; }
};

enum class Verdict : uint8_t { kSame, kFaster, kSlower };

struct Comparison {
  uint64_t steps_a = 0;
  uint64_t steps_b = 0;
  CompareRow step;  // the step itself
  std::vector<CompareRow> rows;  // by table, then by size of the change
  std::vector<std::string> notes;  // what a reader must know

  // Whether the steps differ by more than noise. Without an interval: at all.
  Verdict verdict() const;
  // Slower by more than `percent`, and by more than noise.
  bool IsSlowerBy(double percent) const;
};

Comparison CompareTraces(const Trace& a, const Trace& b);

}  // namespace stepscope
