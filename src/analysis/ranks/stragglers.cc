// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/stragglers.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/stats.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

constexpr size_t kMostStragglers = 16;
constexpr size_t kMostVictims = 8;
constexpr size_t kMostListedSteps = 32;
// A step with less than this share of the worst delay is not listed.
constexpr int64_t kWorstShare = 4;

struct StepDelay {
  int64_t delay_ns = 0;
  int64_t worst_ns = 0;  // of one meeting
  const Meeting* worst = nullptr;
};

struct RankDelays {
  int64_t delays_ns = 0;
  int64_t until_ns = INT64_MIN;  // delays so far are before
  uint64_t last = 0;
  std::map<int64_t, StepDelay> steps;  // by number
  struct Waiting {
    int64_t wait_ns = 0;
    int64_t until_ns = INT64_MIN;
  };
  std::map<int64_t, Waiting> victims;  // by rank
};

// A name and how much longer it took than on the others.
struct Excess {
  std::string name;
  int64_t time_ns = 0;
};

std::string ShownName(const HeldName& held) {
  return held.kind == HeldKind::kNothing ? "nothing recorded" : held.name;
}

// What the last rank of a meeting did longer than the others before it.
Excess ExcessOf(std::span<const RankDigest> digests, const Meeting& meeting) {
  const auto before = [&](const Arrival& arrival) -> const auto& {
    return digests[arrival.digest].held.before[arrival.call];
  };
  const auto key = [&](const Arrival& arrival, const Held& held) {
    const HeldName& name = digests[arrival.digest].held.names[held.name];
    return std::pair(name.kind, name.name);
  };
  std::map<std::pair<HeldKind, std::string>, int64_t> others;
  for (uint32_t i = 0; i < meeting.arrivals.size(); ++i) {
    if (i == meeting.last) continue;
    const Arrival& arrival = meeting.arrivals[i];
    for (const Held& held : before(arrival)) {
      int64_t& sum = others[key(arrival, held)];
      sum = SaturatingAdd(sum, held.time_ns);
    }
  }
  const auto count = static_cast<int64_t>(meeting.arrivals.size() - 1);
  const Arrival& last = meeting.arrivals[meeting.last];
  const auto excess = [&](const Held& held) {
    const auto usual = others.find(key(last, held));
    return held.time_ns - (usual == others.end() ? 0 : usual->second / count);
  };
  int64_t most = 0;
  for (const Held& held : before(last)) most = std::max(most, excess(held));
  // Of what explains at least half as much, what says most.
  const Held* best = nullptr;
  for (const Held& held : before(last)) {
    if (excess(held) <= 0 || excess(held) * 2 < most) continue;
    if (best == nullptr || key(last, held).first < key(last, *best).first ||
        (key(last, held).first == key(last, *best).first &&
         excess(held) > excess(*best)))
      best = &held;
  }
  if (best == nullptr) return {};
  return {ShownName(digests[last.digest].held.names[best->name]),
          excess(*best)};
}

StragglerRow RowOf(int64_t rank, const RankDelays& sums,
                   std::span<const RankDigest> digests) {
  StragglerRow row;
  row.rank = rank;
  row.delays_ns = sums.delays_ns;
  row.last = sums.last;
  int64_t worst = 0;
  for (const auto& [step, delay] : sums.steps)
    worst = std::max(worst, delay.delay_ns);
  std::map<std::string, int64_t> doing;
  for (const auto& [step, delay] : sums.steps) {
    if (delay.delay_ns * kWorstShare < worst ||
        row.steps.size() == kMostListedSteps) {
      ++row.more_steps;
      continue;
    }
    Excess excess = ExcessOf(digests, *delay.worst);
    if (!excess.name.empty()) doing[excess.name] += excess.time_ns;
    row.steps.push_back(
        {step, delay.delay_ns, std::move(excess.name), excess.time_ns});
  }
  for (const auto& [name, ns] : doing) {
    if (ns <= row.doing_ns) continue;
    row.doing = name;
    row.doing_ns = ns;
  }
  for (const auto& [victim, waiting] : sums.victims) {
    row.victims.push_back({victim, waiting.wait_ns});
    row.others_wait_ns = SaturatingAdd(row.others_wait_ns, waiting.wait_ns);
  }
  StableSort(
      row.victims.begin(), row.victims.end(),
      [](const Victim& a, const Victim& b) { return a.wait_ns > b.wait_ns; });
  if (row.victims.size() > kMostVictims) row.victims.resize(kMostVictims);
  return row;
}

}  // namespace

std::vector<StragglerRow> FindStragglers(std::span<const RankDigest> digests,
                                         const std::vector<int64_t>& rank_of,
                                         const Meetings& meetings,
                                         uint64_t steps, int64_t step_ns) {
  std::map<int64_t, RankDelays> by_rank;
  for (const Meeting& meeting : meetings.list) {
    const int64_t delay = meeting.delay_ns();
    if (delay <= 0) continue;
    const Arrival& last = meeting.arrivals[meeting.last];
    RankDelays& sums = by_rank[rank_of[last.digest]];
    ++sums.last;
    // Meetings overlap where several are under way at once.
    const int64_t from = std::max(meeting.next_to_last_ns, sums.until_ns);
    sums.until_ns = std::max(sums.until_ns, meeting.last_ns);
    const int64_t added = std::max<int64_t>(0, meeting.last_ns - from);
    sums.delays_ns = SaturatingAdd(sums.delays_ns, added);
    if (meeting.step != kNoStep) {
      StepDelay& step = sums.steps[meeting.step];
      step.delay_ns = SaturatingAdd(step.delay_ns, added);
      // The first of those that are alike: what came late to one meeting
      // comes late to the next as well.
      if (step.worst == nullptr || delay / 2 > step.worst_ns) {
        step.worst_ns = delay;
        step.worst = &meeting;
      }
    }
    for (const Arrival& arrival : meeting.arrivals) {
      if (&arrival == &last) continue;
      RankDelays::Waiting& waiting = sums.victims[rank_of[arrival.digest]];
      const int64_t begin = std::max(arrival.time.begin, waiting.until_ns);
      waiting.until_ns = std::max(waiting.until_ns, meeting.last_ns);
      waiting.wait_ns = SaturatingAdd(
          waiting.wait_ns, std::max<int64_t>(0, meeting.last_ns - begin));
    }
  }
  std::vector<StragglerRow> rows;
  for (const auto& [rank, sums] : by_rank) {
    StragglerRow row = RowOf(rank, sums, digests);
    row.gain_ns = AverageNs(row.delays_ns, steps);
    row.gain_ratio = Ratio(row.gain_ns, step_ns);
    rows.push_back(std::move(row));
  }
  StableSort(rows.begin(), rows.end(),
             [](const StragglerRow& a, const StragglerRow& b) {
               return a.delays_ns > b.delays_ns;
             });
  if (rows.size() > kMostStragglers) rows.resize(kMostStragglers);
  return rows;
}

}  // namespace stepscope
