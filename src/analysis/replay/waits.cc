// SPDX-License-Identifier: Apache-2.0
//
// Which calls waited for the device, and for what. Recorders rarely say on
// which stream, so it is concluded from what had ended when the call returned.
#include <algorithm>
#include <string_view>

#include "analysis/kinds.h"
#include "analysis/replay/lines.h"

namespace stepscope {
namespace {

// A call returns so soon after what it waited for.
constexpr int64_t kReturnNs = 50'000;
// What a synchronising call takes when there is nothing to wait for.
constexpr int64_t kIdleSyncNs = 3'000;
// A launch of this length that has as many before it met a full queue.
constexpr int64_t kBlockedNs = 50'000;
constexpr size_t kFullQueueDepth = 64;

class WaitFinder {
 public:
  WaitFinder(const EventTree& tree, Lines& lines)
      : tree_(tree), trace_(tree.trace()), lines_(lines) {}

  void Find() {
    for (uint32_t i = 0; i < lines_.hosts.size(); ++i) {
      host_ = &lines_.hosts[i];
      for (const uint32_t call : host_->calls)
        Look(call, lines_.last_work[lines_.first[i] + call]);
    }
  }

 private:
  Row RowOf(uint32_t work) const { return tree_.work()[work].row; }
  int64_t StartOf(uint32_t work) const {
    return trace_.start_ns()[RowOf(work)];
  }
  int64_t EndOf(uint32_t work) const { return tree_.end_ns(RowOf(work)); }
  int64_t LaunchOf(uint32_t work) {
    return lines_.launch[work] == kNoNode
               ? INT64_MIN
               : lines_.node(lines_.launch[work], launch_line_).at;
  }

  // `own`: the work of the call, if it has any.
  void Look(uint32_t node, uint32_t own) {
    HostNode& call = host_->nodes[node];
    begin_ = call.at;
    end_ = tree_.end_ns(call.row);
    if (own != kNoNode && trace_.type()[RowOf(own)] == STEPSCOPE_MEMCPY)
      LookAtCopy(node, own);
    else if ((call.flags & kSyncCall) != 0)
      LookAtSync(node);
    else if (end_ - begin_ > std::max(kBlockedNs, 3 * lines_.typical.call_ns))
      LookAtQueue(node, own);
  }

  void Add(uint32_t node, uint32_t work, int64_t own_ns, uint8_t flag) {
    const int64_t done = EndOf(work);
    const bool waited = done > begin_ && done <= end_;
    host_->nodes[node].flags |= flag;
    host_->waits.push_back(
        {node, work, waited ? std::min(own_ns, end_ - begin_) : end_ - begin_,
         waited ? end_ - done : std::min(kIdleSyncNs, own_ns)});
  }

  // A copy from or to memory that is not pinned returns when it is done.
  void LookAtCopy(uint32_t node, uint32_t own) {
    const std::string_view name = trace_.str(trace_.name()[RowOf(own)]);
    if (name.find("HtoD") != name.npos || name.find("Host -> ") != name.npos)
      host_->nodes[node].flags |= kToDevice;
    if (EndOf(own) > end_) return;
    Add(node, own, lines_.typical.call_ns, kCopyCall);
  }

  // The last work of a stream that was launched before the call and had begun
  // when it returned.
  uint32_t LastBefore(const StreamLine& stream) {
    auto after = std::partition_point(
        stream.work.begin(), stream.work.end(),
        [&](uint32_t work) { return StartOf(work) < end_; });
    while (after != stream.work.begin()) {
      --after;
      if (LaunchOf(*after) < begin_) return *after;
    }
    return kNoNode;
  }

  void LookAtSync(uint32_t node) {
    uint32_t latest = kNoNode;
    uint32_t newest = kNoNode;  // launched last; nothing had to be waited for
    for (const StreamLine& stream : lines_.streams) {
      if (stream.process != host_->process) continue;
      const uint32_t last = LastBefore(stream);
      if (last == kNoNode) continue;
      if (EndOf(last) <= end_ &&
          (latest == kNoNode || EndOf(last) > EndOf(latest)))
        latest = last;
      if (newest == kNoNode || LaunchOf(last) > LaunchOf(newest)) newest = last;
    }
    if (latest != kNoNode && EndOf(latest) > begin_)
      Add(node, latest, kIdleSyncNs, kSyncCall);
    else if (newest != kNoNode)
      Add(node, newest, kIdleSyncNs, kSyncCall);
  }

  void LookAtQueue(uint32_t node, uint32_t own) {
    for (const StreamLine& stream : lines_.streams) {
      if (stream.process != host_->process) continue;
      const auto running = std::partition_point(
          stream.work.begin(), stream.work.end(),
          [&](uint32_t work) { return EndOf(work) <= end_; });
      if (running == stream.work.begin()) continue;
      const uint32_t done = running[-1];
      const size_t ahead = static_cast<size_t>(running - stream.work.begin()) -
                           1 + kFullQueueDepth;
      if (ahead >= stream.work.size() ||
          LaunchOf(stream.work[ahead]) > begin_ || EndOf(done) <= begin_ ||
          end_ - EndOf(done) > kReturnNs)
        continue;
      if (own != kNoNode &&
          trace_.track()[RowOf(own)] != trace_.track()[RowOf(done)])
        continue;
      Add(node, done, lines_.typical.call_ns, kFullQueue);
      return;
    }
  }

  const EventTree& tree_;
  const Trace& trace_;
  Lines& lines_;
  HostLine* host_ = nullptr;
  uint32_t launch_line_ = 0;  // where the last launch was found
  int64_t begin_ = 0;         // of the call
  int64_t end_ = 0;
};

}  // namespace

void FindWaits(const EventTree& tree, Lines& lines) {
  if (!lines.streams.empty()) WaitFinder(tree, lines).Find();
}

}  // namespace stepscope
