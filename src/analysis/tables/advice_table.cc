// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "analysis/schema.h"
#include "analysis/summary.h"

namespace stepscope {

namespace {

struct FindingRow {
  const Finding* finding = nullptr;
  const Trace* trace = nullptr;
};

struct EvidenceRow {
  const Evidence* evidence = nullptr;
  const Trace* trace = nullptr;

  bool has_example() const { return evidence->example != kNoRow; }
  bool has_range() const { return evidence->range.begin < evidence->range.end; }
  const Track& track() const {
    return trace->tracks()[trace->track()[evidence->example]];
  }
  // The id of the track if it is of that kind.
  std::optional<int64_t> IdIf(bool stream) const {
    if (!has_example()) return std::nullopt;
    if ((track().kind == TrackKind::kStream) != stream) return std::nullopt;
    return track().id;
  }
};

ColumnsOf<EvidenceRow> EvidenceColumns() {
  using Optional = std::optional<int64_t>;
  ColumnsOf<EvidenceRow> columns;
  columns.Text("what", "what was seen", [](const EvidenceRow& row) {
    return std::string_view(row.evidence->what);
  });
  columns.Text("name", "of the events; empty: of many names",
               [](const EvidenceRow& row) {
                 return std::string_view(row.evidence->name);
               });
  columns.Count("calls", "events",
                [](const EvidenceRow& row) { return row.evidence->calls; });
  columns.Time("time_ns", Adds::kSum, "their time",
               [](const EvidenceRow& row) { return row.evidence->time_ns; });
  columns.Text(
      "example.name", "one of them, to find it on a timeline",
      [](const EvidenceRow& row) -> std::optional<std::string_view> {
        if (!row.has_example()) return std::nullopt;
        return row.trace->str(row.trace->name()[row.evidence->example]);
      });
  columns.Moment("example.start_ns", "when it began",
                 [](const EvidenceRow& row) -> Optional {
                   if (!row.has_example()) return std::nullopt;
                   return row.trace->start_ns()[row.evidence->example];
                 });
  columns.Time("example.dur_ns", "how long it took",
               [](const EvidenceRow& row) -> Optional {
                 if (!row.has_example()) return std::nullopt;
                 return row.trace->dur_ns()[row.evidence->example];
               });
  columns.Count("example.pid", "its process",
                [](const EvidenceRow& row) -> Optional {
                  if (!row.has_example()) return std::nullopt;
                  return row.trace->processes()[row.track().process].pid;
                });
  columns.Count("example.stream", "its stream, if it is device work",
                [](const EvidenceRow& row) { return row.IdIf(true); });
  columns.AbsentIfNull();
  columns.Count("example.thread", "its thread, if it is a host event",
                [](const EvidenceRow& row) { return row.IdIf(false); });
  columns.AbsentIfNull();
  columns.Moment("range.start_ns",
                 "without an example, when what it is about began, if known",
                 [](const EvidenceRow& row) -> Optional {
                   if (!row.has_range()) return std::nullopt;
                   return row.evidence->range.begin;
                 });
  columns.Time("range.dur_ns", "how long that took",
               [](const EvidenceRow& row) -> Optional {
                 if (!row.has_range()) return std::nullopt;
                 return SaturatingSubtract(row.evidence->range.end,
                                           row.evidence->range.begin);
               });
  return columns;
}

ColumnsOf<Overlap> OverlapColumns() {
  ColumnsOf<Overlap> columns;
  columns.Text("id", "the other finding", &Overlap::id);
  columns.Time("together_ns", "what both save together: not the sum",
               &Overlap::together_ns);
  return columns;
}

ColumnsOf<FindingRow> FindingColumns() {
  ColumnsOf<FindingRow> columns;
  columns.Text("finding", "one sentence", [](const FindingRow& row) {
    return std::string_view(row.finding->finding);
  });
  columns.Text("id", "name of the rule, for scripts",
               [](const FindingRow& row) { return row.finding->id; });
  columns.Time("saving_ns",
               "what it saves of one settled step (median): by replay; without "
               "one, at most",
               [](const FindingRow& row) { return row.finding->saving_ns; });
  columns
      .Time("low_ns", "the least that is expected",
            [](const FindingRow& row) { return row.finding->low_ns; })
      .As("Least saving");
  columns
      .Time("high_ns", "the most that is expected",
            [](const FindingRow& row) { return row.finding->high_ns; })
      .As("Most saving");
  columns.Ratio(
      "saving_ratio",
      "saving as a share of the step; of what happens in few steps, "
      "of the mean step",
      [](const FindingRow& row) { return row.finding->saving_ratio; });
  columns.Text("change", "what was replayed, for whatif --change",
               [](const FindingRow& row) -> std::optional<std::string_view> {
                 if (!row.finding->replayed || row.finding->change.empty()) {
                   return std::nullopt;
                 }
                 return std::string_view(row.finding->change);
               });
  columns.Text("saving_basis", "what the saving stands for",
               [](const FindingRow& row) {
                 return std::string_view(row.finding->saving_basis);
               });
  columns.Nested(
      "overlaps", "findings that save the same time in part", OverlapColumns(),
      [](const FindingRow& row) { return RowList::Of(row.finding->overlaps); });
  columns.Nested("evidence", "the numbers that it rests on", EvidenceColumns(),
                 [](const FindingRow& row) {
                   std::vector<EvidenceRow> rows;
                   for (const Evidence& evidence : row.finding->evidence) {
                     rows.push_back({&evidence, row.trace});
                   }
                   return RowList::Own(std::move(rows));
                 });
  columns.List<std::string>(
      "try", CellType::kText, "what to try",
      [](const FindingRow& row) { return RowList::Of(row.finding->to_try); });
  return columns;
}

}  // namespace

TableSchema DeclareAdviceTable() {
  return {.key = "advice",
          .title = "Advice",
          .meaning = "what to do about it?",
          .view = kAdviceView,
          .json_views = kAdviceView,
          .ranked = true,
          .columns = FindingColumns().Take(),
          .rows = [](const Summary& s) {
            std::vector<FindingRow> rows;
            for (const Finding& finding : s.advice.findings)
              rows.push_back({&finding, s.trace});
            return RowList::Own(std::move(rows));
          }};
}

}  // namespace stepscope
