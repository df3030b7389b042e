// SPDX-License-Identifier: Apache-2.0
#include "query/job_names.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "trace/job/jobs.h"

namespace stepscope {
namespace {

constexpr size_t kLongest = 100;

FileFacts FileOf(const RankFactsList& source) {
  const RankFacts& first = source.front();
  FileFacts file;
  file.path = first.source;
  file.format = first.format;
  file.reader = first.importer;
  file.job = first.stated_job;
  file.run = first.run;
  file.world = first.world_size;
  size_t ranks = 0;
  for (const RankFacts& process : source) {
    file.processes.push_back({process.pid, process.host, process.stated_rank});
    if (process.stated_rank < 0) continue;
    file.rhythm = process.rhythm;
    ++ranks;
  }
  if (ranks != 1) file.rhythm = {};
  // As FactsOf(trace) has it.
  file.epoch_known =
      first.epoch_known &&
      !__builtin_add_overflow(first.epoch_ns, first.begin_ns, &file.begin_ns) &&
      !__builtin_add_overflow(first.epoch_ns, first.end_ns, &file.end_ns);
  if (!file.epoch_known) {
    file.begin_ns = first.begin_ns;
    file.end_ns = first.end_ns;
  }
  int64_t length = 0;
  if (__builtin_sub_overflow(file.end_ns, file.begin_ns, &length) || length < 0)
    file.end_ns = file.begin_ns;
  return file;
}

std::string Unstated(const FileFacts& earliest,
                     const std::string& fingerprint) {
  if (!earliest.epoch_known) return "job-" + fingerprint.substr(0, 8);
  const std::time_t seconds = earliest.begin_ns / 1'000'000'000;
  std::tm utc{};
  if (gmtime_r(&seconds, &utc) == nullptr)
    return "job-" + fingerprint.substr(0, 8);
  char text[32];
  std::strftime(text, sizeof(text), "job-%Y%m%d-%H%M%S", &utc);
  return text;
}

}  // namespace

std::string JobFolder(const std::string& stated) {
  std::string name;
  for (const char c : stated) {
    const bool safe = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      c == '-' || c == '_' || c == '.';
    name += safe ? c : '_';
  }
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0)
    name = "job-" + name;
  if (name.size() > kLongest) name.resize(kLongest);
  const bool altered = name != stated && name != "job-" + stated;
  if (altered || name == "job-")
    name += Format("-%08llx",
                   static_cast<unsigned long long>(Hash64(stated) >> 32));
  return name;
}

JobChoices ChooseJobs(const std::vector<RankFactsList>& known,
                      const std::vector<RankFactsList>& fresh, bool one_job) {
  std::vector<FileFacts> files;
  std::set<std::string> taken;
  for (const RankFactsList& source : known) {
    files.push_back(FileOf(source));
    taken.insert(source.front().job);
  }
  for (const RankFactsList& source : fresh) files.push_back(FileOf(source));
  std::vector<Job> jobs = FindJobs(files);
  if (one_job && !fresh.empty()) {
    // Files that the user names are one job, with all that belong to any.
    const auto has_fresh = [&](const Job& job) {
      return std::any_of(job.files.begin(), job.files.end(),
                         [&](uint32_t file) { return file >= known.size(); });
    };
    const auto rest =
        std::stable_partition(jobs.begin(), jobs.end(),
                              [&](const Job& job) { return !has_fresh(job); });
    Job joined;
    for (auto job = rest; job != jobs.end(); ++job) {
      joined.files.insert(joined.files.end(), job->files.begin(),
                          job->files.end());
      joined.repeats.insert(joined.repeats.end(), job->repeats.begin(),
                            job->repeats.end());
      joined.notes.insert(joined.notes.end(), job->notes.begin(),
                          job->notes.end());
    }
    std::sort(joined.files.begin(), joined.files.end());
    jobs.erase(rest, jobs.end());
    jobs.push_back(std::move(joined));
  }
  JobChoices result;
  result.by_source.resize(fresh.size());
  std::vector<JobChoice>& choices = result.by_source;
  for (const Job& job : jobs) {
    std::string name;
    const FileFacts* earliest = nullptr;
    std::string fingerprint;
    for (const uint32_t file : job.files) {
      if (file < known.size()) {
        if (name.empty()) name = known[file].front().job;
      } else if (earliest == nullptr ||
                 files[file].begin_ns < earliest->begin_ns) {
        earliest = &files[file];
        fingerprint = fresh[file - known.size()].front().fingerprint;
      }
    }
    if (name.empty() && earliest != nullptr) {
      name = !earliest->job.empty()   ? JobFolder(earliest->job)
             : !earliest->run.empty() ? JobFolder("run-" + earliest->run)
                                      : Unstated(*earliest, fingerprint);
      // Another job may have begun in the same second.
      if (earliest->job.empty() && taken.count(name) > 0)
        name += "-" + fingerprint.substr(0, 8);
      taken.insert(name);
    }
    for (const uint32_t file : job.files)
      if (file >= known.size()) choices[file - known.size()].job = name;
    // What is known was told when it came.
    for (const std::string& note : job.notes)
      if (std::any_of(fresh.begin(), fresh.end(), [&](const auto& source) {
            return note.starts_with(source.front().source + ":");
          }))
        result.notes.push_back(note);
    for (const SameWindow& repeat : job.repeats)
      if (repeat.file >= known.size())
        choices[repeat.file - known.size()].same_window_as =
            files[repeat.of].path;
  }
  return result;
}

}  // namespace stepscope
