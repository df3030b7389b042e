// SPDX-License-Identifier: Apache-2.0
#include "analysis/process_sweep.h"

#include <algorithm>
#include <span>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

// Operators that are worth a look when they launch nothing.
constexpr int64_t kLongOperatorNs = 100'000;

// What `set`, which lies within `whole`, leaves of it.
void Complement(const Interval& whole, const IntervalSet& set,
                IntervalSet& left) {
  left.clear();
  int64_t at = whole.begin;
  for (const Interval& part : set) {
    if (at < part.begin) left.push_back({at, part.begin});
    at = part.end;
  }
  if (at < whole.end) left.push_back({at, whole.end});
}

}  // namespace

ProcessSweep::ProcessSweep(const EventTree& tree, NameClasses& names,
                           const Communication& communication)
    : tree_(tree), names_(names), communication_(communication) {
  until_.fill(INT64_MIN);
}

void ProcessSweep::AddThread(const Track& track, bool waits_for_input) {
  Cursor cursor;
  cursor.waits_for_input = waits_for_input;
  cursor.next = track.first;
  cursor.last = track.last;
  Add(std::move(cursor));
}

void ProcessSweep::AddStream(uint32_t device, size_t first, size_t last) {
  Cursor cursor;
  cursor.kind = Cursor::kDevice;
  cursor.device = device;
  cursor.next = first;
  cursor.last = last;
  Add(cursor);
  cursor.kind = Cursor::kLaunches;
  SortLaunches(cursor);
  Add(std::move(cursor));
  devices_ = std::max<size_t>(devices_, device + 1);
}

// A stream runs in the order of its launches, as a rule.
void ProcessSweep::SortLaunches(Cursor& cursor) const {
  const auto start = tree_.trace().start_ns();
  const auto launched = [&](size_t i) {
    const Row launch = tree_.work()[i].launch;
    return launch == kNoRow ? INT64_MIN : start[launch];
  };
  int64_t last = INT64_MIN;
  bool sorted = true;
  for (size_t i = cursor.next; i < cursor.last && sorted; ++i) {
    const int64_t time = launched(i);
    if (time == INT64_MIN) continue;
    sorted = time >= last;
    last = time;
  }
  if (sorted) return;
  for (size_t i = cursor.next; i < cursor.last; ++i)
    cursor.by_launch.push_back(static_cast<uint32_t>(i));
  std::stable_sort(
      cursor.by_launch.begin(), cursor.by_launch.end(),
      [&](uint32_t a, uint32_t b) { return launched(a) < launched(b); });
  cursor.next = 0;
  cursor.last = cursor.by_launch.size();
}

void ProcessSweep::Add(Cursor cursor) {
  cursors_.push_back(std::move(cursor));
  Queue(static_cast<uint32_t>(cursors_.size() - 1));
}

// Work without a launch is not in the queue of launches.
void ProcessSweep::Queue(uint32_t index) {
  Cursor& cursor = cursors_[index];
  if (cursor.kind == Cursor::kLaunches)
    while (cursor.next < cursor.last && LaunchedWork(cursor).launch == kNoRow)
      ++cursor.next;
  if (cursor.next < cursor.last) queue_.emplace(TimeOf(cursor), index);
}

int64_t ProcessSweep::TimeOf(const Cursor& cursor) const {
  const auto start = tree_.trace().start_ns();
  switch (cursor.kind) {
    case Cursor::kThread:
      return start[cursor.next];
    case Cursor::kDevice:
      return start[tree_.work()[cursor.next].row];
    case Cursor::kLaunches:
      break;
  }
  return start[LaunchedWork(cursor).launch];
}

void ProcessSweep::Fill(StepWindow& window) {
  busy_until_.resize(devices_, INT64_MIN);
  busy_.resize(devices_ > 1 ? devices_ : 0);
  window.part_ns.fill(0);
  window.host_operators.clear();
  TakeUpTo(window.range.begin, nullptr);
  window_ = window.range;
  for (size_t i = 0; i < kActivities; ++i)
    active_[i].Add(window_.begin, std::min(until_[i], window_.end));
  for (size_t i = 0; i < busy_.size(); ++i)
    busy_[i].Add(window_.begin, std::min(busy_until_[i], window_.end));
  TakeUpTo(window_.end, &window);
  Divide(window);
}

// Takes all that begins before `limit`.
void ProcessSweep::TakeUpTo(int64_t limit, StepWindow* window) {
  collecting_ = window;
  while (!queue_.empty() && queue_.top().first < limit) {
    const uint32_t index = queue_.top().second;
    queue_.pop();
    Cursor& cursor = cursors_[index];
    switch (cursor.kind) {
      case Cursor::kThread:
        TakeThread(cursor, limit);
        break;
      case Cursor::kDevice:
        TakeDevice(cursor, limit);
        break;
      case Cursor::kLaunches:
        TakeLaunches(cursor, limit);
        break;
    }
    Queue(index);
  }
}

void ProcessSweep::TakeThread(Cursor& cursor, int64_t limit) {
  const Trace& trace = tree_.trace();
  const int64_t* const start = trace.start_ns().data();
  const uint16_t* const type = trace.type().data();
  for (; cursor.next < cursor.last; ++cursor.next) {
    const Row row = static_cast<Row>(cursor.next);
    const int64_t begin = start[row];
    if (begin >= limit) return;
    const int64_t end = tree_.end_ns(row);
    const uint16_t kind = type[row];
    if (kind == STEPSCOPE_PROFILE_STEP) continue;
    if (IsConcludedPass(tree_.trace(), row)) continue;  // nobody recorded it
    if (kind == STEPSCOPE_DATALOADER) {
      if (cursor.waits_for_input)
        Mark(kInput, begin, end);
      else
        cursor.loader_until = std::max(cursor.loader_until, end);
      continue;
    }
    // What a loader thread does in the background holds nobody up.
    if (end <= cursor.loader_until) continue;
    if (end > cursor.host_until) {
      cursor.host_until = end;
      Mark(kHost, begin, end);
    }
    TakeCall(cursor, row, kind, end);
  }
}

// What an event of a thread is besides going on.
inline void ProcessSweep::TakeCall(Cursor& cursor, Row row, uint16_t type,
                                   int64_t end) {
  const Trace& trace = tree_.trace();
  const int64_t begin = trace.start_ns()[row];
  if (IsApiCall(type)) {
    if (names_.sync_call(trace.name()[row])) Mark(kSync, begin, end);
  } else if (type == STEPSCOPE_SYNCHRONIZATION) {
    Mark(kSync, begin, end);
  } else if (communication_.IsHostEvent(row)) {
    // As a rule, what launches work on a device communicates there.
    if (tree_.gpu_ns(row) == 0 ||
        names_.host_side_collective(trace.name()[row]))
      Mark(kHostCommunication, begin, end);
  } else if (type == STEPSCOPE_OPERATOR &&
             trace.dur_ns()[row] >= kLongOperatorNs && devices_ > 0 &&
             end > cursor.operator_until && tree_.gpu_ns(row) == 0) {
    cursor.operator_until = end;
    if (collecting_ != nullptr) collecting_->host_operators.push_back(row);
  }
}

void ProcessSweep::TakeDevice(Cursor& cursor, int64_t limit) {
  const Trace& trace = tree_.trace();
  for (; cursor.next < cursor.last; ++cursor.next) {
    const DeviceWork& work = tree_.work()[cursor.next];
    const int64_t begin = trace.start_ns()[work.row];
    if (begin >= limit) return;
    const int64_t end = tree_.end_ns(work.row);
    const bool copies = trace.type()[work.row] != STEPSCOPE_KERNEL;
    Mark(copies                          ? kCopy
         : communication_.IsKernel(work) ? kDeviceCommunication
                                         : kKernel,
         begin, end);
    if (busy_.empty()) continue;
    int64_t& until = busy_until_[cursor.device];
    until = std::max(until, end);
    if (collecting_ == nullptr) continue;
    busy_[cursor.device].Add(std::max(begin, window_.begin),
                             std::min(end, window_.end));
  }
}

void ProcessSweep::TakeLaunches(Cursor& cursor, int64_t limit) {
  const auto start = tree_.trace().start_ns();
  for (; cursor.next < cursor.last; ++cursor.next) {
    const DeviceWork& work = LaunchedWork(cursor);
    if (work.launch == kNoRow) continue;
    if (start[work.launch] >= limit) return;
    Mark(kPending, start[work.launch], start[work.row]);
  }
}

// Communication of the host in this window beside which the host computes.
IntervalSet ProcessSweep::HiddenCommunication() {
  while (computed_ < computing_.size() &&
         computing_[computed_].end <= window_.begin)
    ++computed_;
  size_t last = computed_;
  while (last < computing_.size() && computing_[last].begin < window_.end)
    ++last;
  return Intersection(
      sets_[kHostCommunication],
      std::span(computing_).subspan(computed_, last - computed_));
}

// Deals the window out to the parts.
void ProcessSweep::Divide(StepWindow& window) {
  for (size_t i = 0; i < kActivities; ++i) active_[i].Finish(sets_[i]);
  // Kernels come first and are the most.
  Complement(window_, sets_[kKernel], taken_);
  remainder_.Reset(taken_);
  window.part_ns[static_cast<size_t>(StepPart::kKernel)] =
      TotalLength(sets_[kKernel]);
  const auto take = [&](Activity activity, StepPart part, IntervalSet& taken) {
    window.part_ns[static_cast<size_t>(part)] +=
        remainder_.Take(sets_[activity], taken);
  };
  take(kCopy, StepPart::kCopy, taken_);
  take(kDeviceCommunication, StepPart::kCommunication, taken_);
  window.idle.resize(devices_);
  if (devices_ == 1)
    window.idle[0].assign(remainder_.rest().begin(), remainder_.rest().end());
  for (size_t i = 0; i < busy_.size(); ++i)
    Complement(window_, busy_[i].Finish(), window.idle[i]);
  auto& pieces = window.pieces;
  if (!computing_.empty())
    window.part_ns[static_cast<size_t>(StepPart::kOtherCpu)] +=
        remainder_.Take(HiddenCommunication(), taken_);
  take(kHostCommunication, StepPart::kCommunication, pieces[0]);
  take(kPending, StepPart::kLaunchGap, pieces[1]);
  take(kInput, StepPart::kInputStall, pieces[2]);
  take(kSync, StepPart::kHostSync, pieces[3]);
  take(kHost, StepPart::kOtherCpu, pieces[4]);
  const IntervalSet& rest = remainder_.rest();
  window.part_ns[static_cast<size_t>(StepPart::kUnexplained)] =
      TotalLength(rest);
  pieces[5].assign(rest.begin(), rest.end());
  for (size_t i = kOnDevice; i < kActivities; ++i)
    window.causes[i - kOnDevice].swap(sets_[i]);
}

}  // namespace stepscope
