// SPDX-License-Identifier: Apache-2.0
//
// DatasetWriter: puts traces into a dataset (docs/formats/dataset.md), one
// source file at a time.
//
//   STEPSCOPE_TRY_ASSIGN(auto writer, DatasetWriter::Open("dataset"));
//   if (writer->Claim(print) == Known::kNo) writer->Add(trace, source);
//   STEPSCOPE_TRY_ASSIGN(const DatasetChanges changes, writer->Commit(false));
//
// Add() writes files where nobody looks; Commit() moves them into place. A
// process that is killed leaves what it has written; the next one goes on from
// there. Several processes may write to one dataset at once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/dataset.h"
#include "query/part_writer.h"
#include "query/rank_facts.h"
#include "query/staging.h"

namespace stepscope {

// What became of the sources.
struct DatasetChanges {
  struct Source {
    std::string path;
    std::string job;
    std::vector<int64_t> ranks;
    int64_t events = 0;
    bool replaced = false;       // an older state of the same file was there
    std::string same_window_as;  // not empty: it does not count
  };
  std::vector<Source> sources;
  std::vector<std::string> notes;  // one sentence each
};

class DatasetWriter {
 public:
  enum class Known { kNo, kWritten, kInDataset };

  // kUnsupported where there is no DuckDB.
  static Result<std::unique_ptr<DatasetWriter>> Open(const std::string& folder);

  // Whether a source of these bytes is there already. One that an earlier
  // process wrote and did not commit is committed with ours. Thread-safe.
  Known Claim(const Fingerprint& print);
  // The same for a file that an earlier process wrote and did not commit, and
  // that has not changed since: it need not be read to know it. Thread-safe.
  bool ClaimUnread(const std::string& path, const std::string& state);
  // Thread-safe.
  Status Add(std::shared_ptr<const Trace> trace, const SourceFile& source);
  // All that was claimed or added becomes part of the dataset, and every job
  // that gets something has its clocks laid anew. `one_job`: it is one job,
  // because the user says so.
  Result<DatasetChanges> Commit(bool one_job);

 private:
  struct Fresh;  // a source that is written and not yet in the dataset

  DatasetWriter(std::string folder, std::unique_ptr<Database> db);

  Result<std::vector<RankFactsList>> ReadKnown();
  Result<std::vector<Fresh>> ReadFresh();
  std::vector<std::string> CollectivesOf(
      const std::vector<RankFactsList>& known,
      const std::vector<Fresh>& fresh) const;
  // Sets the job of all that are fresh; gives notes about them.
  Result<std::vector<std::string>> Decide(std::vector<RankFactsList>& known,
                                          std::vector<Fresh>& fresh,
                                          bool one_job);
  Status MoveTables(const Fresh& source);
  Status PlaceClocks(std::vector<RankFactsList>& sources);
  Status WriteRanks(const RankFactsList& source);
  void RemoveParts(const RankFactsList& source);
  void RemoveOrphans(const std::vector<Fresh>& fresh);

  const std::string folder_;
  const std::unique_ptr<Database> db_;
  Staging staging_;
  const std::vector<DatasetPart> committed_;  // when it was opened
  std::mutex mutex_;
  std::set<std::string> ours_;  // hashes that were claimed or added
};

}  // namespace stepscope
