// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/job_replay.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/stats.h"
#include "base/stable_sort.h"

namespace stepscope {

JobReplay::JobReplay(std::span<const RankDigest> digests,
                     const std::vector<int64_t>& rank_of,
                     const Meetings& meetings, uint64_t steps)
    : meets_(meetings.list.size()), steps_(steps) {
  std::map<int64_t, uint32_t> line_of;
  for (size_t i = 0; i < digests.size(); ++i) {
    const auto [known, is_new] =
        line_of.try_emplace(rank_of[i], static_cast<uint32_t>(lines_.size()));
    if (!is_new) continue;
    lines_.emplace_back();
    lines_.back().rank = rank_of[i];
    lines_.back().begin_ns = INT64_MAX;
  }
  for (size_t i = 0; i < digests.size(); ++i) {
    Line& line = lines_[line_of[rank_of[i]]];
    for (const RankStep& step : digests[i].steps) {
      line.begin_ns =
          std::min(line.begin_ns, digests[i].to_job(step.range.begin));
    }
  }
  for (uint32_t m = 0; m < meets_.size(); ++m) {
    const Meeting& meeting = meetings.list[m];
    for (const Arrival& arrival : meeting.arrivals) {
      Line& line = lines_[line_of[rank_of[arrival.digest]]];
      line.visits.push_back({m, arrival.time.begin,
                             std::max(arrival.time.end, meeting.last_ns),
                             meeting.step});
    }
    meets_[m].last = line_of[rank_of[meeting.arrivals[meeting.last].digest]];
    meets_[m].last_ns = meeting.last_ns;
    meets_[m].clock_error_ns = meeting.clock_error_ns;
  }
  for (uint32_t i = 0; i < lines_.size(); ++i) {
    Line& line = lines_[i];
    StableSort(line.visits.begin(), line.visits.end(),
               [](const Visit& a, const Visit& b) {
                 return a.arrival_ns < b.arrival_ns;
               });
    if (line.visits.empty()) continue;
    line.begin_ns = std::min(line.begin_ns, line.visits[0].arrival_ns);
    for (uint32_t v = 0; v < line.visits.size(); ++v)
      meets_[line.visits[v].meeting].members.push_back({i, v});
  }
}

int64_t JobReplay::WorkBefore(const Line& line, size_t visit) {
  const int64_t from =
      visit == 0 ? line.begin_ns : line.visits[visit - 1].leave_ns;
  return SaturatingSubtract(line.visits[visit].arrival_ns, from);
}

std::vector<int64_t> JobReplay::Savings(const Line& line) const {
  // Work is compared with that of ranks which came from the same call.
  const auto key = [](const Line& of, size_t visit) {
    const uint32_t before =
        visit == 0 ? UINT32_MAX : of.visits[visit - 1].meeting;
    return uint64_t{before} << 32 | of.visits[visit].meeting;
  };
  struct Sum {
    int64_t ns = 0;
    uint64_t count = 0;
  };
  std::unordered_map<uint64_t, Sum> others;
  for (size_t i = 0; i < line.visits.size(); ++i) others[key(line, i)] = {};
  for (const Line& other : lines_) {
    if (&other == &line) continue;
    for (size_t i = 0; i < other.visits.size(); ++i) {
      const auto found = others.find(key(other, i));
      const int64_t work = WorkBefore(other, i);
      if (found == others.end() || work < 0) continue;
      found->second.ns = SaturatingAdd(found->second.ns, work);
      ++found->second.count;
    }
  }
  std::vector<int64_t> savings(line.visits.size(), 0);
  for (size_t i = 0; i < line.visits.size(); ++i) {
    const Sum& sum = others[key(line, i)];
    const int64_t work = WorkBefore(line, i);
    if (sum.count == 0 || work < 0) continue;
    savings[i] = work - AverageNs(sum.ns, sum.count);
  }
  return savings;
}

int64_t JobReplay::EndOf(Model model, const Line* changed,
                         std::span<const int64_t> savings) const {
  struct Replayed {
    size_t arrived = 0;  // how many visits
    std::vector<int64_t> arrival_ns;
    std::vector<int64_t> leave_ns;  // INT64_MIN: not yet
  };
  std::vector<Replayed> replayed(lines_.size());
  for (size_t i = 0; i < lines_.size(); ++i) {
    replayed[i].arrival_ns.resize(lines_[i].visits.size());
    replayed[i].leave_ns.assign(lines_[i].visits.size(), INT64_MIN);
  }
  // Up to and with visit `until`.
  const auto arrive = [&](const Line& line, Replayed& to, size_t until) {
    for (; to.arrived <= until; ++to.arrived) {
      const size_t v = to.arrived;
      const Visit& visit = line.visits[v];
      int64_t from = line.begin_ns;
      int64_t replayed_from = line.begin_ns;
      if (v > 0) {
        const Visit& before = line.visits[v - 1];
        const bool waited =
            before.leave_ns <= visit.arrival_ns &&
            to.leave_ns[v - 1] != INT64_MIN &&
            (model == Model::kWorkWaits || before.step != visit.step);
        from = waited ? before.leave_ns : before.arrival_ns;
        replayed_from = waited ? to.leave_ns[v - 1] : to.arrival_ns[v - 1];
      }
      int64_t work = SaturatingSubtract(visit.arrival_ns, from);
      if (&line == changed) work = SaturatingSubtract(work, savings[v]);
      to.arrival_ns[v] =
          SaturatingAdd(replayed_from, std::max<int64_t>(0, work));
    }
  };
  // In the order in which the last rank arrived, so whatever a rank left
  // before it arrives here has been left already.
  int64_t end = INT64_MIN;
  for (const Meet& meet : meets_) {
    int64_t last = INT64_MIN;
    for (const auto& [line, visit] : meet.members) {
      arrive(lines_[line], replayed[line], visit);
      last = std::max(last, replayed[line].arrival_ns[visit]);
    }
    for (const auto& [line, visit] : meet.members) {
      const int64_t transfer =
          SaturatingSubtract(lines_[line].visits[visit].leave_ns, meet.last_ns);
      replayed[line].leave_ns[visit] = SaturatingAdd(last, transfer);
      end = std::max(end, replayed[line].leave_ns[visit]);
    }
  }
  return end;
}

ReplayedGain JobReplay::IfAverage(int64_t rank) const {
  const auto line =
      std::find_if(lines_.begin(), lines_.end(),
                   [&](const Line& one) { return one.rank == rank; });
  ReplayedGain gain;
  if (line == lines_.end() || meets_.empty()) return gain;
  const std::vector<int64_t> savings = Savings(*line);
  const auto replay = [&](Model model) {
    const int64_t saved = SaturatingSubtract(EndOf(model, nullptr, {}),
                                             EndOf(model, &*line, savings));
    return AverageNs(std::max<int64_t>(0, saved), steps_);
  };
  const int64_t waits = replay(Model::kWorkWaits);
  const int64_t goes_on = replay(Model::kWorkGoesOn);
  gain.low_ns = std::min(waits, goes_on);
  gain.high_ns = std::max(waits, goes_on);
  int64_t error = 0;
  const auto index = static_cast<uint32_t>(line - lines_.begin());
  for (const Meet& meet : meets_)
    if (meet.last == index) error = SaturatingAdd(error, meet.clock_error_ns);
  gain.error_ns = AverageNs(error, steps_);
  return gain;
}

}  // namespace stepscope
