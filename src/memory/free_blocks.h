// SPDX-License-Identifier: Apache-2.0
//
// FreeBlocks: the free blocks of a pool by size, then address: the first that
// is large enough is the best fit. Sorted runs of at most kRun, so that taking
// and giving back move a few kilobytes however many blocks there are.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope::memory {

struct FreeBlock {
  int64_t size = 0;
  uint64_t address = 0;
  uint32_t block = 0;
  friend bool operator<(const FreeBlock& a, const FreeBlock& b) {
    return a.size != b.size ? a.size < b.size : a.address < b.address;
  }
};

class FreeBlocks {
 public:
  // Where a block stands, until the next change.
  struct Place {
    size_t run = 0;
    size_t at = 0;
  };

  bool empty() const { return runs_.empty(); }
  bool IsEnd(const Place& place) const { return place.run >= runs_.size(); }
  const FreeBlock& At(const Place& place) const {
    return runs_[place.run][place.at];
  }
  Place First() const { return {}; }
  Place Next(Place place) const {
    if (++place.at >= runs_[place.run].size()) place = {place.run + 1, 0};
    return place;
  }
  // The first that is not before `key`.
  Place LowerBound(const FreeBlock& key) const {
    const auto run =
        std::lower_bound(runs_.begin(), runs_.end(), key,
                         [](const std::vector<FreeBlock>& r,
                            const FreeBlock& k) { return r.back() < k; });
    if (run == runs_.end()) return {runs_.size(), 0};
    return {
        static_cast<size_t>(run - runs_.begin()),
        static_cast<size_t>(std::lower_bound(run->begin(), run->end(), key) -
                            run->begin())};
  }
  void Insert(const FreeBlock& block) {
    if (runs_.empty()) {
      runs_.push_back({block});
      return;
    }
    Place place = LowerBound(block);
    if (IsEnd(place)) place = {runs_.size() - 1, runs_.back().size()};
    std::vector<FreeBlock>& run = runs_[place.run];
    run.insert(run.begin() + static_cast<std::ptrdiff_t>(place.at), block);
    if (run.size() < kRun) return;
    const auto half = run.begin() + static_cast<std::ptrdiff_t>(kRun / 2);
    std::vector<FreeBlock> upper(half, run.end());
    run.erase(half, run.end());
    runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(place.run + 1),
                 std::move(upper));
  }
  void Erase(const FreeBlock& block) { EraseAt(LowerBound(block)); }
  void EraseAt(const Place& place) {
    std::vector<FreeBlock>& run = runs_[place.run];
    run.erase(run.begin() + static_cast<std::ptrdiff_t>(place.at));
    if (run.empty())
      runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(place.run));
  }
  // REQUIRES: not empty.
  const FreeBlock& largest() const { return runs_.back().back(); }

 private:
  static constexpr size_t kRun = 64;
  std::vector<std::vector<FreeBlock>> runs_;
};

}  // namespace stepscope::memory
