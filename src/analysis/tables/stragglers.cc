// SPDX-License-Identifier: Apache-2.0
//
// Stragglers table: who makes whom wait. Collectives table: what ranks wait
// for, and how fast it is once they have met.
#include <optional>
#include <string_view>

#include "analysis/schema.h"
#include "analysis/summary.h"

namespace stepscope {
namespace {

ColumnsOf<StragglerStep> LateStepColumns() {
  ColumnsOf<StragglerStep> columns;
  columns.Count("step", "number of the step", &StragglerStep::step);
  columns.Time("delay_ns", Adds::kUnion, "all others waited for it alone",
               &StragglerStep::delay_ns);
  columns
      .Text("doing", "what it did longer than the others before it came",
            [](const StragglerStep& row) { return TextOrNone(row.doing); })
      .As("Busy with");
  columns.Time("doing_ns", "by how much longer", &StragglerStep::doing_ns)
      .As("Busy longer by");
  return columns;
}

ColumnsOf<Victim> VictimColumns() {
  ColumnsOf<Victim> columns;
  columns.Count("rank", "who waited", &Victim::rank);
  columns.Time("wait_ns", Adds::kUnion, "for how long, in all steps",
               &Victim::wait_ns);
  return columns;
}

void AddReplayedGain(ColumnsOf<StragglerRow>& columns) {
  const auto part = [](int64_t ReplayedGain::*member) {
    return [member](const StragglerRow& row) -> std::optional<int64_t> {
      if (!row.replayed) return std::nullopt;
      return (*row.replayed).*member;
    };
  };
  columns
      .Time("replay_low_ns",
            "what a step would gain at least, by replay, if the rank were "
            "like the others on average: work goes on beside collectives; "
            "empty: not replayed",
            part(&ReplayedGain::low_ns))
      .As("Gain by replay, least");
  columns
      .Time("replay_high_ns",
            "the same at most: all work waits for each collective",
            part(&ReplayedGain::high_ns))
      .As("Gain by replay, most");
  columns
      .Time("replay_error_ns", "how far both may be off by the clocks",
            part(&ReplayedGain::error_ns))
      .As("Error of the gain");
}

}  // namespace

TableSchema DeclareStragglersTable() {
  ColumnsOf<StragglerRow> columns;
  columns.Count("rank", "number of the rank", &StragglerRow::rank);
  columns
      .Time("delays_ns", Adds::kUnion,
            "all others waited for it alone, in all steps",
            &StragglerRow::delays_ns)
      .As("Held up the others");
  columns
      .Time("gain_ns",
            "what the job would gain of a step, on average, if it came "
            "when the next to last does",
            &StragglerRow::gain_ns)
      .As("Gain of a step");
  columns.Ratio("gain_ratio", "gain as a share of the step",
                &StragglerRow::gain_ratio);
  AddReplayedGain(columns);
  columns
      .Time("others_wait_ns", Adds::kSum,
            "what all others waited for it, added up",
            &StragglerRow::others_wait_ns)
      .As("Others waited");
  columns
      .Count("last", "collectives to which it came last", &StragglerRow::last)
      .As("Came last");
  columns
      .Text("doing", "what it did longer than the others in the worst steps",
            [](const StragglerRow& row) { return TextOrNone(row.doing); })
      .As("Busy with");
  columns
      .Time("doing_ns", "by how much longer, in these steps",
            &StragglerRow::doing_ns)
      .As("Busy longer by");
  columns.Nested(
      "steps", "the steps with the longest delays", LateStepColumns(),
      [](const StragglerRow& row) { return RowList::Of(row.steps); });
  columns
      .Count("more_steps", "steps with less of a delay",
             &StragglerRow::more_steps)
      .As("Steps with less delay");
  columns
      .Nested("victims", "who waited for it most", VictimColumns(),
              [](const StragglerRow& row) { return RowList::Of(row.victims); })
      .As("Who waited");
  return {
      .key = "stragglers",
      .title = "Stragglers",
      .meaning = "which rank makes the others wait, when and why?",
      .view = kStragglersView,
      .json_views = kStragglersView,
      .ranked = true,
      .columns = columns.Take(),
      .rows = [](const Summary& s) { return RowList::Of(s.ranks.stragglers); },
      .nothing = {}};
}

namespace {

// Of a single rank nothing is known of that.
auto IfMet(int64_t CollectiveRow::*member) {
  return [member](const CollectiveRow& row) -> std::optional<int64_t> {
    if (!row.of_several()) return std::nullopt;
    return row.*member;
  };
}

}  // namespace

TableSchema DeclareCollectivesTable() {
  ColumnsOf<CollectiveRow> columns;
  columns.Text("kind", "all_reduce, all_gather, ...", &CollectiveRow::kind);
  columns.Text("group", "of ranks, as the program names it",
               [](const CollectiveRow& row) { return TextOrNone(row.group); });
  columns.Count("ranks", "that met; 1: the calls of one rank alone",
                &CollectiveRow::ranks);
  columns.Count("group_size",
                "ranks of the group, as stated; else those that "
                "met",
                &CollectiveRow::group_size);
  columns.Bytes("bytes", Adds::kNothing,
                "the larger of what one rank puts in and gets out; empty: not "
                "stated",
                [](const CollectiveRow& row) -> std::optional<uint64_t> {
                  if (row.bytes == 0) return std::nullopt;
                  return row.bytes;
                });
  columns.Count("calls",
                "collectives that several ranks recorded, or those of the one",
                &CollectiveRow::calls);
  columns.Time("wait_ns",
               "of a rank until the last had come, on average; empty: only "
               "one was recorded",
               IfMet(&CollectiveRow::wait_ns));
  columns.Time("longest_wait_ns", "the longest of these",
               IfMet(&CollectiveRow::longest_wait_ns));
  columns.Time("transfer_ns", "of a rank from then on, on average",
               IfMet(&CollectiveRow::transfer_ns));
  columns.Time("time_ns", Adds::kSum,
               "of the rank that was in it shortest, all calls; of one rank "
               "alone, with what it waited for the others",
               &CollectiveRow::time_ns);
  columns.Number("algorithm_bandwidth", "GB/s",
                 "bytes / that time, as nccl-tests says it; of one rank alone, "
                 "at least that",
                 &CollectiveRow::AlgorithmBandwidth);
  columns.Number("bus_bandwidth", "GB/s",
                 "the same times the factor of nccl-tests for the kind and the "
                 "size of the group: what goes over a link",
                 &CollectiveRow::BusBandwidth);
  columns
      .Ratio("peak_ratio",
             "bus bandwidth as a share of the peak that you state; empty: none "
             "was stated",
             [](const CollectiveRow& row) { return row.peak_ratio; })
      .As("Bus, of the peak");
  return {
      .key = "collectives",
      .title = "Collectives",
      .meaning =
          "how long do ranks wait in collectives, and how fast are "
          "these?",
      .view = kCollectivesView,
      .json_views = kCollectivesView,
      .ranked = true,
      .columns = columns.Take(),
      .rows = [](const Summary& s) { return RowList::Of(s.ranks.collectives); },
      .nothing = {}};
}

}  // namespace stepscope
