// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/shared_time.h"

#include <algorithm>

namespace stepscope {

void SharedTime::Deal(const std::vector<uint32_t>& owners, int64_t length) {
  if (owners.size() == 1) {
    ns_[owners.front()] += length;
    total_ += length;
    ++turn_;
    return;
  }
  const auto count = static_cast<int64_t>(owners.size());
  const int64_t each = length / count;
  const int64_t rest = length % count;
  // What does not divide goes round, so that nobody has it always.
  for (int64_t i = 0; i < count; ++i) {
    const bool one_more =
        (i + static_cast<int64_t>(turn_ % owners.size())) % count < rest;
    ns_[owners[static_cast<size_t>(i)]] += each + (one_more ? 1 : 0);
  }
  ++turn_;
  total_ += length;
}

void SharedTime::Settle() {
  const auto begins_earlier = [](const Work& a, const Work& b) {
    return a.interval.begin < b.interval.begin;
  };
  if (!std::ranges::is_sorted(works_, begins_earlier))
    std::ranges::stable_sort(works_, begins_earlier);
  const auto ends_later = [](const Work& a, const Work& b) {
    return a.interval.end > b.interval.end;
  };
  std::vector<Work> running;  // a heap, of what ends first
  std::vector<uint32_t> counts(ns_.size());
  std::vector<uint32_t> at_work;
  int64_t since = 0;
  const auto advance = [&](int64_t time) {
    if (!at_work.empty() && time > since) Deal(at_work, time - since);
    since = time;
  };
  const auto end_until = [&](int64_t time) {
    while (!running.empty() && running.front().interval.end <= time) {
      advance(running.front().interval.end);
      const uint32_t owner = running.front().owner;
      std::ranges::pop_heap(running, ends_later);
      running.pop_back();
      if (--counts[owner] == 0)
        at_work.erase(std::ranges::find(at_work, owner));
    }
  };
  for (const Work& work : works_) {
    end_until(work.interval.begin);
    advance(work.interval.begin);
    if (counts[work.owner]++ == 0) at_work.push_back(work.owner);
    running.push_back(work);
    std::ranges::push_heap(running, ends_later);
  }
  end_until(INT64_MAX);
  works_.clear();
}

}  // namespace stepscope
