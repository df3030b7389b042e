// SPDX-License-Identifier: Apache-2.0
//
// Rows of the collectives table: collectives of one kind, group and size, how
// long they took and how fast they were.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/ranks/rank_calls.h"

namespace stepscope {

struct CollectiveRow {
  std::string_view kind;
  std::string group;
  uint64_t ranks = 0;       // that met, at most; 1: one rank's own calls
  uint64_t group_size = 0;  // as stated, else as many as met
  uint64_t bytes = 0;       // 0: not stated
  uint64_t calls = 0;
  // Where several ranks met; of one rank in one collective.
  int64_t wait_ns = 0;      // mean
  int64_t transfer_ns = 0;  // the same
  int64_t longest_wait_ns = 0;
  int64_t time_ns = 0;  // the shortest of its ranks, added up
  double bus_factor = 1;
  // Bus bandwidth as a share of a stated peak.
  std::optional<double> peak_ratio;

  bool of_several() const { return ranks > 1; }
  // GB/s; nothing where sizes are not stated.
  std::optional<double> AlgorithmBandwidth() const;
  std::optional<double> BusBandwidth() const;
};

using CollectiveKey =
    std::tuple<CollectiveKind, std::string, std::vector<int64_t>, uint64_t>;
CollectiveKey KeyOfCall(const CallSignature& call);
// What all calls of a row have in common. `met`: ranks of this one.
void DescribeCall(const CallSignature& call, size_t met, CollectiveRow& row);
void SortByTime(std::vector<CollectiveRow>& rows);

// The calls of one rank by themselves: their times hold what it waited for the
// others, so that the bandwidths are the least that it may have been.
std::vector<CollectiveRow> CollectivesOfOne(
    std::span<const RankCalls* const> calls);
std::vector<CollectiveRow> CollectivesOfOne(const EventTree& tree,
                                            const StepTable& steps,
                                            NameClasses& names,
                                            const Communication& communication);

// Sets the shares of `peak` GB/s; 0: none is stated. What is faster has none;
// then the answer says so, in a sentence.
std::string ComparePeak(double peak, std::vector<CollectiveRow>& rows);

}  // namespace stepscope
