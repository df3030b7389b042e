// SPDX-License-Identifier: Apache-2.0
#include "report/prometheus.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/order_statistics.h"
#include "analysis/recording_budget.h"
#include "analysis/serving/iterations.h"
#include "analysis/tables/device.h"
#include "analysis/tables/step_time.h"
#include "base/utf8.h"
#include "report/info/thread_info.h"

namespace stepscope {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

class Metrics {
 public:
  explicit Metrics(Labels common) : common_(std::move(common)) {}

  // Samples follow until the next one.
  void Begin(std::string_view name, std::string_view type,
             std::string_view help) {
    name_ = name;
    out_ += "# HELP " + name_ + " ";
    out_ += help;
    out_ += "\n# TYPE " + name_ + " ";
    out_ += type;
    out_ += '\n';
  }
  void Add(double value, const Labels& labels = {}) {
    out_ += name_;
    Labels all = common_;
    all.insert(all.end(), labels.begin(), labels.end());
    bool any = false;
    for (const auto& [key, text] : all) {
      out_ += any ? "," : "{";
      any = true;
      out_ += key;
      out_ += "=\"";
      AddEscaped(text);
      out_ += '"';
    }
    out_ += any ? "} " : " ";
    char number[32];
    const auto end = std::to_chars(number, number + sizeof(number), value).ptr;
    out_.append(number, end);
    out_ += '\n';
  }
  std::string Take() { return std::move(out_); }

 private:
  void AddEscaped(std::string_view text) {
    for (const char c : ValidUtf8(text)) {
      if (c == '\\' || c == '"') out_ += '\\';
      if (c == '\n')
        out_ += "\\n";
      else
        out_ += c;
    }
  }

  Labels common_;
  std::string name_;
  std::string out_;
};

Labels LabelsOf(const Trace& trace) {
  Labels labels;
  if (trace.processes().empty()) return labels;
  const Process& first = trace.processes().front();
  labels.emplace_back("host", trace.str(first.host));
  labels.emplace_back("pid", std::to_string(first.pid));
  if (first.rank >= 0) labels.emplace_back("rank", std::to_string(first.rank));
  return labels;
}

void AddSteps(const EventTree& tree, const StepTable& steps, Metrics& out) {
  std::vector<int64_t> periods;
  for (const ProcessPeriods& process : FindPeriods(tree, steps))
    periods.insert(periods.end(), process.settled_ns.begin(),
                   process.settled_ns.end());
  out.Begin("stepscope_steps", "gauge",
            "Steps in the window, without warm-up.");
  out.Add(static_cast<double>(periods.size()));
  if (periods.empty()) return;
  out.Begin("stepscope_step_seconds", "summary",
            "Time from the start of a step to that of the next one.");
  const auto add = [&](const char* quantile, size_t percent) {
    out.Add(Seconds(Quantile(periods, percent, 100)), {{"quantile", quantile}});
  };
  add("0.5", 50);
  add("0.9", 90);
  add("0.99", 99);
}

void AddIterations(const IterationTable& iterations, Metrics& out) {
  const auto each = [&](auto add) {
    for (const IterationKindRow& row : iterations.kinds)
      add(row, Labels{{"kind", std::string(NameOf(row.kind))}});
  };
  out.Begin("stepscope_iterations", "gauge",
            "Iterations of the server in the window, by kind.");
  each([&](const IterationKindRow& row, const Labels& kind) {
    out.Add(static_cast<double>(row.count), kind);
  });
  if (iterations.kinds.empty()) return;
  out.Begin("stepscope_iteration_seconds", "summary",
            "Time from the start of an iteration to that of the next one.");
  each([&](const IterationKindRow& row, const Labels& kind) {
    if (row.period.histogram.empty()) return;  // no period is known
    const auto add = [&](const char* quantile, int64_t ns) {
      Labels labels = kind;
      labels.emplace_back("quantile", quantile);
      out.Add(Seconds(ns), labels);
    };
    add("0.5", row.period.p50_ns);
    add("0.9", row.period.p90_ns);
    add("0.99", row.period.p99_ns);
  });
  out.Begin("stepscope_tokens", "gauge",
            "Tokens that the iterations in the window worked on.");
  each([&](const IterationKindRow& row, const Labels& kind) {
    const auto add = [&](const char* of, std::optional<int64_t> count) {
      if (!count) return;
      Labels labels = kind;
      labels.emplace_back("of", of);
      out.Add(static_cast<double>(*count), labels);
    };
    add("context", row.tokens_context);
    add("generation", row.tokens_generation);
  });
  out.Begin("stepscope_tokens_per_second", "gauge",
            "Tokens by the time of the iterations that worked on them.");
  each([&](const IterationKindRow& row, const Labels& kind) {
    if (row.tokens_per_s) out.Add(*row.tokens_per_s, kind);
  });
}

void AddDevices(const EventTree& tree, const StepTable& steps, Metrics& out) {
  out.Begin("stepscope_device_busy_ratio", "gauge",
            "Part of the window in which a device ran kernels, 0 to 1.");
  for (const DeviceRow& row : ComputeDevices(tree, steps))
    if (row.busy_ns && row.utilization)
      out.Add(*row.utilization, {{"device", row.name}});
}

void AddCost(const EventTree& tree, const StepTable& steps,
             const ReadingFacts& facts, Metrics& out) {
  const Trace& trace = tree.trace();
  uint64_t dropped = 0;
  for (const ThreadInfo& thread : ThreadInfos(trace)) dropped += thread.dropped;
  out.Begin("stepscope_events", "gauge", "Events in the window.");
  out.Add(static_cast<double>(trace.size()));
  out.Begin("stepscope_dropped_events", "gauge",
            "Events that the recorder had no room for.");
  out.Add(static_cast<double>(dropped));
  out.Begin("stepscope_capture_bytes", "gauge", "Size of the captures.");
  out.Add(static_cast<double>(facts.capture_bytes));
  if (facts.recorder_cpu_s) {
    out.Begin("stepscope_recorder_cpu_seconds_total", "counter",
              "Processor time of the recorder's threads in the program.");
    out.Add(*facts.recorder_cpu_s);
  }
  out.Begin("stepscope_reader_cpu_seconds_total", "counter",
            "Processor time that stepscope run took to read the captures.");
  out.Add(facts.reader_cpu_s);
  if (const auto budget = FindRecordingBudget(tree.trace())) {
    out.Begin("stepscope_steps_in_full_ratio", "gauge",
              "Steps of which operators are recorded, by all steps.");
    out.Add(budget->full_share);
    if (budget->cost) {
      out.Begin("stepscope_recording_cost_ratio", "gauge",
                "Time that this takes, by the time without.");
      out.Add(budget->cost->ratio);
    }
  }
  const StepTime time = ComputeStepTime(tree, steps, std::nullopt);
  if (const std::optional<double> ratio = time.slow_down()) {
    out.Begin("stepscope_step_slowdown_ratio", "gauge",
              "Median of recorded steps by that of steps that were not.");
    out.Add(*ratio);
  }
}

}  // namespace

std::string PrometheusText(const EventTree& tree, const ReadingFacts& facts) {
  const StepTable steps(tree);
  Metrics out(LabelsOf(tree.trace()));
  out.Begin("stepscope_recording", "gauge",
            "1 while the program runs, 0 when it has ended.");
  out.Add(facts.recording ? 1 : 0);
  out.Begin("stepscope_read_timestamp_seconds", "gauge",
            "When these figures were read.");
  out.Add(facts.time_s);
  out.Begin("stepscope_window_seconds", "gauge",
            "The time that the figures cover.");
  out.Add(Seconds(steps.window_ns()));
  AddSteps(tree, steps, out);
  AddIterations(ComputeIterations(tree), out);
  AddDevices(tree, steps, out);
  AddCost(tree, steps, facts, out);
  return out.Take();
}

}  // namespace stepscope
