// SPDX-License-Identifier: Apache-2.0
//
// The tables of a folder of any size: files are read a few at a time, mapped
// and let go, and what is left of them is reduced (analysis/partial). What
// `stepscope map` and `reduce` do in many processes, in one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/partial/reduce.h"
#include "cli/frame/exit_code.h"
#include "report/table_options.h"

namespace stepscope {

// Whether the tables of `input` can be made so, exactly: of a folder, and all
// of its steps. REQUIRES: `options.views` is not 0.
bool CanScanFolder(const std::string& input, const TableOptions& options);

// Null: what was wrong has been said, and `code` is what to return.
std::unique_ptr<ReducedJob> ScanFolderOfJob(const std::string& input,
                                            const TableOptions& options,
                                            Alignment how, ExitCode& code);

// Files that are not in the tables, for the notes of a summary.
struct LeftOut {
  std::vector<std::string> skipped;  // one sentence each
  std::vector<std::string> repeats;
  std::vector<std::string> of_job;  // why they are one job
};
void AddNotes(const LeftOut& files, ViewSet views, ReducedJob& job);

// `first_files`: of each job.
ExitCode ComplainOfJobs(const std::string& input,
                        const std::vector<std::string>& first_files);

}  // namespace stepscope
