// SPDX-License-Identifier: Apache-2.0
//
// Serving: the iterations and requests of an open trace, as `summary` has them,
// with what a viewer finds them by: a time, an event, a request. Immutable but
// for requests, which are made when first asked for, by each rule that their
// device time is split by. Thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/serving/iterations.h"
#include "analysis/serving/requests.h"

namespace stepscope::server {

// Whether a trace may have iterations or requests, from names and types alone:
// most traces have none, and need not be looked through.
bool MayServe(const EventTree& tree);

class Serving {
 public:
  // `tree` must outlive this.
  explicit Serving(const EventTree& tree);

  bool empty() const {
    return iterations_.list.empty() && request_count() == 0;
  }
  const IterationTable& iterations() const { return iterations_; }
  size_t request_count() const {
    return iterations_.requests ? iterations_.requests->list().size() : 0;
  }
  // Of all rules the same requests in the same order.
  const RequestTable& requests(BillRule bill = BillRule::kTokens) const;

  // A request of requests().list, and which of its iterations it is.
  struct Member {
    uint32_t request = 0;
    uint32_t at = 0;
  };
  // By arrival. REQUIRES: one of iterations().list.
  std::span<const Member> MembersOf(uint32_t iteration) const;

  // The iteration that launched a piece of device work, or that a call of its
  // thread is inside of or launched work for; nothing: none, or not known.
  std::optional<uint32_t> IterationOf(Row row) const;

  // Calls `use(index)` for the iterations that go on in a stretch of time, by
  // start.
  template <typename Use>
  void ForEachIn(Interval stretch, Use use) const {
    const std::vector<IterationRow>& list = iterations_.list;
    for (size_t i = FirstEndingAfter(stretch.begin);
         i < list.size() && list[i].start_ns < stretch.end; ++i)
      if (EndOf(list[i]) > stretch.begin) use(static_cast<uint32_t>(i));
  }

  // Device work of a track, as indices of EventTree::work() and of
  // IterationTable::owners: [first, last).
  struct TrackWork {
    uint32_t track = 0;
    size_t first = 0;
    size_t last = 0;
  };
  std::span<const TrackWork> work() const { return work_; }

  // What it holds, near enough for a budget.
  size_t bytes() const { return bytes_; }

  // Of its mark; of an instant, a nanosecond later.
  static int64_t EndOf(const IterationRow& one) {
    return SaturatingAdd(one.start_ns, std::max<int64_t>(one.host_ns, 1));
  }

 private:
  struct Requests {
    std::once_flag once;
    RequestTable table;
  };
  struct Members {
    std::once_flag once;
    std::vector<size_t> first;  // by iteration, and one more
    std::vector<Member> list;
  };

  void ArrangeMembers() const;
  size_t FirstEndingAfter(int64_t time_ns) const;
  std::optional<uint32_t> OwnerOfWork(Row row) const;

  const EventTree& tree_;
  const IterationTable iterations_;
  std::vector<int64_t> latest_end_ns_;  // of an iteration and all before it
  std::vector<TrackWork> work_;
  std::vector<std::vector<uint32_t>> of_thread_;  // by start
  mutable std::array<Requests, kBillRules> requests_;
  mutable Members members_;
  mutable std::atomic<size_t> bytes_{0};
};

}  // namespace stepscope::server
