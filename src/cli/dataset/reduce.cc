// SPDX-License-Identifier: Apache-2.0
#include "analysis/partial/reduce.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "base/executor.h"
#include "base/file.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "cli/dataset/map.h"
#include "cli/dataset/partial_files.h"
#include "cli/folder_scan.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "cli/load.h"
#include "cli/table_arguments.h"
#include "cli/table_style.h"
#include "importers/import_many.h"
#include "importers/registry.h"
#include "report/summary.h"
#include "trace/job/jobs.h"

namespace stepscope {
namespace {

// So many partials are in memory as a whole, beside what was added up.
constexpr size_t kBatch = 64;

struct PartialFile {
  std::string path;
  std::string trace;  // where its trace is, or was
  PartialHead head;
};

// Reads the partials of one job.
class PartialsOfJob {
 public:
  // Both false: what was wrong has been said, and `code` is what to return.
  bool Find(const std::vector<std::string>& inputs, ExitCode& code);
  bool ChooseJob(const std::string& input, ExitCode& code);

  Result<std::unique_ptr<ReducedJob>> Reduce(const TableOptions& options,
                                             Alignment how);
  const LeftOut& left_out() const { return left_out_; }

 private:
  bool List(const std::string& folder, std::vector<std::string>& partials,
            ExitCode& code);
  void ReadHeads(const std::vector<std::string>& partials);
  void Skip(const std::string& path, const std::string& why) {
    left_out_.skipped.push_back(path + ": " + why);
  }

  std::vector<PartialFile> files_;  // in the order of their traces
  LeftOut left_out_;
};

// Partials of a folder, and traces there that have none.
bool PartialsOfJob::List(const std::string& folder,
                         std::vector<std::string>& partials, ExitCode& code) {
  const Result<std::vector<std::string>> files = FilesOfFolder(folder);
  if (!files) {
    code = ComplainOfInput(files.error());
    return false;
  }
  const std::set<std::string> all(files->begin(), files->end());
  ImportOptions found;
  found.found = true;
  for (const std::string& file : *files) {
    if (file.ends_with(kPartialSuffix)) {
      partials.push_back(file);
    } else if (!file.ends_with(".live") && !all.contains(PartialPathOf(file)) &&
               FindImporter(file, found).has_value()) {
      Skip(file, "has no partial and is left out; run stepscope map on it");
    }
  }
  return true;
}

void PartialsOfJob::ReadHeads(const std::vector<std::string>& partials) {
  std::vector<Result<PartialHead>> heads(partials.size(), PartialHead());
  {
    Progress progress("reading partials");
    Executor::Shared().ForEach(partials.size(), [&](size_t i) {
      const Result<std::string> bytes = ReadRegularFile(partials[i]);
      if (!bytes) {
        heads[i] = bytes.error();
        return;
      }
      heads[i] = CheckPartial(*bytes);
      if (!heads[i])
        heads[i] = Fail(heads[i].error().code,
                        partials[i] + ": " + heads[i].error().message);
    });
  }
  std::set<std::tuple<std::string, uint64_t, uint64_t>> seen;
  for (size_t i = 0; i < partials.size(); ++i) {
    if (!heads[i]) {
      left_out_.skipped.push_back(heads[i].error().message);
      continue;
    }
    PartialFile file{partials[i], "", *std::move(heads[i])};
    const TraceStamp& stamp = file.head.stamp;
    file.trace =
        (std::filesystem::path(file.path).parent_path() / stamp.name).string();
    file.head.facts.path = file.trace;
    if (HasChanged(file.trace, stamp)) {
      Skip(file.path,
           "its trace has changed since and it is left out; run stepscope "
           "map on it again");
      continue;
    }
    if (!seen.emplace(stamp.name, stamp.bytes, stamp.hash).second) {
      left_out_.repeats.push_back(file.path +
                                  ": of the same trace as another partial, "
                                  "counted once");
      continue;
    }
    files_.push_back(std::move(file));
  }
  StableSort(files_.begin(), files_.end(),
             [](const PartialFile& a, const PartialFile& b) {
               return NaturallyBefore(a.trace, b.trace);
             });
}

bool PartialsOfJob::Find(const std::vector<std::string>& inputs,
                         ExitCode& code) {
  std::vector<std::string> partials;
  for (const std::string& input : inputs) {
    if (IsDirectory(input)) {
      if (!List(input, partials, code)) return false;
    } else {
      partials.push_back(input);
    }
  }
  ReadHeads(partials);
  if (!files_.empty()) return true;
  const std::string why = left_out_.skipped.empty()
                              ? inputs.front() + ": no partial in it"
                              : left_out_.skipped.front();
  code = Complain(kExitUnreadable, why,
                  "run stepscope map on each trace of the job first");
  return false;
}

bool PartialsOfJob::ChooseJob(const std::string& input, ExitCode& code) {
  std::vector<FileFacts> facts;
  for (const PartialFile& file : files_) facts.push_back(file.head.facts);
  const std::vector<Job> jobs = FindJobs(facts);
  if (jobs.size() > 1) {
    std::vector<std::string> first_files;
    for (const Job& job : jobs)
      first_files.push_back(files_[job.files.front()].trace);
    code = ComplainOfJobs(input, first_files);
    return false;
  }
  for (const SameWindow& repeat : jobs[0].repeats)
    left_out_.repeats.push_back(files_[repeat.file].trace +
                                ": same window as " + files_[repeat.of].trace +
                                ", counted once");
  left_out_.of_job = jobs[0].notes;
  std::vector<PartialFile> chosen;
  for (const uint32_t file : jobs[0].files)
    chosen.push_back(std::move(files_[file]));
  files_ = std::move(chosen);
  return true;
}

Result<std::unique_ptr<ReducedJob>> PartialsOfJob::Reduce(
    const TableOptions& options, Alignment how) {
  Progress progress("adding up partials");
  Reducer reducer;
  for (size_t first = 0; first < files_.size(); first += kBatch) {
    const size_t count = std::min(kBatch, files_.size() - first);
    std::vector<Result<Partial>> batch(count, Partial());
    Executor::Shared().ForEach(count, [&](size_t i) {
      const Result<std::string> bytes = ReadRegularFile(files_[first + i].path);
      batch[i] = bytes ? DecodePartial(*bytes) : bytes.error();
    });
    for (size_t i = 0; i < count; ++i) {
      const PartialFile& file = files_[first + i];
      if (!batch[i]) {
        Skip(file.path, batch[i].error().message);
        continue;
      }
      PartialBody body = std::move(batch[i]->body);
      ReplacePath("", file.trace, body);
      reducer.Add(std::move(body));
    }
    progress.Set(first + count, files_.size());
  }
  return reducer.Finish(options, how);
}

}  // namespace

ExitCode RunReduce(const ReduceArguments& arguments) {
  TableOptions options;
  if (!ReadTableOptions(arguments.tables, options)) return kExitUsage;
  options.views = options.chosen_views();
  if (!(options.views & kPartialViews)) {
    return Complain(kExitUsage,
                    "not in partials: " + NamesOfViews(options.views),
                    "stepscope summary reads the traces for these tables");
  }
  PartialsOfJob partials;
  ExitCode code = kExitOk;
  if (!partials.Find(arguments.inputs, code)) return code;
  if (!partials.ChooseJob(arguments.inputs.front(), code)) return code;
  Result<std::unique_ptr<ReducedJob>> job =
      partials.Reduce(options, AlignmentOf(arguments.tables.no_align));
  if (!job) return ComplainOfInput(job.error());
  ReducedJob& reduced = **job;
  if (!reduced.given)
    return Complain(kExitUsage, reduced.missing,
                    "stepscope summary reads the traces for these tables");
  AddNotes(partials.left_out(), options.views, reduced);
  if (!reduced.missing.empty())
    reduced.summary.notes.push_back(reduced.missing);
  options.views = reduced.given;
  const std::string text = RenderSummary(reduced.summary, options);
  return options.format == TableFormat::kText ? WriteTables(text)
                                              : WriteOutput(text);
}

}  // namespace stepscope
