// SPDX-License-Identifier: Apache-2.0
#include "trace/job/jobs.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "base/text.h"
#include "trace/job/job_ranks.h"

namespace stepscope {
namespace {

// Formats round to microseconds, begin and end each.
constexpr int64_t kRoundingNs = 2000;

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash != path.npos) path.remove_prefix(slash + 1);
  for (const std::string_view packed : {".gz", ".zst"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  return path;
}

// Up to the first dot.
std::string_view Stem(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.substr(0, name.find('.'));
}

// "trace_12.json" -> "trace_#.json"
std::string WithoutNumbers(std::string_view path) {
  std::string name;
  for (const char c : BaseName(path)) {
    if (!IsDigit(c))
      name += c;
    else if (name.empty() || name.back() != '#')
      name += '#';
  }
  return name;
}

bool IsNear(int64_t a, int64_t b) {
  int64_t apart = 0;
  return !__builtin_sub_overflow(a, b, &apart) && apart <= kRoundingNs &&
         apart >= -kRoundingNs;
}

bool IsOneProcess(const FileFacts& a, const FileFacts& b) {
  for (const FileFacts::Owner& x : a.processes)
    for (const FileFacts::Owner& y : b.processes)
      if (x.pid > 0 && x.pid == y.pid &&
          (x.host == y.host || x.host.empty() || y.host.empty()))
        return true;
  return false;
}

bool IsOneWorker(const FileFacts& a, const FileFacts& b) {
  const std::string worker = WorkerOf(a.path);
  return !worker.empty() && worker == WorkerOf(b.path);
}

bool IsSameWindow(const FileFacts& a, const FileFacts& b) {
  if ((a.format == b.format && a.reader == b.reader) || a.begin_ns >= a.end_ns)
    return false;
  if (a.epoch_known && b.epoch_known)
    return IsNear(a.begin_ns, b.begin_ns) && IsNear(a.end_ns, b.end_ns) &&
           (IsOneProcess(a, b) || IsOneWorker(a, b));
  // Without absolute time, a window is known by its length, to the rounding.
  return IsNear(a.end_ns - a.begin_ns, b.end_ns - b.begin_ns) &&
         Stem(a.path) == Stem(b.path);
}

// The lower, the more a format can say. JSON rounds and leaves out.
int Poverty(std::string_view reader) {
  if (reader == "capture") return 0;
  return reader == "chrome" ? 2 : 1;
}

// Of "world_size": "8", or of torch's "distributedInfo", which is an object.
// 0: it says nothing about that.
int64_t WorldOf(std::string_view key, std::string_view value) {
  constexpr std::string_view kWorld = "world_size";
  if (key == "distributedInfo") {
    const size_t at = value.find("\"world_size\"");
    if (at == value.npos) return 0;
    value.remove_prefix(at + kWorld.size() + 2);
    value.remove_prefix(std::min(value.find_first_not_of(": "), value.size()));
  } else if (key != kWorld) {
    return 0;
  }
  int64_t world = 0;
  std::from_chars(value.data(), value.data() + value.size(), world);
  return std::max<int64_t>(world, 0);
}

// Sets of files that grow together.
class Groups {
 public:
  explicit Groups(size_t files) : parent_(files) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  uint32_t Of(uint32_t file) {
    while (parent_[file] != file) file = parent_[file] = parent_[parent_[file]];
    return file;
  }
  void Join(uint32_t a, uint32_t b) {
    a = Of(a);
    b = Of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<uint32_t> parent_;
};

class JobFinder {
 public:
  explicit JobFinder(std::span<const FileFacts> files)
      : files_(files), groups_(files.size()), repeats_(files.size(), kCounts) {}

  std::vector<Job> Run() {
    FindRepeats();
    JoinWindows();
    JoinOverlapping();
    JoinWithoutTime();
    return Collect();
  }

 private:
  static constexpr uint32_t kCounts = UINT32_MAX;

  uint32_t count() const { return static_cast<uint32_t>(files_.size()); }

  // Only windows of about one length can be the same.
  void FindRepeats() {
    std::vector<uint32_t> by_length(count());
    std::iota(by_length.begin(), by_length.end(), 0u);
    const auto length = [&](uint32_t file) {
      return files_[file].end_ns - files_[file].begin_ns;
    };
    std::stable_sort(
        by_length.begin(), by_length.end(),
        [&](uint32_t a, uint32_t b) { return length(a) < length(b); });
    for (size_t i = 0; i < by_length.size(); ++i) {
      for (size_t j = i + 1;
           j < by_length.size() &&
           length(by_length[j]) - length(by_length[i]) <= 2 * kRoundingNs;
           ++j)
        MarkRepeat(std::min(by_length[i], by_length[j]),
                   std::max(by_length[i], by_length[j]));
    }
  }

  void MarkRepeat(uint32_t first, uint32_t second) {
    if (repeats_[first] != kCounts || repeats_[second] != kCounts ||
        !IsSameWindow(files_[first], files_[second]))
      return;
    const bool second_says_more =
        Poverty(files_[second].reader) < Poverty(files_[first].reader);
    if (second_says_more)
      repeats_[first] = second;
    else
      repeats_[second] = first;
    groups_.Join(first, second);
  }

  void JoinWindows() {
    std::map<std::string, uint32_t> first;
    const auto join = [&](const std::string& key, uint32_t file) {
      groups_.Join(first.try_emplace(key, file).first->second, file);
    };
    for (uint32_t i = 0; i < count(); ++i) {
      if (!files_[i].job.empty()) join("job " + files_[i].job, i);
      if (!files_[i].run.empty()) join("run " + files_[i].run, i);
      const std::string worker = WorkerOf(files_[i].path);
      if (!worker.empty()) join("worker " + worker, i);
      for (const FileFacts::Owner& owner : files_[i].processes) {
        if (owner.pid <= 0) continue;
        const std::string pid = std::to_string(owner.pid);
        if (!owner.host.empty()) join("host " + pid + " " + owner.host, i);
        // Also one that states a host and one that does not.
        join("name " + pid + " " + WithoutNumbers(files_[i].path), i);
      }
    }
  }

  void JoinOverlapping() {
    std::map<std::string_view, std::vector<uint32_t>> by_job;
    for (uint32_t i = 0; i < count(); ++i)
      if (files_[i].epoch_known) by_job[files_[i].job].push_back(i);
    // Files that state no job are of the one that others state.
    if (by_job.size() == 2 && by_job.begin()->first.empty()) {
      auto& all = by_job.begin()->second;
      const auto& rest = by_job.rbegin()->second;
      all.insert(all.end(), rest.begin(), rest.end());
    }
    for (auto& [job, files] : by_job) JoinOverlapping(files);
  }

  void JoinOverlapping(std::vector<uint32_t>& files) {
    std::stable_sort(files.begin(), files.end(), [&](uint32_t a, uint32_t b) {
      return files_[a].begin_ns < files_[b].begin_ns;
    });
    for (size_t i = 1, last = 0; i < files.size(); ++i) {
      // `last` ends last of all so far.
      if (files_[files[i]].begin_ns <= files_[files[last]].end_ns)
        groups_.Join(files[last], files[i]);
      if (files_[files[i]].end_ns > files_[files[last]].end_ns) last = i;
    }
  }

  void JoinWithoutTime() {
    std::map<std::string_view, uint32_t> first;
    uint32_t damaged = kCounts;  // a capture without a clock
    for (uint32_t i = 0; i < count(); ++i) {
      if (files_[i].epoch_known || repeats_[i] != kCounts) continue;
      groups_.Join(first.try_emplace(files_[i].format, i).first->second, i);
      if (files_[i].format == "capture") damaged = i;
    }
    if (damaged == kCounts) return;
    std::vector<uint32_t> whole;
    for (uint32_t i = 0; i < count(); ++i)
      if (files_[i].epoch_known && files_[i].format == "capture")
        whole.push_back(i);
    const bool one_job = std::all_of(
        whole.begin(), whole.end(),
        [&](uint32_t i) { return groups_.Of(i) == groups_.Of(whole[0]); });
    if (!whole.empty() && one_job) groups_.Join(whole[0], damaged);
  }

  std::vector<Job> Collect() {
    std::vector<Job> jobs;
    std::map<uint32_t, size_t> job_of;
    for (uint32_t i = 0; i < count(); ++i) {
      const auto [it, fresh] = job_of.try_emplace(groups_.Of(i), jobs.size());
      if (fresh) jobs.emplace_back();
      Job& job = jobs[it->second];
      if (repeats_[i] == kCounts)
        job.files.push_back(i);
      else
        job.repeats.push_back({i, repeats_[i]});
    }
    return jobs;
  }

  std::span<const FileFacts> files_;
  Groups groups_;
  std::vector<uint32_t> repeats_;  // by file: of which; kCounts: none
};

}  // namespace

std::string WorkerOf(std::string_view path) {
  const std::string_view name = BaseName(path);
  // Ours and Paddle's: WORKER_time_YYYY_MM_DD...
  const size_t time = name.find("_time_");
  if (time != name.npos && time > 0 && time + 6 < name.size() &&
      IsDigit(name[time + 6]))
    return std::string(name.substr(0, time));
  // torch.profiler's: WORKER.TIME.pt.trace.json
  constexpr std::string_view kTorch = ".pt.trace.json";
  if (name.ends_with(kTorch)) {
    std::string_view worker = name.substr(0, name.size() - kTorch.size());
    const size_t dot = worker.rfind('.');
    if (dot != worker.npos && dot + 1 < worker.size() &&
        std::all_of(worker.begin() + dot + 1, worker.end(), IsDigit))
      worker = worker.substr(0, dot);
    return std::string(worker);
  }
  // TensorFlow's and JAX's: WORKER.xplane.pb, WORKER.trace.json
  for (const std::string_view ending : {".xplane.pb", ".trace.json"})
    if (name.ends_with(ending))
      return std::string(name.substr(0, name.size() - ending.size()));
  return {};
}

FileFacts FactsOf(const Trace& trace, std::string_view path,
                  std::string_view reader) {
  FileFacts facts;
  facts.path = path;
  facts.format = trace.format();
  facts.reader = reader;
  for (const Process& process : trace.processes()) {
    facts.processes.push_back(
        {process.pid, std::string(trace.str(process.host)), process.rank});
    for (const auto& [key, value] : process.metadata) {
      if (facts.job.empty() && trace.str(key) == "job")
        facts.job = trace.str(value);
      if (facts.run.empty() && trace.str(key) == "run")
        facts.run = trace.str(value);
      if (facts.world == 0)
        facts.world = WorldOf(trace.str(key), trace.str(value));
    }
  }
  facts.epoch_known =
      trace.clock().epoch_known &&
      !__builtin_add_overflow(trace.epoch_ns(), trace.begin_ns(),
                              &facts.begin_ns) &&
      !__builtin_add_overflow(trace.epoch_ns(), trace.end_ns(), &facts.end_ns);
  if (!facts.epoch_known) {
    facts.begin_ns = trace.begin_ns();
    facts.end_ns = trace.end_ns();
  }
  // A damaged file may say anything.
  int64_t length = 0;
  if (__builtin_sub_overflow(facts.end_ns, facts.begin_ns, &length) ||
      length < 0)
    facts.end_ns = facts.begin_ns;
  facts.rhythm = RhythmOf(trace);
  return facts;
}

std::vector<Job> FindJobs(std::span<const FileFacts> files) {
  return ArrangeByRanks(files, JobFinder(files).Run());
}

}  // namespace stepscope
