// SPDX-License-Identifier: Apache-2.0
//
// The text of the Perf Summary: Paddle's block to the character, then a block
// of ours with percentiles and what was counted.
#include <string_view>

#include "base/text.h"
#include "profiler/step_timer.h"

namespace stepscope::profiler {
namespace {

constexpr size_t kCellWidth = 15;
constexpr size_t kTitleWidth = 100;

// An odd blank goes to the left, as Python's str.center does in odd widths.
std::string Cell(std::string_view text) {
  size_t pad = text.size() < kCellWidth ? kCellWidth - text.size() : 0;
  size_t right = pad / 2;
  return std::string(pad - right, ' ') + std::string(text) +
         std::string(right, ' ');
}

std::string Line(std::string_view name, std::string_view a, std::string_view b,
                 std::string_view c) {
  return "| " + Cell(name) + " | " + Cell(a) + " | " + Cell(b) + " | " +
         Cell(c) + " |\n";
}

std::string Number(double value) { return Format("%.5f", value); }

std::string CostLine(std::string_view name, const Series& series) {
  return Line(name, Number(Seconds(series.Mean())),
              Number(Seconds(series.max())), Number(Seconds(series.min())));
}

std::string PercentileLine(std::string_view name, const Series& series) {
  return Line(name, Number(Seconds(series.Percentile(50))),
              Number(Seconds(series.Percentile(90))),
              Number(Seconds(series.Percentile(99))));
}

// A rate of steps that took no measurable time is printed as 0, not as inf.
double Rate(double work, int64_t ns) { return ns > 0 ? work / Seconds(ns) : 0; }

std::string SpeedLine(const StepTimer& timer, const StepFigures& figures) {
  const Series& batch = figures.batch;
  if (timer.in_samples()) {
    return Line(
        "ips",
        Number(Rate(static_cast<double>(figures.samples), batch.total())),
        Number(figures.max_samples_per_second),
        Number(figures.min_samples_per_second));
  }
  return Line("ips",
              Number(Rate(static_cast<double>(batch.count()), batch.total())),
              Number(Rate(1, batch.min())), Number(Rate(1, batch.max())));
}

std::string CountedLine(const StepTimer& timer) {
  long long counted = timer.counted().batch.count();
  long long steps = timer.steps();
  if (counted == steps) {
    return Format(
        "Steps counted: all %lld (of longer runs the first %lld are "
        "left out)\n",
        steps, static_cast<long long>(StepTimer::kWarmUpSteps));
  }
  return Format("Steps counted: %lld of %lld (the first %lld are left out)\n",
                counted, steps,
                static_cast<long long>(StepTimer::kWarmUpSteps));
}

}  // namespace

std::string PerfSummary(const StepTimer& timer) {
  if (timer.steps() == 0) return "";
  const StepFigures& figures = timer.counted();
  bool has_reader = figures.reader.total() > 0;

  constexpr std::string_view kTitle = "Perf Summary";
  std::string bar((kTitleWidth - kTitle.size()) / 2, '=');
  std::string text = bar + std::string(kTitle) + bar + "\n";
  if (has_reader && figures.batch.total() > 0) {
    text += Format("Reader Ratio: %.3f%%\n",
                   100.0 * static_cast<double>(figures.reader.total()) /
                       static_cast<double>(figures.batch.total()));
  }
  text += "Time Unit: s, IPS Unit: " + timer.ips_unit() + "\n";
  text += Line("", "avg", "max", "min");
  if (has_reader) text += CostLine("reader_cost", figures.reader);
  text += CostLine("batch_cost", figures.batch);
  text += SpeedLine(timer, figures);

  text += Line("", "p50", "p90", "p99");
  if (has_reader) text += PercentileLine("reader_cost", figures.reader);
  text += PercentileLine("batch_cost", figures.batch);
  text += CountedLine(timer);
  if (figures.batch.stride() > 1) {
    text += Format("Percentiles are of one step in %lld\n",
                   static_cast<long long>(figures.batch.stride()));
  }
  return text;
}

}  // namespace stepscope::profiler
