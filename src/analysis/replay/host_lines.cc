// SPDX-License-Identifier: Apache-2.0
//
// What a thread did, as API calls with host work between them.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "analysis/kinds.h"
#include "analysis/replay/line_nodes.h"
#include "analysis/replay/lines.h"

namespace stepscope {
namespace {

// Handing work to another thread and waiting for it takes longer.
constexpr int64_t kShortestWaitNs = 20'000;

class LineMaker {
 public:
  // `nodes`: null: only the wakes are wanted.
  LineMaker(const EventTree& tree, const StepTable& steps, LineNodes* nodes,
            HostLine& line)
      : tree_(tree), trace_(tree.trace()), nodes_(nodes), line_(line) {
    const bool leads = steps.main_thread(line.process) == line.thread;
    if (!leads) return;
    for (const StepInterval& step : steps.steps())
      if (step.thread == line.thread) marks_.push_back(step.row);
  }

  void Make() {
    tree_.threads().ForEachRow(line_.thread, [&](Row row) { Take(row); });
    CloseUntil(std::numeric_limits<int64_t>::max());
    if (nodes_ != nullptr) nodes_->Finish();
  }

 private:
  void Take(Row row) {
    const int64_t begin = trace_.start_ns()[row];
    const int64_t end = tree_.end_ns(row);
    CloseUntil(begin);
    if (nodes_ != nullptr) nodes_->SeeRow(row);
    const uint16_t type = trace_.type()[row];
    if (end <= call_end_ && type != STEPSCOPE_PROFILE_STEP) return;
    if (type == STEPSCOPE_PROFILE_STEP) {
      if (next_mark_ < marks_.size() && marks_[next_mark_] == row) {
        Touch(begin, 0);
        AddMark(begin, row);
        ++next_mark_;
        Open(end, row);
      }
      return;
    }
    if (trace_.flags()[row] & kEventInstant) return;
    if (IsApiCall(type)) {
      Touch(begin, 0);
      AddCall(row, begin, end);
      return;
    }
    if (type == STEPSCOPE_SYNCHRONIZATION) return;
    Touch(begin, 1);
    Open(end, kNoRow);
  }

  // An event begins or ends. `halves`: of an event that the recorder wrote.
  void Touch(int64_t time, uint32_t halves) {
    if (SaturatingSubtract(time, last_touch_) >= kShortestWaitNs)
      AddSilence(time);
    last_touch_ = std::max(last_touch_, time);
    events_ += halves;
  }

  // Kept by descending end: events nest, but for those of odd files.
  void Open(int64_t end, Row step) {
    size_t at = open_.size();
    while (at > 0 && open_[at - 1].end < end) --at;
    open_.insert(open_.begin() + static_cast<ptrdiff_t>(at), {end, step});
  }

  void CloseUntil(int64_t time) {
    while (!open_.empty() && open_.back().end <= time) {
      const OpenEvent done = open_.back();
      open_.pop_back();
      if (done.step != kNoRow) {
        Touch(done.end, 0);
        AddMark(done.end, done.step);
      } else if (done.end < call_end_) {
        ++events_;
      } else {
        Touch(done.end, 1);
      }
    }
  }

  void AddMark(int64_t at, Row row) {
    const uint32_t events = std::exchange(events_, 0);
    if (nodes_ != nullptr) nodes_->AddMark(at, row, events);
  }

  void AddSilence(int64_t end) {
    const uint32_t events = std::exchange(events_, 0);
    if (nodes_ != nullptr)
      nodes_->AddSilence({last_touch_, end}, events);
    else
      line_.wakes.push_back(end);
  }

  void AddCall(Row row, int64_t begin, int64_t end) {
    const uint32_t events = std::exchange(events_, 0);
    if (nodes_ != nullptr) nodes_->AddCall(row, begin, end, events);
    call_end_ = end;
    last_touch_ = std::max(last_touch_, end);
  }

  struct OpenEvent {
    int64_t end = 0;
    Row step = kNoRow;  // a step, which is a mark and not an event
  };

  const EventTree& tree_;
  const Trace& trace_;
  LineNodes* const nodes_;
  HostLine& line_;
  std::vector<Row> marks_;
  size_t next_mark_ = 0;
  std::vector<OpenEvent> open_;
  uint32_t events_ = 0;
  int64_t last_touch_ = std::numeric_limits<int64_t>::min();
  int64_t call_end_ = std::numeric_limits<int64_t>::min();
};

// Rows that work was launched from.
std::vector<bool> LaunchRows(const EventTree& tree) {
  std::vector<bool> rows;
  if (tree.work().empty()) return rows;
  rows.resize(tree.trace().size());
  for (const DeviceWork& work : tree.work())
    if (work.launch != kNoRow) rows[work.launch] = true;
  return rows;
}

}  // namespace

void MakeHostLines(const EventTree& tree, const StepTable& steps,
                   NameClasses& names, Lines& lines) {
  std::map<uint32_t, std::vector<uint32_t>> threads;  // by process
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    const uint32_t process = tree.threads()[i].process;
    if (tree.Has(i, kApiCallTypes) || steps.main_thread(process) == i)
      threads[process].push_back(i);
  }
  const std::vector<bool> launches = LaunchRows(tree);
  std::vector<HostLine> made;
  for (const auto& [process, of_process] : threads) {
    std::vector<HostLine> mates(of_process.size());
    std::vector<int64_t> wakes;
    for (size_t i = 0; i < mates.size(); ++i) {
      mates[i].thread = of_process[i];
      mates[i].process = process;
      if (mates.size() == 1) break;  // there is nobody to wait for
      LineMaker(tree, steps, nullptr, mates[i]).Make();
      wakes.insert(wakes.end(), mates[i].wakes.begin(), mates[i].wakes.end());
    }
    std::sort(wakes.begin(), wakes.end());
    for (HostLine& line : mates) {
      LineUses uses{launches, wakes, {}};
      for (const HostLine& mate : mates)
        if (&mate != &line) uses.mates.push_back(mate.wakes);
      LineNodes nodes(tree, names, uses, line);
      LineMaker(tree, steps, &nodes, line).Make();
    }
    for (HostLine& line : mates)
      if (!line.nodes.empty()) made.push_back(std::move(line));
  }
  std::sort(made.begin(), made.end(), [](const HostLine& a, const HostLine& b) {
    return a.thread < b.thread;
  });
  HostIndex count = 0;
  for (HostLine& line : made) {
    lines.first.push_back(count);
    count += static_cast<HostIndex>(line.nodes.size());
    lines.hosts.push_back(std::move(line));
  }
  lines.first.push_back(count);
}

}  // namespace stepscope
