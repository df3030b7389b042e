// SPDX-License-Identifier: Apache-2.0
//
// Ranks table: what each rank did with its steps, and how its clock lies.
#include <optional>
#include <string_view>

#include "analysis/schema.h"
#include "analysis/summary.h"

namespace stepscope {
namespace {

void AddRankTimes(ColumnsOf<RankRow>& columns) {
  columns.Time("computation_ns", Adds::kUnion,
               "kernels that compute; without a device, operators",
               &RankRow::computation_ns);
  columns.Time("communication_ns", Adds::kUnion, "its collectives",
               &RankRow::communication_ns);
  columns
      .Time("exposed_ns", Adds::kUnion,
            "of communication: nothing was computed meanwhile",
            &RankRow::exposed_ns)
      .As("Communication, exposed");
  columns
      .Time("overlapped_ns", Adds::kUnion, "of communication: the rest",
            &RankRow::overlapped_ns)
      .As("Communication, hidden");
  columns
      .Time("wait_ns", Adds::kUnion,
            "in collectives until the last rank had come", &RankRow::wait_ns)
      .As("Waits for others");
  columns.Time("transfer_ns", Adds::kUnion, "in collectives from then on",
               &RankRow::transfer_ns);
  columns.Time("idle_ns", Adds::kUnion,
               "the device did nothing; without one, the host",
               &RankRow::idle_ns);
  columns
      .Text("idle_cause", "what most of that was",
            [](const RankRow& row) { return TextOrNone(row.idle_cause); })
      .As("Cause of idle time");
  columns
      .Time("delays_ns", Adds::kUnion, "all others waited for this rank alone",
            &RankRow::delays_ns)
      .As("Held up the others");
  columns
      .Time("pipeline_ns", Adds::kUnion,
            "sends and receives between stages, not overlapped",
            &RankRow::pipeline_ns)
      .As("Pipeline sends");
  columns
      .Time("bubble_ns", Adds::kUnion,
            "of these: the other stage had not come yet", &RankRow::bubble_ns)
      .As("Pipeline bubbles");
}

void AddClock(ColumnsOf<RankRow>& columns) {
  columns.Text("clock.method", "how its clock was laid beside the others",
               [](const RankRow& row) { return TextOrNone(row.clock.method); });
  columns.Time("clock.offset_ns", "what was added to its recorded times",
               [](const RankRow& row) { return row.clock.offset_ns; });
  columns.Number("clock.drift", "ppm", "how much faster its times run",
                 [](const RankRow& row) { return row.clock.drift_ppm; });
  columns.Time("clock.error_ns", "how far that may be off; empty: not known",
               [](const RankRow& row) { return row.clock.error_ns; });
}

std::optional<int64_t> StepNumber(int64_t step) {
  if (step == -1) return std::nullopt;
  return step;
}

}  // namespace

TableSchema DeclareRanksTable() {
  ColumnsOf<RankRow> columns;
  columns.Count("rank", "number of the rank", &RankRow::rank);
  columns.Count("steps", "that it recorded; the rest is per step, on average",
                &RankRow::steps);
  columns.Time("step_ns", "its step", &RankRow::step_ns);
  AddRankTimes(columns);
  columns
      .Number("load", "times the mean", "computation, by the mean of all ranks",
              &RankRow::load)
      .As("Load");
  columns.Count("collectives", "that others recorded too",
                &RankRow::collectives);
  columns
      .Count("last", "of these, to which it came last by a clear margin",
             &RankRow::last)
      .As("Came last");
  columns.Count("pid", "process", &RankRow::pid);
  columns.Text("host", "machine",
               [](const RankRow& row) { return TextOrNone(row.host); });
  AddClock(columns);
  return {.key = "ranks",
          .title = "Ranks",
          .meaning = "what did each rank do with its steps?",
          .view = kRanksView,
          .json_views = kRanksView,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.ranks.ranks); },
          .nothing = {}};
}

TableSchema DeclareRankStepsTable() {
  ColumnsOf<RankStepRow> columns;
  columns.Count("step", "number of the step; empty: the recorded window",
                [](const RankStepRow& row) { return StepNumber(row.step); });
  columns.Count("rank", "number of the rank", &RankStepRow::rank);
  columns.Moment("start_ns", "when it began, on the clock of the job",
                 &RankStepRow::start_ns);
  columns.Time("step_ns", "how long it took", &RankStepRow::step_ns)
      .As("Step time");
  columns.Time("computation_ns", Adds::kUnion,
               "kernels that compute; without a device, operators",
               &RankStepRow::computation_ns);
  columns.Time("communication_ns", Adds::kUnion, "its collectives",
               &RankStepRow::communication_ns);
  columns
      .Time("exposed_ns", Adds::kUnion,
            "of communication: nothing was computed meanwhile",
            &RankStepRow::exposed_ns)
      .As("Communication, exposed");
  columns
      .Time("wait_ns", Adds::kUnion,
            "in collectives until the last rank had come",
            &RankStepRow::wait_ns)
      .As("Waits for others");
  columns.Time("transfer_ns", Adds::kUnion, "in collectives from then on",
               &RankStepRow::transfer_ns);
  columns.Time("idle_ns", Adds::kUnion,
               "the device did nothing; without one, the host",
               &RankStepRow::idle_ns);
  columns
      .Text("idle_cause", "what most of that was",
            [](const RankStepRow& row) { return TextOrNone(row.idle_cause); })
      .As("Cause of idle time");
  columns
      .Time("delays_ns", Adds::kUnion, "all others waited for this rank alone",
            &RankStepRow::delays_ns)
      .As("Held up the others");
  columns
      .Time("bubble_ns", Adds::kUnion,
            "in sends and receives of a pipeline until the other stage "
            "came",
            &RankStepRow::bubble_ns)
      .As("Pipeline bubbles");
  return {.key = "rank_steps",
          .title = "Rank Steps",
          .meaning = "which rank took how long in which step?",
          .view = kRankStepsView,
          .json_views = kRankStepsView,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.ranks.steps); },
          .nothing = {}};
}

}  // namespace stepscope
