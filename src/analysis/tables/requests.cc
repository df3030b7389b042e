// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/requests.h"

#include "analysis/schema.h"
#include "analysis/summary.h"

namespace stepscope {
namespace {

ColumnsOf<RequestRow> RequestColumns() {
  using Optional = std::optional<int64_t>;
  ColumnsOf<RequestRow> columns;
  columns.Text("id", "as the server calls it; empty: not recorded",
               &RequestRow::id);
  columns.Count("tokens_in", "of its prompt", &RequestRow::tokens_in);
  columns.Count("tokens_out", "made for it", &RequestRow::tokens_out);
  columns.Time("queue_ns", "arrival to the begin of its first iteration",
               &RequestRow::queue_ns);
  columns.Time("ttft_ns", "arrival to its first token", &RequestRow::ttft_ns);
  columns.Time("tpot_ns", "per token after the first, on average",
               &RequestRow::tpot_ns);
  const auto gap = [&](const char* name, const char* meaning,
                       int64_t Spread::*value) {
    columns.Time(name, meaning, [=](const RequestRow& row) -> Optional {
      if (row.token_gaps.histogram.empty()) return std::nullopt;
      return row.token_gaps.*value;
    });
  };
  gap("tpot_p50_ns", "token to token: half took this or less", &Spread::p50_ns);
  gap("tpot_p99_ns", "token to token: 99 in 100 took this or less",
      &Spread::p99_ns);
  columns.Time("gpu_ns", Adds::kSum, "device time, its share of iterations",
               &RequestRow::gpu_ns);
  columns.Time("gpu_prefill_ns", Adds::kSum, "of this, reading its prompt",
               &RequestRow::gpu_prefill_ns);
  columns.Time("gpu_decode_ns", Adds::kSum, "of this, making tokens",
               &RequestRow::gpu_decode_ns);
  columns.Count("iterations", "that worked on it",
                &RequestRow::iteration_count);
  columns.Moment("arrival_ns", "when it came", &RequestRow::arrival_ns);
  columns.Moment("end_ns", "when it ended; none: it had not",
                 &RequestRow::end_ns);
  columns.Bool("tokens_recorded",
               "the program said when tokens were there; else concluded",
               &RequestRow::token_times_recorded);
  columns.Text("error", "what it failed with",
               [](const RequestRow& row) { return TextOrNone(row.error); });
  columns.Text(
      "traceparent", "the caller's span, as W3C trace context",
      [](const RequestRow& row) { return TextOrNone(row.traceparent); });
  return columns;
}

}  // namespace

TableSchema DeclareRequestsTable() {
  ColumnsOf<RequestTable> columns;
  columns.Text("rule", "by which an iteration's device time is split (--bill)",
               [](const RequestTable& row) { return NameOf(row.rule); });
  columns.Count("count", "requests", [](const RequestTable& row) {
    return static_cast<uint64_t>(row.list.size());
  });
  columns.Time("total_busy_ns", Adds::kUnion,
               "device busy: all requests, outside and unknown together",
               &RequestTable::total_busy_ns);
  columns.Time("outside_ns", Adds::kSum,
               "of this, launched for no request, as far as was recorded",
               &RequestTable::outside_ns);
  columns.Time("unknown_ns", Adds::kSum, "of this, without a recorded launch",
               &RequestTable::unknown_ns);
  columns.Nested("list", "one by one", RequestColumns(),
                 [](const RequestTable& row) { return RowList::Of(row.list); });
  return {.key = "requests",
          .title = "Requests",
          .meaning = "what did each request of a server wait for, and cost?",
          .view = kRequestView,
          .json_views = kRequestView,
          .shape = TableShape::kOne,
          .columns = columns.Take(),
          .rows =
              [](const Summary& s) {
                return s.requests.list.empty() ? RowList()
                                               : RowList::One(s.requests);
              },
          .nothing = [](const Summary& s) { return s.requests.list.empty(); }};
}

}  // namespace stepscope
