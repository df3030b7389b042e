// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/held_by.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/kinds.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

constexpr size_t kKeptNames = 6;  // names of a call

// The time before each call: from the end of the one before, or from its
// begin if it was still under way. They follow each other and do not overlap.
std::vector<Interval> TimesBefore(const RankCalls& rank, int64_t begin_ns) {
  std::vector<Interval> times;
  int64_t begin = begin_ns;  // of the call before
  int64_t end = begin_ns;
  for (const RankCall& call : rank.calls) {
    const int64_t until = std::max(begin, call.time.begin);
    times.push_back({end <= until ? std::max(begin, end) : begin, until});
    begin = until;
    end = call.time.end;
  }
  return times;
}

// Adds pieces of time, which come in order, to the times before calls.
class PieceSums {
 public:
  explicit PieceSums(size_t names) : sum_(names, 0) {}

  // Starts with the times of a rank, for one line of pieces.
  void Begin(const std::vector<Interval>* times) {
    times_ = times;
    at_ = 0;
  }
  // Calls `take(call, name, ns)` for the largest sums of a call when its time
  // is over.
  template <typename Take>
  void Add(uint32_t name, Interval piece, Take take) {
    while (at_ < times_->size() && piece.begin < piece.end) {
      const Interval& time = (*times_)[at_];
      if (piece.begin >= time.end) {
        Flush(take);
        ++at_;
        continue;
      }
      const int64_t from = std::max(piece.begin, time.begin);
      const int64_t until = std::min(piece.end, time.end);
      if (from < until) {
        if (sum_[name] == 0) touched_.push_back(name);
        sum_[name] += until - from;
      }
      if (piece.end <= time.end) return;
      piece.begin = time.end;
    }
  }
  template <typename Take>
  void Flush(Take take) {
    const size_t kept = std::min(kKeptNames, touched_.size());
    std::partial_sort(touched_.begin(),
                      touched_.begin() + static_cast<ptrdiff_t>(kept),
                      touched_.end(), [&](uint32_t a, uint32_t b) {
                        return sum_[a] != sum_[b] ? sum_[a] > sum_[b] : a < b;
                      });
    for (size_t i = 0; i < kept; ++i) take(at_, touched_[i], sum_[touched_[i]]);
    for (const uint32_t name : touched_) sum_[name] = 0;
    touched_.clear();
  }

 private:
  const std::vector<Interval>* times_ = nullptr;
  size_t at_ = 0;
  std::vector<int64_t> sum_;  // by name
  std::vector<uint32_t> touched_;
};

class HeldFinder {
  // Adds the sums of a call to the list of a process.
  struct Taker {
    HeldFinder& finder;
    uint32_t process = 0;
    HeldKind kind = HeldKind::kHost;

    void operator()(size_t call, uint32_t name, int64_t ns) const {
      finder.Take(process, kind, call, StringId{name}, ns);
    }
  };

 public:
  HeldFinder(const EventTree& tree, NameClasses& names,
             const Communication& communication,
             const std::vector<RankCalls>& calls)
      : tree_(tree),
        trace_(tree.trace()),
        names_(names),
        communication_(communication),
        calls_(calls),
        held_(calls.size()),
        times_(calls.size()),
        busy_(calls.size()),
        ids_(calls.size()),
        sums_(tree.trace().strings().size()) {}

  std::vector<RankHeld> Find() {
    bool any = false;
    for (size_t i = 0; i < calls_.size(); ++i) {
      held_[i].before.resize(calls_[i].calls.size());
      any = any || !calls_[i].calls.empty();
    }
    if (!any) return std::move(held_);
    for (size_t i = 0; i < calls_.size(); ++i)
      times_[i] = TimesBefore(calls_[i], trace_.begin_ns());
    for (size_t i = 0; i < tree_.threads().size(); ++i) AddThread(i);
    AddKernels();
    for (size_t i = 0; i < calls_.size(); ++i) AddNothing(i);
    for (RankHeld& rank : held_)
      for (std::vector<Held>& list : rank.before) MergeAndKeepLongest(list);
    return std::move(held_);
  }

 private:
  // Events that only say what part of the program it is.
  bool IsMark(Row row) const {
    const uint16_t type = trace_.type()[row];
    return type == STEPSCOPE_PROFILE_STEP || IsStage(type);
  }

  // The own time of each event is what the events inside it leave.
  void AddThread(size_t thread) {
    const uint32_t process = tree_.threads()[thread].process;
    if (calls_[process].calls.empty()) return;
    sums_.Begin(&times_[process]);
    const Taker take{*this, process, HeldKind::kHost};
    std::vector<std::pair<Row, int64_t>> open;  // with their ends
    int64_t cursor = INT64_MIN;
    const auto advance = [&](int64_t until) {
      while (!open.empty() && cursor < until) {
        const auto [row, end] = open.back();
        const int64_t stop = std::min(until, end);
        if (cursor < stop) Piece(process, row, {cursor, stop}, take);
        cursor = std::max(cursor, stop);
        if (end <= until) open.pop_back();
      }
      cursor = std::max(cursor, until);
    };
    tree_.threads().ForEachRow(thread, [&](Row row) {
      const int64_t start = trace_.start_ns()[row];
      advance(start);
      open.emplace_back(row, tree_.end_ns(row));
    });
    advance(INT64_MAX);
    sums_.Flush(take);
  }

  template <typename Take>
  void Piece(uint32_t process, Row row, const Interval& piece,
             const Take& take) {
    if (IsMark(row) || communication_.IsHostEvent(row)) return;
    busy_[process].Add(piece.begin, piece.end);
    sums_.Add(trace_.name()[row].v, piece, take);
  }

  void AddKernels() {
    uint32_t track = UINT32_MAX;
    uint32_t process = 0;
    for (const DeviceWork& work : tree_.work()) {
      if (trace_.track()[work.row] != track) {
        if (track != UINT32_MAX)
          sums_.Flush(Taker{*this, process, HeldKind::kKernel});
        track = trace_.track()[work.row];
        process = trace_.tracks()[track].process;
        sums_.Begin(&times_[process]);
      }
      if (calls_[process].calls.empty() || communication_.IsKernel(work))
        continue;
      const Interval piece = {trace_.start_ns()[work.row],
                              tree_.end_ns(work.row)};
      busy_[process].Add(piece.begin, piece.end);
      sums_.Add(trace_.name()[work.row].v, piece,
                Taker{*this, process, HeldKind::kKernel});
    }
    if (track != UINT32_MAX)
      sums_.Flush(Taker{*this, process, HeldKind::kKernel});
  }

  void AddNothing(size_t process) {
    const IntervalSet busy = busy_[process].Finish();
    size_t at = 0;
    for (size_t i = 0; i < times_[process].size(); ++i) {
      const Interval& time = times_[process][i];
      int64_t left = time.end - time.begin;
      while (at < busy.size() && busy[at].end <= time.begin) ++at;
      for (size_t j = at; j < busy.size() && busy[j].begin < time.end; ++j) {
        left -= std::min(busy[j].end, time.end) -
                std::max(busy[j].begin, time.begin);
      }
      if (left <= 0) continue;
      const uint32_t name = NameOf(process, StringId{}, HeldKind::kNothing);
      held_[process].before[i].push_back({name, left});
    }
  }

  void Take(uint32_t process, HeldKind kind, size_t call, StringId name,
            int64_t ns) {
    const bool waits = kind == HeldKind::kHost && names_.sync_call(name);
    const uint32_t id = NameOf(process, name, waits ? HeldKind::kWait : kind);
    held_[process].before[call].push_back({id, ns});
  }

  uint32_t NameOf(size_t process, StringId name, HeldKind kind) {
    std::vector<HeldName>& list = held_[process].names;
    const uint64_t key = uint64_t{name.v} * 4 + static_cast<uint64_t>(kind);
    const auto [known, is_new] =
        ids_[process].try_emplace(key, static_cast<uint32_t>(list.size()));
    if (is_new) {
      list.push_back({kind == HeldKind::kNothing
                          ? std::string()
                          : std::string(trace_.str(name)),
                      kind});
    }
    return known->second;
  }

  // Several threads or streams may have had the same name.
  static void MergeAndKeepLongest(std::vector<Held>& list) {
    std::sort(list.begin(), list.end(),
              [](const Held& a, const Held& b) { return a.name < b.name; });
    size_t kept = 0;
    for (const Held& held : list) {
      if (kept > 0 && list[kept - 1].name == held.name) {
        list[kept - 1].time_ns =
            SaturatingAdd(list[kept - 1].time_ns, held.time_ns);
      } else {
        list[kept++] = held;
      }
    }
    list.resize(kept);
    StableSort(list.begin(), list.end(), [](const Held& a, const Held& b) {
      return a.time_ns > b.time_ns;
    });
    if (list.size() > kKeptNames) list.resize(kKeptNames);
    list.shrink_to_fit();
  }

  const EventTree& tree_;
  const Trace& trace_;
  NameClasses& names_;
  const Communication& communication_;
  const std::vector<RankCalls>& calls_;
  std::vector<RankHeld> held_;
  std::vector<std::vector<Interval>> times_;
  std::vector<IntervalCollector> busy_;
  std::vector<std::unordered_map<uint64_t, uint32_t>> ids_;
  PieceSums sums_;
};

}  // namespace

std::vector<RankHeld> FindHeld(const EventTree& tree, NameClasses& names,
                               const Communication& communication,
                               const std::vector<RankCalls>& calls) {
  return HeldFinder(tree, names, communication, calls).Find();
}

}  // namespace stepscope
