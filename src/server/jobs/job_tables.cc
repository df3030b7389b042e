// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_tables.h"

#include <algorithm>

#include "analysis/headline.h"
#include "base/executor.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostKept = 8;

// Which files, in which state.
std::string KeyOf(const std::vector<ListedTrace>& traces) {
  std::string key;
  for (const ListedTrace& one : traces) {
    const FileIdentity& file = one.window.identity;
    key += one.window.id + Format(" %llx %llx %lld\n",
                                  static_cast<unsigned long long>(file.inode),
                                  static_cast<unsigned long long>(file.bytes),
                                  static_cast<long long>(file.changed_ns));
  }
  return key;
}

bool IsBefore(const ListedTrace& a, const ListedTrace& b) {
  return NaturallyBefore(a.window.file, b.window.file);
}

// By run, in the order of the folder.
std::map<std::string, std::vector<ListedTrace>> ByRun(
    const std::vector<ListedTrace>& list) {
  std::map<std::string, std::vector<ListedTrace>> runs;
  for (const ListedTrace& one : list) runs[one.run].push_back(one);
  for (auto& [id, traces] : runs)
    StableSort(traces.begin(), traces.end(), IsBefore);
  return runs;
}

bool IsOver(const std::vector<ListedTrace>& traces) {
  return std::none_of(traces.begin(), traces.end(), [](const ListedTrace& one) {
    return one.state == CardState::kWaiting || one.state == CardState::kReading;
  });
}

}  // namespace

std::vector<TraceJob> JobTables::Jobs(const std::vector<ListedTrace>& list) {
  std::vector<TraceJob> all;
  for (auto& [run, traces] : ByRun(list)) {
    if (!IsOver(traces)) continue;
    std::erase_if(traces,
                  [](const ListedTrace& one) { return one.facts == nullptr; });
    if (traces.empty()) continue;
    const std::string key = KeyOf(traces);
    std::vector<Job> jobs;
    {
      const std::lock_guard lock(mutex_);
      FoundJobs& found = found_[run];
      if (found.key != key) {
        std::vector<FileFacts> facts;
        for (const ListedTrace& one : traces) facts.push_back(*one.facts);
        found = {key, FindJobs(facts)};
      }
      jobs = found.jobs;
    }
    for (Job& from : jobs) {
      TraceJob job;
      job.run = run;
      job.notes = std::move(from.notes);
      for (const uint32_t file : from.files) job.traces.push_back(traces[file]);
      for (const SameWindow& repeat : from.repeats)
        job.notes.push_back(traces[repeat.file].window.file +
                            ": same window as " +
                            traces[repeat.of].window.file + ", counted once");
      job.id = job.traces.front().window.id;
      all.push_back(std::move(job));
    }
  }
  return all;
}

std::shared_ptr<const ReducedTraces> JobTables::Made(const TraceJob& job) {
  const std::string key = KeyOf(job.traces);
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(),
                   [&](const Kept& one) { return one.key == key; });
  if (found == kept_.end()) return nullptr;
  std::rotate(kept_.begin(), found, found + 1);
  return kept_.front().tables;
}

Result<std::shared_ptr<const ReducedTraces>> JobTables::Reduce(
    const TraceJob& job) {
  // One at a time: the second who asks finds what the first has made.
  const std::lock_guard turn(making_);
  if (auto made = Made(job)) return made;
  STEPSCOPE_TRY_ASSIGN(std::shared_ptr<const ReducedTraces> made, Make(job));
  const std::lock_guard lock(mutex_);
  kept_.push_front({KeyOf(job.traces), made});
  if (kept_.size() > kMostKept) kept_.pop_back();
  return made;
}

Result<std::shared_ptr<const ReducedTraces>> JobTables::Make(
    const TraceJob& job) {
  // In this order, whichever is there first.
  std::vector<Result<TraceDigest>> digests(job.traces.size(), TraceDigest());
  Executor::Shared().ForEach(digests.size(), [&](size_t i) {
    digests[i] = reader_.Fetch(job.traces[i].window);
  });
  Reducer reducer;
  for (Result<TraceDigest>& digest : digests) {
    if (!digest) return digest.error();
    reducer.Add(std::move(digest->partial.body));
  }
  SummaryOptions options;
  options.views = kRankViews;
  auto made = std::make_shared<ReducedTraces>();
  STEPSCOPE_TRY_ASSIGN(made->reduced, reducer.Finish(options));
  made->headline = HeadlineOf(made->ranks());
  made->notes = job.notes;
  const RankJob& ranks = made->ranks();
  made->notes.insert(made->notes.end(), ranks.notes.begin(), ranks.notes.end());
  return std::shared_ptr<const ReducedTraces>(std::move(made));
}

}  // namespace stepscope::server
