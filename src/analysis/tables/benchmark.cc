// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/benchmark.h"

#include <algorithm>
#include <vector>

#include "analysis/kinds.h"
#include "analysis/stats.h"

namespace stepscope {
namespace {

constexpr int64_t kWarmUpSteps = 10;

CostSeries Series(std::vector<int64_t> values) {
  CostSeries series;
  if (values.empty()) return series;
  std::sort(values.begin(), values.end());
  int64_t total = 0;
  for (const int64_t value : values) total = SaturatingAdd(total, value);
  const auto rank = [&](size_t percent) {
    return values[(values.size() * percent + 99) / 100 - 1];
  };
  series.avg_ns = AverageNs(total, values.size());
  series.max_ns = values.back();
  series.min_ns = values.front();
  series.p50_ns = rank(50);
  series.p90_ns = rank(90);
  series.p99_ns = rank(99);
  return series;
}

double PerSecond(int64_t ns) {
  return ns > 0 ? 1e9 / static_cast<double>(ns) : 0;
}

}  // namespace

Benchmark ComputeBenchmark(const StepTable& steps) {
  Benchmark result;
  const auto all = steps.steps();
  const bool warm =
      std::any_of(all.begin(), all.end(), [](const StepInterval& step) {
        return step.index >= kWarmUpSteps;
      });
  // Stages and steps are both ordered by thread and start.
  const auto stages = steps.stages();
  std::vector<int64_t> batch;
  std::vector<int64_t> reader;
  size_t next = 0;
  for (const StepInterval& step : all) {
    while (next < stages.size() &&
           (stages[next].thread < step.thread ||
            (stages[next].thread == step.thread &&
             stages[next].range.begin < step.range.begin))) {
      ++next;
    }
    int64_t wait = 0;
    for (; next < stages.size() && stages[next].thread == step.thread &&
           stages[next].range.begin < step.range.end;
         ++next) {
      if (stages[next].type != STEPSCOPE_DATALOADER) continue;
      wait = SaturatingAdd(wait, SaturatingSubtract(stages[next].range.end,
                                                    stages[next].range.begin));
    }
    if (warm && step.index < kWarmUpSteps) {
      ++result.skipped;
      continue;
    }
    batch.push_back(SaturatingSubtract(step.range.end, step.range.begin));
    reader.push_back(wait);
  }
  result.steps = batch.size();
  result.batch = Series(std::move(batch));
  result.reader = Series(std::move(reader));
  result.reader_ratio = Ratio(result.reader.avg_ns, result.batch.avg_ns);
  result.ips_avg = PerSecond(result.batch.avg_ns);
  result.ips_max = PerSecond(result.batch.min_ns);
  result.ips_min = PerSecond(result.batch.max_ns);
  return result;
}

}  // namespace stepscope
