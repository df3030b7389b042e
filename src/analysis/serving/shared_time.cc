// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/shared_time.h"

#include <algorithm>

namespace stepscope {

void SharedTime::Deal(const std::vector<uint32_t>& owners, int64_t length) {
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
  struct Border {
    int64_t at;
    bool begins;
    uint32_t owner;
  };
  std::vector<Border> borders;
  borders.reserve(works_.size() * 2);
  for (const Work& work : works_) {
    borders.push_back({work.interval.begin, true, work.owner});
    borders.push_back({work.interval.end, false, work.owner});
  }
  works_.clear();
  std::sort(borders.begin(), borders.end(),
            [](const Border& a, const Border& b) { return a.at < b.at; });
  std::vector<uint32_t> running(ns_.size());
  std::vector<uint32_t> at_work;
  int64_t since = 0;
  for (const Border& border : borders) {
    if (!at_work.empty() && border.at > since) Deal(at_work, border.at - since);
    since = border.at;
    // Ends may come before the begins of the same instant or after: either way
    // no time lies between.
    uint32_t& count = running[border.owner];
    if (border.begins) {
      if (count++ == 0) at_work.push_back(border.owner);
    } else if (--count == 0) {
      at_work.erase(std::find(at_work.begin(), at_work.end(), border.owner));
    }
  }
}

}  // namespace stepscope
