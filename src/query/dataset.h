// SPDX-License-Identifier: Apache-2.0
//
// A dataset on disk (docs/formats/dataset.md): where its files are, which of
// them count, and its tables as views of SQL.
//
//   DATASET/_stepscope_dataset.json
//   DATASET/TABLE/job=JOB/rank=RANK/part-HASH.parquet
//
// A part counts once its file in `ranks` is there: that one is put in place
// last and taken away first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/database.h"
#include "query/rank_facts.h"

namespace stepscope {

// One source file's rows of one rank.
struct DatasetPart {
  std::string job;
  int64_t rank = -1;
  std::string hash;  // 16 digits, of the source

  friend auto operator<=>(const DatasetPart&, const DatasetPart&) = default;
};

bool IsDataset(const std::string& folder);
// Makes the folder a dataset if it is empty or not there. kUnsupported: it was
// written by a later version; kInvalidArgument: it holds something else.
Status MakeDataset(const std::string& folder);

// The path of one part's file within the folder.
std::string PartPath(const std::string& folder, const std::string& table,
                     const DatasetPart& part);
// What lies in the folder of a table, whether it counts or not, in order.
std::vector<DatasetPart> PartsOf(const std::string& folder,
                                 const std::string& table);
// The parts that count: those of `ranks`.
std::vector<DatasetPart> CommittedParts(const std::string& folder);

// Another text whenever another part counts, or the same one was written anew.
std::string StateOfDataset(const std::string& folder);

// Every table of the schema as a view over the parts that count, with job
// VARCHAR and rank BIGINT behind its own columns. One without a part is empty.
Status AddDatasetViews(Database& db, const std::string& folder);

// The table `ranks` of these parts.
Result<RankFactsList> ReadRanks(Database& db, const std::string& folder,
                                const std::vector<DatasetPart>& parts);

// "read_parquet([...], ...)" with the columns of a table, job and rank.
std::string ReadParts(const std::string& folder, const std::string& table,
                      const std::vector<DatasetPart>& parts);

}  // namespace stepscope
