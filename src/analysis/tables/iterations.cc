// SPDX-License-Identifier: Apache-2.0
//
// Iterations of an inference engine. The keys are those of the contract for
// servers.
#include "analysis/serving/iterations.h"

#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/summary_options.h"

namespace stepscope {
namespace {

// Both rows have it. The keys are the contract's; in words these are waits, as
// the table idle asks something else of the same time.
template <typename Row>
void AddWaits(ColumnsOf<Row>& columns) {
  const auto add = [&](const char* name, const char* title, const char* meaning,
                       int64_t IterationIdle::*value) {
    columns
        .Time(name, Adds::kSum, meaning,
              [=](const Row& row) { return row.idle.*value; })
        .As(title);
  };
  add("idle_ns.host_inside", "Waits for host, inside",
      "device waits for a launch, the host inside the mark",
      &IterationIdle::host_inside);
  add("idle_ns.host_between", "Waits for host, between",
      "device waits for a launch, the host between marks",
      &IterationIdle::host_between);
  add("idle_ns.queued", "Waits, queued",
      "device does nothing though work was launched", &IterationIdle::queued);
  add("idle_ns.in_graph", "Waits inside a graph",
      "device does nothing between two kernels of one graph",
      &IterationIdle::in_graph);
}

ColumnsOf<IterationKindRow> KindColumns() {
  using Row = IterationKindRow;
  ColumnsOf<Row> columns;
  columns.Text("kind",
               "prefill, decode, mixed, verify, draft, capture, idle or "
               "unknown",
               [](const Row& row) { return NameOf(row.kind); });
  columns.Count("count", "iterations; those of several ranks count once",
                &Row::count);
  columns.Count("requests", "requests in them, summed", &Row::requests);
  columns.Count("tokens_context", "tokens of prompts", &Row::tokens_context);
  columns.Count("tokens_generation", "tokens made", &Row::tokens_generation);
  const auto period = [&](const char* name, const char* meaning,
                          int64_t Spread::*value) {
    columns.Time(name, meaning, [=](const Row& row) -> std::optional<int64_t> {
      if (row.period.histogram.empty()) return std::nullopt;
      return row.period.*value;
    });
  };
  period("period_ns.p50", "begin to begin: half took this or less",
         &Spread::p50_ns);
  period("period_ns.p90", "nine in ten took this or less", &Spread::p90_ns);
  period("period_ns.p95", "95 in 100 took this or less", &Spread::p95_ns);
  period("period_ns.p99", "99 in 100 took this or less", &Spread::p99_ns);
  columns.Time("host_ns", Adds::kSum, "time of the marks on the host",
               &Row::host_ns);
  columns.Time("host_p50_ns", "the same, of the median one", &Row::host_p50_ns);
  columns.Time("gpu_busy_ns", Adds::kSum,
               "device busy with what they launched; two at once share",
               &Row::gpu_busy_ns);
  columns.Time("gpu_busy_p50_ns", "the same, of the median one",
               &Row::gpu_busy_p50_ns);
  columns
      .Number("tokens_per_s", "tokens/s", "tokens / periods, as recorded",
              &Row::tokens_per_s)
      .As("Speed");
  columns
      .Number("unprofiled_tokens_per_s", "tokens/s",
              "the same without what recording cost; none if not known",
              &Row::unprofiled_tokens_per_s)
      .As("Speed, unprofiled");
  columns.Count("kernels", "kernels that they launched", &Row::kernels);
  columns.Count("launches", "calls that launched work", &Row::launches);
  columns.Count("graphs", "of these, launches of a graph", &Row::graphs);
  AddWaits(columns);
  columns.Ratio("ran_in_next_ratio",
                "share of their device work that ran after the next mark began",
                &Row::late_ratio);
  return columns;
}

ColumnsOf<IterationRow> ListColumns() {
  ColumnsOf<IterationRow> columns;
  columns.Text("name", "name of the mark", &IterationRow::name);
  columns.Text("kind", "as above",
               [](const IterationRow& row) { return NameOf(row.mark.kind); });
  columns.Count("requests", "requests in it",
                [](const IterationRow& row) { return row.mark.requests; });
  columns.Count(
      "tokens_context", "tokens of prompts",
      [](const IterationRow& row) { return row.mark.tokens_context; });
  columns.Count(
      "tokens_generation", "tokens made",
      [](const IterationRow& row) { return row.mark.tokens_generation; });
  columns.Count(
      "padded_requests", "requests that were computed, with padding",
      [](const IterationRow& row) { return row.mark.padded_requests; });
  columns.Moment("start_ns", "begin of the mark", &IterationRow::start_ns);
  columns.Time("host_ns", Adds::kSum, "time of the mark",
               &IterationRow::host_ns);
  columns.Time("period_ns", Adds::kSum, "begin to begin of the next",
               &IterationRow::period_ns);
  columns.Time("gpu_busy_ns", Adds::kSum,
               "device busy with what it launched; two at once share",
               &IterationRow::gpu_busy_ns);
  columns.Count("kernels", "kernels that it launched", &IterationRow::kernels);
  columns.Count("launches", "calls that launched work",
                &IterationRow::launches);
  columns.Count("graphs", "of these, launches of a graph",
                &IterationRow::graphs);
  AddWaits(columns);
  columns.Time("late_ns", Adds::kSum,
               "time of its device work after the next mark began",
               &IterationRow::late_ns);
  columns.Bool("repeats_another_rank",
               "another rank has this iteration; device time alone counts",
               &IterationRow::repeats_another_rank);
  return columns;
}

}  // namespace

TableSchema DeclareIterationsTable() {
  ColumnsOf<IterationTable> columns;
  columns.Text(
      "engine", "whose marks these are; none: concluded without marks",
      [](const IterationTable& row) { return TextOrNone(row.engine); });
  columns.Text(
      "rule", "from what they were concluded, if so, and what each owns",
      [](const IterationTable& row) -> std::string_view { return row.rule; });
  columns
      .Text("idle_rule", "how the device's waits are told apart",
            [](const IterationTable&) {
              return std::string_view(
                  "by what the next work of an iteration waited for");
            })
      .As("Waits");
  columns.Count("marks.seen", "ranges that are marks",
                &IterationTable::marks_seen);
  columns.Count("marks.nested", "of these, inside another",
                &IterationTable::marks_nested);
  columns.Count("marks.unparsed", "of these, of a form that is not known",
                &IterationTable::marks_unparsed);
  columns.Time("total_busy_ns", Adds::kUnion,
               "device busy: all iterations, outside and unknown together",
               &IterationTable::total_busy_ns);
  columns.Time("outside_ns", Adds::kSum,
               "of this, launched before the first mark or by other threads",
               &IterationTable::outside_ns);
  columns.Time("unknown_ns", Adds::kSum, "of this, without a recorded launch",
               &IterationTable::unknown_ns);
  columns.Nested(
      "kinds", "by kind", KindColumns(),
      [](const IterationTable& row) { return RowList::Of(row.kinds); });
  columns.Nested(
      "list", "one by one", ListColumns(),
      [](const IterationTable& row) { return RowList::Of(row.list); });
  return {
      .key = "iterations",
      .title = "Iterations",
      .meaning = "what does a server's loop spend its time on?",
      .view = kIterationView,
      .json_views = kIterationView,
      .shape = TableShape::kOne,
      .columns = columns.Take(),
      .rows =
          [](const Summary& s) {
            return s.iterations.list.empty() ? RowList()
                                             : RowList::One(s.iterations);
          },
      .nothing = [](const Summary& s) { return s.iterations.list.empty(); }};
}

}  // namespace stepscope
