// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/benchmark.h"

#include <algorithm>
#include <vector>

#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"

namespace stepscope {
namespace {

constexpr int64_t kWarmUpSteps = 10;

CostSeries SeriesOf(std::vector<int64_t> values) {
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

std::vector<StepCost> FindStepCosts(const StepTable& steps) {
  std::vector<StepCost> costs;
  // Stages and steps are both ordered by thread and start.
  const auto stages = steps.stages();
  size_t next = 0;
  for (const StepInterval& step : steps.steps()) {
    while (next < stages.size() &&
           (stages[next].thread < step.thread ||
            (stages[next].thread == step.thread &&
             stages[next].range.begin < step.range.begin)))
      ++next;
    int64_t wait = 0;
    for (; next < stages.size() && stages[next].thread == step.thread &&
           stages[next].range.begin < step.range.end;
         ++next) {
      if (stages[next].type != STEPSCOPE_DATALOADER) continue;
      wait = SaturatingAdd(wait,
                           steps.TimeInSteps(step.thread, stages[next].range));
    }
    costs.push_back({step.index,
                     SaturatingSubtract(step.range.end, step.range.begin),
                     wait});
  }
  return costs;
}

Benchmark ComputeBenchmark(std::span<const StepCost> steps) {
  Benchmark result;
  const bool warm = std::any_of(
      steps.begin(), steps.end(),
      [](const StepCost& step) { return step.index >= kWarmUpSteps; });
  std::vector<int64_t> batch;
  std::vector<int64_t> reader;
  for (const StepCost& step : steps) {
    if (warm && step.index < kWarmUpSteps) {
      ++result.skipped;
      continue;
    }
    batch.push_back(step.batch_ns);
    reader.push_back(step.reader_ns);
  }
  result.steps = batch.size();
  result.batch = SeriesOf(std::move(batch));
  result.reader = SeriesOf(std::move(reader));
  result.reader_ratio = Ratio(result.reader.avg_ns, result.batch.avg_ns);
  result.ips_avg = PerSecond(result.batch.avg_ns);
  result.ips_max = PerSecond(result.batch.min_ns);
  result.ips_min = PerSecond(result.batch.max_ns);
  return result;
}

Benchmark ComputeBenchmark(const StepTable& steps) {
  return ComputeBenchmark(FindStepCosts(steps));
}

namespace {

void AddCostSeries(ColumnsOf<Benchmark>& columns, const std::string& name,
                   const std::string& what, CostSeries Benchmark::*series) {
  const auto add = [&](const char* key, const char* which,
                       int64_t CostSeries::*value) {
    columns.Time(name + key, what + which,
                 [=](const Benchmark& row) { return row.*series.*value; });
  };
  add(".avg_ns", ", on average", &CostSeries::avg_ns);
  add(".max_ns", ", the longest", &CostSeries::max_ns);
  add(".min_ns", ", the shortest", &CostSeries::min_ns);
  add(".p50_ns", ": half took this or less", &CostSeries::p50_ns);
  add(".p90_ns", ": nine in ten took this or less", &CostSeries::p90_ns);
  add(".p99_ns", ": 99 in 100 took this or less", &CostSeries::p99_ns);
}

}  // namespace

TableSchema DeclareBenchmarkTable() {
  ColumnsOf<Benchmark> columns;
  columns.Count("steps", "steps that count", &Benchmark::steps);
  columns.Count("skipped", "steps that came before: warm-up",
                &Benchmark::skipped);
  AddCostSeries(columns, "reader_cost", "waiting for data in a step",
                &Benchmark::reader);
  AddCostSeries(columns, "batch_cost", "duration of a step", &Benchmark::batch);
  columns.Ratio("reader_ratio", "average reader cost / average batch cost",
                &Benchmark::reader_ratio);
  columns.Text("ips.unit", "what is counted",
               [](const Benchmark&) { return std::string_view("steps/s"); });
  columns.Number("ips.avg", "steps/s", "of the average step",
                 &Benchmark::ips_avg);
  columns.Number("ips.max", "steps/s", "of the shortest step",
                 &Benchmark::ips_max);
  columns.Number("ips.min", "steps/s", "of the longest step",
                 &Benchmark::ips_min);
  return {.key = "benchmark",
          .title = "Benchmark",
          .meaning = "what does a step cost, and its data?",
          .view = kBenchmarkView,
          .json_views = kAllViews,
          .shape = TableShape::kOne,
          .columns = columns.Take(),
          .rows = [](const Summary& s) {
            return s.benchmark.steps == 0 ? RowList()
                                          : RowList::One(s.benchmark);
          }};
}

}  // namespace stepscope
