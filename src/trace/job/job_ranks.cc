// SPDX-License-Identifier: Apache-2.0
#include "trace/job/job_ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace stepscope {
namespace {

using Owner = FileFacts::Owner;

// The only process of a file that states its rank; null: none, or several.
const Owner* RankedOwner(const FileFacts& file) {
  const Owner* found = nullptr;
  for (const Owner& owner : file.processes) {
    if (owner.rank < 0) continue;
    if (found != nullptr) return nullptr;
    found = &owner;
  }
  return found;
}

bool IsSameProcess(const Owner& a, const Owner& b) {
  return std::tie(a.rank, a.pid, a.host) == std::tie(b.rank, b.pid, b.host);
}

bool WorldsDiffer(const FileFacts& a, const FileFacts& b) {
  return a.world > 0 && b.world > 0 && a.world != b.world;
}

// Compares rhythms, as often as can be waited for: a folder of a thousand files
// that have nothing in common has half a million pairs.
class RhythmJudge {
 public:
  bool Together(const FileFacts& a, const FileFacts& b) {
    if (left_ == 0) return false;
    --left_;
    return HaveOneRhythm(a.rhythm, b.rhythm);
  }
  bool exhausted() const { return left_ == 0; }

 private:
  static constexpr size_t kMost = 4096;
  size_t left_ = kMost;
};

// Whether the files can be of several jobs at all: one rank is claimed twice,
// or worlds differ. Never where all state the same job.
bool IsDoubtful(std::span<const FileFacts> files, const Job& job) {
  std::map<int64_t, const Owner*> claims;
  bool stated = true;
  bool doubtful = false;
  for (const uint32_t i : job.files) {
    const FileFacts& file = files[i];
    const FileFacts& first = files[job.files[0]];
    stated = stated && !file.job.empty() && file.job == first.job;
    doubtful = doubtful || WorldsDiffer(file, first);
    const Owner* const owner = RankedOwner(file);
    if (owner == nullptr) continue;
    const auto [known, is_new] = claims.try_emplace(owner->rank, owner);
    doubtful = doubtful || (!is_new && !IsSameProcess(*known->second, *owner));
  }
  return doubtful && !stated;
}

// Takes a doubtful job apart.
class JobSplitter {
 public:
  JobSplitter(std::span<const FileFacts> files, const Job& job,
              RhythmJudge& judge)
      : files_(files), job_(job), judge_(judge) {}

  std::vector<Job> Split() {
    std::vector<uint32_t> others;  // that do not say whose they are
    for (const uint32_t file : job_.files)
      if (!PlaceRank(file)) others.push_back(file);
    // Who could not be compared is not told apart.
    if (parts_.size() < 2 || judge_.exhausted()) return {job_};
    for (const uint32_t file : others) PartFor(file).push_back(file);
    std::vector<Job> jobs;
    for (std::vector<uint32_t>& part : parts_) {
      std::sort(part.begin(), part.end());
      Job one;
      one.files = std::move(part);
      for (const SameWindow& repeat : job_.repeats)
        if (std::binary_search(one.files.begin(), one.files.end(), repeat.of))
          one.repeats.push_back(repeat);
      jobs.push_back(std::move(one));
    }
    return jobs;
  }

 private:
  bool PlaceRank(uint32_t index) {
    const FileFacts& file = files_[index];
    const Owner* const owner = RankedOwner(file);
    if (owner == nullptr) return false;
    for (std::vector<uint32_t>& part : parts_) {
      const FileFacts& first = files_[part[0]];
      if (WorldsDiffer(file, first)) continue;
      const bool same_process =
          std::any_of(part.begin(), part.end(), [&](uint32_t other) {
            return IsSameProcess(*owner, *RankedOwner(files_[other]));
          });
      if (!same_process && !judge_.Together(file, first)) continue;
      part.push_back(index);
      return true;
    }
    if (!HasRhythm(file) && !IsAnotherWorld(file)) return false;
    parts_.push_back({index});
    return true;
  }

  bool HasRhythm(const FileFacts& file) const {
    return judge_.Together(file, file);
  }
  bool IsAnotherWorld(const FileFacts& file) const {
    return file.world > 0 &&
           std::all_of(parts_.begin(), parts_.end(), [&](const auto& part) {
             return WorldsDiffer(file, files_[part[0]]);
           });
  }

  // Helpers belong to who started them; a rank to where it is missing.
  std::vector<uint32_t>& PartFor(uint32_t index) {
    const FileFacts& file = files_[index];
    const Owner* const owner = RankedOwner(file);
    for (std::vector<uint32_t>& part : parts_) {
      for (const uint32_t other : part)
        if (!file.run.empty() && file.run == files_[other].run) return part;
    }
    if (owner == nullptr) return parts_[0];
    for (std::vector<uint32_t>& part : parts_) {
      const bool has_it =
          std::any_of(part.begin(), part.end(), [&](uint32_t other) {
            const Owner* const there = RankedOwner(files_[other]);
            return there != nullptr && there->rank == owner->rank;
          });
      if (!has_it && !WorldsDiffer(file, files_[part[0]])) return part;
    }
    return parts_[0];
  }

  std::span<const FileFacts> files_;
  const Job& job_;
  RhythmJudge& judge_;
  std::vector<std::vector<uint32_t>> parts_;
};

// What is asked when two jobs may be one.
struct JobRanks {
  std::set<int64_t> ranks;
  std::string stated;  // job
  int64_t world = 0;
  std::vector<uint32_t> with_rhythm;  // a few
};

JobRanks RanksOf(std::span<const FileFacts> files, const Job& job) {
  constexpr size_t kFew = 4;
  JobRanks result;
  for (const uint32_t i : job.files) {
    const FileFacts& file = files[i];
    if (result.stated.empty()) result.stated = file.job;
    if (result.world == 0) result.world = file.world;
    for (const Owner& owner : file.processes)
      if (owner.rank >= 0) result.ranks.insert(owner.rank);
    if (!file.rhythm.beats.empty() && result.with_rhythm.size() < kFew)
      result.with_rhythm.push_back(i);
  }
  return result;
}

bool MayBeOne(const JobRanks& a, const JobRanks& b) {
  if (a.with_rhythm.empty() || b.with_rhythm.empty()) return false;
  if (!a.stated.empty() && !b.stated.empty() && a.stated != b.stated)
    return false;
  if (a.world > 0 && b.world > 0 && a.world != b.world) return false;
  const int64_t world = std::max(a.world, b.world);
  if (world > 0 &&
      static_cast<int64_t>(a.ranks.size() + b.ranks.size()) > world)
    return false;
  return std::none_of(b.ranks.begin(), b.ranks.end(),
                      [&](int64_t rank) { return a.ranks.contains(rank); });
}

bool HaveOneRhythm(std::span<const FileFacts> files, const JobRanks& a,
                   const JobRanks& b, RhythmJudge& judge) {
  for (const uint32_t i : a.with_rhythm)
    for (const uint32_t j : b.with_rhythm)
      if (judge.Together(files[i], files[j])) return true;
  return false;
}

std::string Apart(const FileFacts& a, const FileFacts& b) {
  if (!a.epoch_known || !b.epoch_known) return "";
  constexpr double kMinute = 60e9;
  const double ns = std::abs(static_cast<double>(a.begin_ns) -
                             static_cast<double>(b.begin_ns));
  return ns < 60 * kMinute ? Format(" by %.1f minutes", ns / kMinute)
                           : Format(" by %.1f hours", ns / kMinute / 60);
}

void Absorb(std::span<const FileFacts> files, Job& job, Job other) {
  job.notes.push_back(
      files[other.files[0]].path + ": its clock differs from that of " +
      files[job.files[0]].path +
      Apart(files[other.files[0]], files[job.files[0]]) +
      "; taken for one job, since their ranks differ and their collectives "
      "have the same rhythm.");
  job.files.insert(job.files.end(), other.files.begin(), other.files.end());
  std::sort(job.files.begin(), job.files.end());
  job.repeats.insert(job.repeats.end(), other.repeats.begin(),
                     other.repeats.end());
  for (std::string& note : other.notes) job.notes.push_back(std::move(note));
}

}  // namespace

std::vector<Job> ArrangeByRanks(std::span<const FileFacts> files,
                                std::vector<Job> jobs) {
  RhythmJudge judge;
  std::vector<Job> apart;
  for (const Job& job : jobs) {
    if (!IsDoubtful(files, job)) {
      apart.push_back(job);
      continue;
    }
    for (Job& part : JobSplitter(files, job, judge).Split())
      apart.push_back(std::move(part));
  }
  std::sort(apart.begin(), apart.end(), [](const Job& a, const Job& b) {
    return a.files.front() < b.files.front();
  });
  std::vector<Job> result;
  std::vector<JobRanks> known;
  for (Job& job : apart) {
    JobRanks ranks = RanksOf(files, job);
    size_t into = 0;
    while (into < result.size() &&
           !(MayBeOne(known[into], ranks) &&
             HaveOneRhythm(files, known[into], ranks, judge)))
      ++into;
    if (into < result.size()) {
      Absorb(files, result[into], std::move(job));
      known[into] = RanksOf(files, result[into]);
    } else {
      result.push_back(std::move(job));
      known.push_back(std::move(ranks));
    }
  }
  return result;
}

}  // namespace stepscope
