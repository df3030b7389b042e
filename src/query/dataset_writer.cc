// SPDX-License-Identifier: Apache-2.0
#include "query/dataset_writer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "query/dataset_clocks.h"
#include "query/dataset_rhythms.h"
#include "query/dataset_schema.h"
#include "query/job_names.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJobFile = "/job";  // of a source that waits

std::string HashOf(const RankFactsList& source) {
  const std::string& print = source.front().fingerprint;
  return print.substr(0, print.find('-'));
}

// The parts of one source: its ranks.
std::set<DatasetPart> PartsOfSource(const RankFactsList& source) {
  std::set<DatasetPart> parts;
  for (const RankFacts& facts : source)
    parts.insert({facts.job, facts.rank, HashOf(source)});
  return parts;
}

std::vector<RankFactsList> BySource(RankFactsList ranks) {
  std::map<std::string, RankFactsList> sources;
  for (RankFacts& facts : ranks)
    sources[facts.fingerprint].push_back(std::move(facts));
  std::vector<RankFactsList> lists;
  for (auto& [print, list] : sources) {
    std::sort(list.begin(), list.end(),
              [](const RankFacts& a, const RankFacts& b) {
                return a.process < b.process;
              });
    lists.push_back(std::move(list));
  }
  return lists;
}

bool SameClock(const RankFactsList& a, const RankFactsList& b) {
  const auto clock = [](const RankFacts& facts) {
    return std::tie(facts.clock_method, facts.clock_offset_ns,
                    facts.clock_drift_ppm, facts.clock_center_ns,
                    facts.clock_error_ns);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const RankFacts& x, const RankFacts& y) {
                      return clock(x) == clock(y);
                    });
}

Status Rename(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_directories(fs::path(to).parent_path(), error);
  fs::rename(from, to, error);
  // A process that was killed may have moved it already.
  if (error && !FileExists(to)) return FileError(to, error.value());
  return Ok();
}

}  // namespace

struct DatasetWriter::Fresh {
  RankFactsList facts;  // with the job, once that is decided
  std::string hash;
  std::string same_window_as;
  bool replaces = false;
};

DatasetWriter::DatasetWriter(std::string folder, std::unique_ptr<Database> db)
    : folder_(std::move(folder)),
      db_(std::move(db)),
      staging_(folder_),
      committed_(CommittedParts(folder_)) {}

Result<std::unique_ptr<DatasetWriter>> DatasetWriter::Open(
    const std::string& folder) {
  STEPSCOPE_TRY_ASSIGN(std::unique_ptr<Database> db,
                       Database::Open({{"threads", "1"}}));
  STEPSCOPE_TRY(MakeDataset(folder));
  std::unique_ptr<DatasetWriter> writer(
      new DatasetWriter(folder, std::move(db)));
  STEPSCOPE_TRY_ASSIGN(const FileLock lock, writer->staging_.LockAll());
  writer->staging_.Clean();
  return writer;
}

DatasetWriter::Known DatasetWriter::Claim(const Fingerprint& print) {
  const std::string hash = print.hex();
  const bool in_dataset =
      std::any_of(committed_.begin(), committed_.end(),
                  [&](const DatasetPart& part) { return part.hash == hash; });
  if (!staging_.Has(hash)) return in_dataset ? Known::kInDataset : Known::kNo;
  // Of one that is in the dataset a killed process left its copy: the commit
  // removes it.
  const std::lock_guard lock(mutex_);
  ours_.insert(hash);
  return in_dataset ? Known::kInDataset : Known::kWritten;
}

bool DatasetWriter::ClaimUnread(const std::string& path,
                                const std::string& state) {
  const std::string hash = staging_.MadeOf(path, state);
  if (hash.empty()) return false;
  const std::lock_guard lock(mutex_);
  ours_.insert(hash);
  return true;
}

Status DatasetWriter::Add(std::shared_ptr<const Trace> trace,
                          const SourceFile& source) {
  STEPSCOPE_TRY(staging_.Write(std::move(trace), source));
  const std::lock_guard lock(mutex_);
  ours_.insert(source.fingerprint.hex());
  return Ok();
}

Result<std::vector<RankFactsList>> DatasetWriter::ReadKnown() {
  STEPSCOPE_TRY_ASSIGN(RankFactsList ranks,
                       ReadRanks(*db_, folder_, CommittedParts(folder_)));
  return BySource(std::move(ranks));
}

Result<std::vector<DatasetWriter::Fresh>> DatasetWriter::ReadFresh() {
  std::vector<Fresh> fresh;
  for (const std::string& hash : staging_.Written()) {
    const std::string folder = staging_.FolderOf(hash);
    STEPSCOPE_TRY_ASSIGN(RankFactsList ranks,
                         ReadRanks(*db_, folder, CommittedParts(folder)));
    if (ranks.empty()) {
      staging_.Remove(hash);
      continue;
    }
    fresh.push_back({BySource(std::move(ranks)).front(), hash, "", false});
  }
  // What a killed process wrote of an older state of one of our files.
  std::set<std::string> paths;
  for (const Fresh& one : fresh)
    if (ours_.count(one.hash) > 0) paths.insert(one.facts.front().source);
  std::erase_if(fresh, [&](const Fresh& one) {
    if (ours_.count(one.hash) > 0) return false;
    if (paths.count(one.facts.front().source) > 0) staging_.Remove(one.hash);
    return true;
  });
  std::sort(fresh.begin(), fresh.end(), [](const Fresh& a, const Fresh& b) {
    return a.facts.front().source < b.facts.front().source;
  });
  return fresh;
}

// Where the collectives of these sources are: some of those that wait were
// moved by a process that was killed then.
std::vector<std::string> DatasetWriter::CollectivesOf(
    const std::vector<RankFactsList>& known,
    const std::vector<Fresh>& fresh) const {
  std::vector<std::string> files;
  const auto add = [&](const std::string& folder, DatasetPart part) {
    std::string path = PartPath(folder, "collectives", part);
    if (FileExists(path)) files.push_back(std::move(path));
  };
  for (const RankFactsList& source : known)
    for (const DatasetPart& part : PartsOfSource(source)) add(folder_, part);
  for (const Fresh& one : fresh) {
    const std::string staged = staging_.FolderOf(one.hash);
    const Result<std::string> decided = ReadRegularFile(staged + kJobFile);
    for (const DatasetPart& part : PartsOfSource(one.facts)) {
      add(staged, {kPendingJob, part.rank, part.hash});
      if (decided) add(folder_, {*decided, part.rank, part.hash});
    }
  }
  return files;
}

// The choice is kept beside the files before any of them moves: who goes on
// after a kill must not choose otherwise.
Result<std::vector<std::string>> DatasetWriter::Decide(
    std::vector<RankFactsList>& known, std::vector<Fresh>& fresh,
    bool one_job) {
  if (fresh.empty()) return std::vector<std::string>();
  std::vector<RankFactsList*> all;
  for (RankFactsList& source : known) all.push_back(&source);
  for (Fresh& one : fresh) all.push_back(&one.facts);
  STEPSCOPE_TRY(ReadRhythms(*db_, CollectivesOf(known, fresh), all));
  std::vector<RankFactsList> sources;
  for (const Fresh& one : fresh) sources.push_back(one.facts);
  JobChoices choices = ChooseJobs(known, sources, one_job);
  for (size_t i = 0; i < fresh.size(); ++i) {
    const JobChoice& choice = choices.by_source[i];
    const std::string path = staging_.FolderOf(fresh[i].hash) + kJobFile;
    std::string job = choice.job;
    if (FileExists(path)) {
      STEPSCOPE_TRY_ASSIGN(job, ReadRegularFile(path));
    } else if (job.empty()) {
      fresh[i].same_window_as = choice.same_window_as;
    } else {
      STEPSCOPE_TRY(ReplaceFile(path, job));
    }
    for (RankFacts& facts : fresh[i].facts) facts.job = job;
  }
  return std::move(choices.notes);
}

Status DatasetWriter::MoveTables(const Fresh& source) {
  const std::string from = staging_.FolderOf(source.hash);
  for (const DatasetPart& part : PartsOfSource(source.facts)) {
    for (const TableSpec& table : DatasetTables()) {
      if (table.name == std::string_view("ranks")) continue;
      STEPSCOPE_TRY(Rename(
          PartPath(from, table.name, {kPendingJob, part.rank, part.hash}),
          PartPath(folder_, table.name, part)));
    }
  }
  return Ok();
}

// The commit of a source: one file per rank, each at one instant.
Status DatasetWriter::WriteRanks(const RankFactsList& source) {
  for (const DatasetPart& part : PartsOfSource(source)) {
    RankFactsList list;
    for (const RankFacts& facts : source)
      if (facts.rank == part.rank) list.push_back(facts);
    STEPSCOPE_TRY(db_->AddTable(
        "fresh_ranks",
        RanksSource(std::make_shared<const RankFactsList>(std::move(list))),
        false));
    const std::string fresh = folder_ + "/_ranks.parquet";
    const Status written =
        db_->Run("COPY (SELECT * FROM fresh_ranks) TO " + SqlText(fresh) + " " +
                 ParquetOptions("ranks"));
    if (!written) return Fail(ErrorCode::kIo, written.error().message);
    const std::string path = PartPath(folder_, "ranks", part);
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    fs::rename(fresh, path, error);
    if (error) return FileError(path, error.value());
  }
  return Ok();
}

// `ranks` first: from then on the source does not count.
void DatasetWriter::RemoveParts(const RankFactsList& source) {
  std::error_code error;
  for (const DatasetPart& part : PartsOfSource(source))
    fs::remove(PartPath(folder_, "ranks", part), error);
  for (const DatasetPart& part : PartsOfSource(source))
    for (const TableSpec& table : DatasetTables())
      fs::remove(PartPath(folder_, table.name, part), error);
}

// What a kill left between the two halves of a move or a removal.
void DatasetWriter::RemoveOrphans(const std::vector<Fresh>& fresh) {
  const std::vector<DatasetPart> counting = CommittedParts(folder_);
  std::error_code error;
  for (const TableSpec& table : DatasetTables()) {
    for (const DatasetPart& part : PartsOf(folder_, table.name)) {
      const bool waits =
          std::any_of(fresh.begin(), fresh.end(), [&](const Fresh& one) {
            return one.hash == part.hash && one.facts.front().job == part.job;
          });
      if (waits || std::binary_search(counting.begin(), counting.end(), part))
        continue;
      fs::remove(PartPath(folder_, table.name, part), error);
    }
  }
}

Status DatasetWriter::PlaceClocks(std::vector<RankFactsList>& sources) {
  std::vector<DatasetPart> parts;
  for (const RankFactsList& source : sources)
    for (const DatasetPart& part : PartsOfSource(source)) parts.push_back(part);
  return PlaceJobClocks(*db_, ReadParts(folder_, "collectives", parts),
                        sources);
}

Result<DatasetChanges> DatasetWriter::Commit(bool one_job) {
  STEPSCOPE_TRY_ASSIGN(const FileLock lock, staging_.LockAll());
  STEPSCOPE_TRY_ASSIGN(std::vector<RankFactsList> known, ReadKnown());
  STEPSCOPE_TRY_ASSIGN(std::vector<Fresh> fresh, ReadFresh());
  DatasetChanges changes;
  // An older state of a file gives way to the newer one. What another process
  // has put in place meanwhile need not be put there again.
  std::map<std::string, size_t> by_path;
  std::set<std::string> hashes;
  for (size_t i = 0; i < known.size(); ++i) {
    by_path[known[i].front().source] = i;
    hashes.insert(HashOf(known[i]));
  }
  std::vector<Fresh> wanted;
  std::set<size_t> outdated;
  for (Fresh& one : fresh) {
    if (hashes.count(one.hash) > 0) {
      staging_.Remove(one.hash);
      continue;
    }
    const auto older = by_path.find(one.facts.front().source);
    if (older != by_path.end()) {
      one.replaces = true;
      outdated.insert(older->second);
    }
    wanted.push_back(std::move(one));
  }
  std::vector<RankFactsList> staying;
  std::vector<RankFactsList> leaving;
  for (size_t i = 0; i < known.size(); ++i)
    (outdated.count(i) > 0 ? leaving : staying).push_back(std::move(known[i]));
  STEPSCOPE_TRY_ASSIGN(changes.notes, Decide(staying, wanted, one_job));
  RemoveOrphans(wanted);
  std::map<std::string, std::vector<RankFactsList>> jobs;
  for (const Fresh& one : wanted) {
    DatasetChanges::Source source;
    source.path = one.facts.front().source;
    source.job = one.facts.front().job;
    source.replaced = one.replaces;
    source.same_window_as = one.same_window_as;
    for (const RankFacts& facts : one.facts) {
      source.events += facts.events;
      if (std::find(source.ranks.begin(), source.ranks.end(), facts.rank) ==
          source.ranks.end())
        source.ranks.push_back(facts.rank);
    }
    changes.sources.push_back(std::move(source));
    if (one.facts.front().job.empty()) {
      staging_.Remove(one.hash);
      continue;
    }
    STEPSCOPE_TRY(MoveTables(one));
    jobs[one.facts.front().job].push_back(one.facts);
  }
  for (const RankFactsList& source : leaving) {
    RemoveParts(source);
    jobs[source.front().job];  // its clocks are laid anew
  }
  std::map<std::string, RankFactsList> before;  // by fingerprint
  for (const RankFactsList& source : staying) {
    const auto job = jobs.find(source.front().job);
    if (job == jobs.end()) continue;
    before[source.front().fingerprint] = source;
    job->second.push_back(source);
  }
  for (auto& [job, sources] : jobs) {
    STEPSCOPE_TRY(PlaceClocks(sources));
    for (const RankFactsList& source : sources) {
      const auto old = before.find(source.front().fingerprint);
      if (old != before.end() && SameClock(old->second, source)) continue;
      STEPSCOPE_TRY(WriteRanks(source));
    }
  }
  for (const Fresh& one : wanted) staging_.Remove(one.hash);
  staging_.Clean();
  return changes;
}

}  // namespace stepscope
