// SPDX-License-Identifier: Apache-2.0
//
// All steps laid over each other: where in a step the n-th event of a name
// begins and how long it takes, as percentiles over the steps. Host events of
// the stepping thread down to a depth, and device work launched in the step.
// Warm-up is left out where there is anything else.
#include "analysis/views/folded_steps.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/kinds.h"
#include "analysis/step_finder.h"
#include "analysis/views/view_table.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr int kMostAround = 3;  // events around it, below the step

// Nearest rank, as everywhere. REQUIRES: sorted, not empty.
int64_t Percentile(const std::vector<int64_t>& sorted, size_t hundredths) {
  const size_t rank = (sorted.size() * hundredths + 99) / 100;
  return sorted[std::max<size_t>(rank, 1) - 1];
}

struct Three {
  int64_t p5_ns = 0;
  int64_t p50_ns = 0;
  int64_t p95_ns = 0;

  static Three Of(std::vector<int64_t>& values) {
    std::sort(values.begin(), values.end());
    return {Percentile(values, 5), Percentile(values, 50),
            Percentile(values, 95)};
  }
};

struct FoldedRow {
  std::string_view name;
  std::string place;
  uint64_t number = 0;
  uint64_t steps = 0;
  Three start;
  Three dur;
  int64_t step_ns = 0;
};

struct Values {
  std::vector<int64_t> starts;
  std::vector<int64_t> durs;
  std::vector<Row> rows;
};

class Folder {
 public:
  explicit Folder(const ViewInput& input)
      : tree_(input.tree), steps_(input.steps) {
    bool settled = false;
    for (const StepInterval& step : steps_.steps())
      settled = settled || !step.warmup;
    for (const StepInterval& step : steps_.steps()) {
      const uint32_t process = tree_.threads()[step.thread].process;
      if (step.thread != steps_.main_thread(process)) continue;
      if (settled && step.warmup) continue;
      chosen_.push_back(&step);
      lengths_.push_back(SaturatingSubtract(step.range.end, step.range.begin));
    }
    if (chosen_.size() < 2) return;
    std::sort(lengths_.begin(), lengths_.end());
    for (const StepInterval* step : chosen_) AddHost(*step);
    AddDevice();
  }

  std::vector<FoldedRow> Rows() {
    std::vector<FoldedRow> rows;
    if (chosen_.size() < 2) return rows;
    for (auto& [key, values] : values_) {
      FoldedRow row;
      row.name = tree_.trace().str(StringId{std::get<1>(key)});
      row.place = PlaceOf(std::get<0>(key));
      row.number = std::get<2>(key) + 1;
      row.steps = values.starts.size();
      row.start = Three::Of(values.starts);
      row.dur = Three::Of(values.durs);
      row.step_ns = Percentile(lengths_, 50);
      rows.push_back(std::move(row));
    }
    StableSort(rows.begin(), rows.end(),
               [](const FoldedRow& a, const FoldedRow& b) {
                 return a.start.p50_ns < b.start.p50_ns;
               });
    return rows;
  }

  std::vector<Row> RowsOf(std::string_view name, std::string_view place,
                          uint64_t number) const {
    std::vector<Row> rows;
    if (chosen_.size() < 2) return rows;
    for (const auto& [key, values] : values_) {
      const auto& [track, text, at] = key;
      if (at + 1 == number && PlaceOf(track) == place &&
          tree_.trace().str(StringId{text}) == name)
        rows.insert(rows.end(), values.rows.begin(), values.rows.end());
    }
    return rows;
  }

 private:
  // Track, name, and which of them in the step.
  using Key = std::tuple<uint32_t, uint32_t, uint64_t>;
  using Counts = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

  void Add(Row row, const StepInterval& step, Counts& counts) {
    const Trace& trace = tree_.trace();
    const uint32_t track = trace.track()[row];
    const uint32_t name = trace.name()[row].v;
    Values& values = values_[{track, name, counts[{track, name}]++}];
    values.starts.push_back(
        SaturatingSubtract(trace.start_ns()[row], step.range.begin));
    values.durs.push_back(trace.dur_ns()[row]);
    values.rows.push_back(row);
  }

  void AddHost(const StepInterval& step) {
    const Trace& trace = tree_.trace();
    Counts counts;
    const Thread& thread = tree_.threads()[step.thread];
    for (uint32_t t = thread.first_track; t < thread.last_track; ++t) {
      const Track& track = trace.tracks()[t];
      const auto start = trace.start_ns();
      Row row = static_cast<Row>(std::lower_bound(start.begin() + track.first,
                                                  start.begin() + track.last,
                                                  step.range.begin) -
                                 start.begin());
      for (; row < track.last && start[row] < step.range.end; ++row) {
        if (trace.type()[row] == STEPSCOPE_PROFILE_STEP) continue;
        if (IsShallow(row)) Add(row, step, counts);
      }
    }
  }

  bool IsShallow(Row row) const {
    int depth = 0;
    for (Row at = tree_.parent(row); at != kNoRow; at = tree_.parent(at)) {
      if (tree_.trace().type()[at] == STEPSCOPE_PROFILE_STEP) break;
      if (++depth > kMostAround) return false;
    }
    return true;
  }

  void AddDevice() {
    const StepFinder finder(tree_, steps_);
    std::unordered_map<uint64_t, size_t> slot_of;  // process, step of it
    std::vector<uint32_t> seen(tree_.trace().processes().size(), 0);
    for (const StepInterval& step : steps_.steps()) {
      const uint32_t process = tree_.threads()[step.thread].process;
      if (step.thread != steps_.main_thread(process)) continue;
      const uint64_t key = uint64_t{process} << 32 | seen[process]++;
      const auto at = std::find(chosen_.begin(), chosen_.end(), &step);
      if (at == chosen_.end()) continue;
      slot_of[key] = static_cast<size_t>(at - chosen_.begin());
    }
    std::vector<Counts> counts(chosen_.size());
    for (const DeviceWork& work : tree_.work()) {
      if (work.launch == kNoRow) continue;
      const uint32_t track = tree_.trace().track()[work.launch];
      const uint32_t process = tree_.trace().tracks()[track].process;
      const uint32_t step =
          finder.Find(process, tree_.trace().start_ns()[work.launch]);
      if (step == StepFinder::kNone) continue;
      const auto slot = slot_of.find(uint64_t{process} << 32 | step);
      if (slot == slot_of.end()) continue;
      Add(work.row, *chosen_[slot->second], counts[slot->second]);
    }
  }

  std::string PlaceOf(uint32_t index) const {
    const Trace& trace = tree_.trace();
    const Track& track = trace.tracks()[index];
    if (track.kind == TrackKind::kStream) {
      const std::string_view type = trace.str(track.device_type);
      return Format("%s%lld stream %lld",
                    type.empty() ? "GPU" : std::string(type).c_str(),
                    static_cast<long long>(track.device),
                    static_cast<long long>(track.id));
    }
    return Format("thread %lld", static_cast<long long>(track.id));
  }

  const EventTree& tree_;
  const StepTable& steps_;
  std::vector<const StepInterval*> chosen_;
  std::vector<int64_t> lengths_;  // sorted
  std::map<Key, Values> values_;
};

void AddThree(ColumnsOf<FoldedRow>& columns, const std::string& what,
              const std::string& meaning, Three FoldedRow::*of) {
  const auto add = [&](const char* name, const char* share,
                       int64_t Three::*value) {
    columns.Time(what + name, meaning + ", in " + share + " of the steps",
                 [=](const FoldedRow& row) { return row.*of.*value; });
  };
  add(".p5_ns", "5 %", &Three::p5_ns);
  add(".p50_ns", "half", &Three::p50_ns);
  add(".p95_ns", "95 %", &Three::p95_ns);
}

}  // namespace

std::vector<Row> RowsOfFolded(const ViewInput& input, std::string_view name,
                              std::string_view place, uint64_t number) {
  return Folder(input).RowsOf(name, place, number);
}

ViewTable DeclareFoldedStepsViewTable() {
  ColumnsOf<FoldedRow> columns;
  columns.Text("name", "name of the event", &FoldedRow::name);
  columns
      .Time("band", "place in a step; the value is the median step",
            &FoldedRow::step_ns)
      .As("In the step");
  columns.Text("place", "thread or stream", &FoldedRow::place);
  columns.Count("number", "which one of that name in the step",
                &FoldedRow::number);
  columns.Count("steps", "steps that have it", &FoldedRow::steps);
  AddThree(columns, "start", "begins this late or earlier", &FoldedRow::start);
  AddThree(columns, "dur", "takes this long or less", &FoldedRow::dur);
  return {.key = "folded_steps",
          .title = "Folded steps",
          .meaning = "how do the steps look, laid over each other?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(Folder(input).Rows());
          }};
}

}  // namespace stepscope
