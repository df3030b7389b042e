// SPDX-License-Identifier: Apache-2.0
//
// Which calls waited for the device, and for what. Recorders rarely say on
// which stream, so it is concluded from what had ended when the call returned.
#include <algorithm>
#include <string_view>

#include "analysis/kinds.h"
#include "analysis/replay/stream_lines.h"

namespace stepscope {
namespace {

// A call returns so soon after what it waited for.
constexpr int64_t kReturnNs = 50'000;
// What a synchronising call takes when there is nothing to wait for.
constexpr int64_t kIdleSyncNs = 3'000;
// A launch of this length that has as many before it met a full queue.
constexpr int64_t kBlockedNs = 50'000;
constexpr uint32_t kFullQueueDepth = 64;

class WaitFinder {
 public:
  WaitFinder(const StreamLines& streams, const EventTree& tree,
             HostLine& host, uint32_t line)
      : streams_(streams), trace_(tree.trace()), host_(host), line_(line) {}

  void Find() {
    for (const uint32_t index : host_.calls) {
      DraftNode& call = host_.nodes[index];
      const LineNode own = streams_.last_of_launch[line_][index];
      if (own.known() && IsCopy(own)) {
        FindCopy(call, own);
      } else if (call.node.has(kSyncCall)) {
        FindSync(call);
      } else if (call.cost.dur >
                 std::max(kBlockedNs, 8 * streams_.typical.call_ns)) {
        FindFullQueue(call, own);
      }
    }
  }

 private:
  const DraftNode& Work(const LineNode& at) const {
    return streams_.lines[at.line].nodes[at.index];
  }
  int64_t EndOf(const LineNode& at) const {
    return SaturatingAdd(Work(at).node.at, Work(at).cost.dur);
  }
  static int64_t EndOf(const DraftNode& call) {
    return SaturatingAdd(call.node.at, call.cost.dur);
  }
  bool IsCopy(const LineNode& at) const {
    return trace_.type()[Work(at).node.row] == STEPSCOPE_MEMCPY;
  }

  void SetWait(DraftNode& call, const LineNode& work, int64_t own_ns,
               uint8_t flag) {
    const int64_t end = EndOf(call);
    const int64_t done = EndOf(work);
    call.wait = work;
    call.node.flags |= flag;
    const bool waited = done > call.node.at && done <= end;
    call.wait_lag = waited ? end - done : std::min(kIdleSyncNs, own_ns);
    call.own_ns = waited ? std::min(own_ns, call.cost.dur) : call.cost.dur;
  }

  // A copy from or to memory that is not pinned returns when it is done.
  void FindCopy(DraftNode& call, const LineNode& own) {
    const std::string_view name = trace_.str(trace_.name()[Work(own).node.row]);
    if (name.find("HtoD") != name.npos || name.find("Host -> ") != name.npos) {
      call.node.flags |= kToDevice;
    }
    if (EndOf(own) > EndOf(call)) return;
    SetWait(call, own, streams_.typical.call_ns, kCopyCall);
  }

  // The last work of a stream that was launched before a call and had begun
  // when it returned.
  LineNode LastBefore(uint32_t stream, const DraftNode& call) const {
    const std::vector<DraftNode>& nodes = streams_.lines[stream].nodes;
    const int64_t end = EndOf(call);
    auto after = std::partition_point(
        nodes.begin(), nodes.end(),
        [&](const DraftNode& work) { return work.node.at < end; });
    while (after != nodes.begin()) {
      --after;
      if (after->key_launch < call.node.at) {
        return {stream, static_cast<uint32_t>(after - nodes.begin())};
      }
    }
    return {};
  }

  void FindSync(DraftNode& call) {
    const int64_t end = EndOf(call);
    LineNode latest;
    LineNode newest;  // launched last, for a call that waited for nothing
    for (uint32_t i = 0; i < streams_.lines.size(); ++i) {
      if (streams_.lines[i].process != host_.process) continue;
      const LineNode last = LastBefore(i, call);
      if (!last.known()) continue;
      if (EndOf(last) <= end &&
          (!latest.known() || EndOf(last) > EndOf(latest))) {
        latest = last;
      }
      if (!newest.known() ||
          Work(last).key_launch > Work(newest).key_launch) {
        newest = last;
      }
    }
    if (latest.known() && EndOf(latest) > call.node.at) {
      SetWait(call, latest, kIdleSyncNs, kSyncCall);
    } else if (newest.known()) {
      SetWait(call, newest, kIdleSyncNs, kSyncCall);
    }
  }

  void FindFullQueue(DraftNode& call, const LineNode& own) {
    const int64_t end = EndOf(call);
    for (uint32_t i = 0; i < streams_.lines.size(); ++i) {
      if (streams_.lines[i].process != host_.process) continue;
      if (own.known() && own.line != i) continue;
      const std::vector<DraftNode>& nodes = streams_.lines[i].nodes;
      const auto running = std::partition_point(
          nodes.begin(), nodes.end(), [&](const DraftNode& work) {
            return SaturatingAdd(work.node.at, work.cost.dur) <= end;
          });
      if (running == nodes.begin()) continue;
      const auto done =
          static_cast<uint32_t>(running - nodes.begin()) - 1;
      const size_t ahead = done + kFullQueueDepth;
      if (ahead >= nodes.size() || nodes[ahead].key_launch > call.node.at) {
        continue;
      }
      const LineNode work{i, done};
      if (EndOf(work) <= call.node.at || end - EndOf(work) > kReturnNs) {
        continue;
      }
      SetWait(call, work, streams_.typical.call_ns, kFullQueue);
      return;
    }
  }

  const StreamLines& streams_;
  const Trace& trace_;
  HostLine& host_;
  const uint32_t line_;
};

}  // namespace

void FindWaits(const StreamLines& streams, const EventTree& tree,
               std::vector<HostLine>& hosts) {
  if (streams.lines.empty()) return;
  for (uint32_t i = 0; i < hosts.size(); ++i) {
    WaitFinder(streams, tree, hosts[i], i).Find();
  }
}

}  // namespace stepscope
