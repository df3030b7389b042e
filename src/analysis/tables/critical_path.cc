// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/critical_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "analysis/replay/graph.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

class RowMaker {
 public:
  explicit RowMaker(const Trace& trace) : trace_(trace) {
    causes_.fill(kNoTableRow);
  }

  void Add(std::span<const PathPiece> pieces) {
    for (const PathPiece& piece : pieces) Add(piece);
  }

  std::vector<CriticalPathRow> Make(const CriticalPath& path) {
    const auto steps = static_cast<int64_t>(path.steps.size());
    for (CriticalPathRow& row : rows_) {
      row.ratio = Ratio(row.time_ns, path.total_ns);
      row.per_step_ns = steps == 0 ? 0 : row.time_ns / steps;
    }
    StableSort(rows_.begin(), rows_.end(),
               [](const CriticalPathRow& a, const CriticalPathRow& b) {
                 return a.time_ns > b.time_ns;
               });
    return std::move(rows_);
  }

 private:
  uint32_t& SlotOf(const PathPiece& piece) {
    if (piece.row == kNoRow) return causes_[static_cast<size_t>(piece.cause)];
    auto& of_category = slots_[static_cast<size_t>(piece.category)];
    if (of_category.empty())
      of_category.resize(trace_.strings().size(), kNoTableRow);
    return of_category[trace_.name()[piece.row].v];
  }

  void Add(const PathPiece& piece) {
    uint32_t& slot = SlotOf(piece);
    if (slot == kNoTableRow) {
      slot = static_cast<uint32_t>(rows_.size());
      rows_.push_back({piece.category, NameOf(piece, trace_), 0, 0, 0, 0});
      last_.push_back(kNoRow);
    }
    CriticalPathRow& row = rows_[slot];
    row.time_ns = SaturatingAdd(row.time_ns, piece.dur_ns);
    // An event that is left for a call and gone on with is one.
    if (piece.row == kNoRow || piece.row != last_[slot]) ++row.count;
    last_[slot] = piece.row;
  }

  const Trace& trace_;
  std::array<std::vector<uint32_t>, kPathCategories> slots_;  // by name
  std::array<uint32_t, kPathCauses> causes_;
  std::vector<CriticalPathRow> rows_;
  std::vector<Row> last_;  // by row of the table: the event seen last
};

// "0", "0 and 1", "0 to 4", "0, 2 and 5", "0, 2, 4 and 9 others"
std::string NumberList(const std::vector<int64_t>& numbers) {
  constexpr size_t kMost = 3;
  const size_t count = numbers.size();
  if (count > 2 &&
      numbers.back() - numbers.front() + 1 == static_cast<int64_t>(count)) {
    return std::to_string(numbers.front()) + " to " +
           std::to_string(numbers.back());
  }
  std::string list;
  for (size_t i = 0; i < std::min(count, kMost); ++i) {
    if (i > 0) list += i + 1 == count ? " and " : ", ";
    list += std::to_string(numbers[i]);
  }
  if (count > kMost)
    list += " and " + std::to_string(count - kMost) + " others";
  return list;
}

// "kernel 90.1 %, launch 9.9 %"
std::string SharesOf(const CriticalPath& path,
                     const std::vector<CriticalPathRow>& rows) {
  std::array<std::pair<int64_t, PathCategory>, kPathCategories> sums;
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = {0, static_cast<PathCategory>(i)};
  for (const CriticalPathRow& row : rows) {
    int64_t& sum = sums[static_cast<size_t>(row.category)].first;
    sum = SaturatingAdd(sum, row.time_ns);
  }
  StableSort(sums.begin(), sums.end(),
             [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [time_ns, category] : sums) {
    if (time_ns == 0) break;
    if (!text.empty()) text += ", ";
    text += PathCategoryName(category);
    text += Format(" %.1f %%", Ratio(time_ns, path.total_ns) * 100);
  }
  return text;
}

std::string NoteOf(const CriticalPath& path, const StepChoice& choice,
                   const std::vector<CriticalPathRow>& rows) {
  if (path.steps.empty()) return "";
  std::string note = "Critical path ";
  if (!path.has_steps) {
    note += "of the recorded window (there are no steps)";
  } else {
    const size_t count = path.steps.size();
    note += "of " + std::to_string(count) + (count == 1 ? " step" : " steps");
  }
  // Several processes may have a step of the same number.
  std::vector<int64_t> left_out = path.left_out;
  std::sort(left_out.begin(), left_out.end());
  left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
  if (!left_out.empty()) {
    note += left_out.size() == 1 ? " (without step " : " (without steps ";
    note += NumberList(left_out);
    note += choice == StepChoice::Settled() ? ", warm-up)" : ")";
  }
  const std::string shares = SharesOf(path, rows);
  if (!shares.empty()) note += ": " + shares;
  note += Format(
      ". The replay that it is taken from gives the recorded step within "
      "%.1f %%.",
      std::abs(path.replay_error) * 100);
  return note;
}

}  // namespace

CriticalPathTable ComputeCriticalPath(const EventTree& tree,
                                      const StepTable& steps,
                                      NameClasses& names,
                                      const StepChoice& choice) {
  const ReplayGraph graph = BuildReplayGraph(tree, steps, names);
  RowMaker rows(tree.trace());
  const CriticalPath path = WalkCriticalPath(
      tree, graph, names, choice,
      [&](std::span<const PathPiece> pieces) { rows.Add(pieces); });
  CriticalPathTable table;
  table.rows = rows.Make(path);
  table.note = NoteOf(path, choice, table.rows);
  return table;
}

TableSchema DeclareCriticalPathTable() {
  using PathRow = CriticalPathRow;
  ColumnsOf<PathRow> columns;
  columns.Text(
      "category",
      "operator, loader, kernel, copy, communication, launch, sync, "
      "API call or idle",
      [](const PathRow& row) { return PathCategoryName(row.category); });
  columns.Text("name", "of the events, or the cause of idle time",
               &PathRow::name);
  columns.Time("time_ns", Adds::kUnion,
               "time on the critical path; all rows add up to the steps",
               &PathRow::time_ns);
  columns.Ratio("ratio", "time as a share of the steps", &PathRow::ratio);
  columns
      .Count("count", "events on the path; without one, pieces of it",
             &PathRow::count)
      .As("Events");
  columns
      .Time("per_step_ns", "time per step, on average", &PathRow::per_step_ns)
      .As("Per step");
  return {
      .key = "critical_path",
      .title = "Critical Path",
      .meaning = "what made the steps as long as they were?",
      .view = kCriticalPathView,
      .json_views = kCriticalPathView,
      .ranked = true,
      .columns = columns.Take(),
      .rows =
          [](const Summary& s) { return RowList::Of(s.critical_path.rows); },
      .nothing = [](const Summary& s) { return s.critical_path.rows.empty(); }};
}

}  // namespace stepscope
