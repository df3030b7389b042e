// SPDX-License-Identifier: Apache-2.0
//
// What a thread did, as API calls with host work between them.
#include <algorithm>
#include <limits>

#include "analysis/kinds.h"
#include "analysis/replay/lines.h"

namespace stepscope {
namespace {

// Handing work to another thread and waiting for it takes longer.
constexpr int64_t kShortestWaitNs = 20'000;

class LineMaker {
 public:
  LineMaker(const EventTree& tree, const StepTable& steps, NameClasses& names,
            HostLine& line)
      : tree_(tree), trace_(tree.trace()), names_(names), line_(line) {
    const bool leads = steps.main_thread(line.process) == line.thread;
    if (!leads) return;
    for (const StepInterval& step : steps.steps()) {
      if (step.thread == line.thread) marks_.push_back(step.row);
    }
  }

  void Make() {
    tree_.threads().ForEachRow(line_.thread, [&](Row row) { Take(row); });
    CloseUntil(std::numeric_limits<int64_t>::max());
  }

 private:
  void Take(Row row) {
    const int64_t begin = trace_.start_ns()[row];
    const int64_t end = tree_.end_ns(row);
    CloseUntil(begin);
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
    if (SaturatingSubtract(time, last_touch_) >= kShortestWaitNs) {
      AddJoin(time);
    }
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

  HostNode& Add(NodeKind kind, int64_t at, Row row) {
    line_.nodes.push_back({at, row, events_, kind, 0});
    events_ = 0;
    return line_.nodes.back();
  }

  void AddMark(int64_t at, Row row) { Add(NodeKind::kMark, at, row); }

  void AddJoin(int64_t at) {
    line_.silences.push_back(
        {{last_touch_, at}, static_cast<uint32_t>(line_.nodes.size())});
    Add(NodeKind::kJoin, at, kNoRow);
  }

  void AddCall(Row row, int64_t begin, int64_t end) {
    line_.calls.push_back(static_cast<uint32_t>(line_.nodes.size()));
    HostNode& call = Add(NodeKind::kCall, begin, row);
    if (names_.sync_call(trace_.name()[row])) call.flags |= kSyncCall;
    call_end_ = end;
    last_touch_ = std::max(last_touch_, end);
  }

  struct OpenEvent {
    int64_t end = 0;
    Row step = kNoRow;  // a step, which is a mark and not an event
  };

  const EventTree& tree_;
  const Trace& trace_;
  NameClasses& names_;
  HostLine& line_;
  std::vector<Row> marks_;
  size_t next_mark_ = 0;
  std::vector<OpenEvent> open_;
  uint32_t events_ = 0;
  int64_t last_touch_ = std::numeric_limits<int64_t>::min();
  int64_t call_end_ = std::numeric_limits<int64_t>::min();
};

}  // namespace

void MakeHostLines(const EventTree& tree, const StepTable& steps,
                   NameClasses& names, Lines& lines) {
  HostIndex count = 0;
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    const uint32_t process = tree.threads()[i].process;
    if (!tree.Has(i, kApiCallTypes) && steps.main_thread(process) != i) {
      continue;
    }
    HostLine line;
    line.thread = i;
    line.process = process;
    LineMaker(tree, steps, names, line).Make();
    if (line.nodes.empty()) continue;
    lines.first.push_back(count);
    count += static_cast<HostIndex>(line.nodes.size());
    lines.hosts.push_back(std::move(line));
  }
  lines.first.push_back(count);
}

}  // namespace stepscope
