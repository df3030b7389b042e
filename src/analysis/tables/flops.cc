// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/flops.h"

#include <stepscope/c.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "analysis/flop_rules.h"
#include "analysis/op_bytes.h"
#include "analysis/op_shapes.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"

namespace stepscope {
namespace {

bool Holds(const IntervalSet& parts, int64_t time_ns) {
  const auto after = std::upper_bound(
      parts.begin(), parts.end(), time_ns,
      [](int64_t time, const Interval& part) { return time < part.begin; });
  return after != parts.begin() && time_ns < std::prev(after)->end;
}

// Steps that count, with what they take together.
class CountedTime {
 public:
  CountedTime(const EventTree& tree, const StepTable& steps) {
    std::vector<IntervalCollector> own(tree.trace().processes().size());
    IntervalCollector settled;
    for (const StepInterval& step : steps.steps()) {
      if (step.warmup) continue;
      settled.Add(step.range.begin, step.range.end);
      own[tree.threads()[step.thread].process].Add(step.range.begin,
                                                   step.range.end);
      ++steps_;
    }
    all_ = settled.Finish();
    for (IntervalCollector& of : own) own_.push_back(of.Finish());
    if (!all_.empty()) return;
    all_.assign(steps.all_steps().begin(), steps.all_steps().end());
    steps_ = steps.steps().size();
  }

  uint64_t steps() const { return steps_; }
  int64_t length() const { return TotalLength(all_); }
  // Of the process, which may have steps of its own.
  bool Has(uint32_t process, int64_t time_ns) const {
    return Holds(own_[process].empty() ? all_ : own_[process], time_ns);
  }

 private:
  uint64_t steps_ = 0;
  IntervalSet all_;
  std::vector<IntervalSet> own_;  // by process
};

}  // namespace

FlopsTable ComputeFlops(const EventTree& tree, const StepTable& steps,
                        std::vector<CountedCall>* calls) {
  const Trace& trace = tree.trace();
  FlopsTable table;
  if (trace.args().empty() && !trace.has_raw_args()) return table;
  std::vector<FlopRule> rules(trace.strings().size());
  bool any = false;
  for (uint32_t i = 0; i < rules.size(); ++i) {
    rules[i] = FlopRuleOf(trace.str(StringId{i}));
    any = any || rules[i] != FlopRule::kNone;
  }
  if (!any) return table;
  RawArgReader raw(trace);
  const CountedTime counted(tree, steps);
  table.step.steps = counted.steps();
  table.step.time_ns = counted.length();
  table.step.devices = CountDevices(tree);
  table.step.all_gpu_ns = steps.all_gpu_ns();

  struct Sum {
    FlopsRow row;
    OpenSpan calls;
    bool counted = false;         // something of the last call
    uint32_t thread = kNoThread;  // of `calls`
  };
  std::unordered_map<uint32_t, Sum> sums;
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    OpenSpan counted_calls;
    tree.ForEachNested(i, [&](Row row, const Interval& span) {
      const StringId name = trace.name()[row];
      // What is inside a call that was counted does that call's operations.
      if (trace.type()[row] != STEPSCOPE_OPERATOR ||
          rules[name.v] == FlopRule::kNone ||
          counted_calls.Holds(span.begin, span.end))
        return;
      Sum& named = sums[name.v];
      if (named.thread != i) {
        named.thread = i;
        named.calls = {};
      }
      FlopsRow& sum = named.row;
      sum.name = trace.str(name);
      sum.id = name;
      if (named.calls.Enter(span.begin, span.end)) {
        ++sum.calls;
        named.counted = false;
      }
      const std::string_view arguments = raw.Get(row);
      OpShapes shapes = ShapesOf(trace, row, arguments);
      const std::optional<int64_t> flops = CountFlops(rules[name.v], shapes);
      if (!flops) return;
      counted_calls.Enter(span.begin, span.end);
      if (!named.counted) ++sum.counted_calls;
      named.counted = true;
      sum.flops = SaturatingAdd(sum.flops, *flops);
      const int64_t gpu = tree.gpu_ns(row);
      if (gpu > 0) {
        sum.gpu_ns = SaturatingAdd(sum.gpu_ns, gpu);
        sum.gpu_flops = SaturatingAdd(sum.gpu_flops, *flops);
      } else {
        sum.host_ns = SaturatingAdd(sum.host_ns, trace.dur_ns()[row]);
      }
      shapes.types = InputTypesOf(trace, row, arguments);
      const std::optional<int64_t> bytes =
          EstimateBytes(rules[name.v], shapes, *flops);
      sum.bytes_known = sum.bytes_known && bytes.has_value();
      sum.moved_bytes = SaturatingAdd(sum.moved_bytes, bytes.value_or(0));
      if (calls != nullptr) calls->push_back({row, *flops});
      table.total_flops = SaturatingAdd(table.total_flops, *flops);
      StepFlops& step = table.step;
      step.counted_gpu_ns = SaturatingAdd(step.counted_gpu_ns, gpu);
      if (counted.Has(tree.threads()[i].process, span.begin))
        step.flops = SaturatingAdd(step.flops, *flops);
    });
  }
  if (calls != nullptr) std::ranges::sort(*calls, {}, &CountedCall::row);
  for (const auto& [name, sum] : sums) table.rows.push_back(sum.row);
  std::sort(table.rows.begin(), table.rows.end(),
            [](const FlopsRow& a, const FlopsRow& b) {
              if (a.flops != b.flops) return a.flops > b.flops;
              return a.name < b.name;
            });
  if (table.rows.empty()) table.step = {};  // as where nothing was looked for
  return table;
}

TableSchema DeclareFlopsTable() {
  ColumnsOf<FlopsRow> columns;
  columns.Text("name", "name of the operator", &FlopsRow::name);
  columns.Count("calls",
                "calls of the operator, but for those inside a counted call of "
                "any, which does their operations",
                &FlopsRow::calls);
  columns
      .Count("counted_calls", "of these, with shapes known well enough",
             &FlopsRow::counted_calls)
      .As("Calls counted");
  columns.Count("flops", "floating-point operations of the counted calls",
                &FlopsRow::flops);
  columns.Time("time_ns", Adds::kSum,
               "device work of the counted calls, or the calls themselves "
               "where none of them launched any",
               &FlopsRow::time_ns);
  columns.Bool("on_device", "whether the time is that of device work",
               &FlopsRow::on_device);
  columns
      .Number("tflops_per_s", "TFLOP/s",
              "flops / time, of the calls that the time is of",
              &FlopsRow::tflops_per_s)
      .As("TFLOP/s");
  columns
      .Bytes("estimated_bytes", Adds::kSum,
             "what the counted calls move at least: operands read and results "
             "written once; empty where types are not known",
             &FlopsRow::estimated_bytes)
      .As("Bytes, estimated");
  columns
      .Number("intensity", "FLOP/B", "flops / estimated_bytes",
              &FlopsRow::intensity)
      .As("Operations per byte, estimated");
  columns
      .Number("measured_intensity", "FLOP/B",
              "floating-point operations for each byte of the device's memory, "
              "by its counters; empty where these do not tell",
              &FlopsRow::measured_intensity)
      .OnlyIfAny()
      .As("Operations per byte, measured");
  columns
      .Ratio("peak_ratio",
             "share of the peak of a device, where that is stated",
             &FlopsRow::peak_ratio)
      .As("Of the peak");
  columns
      .Ratio("roof_ratio",
             "share of what the peak and the memory of a device allow for so "
             "many operations per byte, measured or else estimated, where "
             "these are stated",
             &FlopsRow::roof_ratio)
      .As("Of the roofline");
  return {.key = "flops",
          .title = "FLOPs",
          .meaning = "how fast is the arithmetic?",
          .view = kFlopsView,
          .json_views = kFlopsView,
          .ranked = true,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.flops.rows); },
          .nothing = [](const Summary& s) { return s.flops.rows.empty(); }};
}

}  // namespace stepscope
