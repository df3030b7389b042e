// SPDX-License-Identifier: Apache-2.0
//
// Benchmark: what a step costs and how much of it is waiting for data, from
// the recorded steps. A step counts when its index is 10 or more, reader and
// batch alike; if there is none such, all count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/steps.h"

namespace stepscope {

struct CostSeries {
  int64_t avg_ns = 0;
  int64_t max_ns = 0;
  int64_t min_ns = 0;
  int64_t p50_ns = 0;  // nearest rank
  int64_t p90_ns = 0;
  int64_t p99_ns = 0;
};

struct Benchmark {
  uint64_t steps = 0;       // counted
  uint64_t skipped = 0;     // warm-up
  CostSeries reader;        // outermost Dataloader events within the step
  CostSeries batch;         // duration of the step
  double reader_ratio = 0;  // of the averages
  double ips_avg = 0;       // steps a second
  double ips_max = 0;
  double ips_min = 0;
};

// One step, whether it counts or not.
struct StepCost {
  int64_t index = 0;
  int64_t batch_ns = 0;
  int64_t reader_ns = 0;
};
std::vector<StepCost> FindStepCosts(const StepTable& steps);

Benchmark ComputeBenchmark(std::span<const StepCost> steps);
Benchmark ComputeBenchmark(const StepTable& steps);

}  // namespace stepscope
