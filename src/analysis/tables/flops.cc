// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/flops.h"

#include <stepscope/c.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/flop_rules.h"
#include "analysis/op_shapes.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"

namespace stepscope {
FlopsTable ComputeFlops(const EventTree& tree) {
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

  struct Sum {
    FlopsRow row;
    OpenSpan calls;               // all of that name
    OpenSpan open;                // those that were counted
    bool counted = false;         // something of the last call
    uint32_t thread = kNoThread;  // of `calls` and `open`
  };
  std::unordered_map<uint32_t, Sum> sums;
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    OpenSpan outermost;
    tree.ForEachNested(i, [&](Row row, const Interval& span) {
      const StringId name = trace.name()[row];
      if (trace.type()[row] != STEPSCOPE_OPERATOR ||
          rules[name.v] == FlopRule::kNone)
        return;
      Sum& named = sums[name.v];
      if (named.thread != i) {
        named.thread = i;
        named.calls = {};
        named.open = {};
      }
      FlopsRow& sum = named.row;
      sum.name = trace.str(name);
      sum.id = name;
      if (named.calls.Enter(span.begin, span.end)) {
        ++sum.calls;
        named.counted = false;
      }
      const std::optional<int64_t> flops =
          CountFlops(rules[name.v], ShapesOf(trace, row, raw.Get(row)));
      if (!flops) return;
      // An operator inside one of the same name does the same work.
      if (!named.open.Enter(span.begin, span.end)) return;
      if (!named.counted) ++sum.counted_calls;
      named.counted = true;
      sum.flops = SaturatingAdd(sum.flops, *flops);
      const int64_t gpu = tree.gpu_ns(row);
      sum.on_device = sum.on_device || gpu > 0;
      sum.time_ns =
          SaturatingAdd(sum.time_ns, gpu > 0 ? gpu : trace.dur_ns()[row]);
      if (outermost.Enter(span.begin, span.end))
        table.total_flops = SaturatingAdd(table.total_flops, *flops);
    });
  }
  for (const auto& [name, sum] : sums) table.rows.push_back(sum.row);
  std::sort(table.rows.begin(), table.rows.end(),
            [](const FlopsRow& a, const FlopsRow& b) {
              if (a.flops != b.flops) return a.flops > b.flops;
              return a.name < b.name;
            });
  return table;
}

TableSchema DeclareFlopsTable() {
  ColumnsOf<FlopsRow> columns;
  columns.Text("name", "name of the operator", &FlopsRow::name);
  columns.Count("calls", "calls of operators with a rule", &FlopsRow::calls);
  columns
      .Count("counted_calls", "of these, with shapes known well enough",
             &FlopsRow::counted_calls)
      .As("Calls counted");
  columns.Count("flops", "floating-point operations of the counted calls",
                &FlopsRow::flops);
  columns.Time("time_ns", Adds::kSum,
               "device work of the counted calls, or the calls themselves",
               &FlopsRow::time_ns);
  columns.Bool("on_device", "whether the time is that of device work",
               &FlopsRow::on_device);
  columns
      .Number("tflops_per_s", "TFLOP/s", "flops / time",
              &FlopsRow::tflops_per_s)
      .As("TFLOP/s");
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
