// SPDX-License-Identifier: Apache-2.0
//
// Compare: two traces item by item, per settled step, with what noise alone
// could do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/step_change.h"
#include "analysis/compare/step_profile.h"
#include "analysis/serving/bill_rule.h"
#include "analysis/step_choice.h"
#include "base/result.h"

namespace stepscope {

struct CompareRow {
  CompareKey key;
  bool in_a = false;
  bool in_b = false;
  // In fewer than half of the steps of either side: both medians are 0, so the
  // means are compared.
  bool by_mean = false;
  uint64_t calls_a = 0;
  uint64_t calls_b = 0;
  double mean_a = 0;  // ns (or bytes) of a step
  double mean_b = 0;
  int64_t median_a = 0;
  int64_t median_b = 0;
  // Half of the 95 % interval of the difference; of the step, the half that
  // lies towards no difference. None with too few steps, for a mean, and for
  // memory, which is one number of the whole trace.
  std::optional<double> noise;
  std::optional<double> p;  // rank test over the steps, two-sided
  // The difference is larger than the noise and the rank test significant; of
  // the step, the verdict says so.
  bool beyond_noise = false;

  double a() const { return by_mean ? mean_a : static_cast<double>(median_a); }
  double b() const { return by_mean ? mean_b : static_cast<double>(median_b); }
  double difference() const { return b() - a(); }
  // Of A; 0 where there is none.
  double ratio() const { return a() > 0 ? difference() / a() : 0; }
};

struct CompareOptions {
  StepChoice steps = StepChoice::Settled();
  // Not steps but iterations of this kind, or requests: IsCompareKind(). Then
  // `steps` does not count. Empty: steps.
  std::string kind = {};
  // Of requests: how they share the device time of an iteration.
  BillRule bill = BillRule::kTokens;
  // What sentences call the two.
  std::string name_a = "A";
  std::string name_b = "B";
  // The gate: B must not be slower by more, in percent.
  std::optional<double> fail_if_slower;
};

struct Comparison {
  std::string name_a = "A";  // in sentences
  std::string name_b = "B";
  uint64_t steps_a = 0;  // chosen ones, over all processes
  uint64_t steps_b = 0;
  uint64_t warmup_a = 0;  // left out as such
  uint64_t warmup_b = 0;
  StepChange change;  // of the step
  CompareRow step;    // the same as a row
  std::optional<GateAnswer> gate;
  std::vector<CompareRow> rows;    // by table, then by size of the change
  std::vector<std::string> notes;  // what a reader must know

  // What a step is here: "step", "decode iteration", "request".
  const std::string& sample() const { return change.sample; }
  bool of_steps() const { return sample() == "step"; }
  // Whether the steps differ by more than noise.
  Verdict verdict() const { return change.verdict(); }
  // Whether the question has an answer: that of the gate, or, without one,
  // whether the steps differ.
  bool conclusive() const;
  // Settled steps that either side needs to resolve what the gate asks for;
  // without one, a change as large as the one that was found.
  std::optional<uint64_t> steps_needed() const;
};

// Fails only where steps are asked for by number, or a kind, and a side has
// none of them.
Result<Comparison> CompareTraces(const Trace& a, const Trace& b,
                                 const CompareOptions& options);
// The settled steps of both.
Comparison CompareTraces(const Trace& a, const Trace& b);

}  // namespace stepscope
