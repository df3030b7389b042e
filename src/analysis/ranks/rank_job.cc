// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/rank_job.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/ranks/meetings.h"
#include "analysis/ranks/stragglers.h"
#include "analysis/stats.h"
#include "base/text.h"

namespace stepscope {
namespace {

// The part of a step that took most of its idle time.
std::string_view IdleCause(const std::array<int64_t, kStepParts>& part_ns,
                           bool has_device) {
  size_t most = kStepParts;
  for (size_t i = static_cast<size_t>(StepPart::kLaunchGap); i < kStepParts;
       ++i) {
    if (!has_device && i == static_cast<size_t>(StepPart::kOtherCpu)) continue;
    if (part_ns[i] == 0) continue;
    if (most == kStepParts || part_ns[i] > part_ns[most]) most = i;
  }
  return most == kStepParts ? std::string_view()
                            : StepPartName(static_cast<StepPart>(most));
}

// What several calls of one rank cover, where they come in order of their
// ends: what was counted before does not count again.
struct Covered {
  int64_t until_ns = INT64_MIN;

  int64_t Add(int64_t begin, int64_t end) {
    const int64_t from = std::max(begin, until_ns);
    until_ns = std::max(until_ns, end);
    return std::max<int64_t>(0, end - from);
  }
};

struct RankSums {
  RankRow row;
  std::array<int64_t, kStepParts> part_ns{};
  bool has_device = false;
  Covered waiting;
  Covered transferring;
  Covered delaying;
  Covered starving;  // in a pipeline
  int64_t first_step = INT64_MAX;
  int64_t last_step = INT64_MIN;
};

class JobMaker {
 public:
  explicit JobMaker(std::vector<RankDigest> digests)
      : digests_(std::move(digests)) {}

  RankJob Make() {
    ChooseRanks();
    if (sums_.size() < 2) return OfOne();
    const Meetings meetings = FindMeetings(chosen_);
    job_.matched = meetings.list.size();
    job_.unmatched = meetings.unmatched;
    AddSteps(meetings);
    for (const Meeting& meeting : meetings.list) AddMeeting(meeting);
    for (const Exchange& exchange : meetings.exchanges) {
      AddBubble(exchange.a, exchange.b, exchange, meetings);
      AddBubble(exchange.b, exchange.a, exchange, meetings);
    }
    Finish();
    job_.stragglers = FindStragglers(chosen_, rank_of_, meetings,
                                     job_.step_count, job_.step_ns);
    ReplayGains(meetings);
    AddNotes();
    return std::move(job_);
  }

 private:
  // Nobody to wait for, but collectives have a size and a time.
  RankJob OfOne() const {
    std::vector<const RankCalls*> calls;
    for (const RankDigest& digest : chosen_) calls.push_back(&digest.calls);
    RankJob alone;
    alone.collectives = CollectivesOfOne(calls);
    return alone;
  }

  using Owner = std::pair<int64_t, std::string>;

  // From its first step to the end of its last.
  static Interval TimeOf(const RankDigest& digest) {
    Interval time{0, 0};
    for (const RankStep& step : digest.steps) {
      const Interval range{digest.to_job(step.range.begin),
                           digest.to_job(step.range.end)};
      time = time == Interval{0, 0}
                 ? range
                 : Interval{std::min(time.begin, range.begin),
                            std::max(time.end, range.end)};
    }
    return time;
  }

  // By what the processes state; where none does, in their order. Several
  // recordings of a process, one after the other, are of one rank, as a
  // profiler writes them that records some steps again and again. A process
  // that claims the rank of another is left out.
  void ChooseRanks() {
    const bool stated =
        std::any_of(digests_.begin(), digests_.end(),
                    [](const RankDigest& one) { return one.calls.rank >= 0; });
    std::map<int64_t, Owner> owners;
    std::map<Owner, std::pair<int64_t, IntervalSet>> numbered;
    int64_t next = 0;
    for (RankDigest& digest : digests_) {
      if (stated && digest.calls.rank < 0) continue;
      const Owner owner(digest.pid, digest.host);
      int64_t rank = digest.calls.rank;
      if (!stated) {
        const Interval time = TimeOf(digest);
        auto& [number, times] = numbered[owner];
        if (times.empty() || digest.host.empty() ||
            OverlapLength(times, {{time}}) > 0)
          number = next++;
        times = Union(times, {{time}});
        rank = number;
      }
      const auto [known, is_new] = owners.try_emplace(rank, owner);
      if (!is_new && known->second != owner) continue;
      rank_of_.push_back(rank);
      RankSums& sums = sums_[rank];
      sums.row.rank = rank;
      sums.row.pid = digest.pid;
      sums.row.host = digest.host;
      sums.row.clock = digest.clock;
      sums.has_device = sums.has_device || digest.has_device;
      chosen_.push_back(std::move(digest));
    }
    if (!stated && sums_.size() > 1) {
      job_.notes.push_back(
          "No process states its rank; they are numbered in the order of "
          "their files.");
    }
  }

  RankStepRow& StepRow(int64_t step, int64_t rank) {
    RankStepRow& row = rows_[{step, rank}];
    row.step = step;
    row.rank = rank;
    return row;
  }

  void AddSteps(const Meetings& meetings) {
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const RankDigest& digest = chosen_[i];
      RankSums& sums = sums_[rank_of_[i]];
      for (const RankStep& step : digest.steps) {
        const int64_t number =
            step.index == -1 ? -1
                             : SaturatingAdd(step.index, meetings.shift[i]);
        RankStepRow& row = StepRow(number, rank_of_[i]);
        row.start_ns = digest.to_job(step.range.begin);
        row.step_ns = SaturatingSubtract(step.range.end, step.range.begin);
        row.computation_ns = step.computation_ns;
        row.communication_ns = step.communication_ns;
        row.exposed_ns = step.communication_ns - step.overlapped_ns;
        row.idle_ns = step.idle_ns;
        row.idle_cause = IdleCause(step.part_ns, digest.has_device);
        sums.first_step = std::min(sums.first_step, number);
        sums.last_step = std::max(sums.last_step, number);
        RankRow& total = sums.row;
        ++total.steps;
        const auto add = [](int64_t& to, int64_t ns) {
          to = SaturatingAdd(to, ns);
        };
        add(total.step_ns, row.step_ns);
        add(total.computation_ns, row.computation_ns);
        add(total.communication_ns, row.communication_ns);
        add(total.exposed_ns, row.exposed_ns);
        add(total.overlapped_ns, step.overlapped_ns);
        add(total.idle_ns, row.idle_ns);
        row.pipeline_ns = step.pipeline_ns;
        if (step.pipeline_ns) row.bubble_ns = 0;
        if (step.pipeline_ns) {
          total.pipeline_ns =
              SaturatingAdd(total.pipeline_ns.value_or(0), *step.pipeline_ns);
        }
        for (size_t p = 0; p < kStepParts; ++p)
          add(sums.part_ns[p], step.part_ns[p]);
      }
    }
  }

  void AddMeeting(const Meeting& meeting) {
    CollectiveRow& collective = CollectiveOf(meeting);
    ++collective.calls;
    collective.ranks =
        std::max<uint64_t>(collective.ranks, meeting.arrivals.size());
    int64_t shortest = INT64_MAX;
    int64_t waits = 0;
    int64_t transfers = 0;
    for (uint32_t i = 0; i < meeting.arrivals.size(); ++i) {
      const Arrival& arrival = meeting.arrivals[i];
      const int64_t rank = rank_of_[arrival.digest];
      RankSums& sums = sums_[rank];
      const Interval& time = arrival.time;
      const int64_t met = std::clamp(meeting.last_ns, time.begin,
                                     std::max(time.begin, time.end));
      const int64_t wait = sums.waiting.Add(time.begin, met);
      const int64_t transfer = sums.transferring.Add(met, time.end);
      int64_t delay = 0;
      if (i == meeting.last && meeting.delay_ns() > 0) {
        delay = sums.delaying.Add(meeting.next_to_last_ns, meeting.last_ns);
        ++sums.row.last;
      }
      ++sums.row.collectives;
      sums.row.wait_ns = SaturatingAdd(sums.row.wait_ns, wait);
      sums.row.transfer_ns = SaturatingAdd(sums.row.transfer_ns, transfer);
      sums.row.delays_ns = SaturatingAdd(sums.row.delays_ns, delay);
      AddToStep(meeting.step, rank, wait, transfer, delay);
      shortest = std::min(shortest, time.end - time.begin);
      waits = SaturatingAdd(waits, met - time.begin);
      transfers = SaturatingAdd(transfers, time.end - met);
      collective.longest_wait_ns =
          std::max(collective.longest_wait_ns, met - time.begin);
    }
    collective.wait_ns = SaturatingAdd(collective.wait_ns, waits);
    collective.transfer_ns = SaturatingAdd(collective.transfer_ns, transfers);
    collective.time_ns = SaturatingAdd(collective.time_ns, shortest);
    arrivals_[&collective] += meeting.arrivals.size();
  }

  // Who comes first to a send or a receive waits until the other comes.
  void AddBubble(const Arrival& mine, const Arrival& other,
                 const Exchange& exchange, const Meetings& meetings) {
    const RankCall& call = chosen_[mine.digest].calls.calls[mine.call];
    const int64_t rank = rank_of_[mine.digest];
    const int64_t until = std::min(other.time.begin, mine.time.end);
    if (until - mine.time.begin <= exchange.clock_error_ns) return;
    const int64_t step =
        call.step == kNoStep
            ? -1
            : SaturatingAdd(call.step, meetings.shift[mine.digest]);
    const auto row = rows_.find({step, rank});
    if (row == rows_.end() || !row->second.bubble_ns) return;
    // What was computed meanwhile is no bubble.
    RankStepRow& to = row->second;
    to.bubble_ns = std::min(
        to.pipeline_ns.value_or(0),
        SaturatingAdd(*to.bubble_ns,
                      sums_[rank].starving.Add(mine.time.begin, until)));
  }

  void ReplayGains(const Meetings& meetings) {
    constexpr size_t kMostReplayed = 3;
    if (job_.stragglers.empty()) return;
    const JobReplay replay(chosen_, rank_of_, meetings, job_.step_count);
    for (size_t i = 0; i < std::min(kMostReplayed, job_.stragglers.size()); ++i)
      job_.stragglers[i].replayed = replay.IfAverage(job_.stragglers[i].rank);
  }

  void AddToStep(int64_t step, int64_t rank, int64_t wait, int64_t transfer,
                 int64_t delay) {
    const auto row = rows_.find({step == kNoStep ? -1 : step, rank});
    if (row == rows_.end()) return;
    row->second.wait_ns = SaturatingAdd(row->second.wait_ns, wait);
    row->second.transfer_ns = SaturatingAdd(row->second.transfer_ns, transfer);
    row->second.delays_ns = SaturatingAdd(row->second.delays_ns, delay);
  }

  CollectiveRow& CollectiveOf(const Meeting& meeting) {
    const Arrival& first = meeting.arrivals[0];
    const RankCalls& calls = chosen_[first.digest].calls;
    const CallSignature& call =
        calls.signatures[calls.calls[first.call].signature];
    CollectiveRow& row = collectives_[KeyOfCall(call)];
    DescribeCall(call, meeting.arrivals.size(), row);
    group_size_ = std::max(group_size_, call.group_size);
    return row;
  }

  void Finish() {
    std::set<int64_t> numbers;
    int64_t step_sum = 0;
    uint64_t step_rows = 0;
    for (auto& [key, row] : rows_) {
      numbers.insert(key.first);
      step_sum = SaturatingAdd(step_sum, row.step_ns);
      ++step_rows;
      if (row.bubble_ns) {
        RankRow& total = sums_[row.rank].row;
        total.bubble_ns =
            SaturatingAdd(total.bubble_ns.value_or(0), *row.bubble_ns);
      }
      job_.steps.push_back(row);
    }
    job_.step_count = numbers.size();
    job_.step_ns = AverageNs(step_sum, step_rows);
    int64_t computation = 0;
    for (auto& [rank, sums] : sums_) {
      RankRow& row = sums.row;
      const auto average = [&](int64_t& ns) { ns = AverageNs(ns, row.steps); };
      for (int64_t* ns :
           {&row.step_ns, &row.computation_ns, &row.communication_ns,
            &row.exposed_ns, &row.overlapped_ns, &row.wait_ns, &row.transfer_ns,
            &row.idle_ns, &row.delays_ns})
        average(*ns);
      if (row.pipeline_ns) average(*row.pipeline_ns);
      if (row.bubble_ns) average(*row.bubble_ns);
      row.idle_cause = IdleCause(sums.part_ns, sums.has_device);
      computation = SaturatingAdd(computation, row.computation_ns);
      job_.ranks.push_back(row);
    }
    const int64_t mean = AverageNs(computation, job_.ranks.size());
    for (RankRow& row : job_.ranks) {
      row.load = Ratio(row.computation_ns, mean);
      job_.imbalance = std::max(job_.imbalance, row.load - 1);
    }
    for (auto& [key, row] : collectives_) {
      row.wait_ns = AverageNs(row.wait_ns, arrivals_[&row]);
      row.transfer_ns = AverageNs(row.transfer_ns, arrivals_[&row]);
      job_.collectives.push_back(row);
    }
    SortByTime(job_.collectives);
  }

  void AddNotes() {
    int64_t last = INT64_MIN;
    for (const auto& [rank, sums] : sums_)
      last = std::max(last, sums.last_step);
    std::string early;
    for (const auto& [rank, sums] : sums_) {
      if (sums.row.steps == 0 || sums.last_step >= last) continue;
      if (!early.empty()) early += ", ";
      early += Format("rank %lld at step %lld", static_cast<long long>(rank),
                      static_cast<long long>(sums.last_step));
    }
    if (!early.empty()) {
      job_.notes.push_back(
          Format("Not all ranks go on to step %lld; there end early: ",
                 static_cast<long long>(last)) +
          early + ".");
    }
    if (group_size_ > static_cast<int64_t>(sums_.size())) {
      job_.notes.push_back(
          Format("%zu ranks of at least %lld are here; who makes whom wait is "
                 "of these alone.",
                 sums_.size(), static_cast<long long>(group_size_)));
    }
    if (job_.matched == 0) {
      job_.notes.push_back(
          "No collective was recorded by two ranks, so nothing says who waited "
          "for whom.");
    } else if (job_.unmatched > job_.matched / 10) {
      job_.notes.push_back(
          Format("%llu calls of collectives have no partner on another rank",
                 static_cast<unsigned long long>(job_.unmatched)) +
          (HaveSameSteps() ? "." : ": the ranks have different steps here."));
    }
  }

  // Warm-up is left out of each rank by itself.
  bool HaveSameSteps() const {
    const RankSums* first = nullptr;
    for (const auto& [rank, sums] : sums_) {
      if (sums.row.steps == 0) continue;
      if (first == nullptr) first = &sums;
      if (sums.first_step != first->first_step ||
          sums.last_step != first->last_step)
        return false;
    }
    return true;
  }

  std::vector<RankDigest> digests_;
  std::vector<RankDigest> chosen_;
  std::vector<int64_t> rank_of_;                             // of `chosen_`
  std::map<int64_t, RankSums> sums_;                         // by rank
  std::map<std::pair<int64_t, int64_t>, RankStepRow> rows_;  // by step, rank
  std::map<CollectiveKey, CollectiveRow> collectives_;
  std::map<const CollectiveRow*, uint64_t> arrivals_;
  int64_t group_size_ = 0;
  RankJob job_;
};

}  // namespace

RankJob AnalyseRanks(std::vector<RankDigest> digests) {
  return JobMaker(std::move(digests)).Make();
}

}  // namespace stepscope
