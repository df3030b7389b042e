// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/line_nodes.h"

#include <algorithm>
#include <new>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

// A shorter call did not wait for the device; see waits.cc.
constexpr int64_t kShortestBlockedNs = 50'000;
// Longer delays are not exact (ns32.h), and never part of a run.
constexpr int64_t kLongestExactNs = int64_t{1} << 29;
// The critical path decodes a run as a whole, so it has an end.
constexpr uint32_t kMostParts = 4096;

// Moves `next` to the first time that is not before `time`.
size_t GoTo(std::span<const int64_t> times, size_t next, int64_t time) {
  while (next < times.size() && times[next] < time) ++next;
  return next;
}

}  // namespace

void LineNodes::AddMark(int64_t at, Row row, uint32_t events) {
  AddMoment(NodeKind::kMark, at, row, events);
}

void LineNodes::AddSilence(const Interval& range, uint32_t events) {
  const int64_t at = range.end;
  if (!line_.nodes.empty() && FollowsExactly(at) && !MayBeWait(range)) {
    moments_.push_back({at, at - busy_until_, events});
    busy_until_ = last_end_ = at;
    return;
  }
  AddMoment(NodeKind::kJoin, at, kNoRow, events);
  line_.silences.push_back(
      {range, static_cast<uint32_t>(line_.nodes.size() - 1)});
}

void LineNodes::AddMoment(NodeKind kind, int64_t at, Row row, uint32_t events) {
  if (after_call_) CloseRun();
  MoveMomentsIntoRun();
  AddNode({at, row, events, kind, 0});
  CloseRun();
  after_call_ = may_leave_ = false;
  busy_until_ = std::max(busy_until_, at);
  last_end_ = at;
}

void LineNodes::AddCall(Row row, int64_t begin, int64_t end, uint32_t events) {
  if (after_call_) {
    if (may_leave_ && run_.count < kMostParts && !IsAwaited(end))
      MoveCallIntoRun();
    else
      CloseRun();
  }
  MoveMomentsIntoRun();
  HostNode call{begin, row, events, NodeKind::kCall, 0};
  if (names_.sync_call(tree_.trace().name()[row])) call.flags |= kSyncCall;
  // Without steps, the window begins with the first call.
  may_leave_ = !line_.calls.empty() && MayLeave(call, end);
  line_.calls.push_back(static_cast<uint32_t>(line_.nodes.size()));
  AddNode(call);
  after_call_ = true;
  call_end_ = end;
  busy_until_ = std::max({busy_until_, begin, end});
  // Of a long one, the replay does not know the end exactly.
  last_end_ = end >= begin && end - begin < kLongestExactNs ? end : kNoTime;
}

void LineNodes::Finish() {
  if (after_call_) CloseRun();
  for (const Moment& moment : moments_)
    AddNode({moment.at, kNoRow, moment.events, NodeKind::kJoin, 0});
  moments_.clear();
}

void LineNodes::AddNode(const HostNode& node) { line_.nodes.push_back(node); }

// Whether the gap before `at` is what the replay makes of it.
bool LineNodes::FollowsExactly(int64_t at) const {
  return last_end_ == busy_until_ && busy_until_ != kNoTime &&
         at >= busy_until_ && at - busy_until_ < kLongestExactNs;
}

// Whether a call could be part of a run, for all that is known when it begins.
bool LineNodes::MayLeave(const HostNode& call, int64_t end) const {
  return call.flags == 0 &&
         tree_.trace().type()[call.row] == STEPSCOPE_CUDA_RUNTIME &&
         end >= call.at && end - call.at <= kShortestBlockedNs &&
         call.at != last_launch_ && FollowsExactly(call.at);
}

// Whether another thread may have woken because of the last call: after its
// end, and before the next one's.
bool LineNodes::IsAwaited(int64_t next_end) {
  const auto count = [&](std::span<const int64_t> wakes, size_t& next) {
    const size_t first = GoTo(wakes, next, call_end_);
    next = GoTo(wakes, first, next_end);
    return next - first;
  };
  return count(uses_.wakes, next_wake_) > count(line_.wakes, next_own_wake_);
}

// As FindJoins() has it, but for calls.
bool LineNodes::MayBeWait(const Interval& range) const {
  const int64_t from = SaturatingSubtract(range.begin, kHandOverNs);
  return std::any_of(uses_.mates.begin(), uses_.mates.end(),
                     [&](std::span<const int64_t> wakes) {
                       return WokeWithin(wakes, from, range.end);
                     });
}

void LineNodes::MoveCallIntoRun() {
  const HostNode& call = line_.nodes.back();
  const bool begins = run_.count == 0;
  const size_t first = line_.run_bytes.size();
  if (!line_.run_bytes.AppendCall(call.row, call.events, begins))
    throw std::bad_alloc();
  if (begins) run_.first = first;
  ++run_.count;
  run_.end_ns = call_end_;
  run_.ends_with_call = 1;
  line_.nodes.pop_back();
  line_.calls.pop_back();
}

void LineNodes::MoveMomentsIntoRun() {
  for (const Moment& moment : moments_) {
    const bool begins = run_.count == 0;
    const size_t first = line_.run_bytes.size();
    if (!line_.run_bytes.AppendMoment(moment.gap_ns, moment.events, begins))
      throw std::bad_alloc();
    if (begins) run_.first = first;
    ++run_.count;
    run_.end_ns = moment.at;
    run_.ends_with_call = 0;
  }
  moments_.clear();
}

// The run ends before the last node.
void LineNodes::CloseRun() {
  if (run_.count == 0) return;
  run_.node = static_cast<uint32_t>(line_.nodes.size() - 1);
  line_.runs.push_back(run_);
  run_ = {};
}

}  // namespace stepscope
