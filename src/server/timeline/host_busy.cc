// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/host_busy.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/interval.h"
#include "server/timeline/shares.h"

namespace stepscope::server {
namespace {

// The time of one thread, dealt out to the pixels that it lies in.
class Dealer {
 public:
  Dealer(const std::vector<int64_t>& edges, std::vector<double>& busy)
      : edges_(edges), busy_(busy) {}

  // REQUIRES: `begin` does not decrease.
  void Add(int64_t begin, int64_t end) {
    begin = std::max(begin, until_);
    if (begin >= end) return;
    until_ = end;
    while (at_ < busy_.size() && edges_[at_ + 1] <= begin) ++at_;
    for (size_t i = at_; i < busy_.size() && edges_[i] < end; ++i) {
      busy_[i] += static_cast<double>(std::min(end, edges_[i + 1]) -
                                      std::max(begin, edges_[i]));
    }
  }

 private:
  const std::vector<int64_t>& edges_;
  std::vector<double>& busy_;
  size_t at_ = 0;  // the first pixel that is not before all that comes
  int64_t until_ = INT64_MIN;
};

// Calls add(begin, end) for all events of a track but steps.
template <typename Add>
void ForWork(const Trace& trace, const Track& track, const Add& add) {
  for (Row row = track.first; row < track.last; ++row) {
    if (trace.type()[row] == STEPSCOPE_PROFILE_STEP) continue;
    add(trace.start_ns()[row], trace.end_ns(row));
  }
}

// The lanes of each host thread that has any work.
std::vector<std::vector<const Track*>> ThreadsOf(const Trace& trace) {
  std::map<std::pair<uint32_t, int64_t>, std::vector<const Track*>> threads;
  for (const Track& track : trace.tracks()) {
    const auto types =
        trace.type().subspan(track.first, track.last - track.first);
    if (track.kind == TrackKind::kThread &&
        std::any_of(types.begin(), types.end(), [](uint16_t type) {
          return type != STEPSCOPE_PROFILE_STEP;
        })) {
      threads[{track.process, track.id}].push_back(&track);
    }
  }
  std::vector<std::vector<const Track*>> all;
  for (auto& [key, lanes] : threads) all.push_back(std::move(lanes));
  return all;
}

}  // namespace

std::string HostBusyJson(const Trace& trace, int64_t origin_ns,
                         int64_t begin_ns, int64_t end_ns, uint32_t pixels) {
  const std::vector<int64_t> edges = PixelEdges(begin_ns, end_ns, pixels);
  ShareList shares;
  if (edges.size() < 2) return shares.Json();
  std::vector<double> busy(edges.size() - 1);
  const auto threads = ThreadsOf(trace);
  for (const std::vector<const Track*>& lanes : threads) {
    Dealer dealer(edges, busy);
    const auto deal = [&](int64_t begin, int64_t end) {
      dealer.Add(begin, end);
    };
    if (lanes.size() == 1) {
      ForWork(trace, *lanes[0], deal);
      continue;
    }
    IntervalCollector collector;
    for (const Track* lane : lanes) {
      ForWork(trace, *lane,
              [&](int64_t begin, int64_t end) { collector.Add(begin, end); });
    }
    for (const Interval& part : collector.Finish()) deal(part.begin, part.end);
  }
  for (size_t i = 0; !threads.empty() && i < busy.size(); ++i) {
    shares.Add(edges[i] - origin_ns,
               busy[i] / (static_cast<double>(edges[i + 1] - edges[i]) *
                          static_cast<double>(threads.size())));
  }
  return shares.Json();
}

}  // namespace stepscope::server
