// SPDX-License-Identifier: Apache-2.0
//
// Files and folders of traces into a dataset, several files at once. What
// cannot be read is told, and the rest goes on; who calls decides what that
// means. Prints nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "query/dataset_writer.h"

namespace stepscope {

struct DatasetImportOptions {
  // Where set: gives up soon after it is cancelled. Then nothing is committed.
  const CancelToken* cancel = nullptr;
  // Called with the bytes of the files that were read, and of all; from any
  // thread, several at a time.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // Where false: what is written waits until a call over the same files
  // commits it. So many processes write, and one decides on jobs and clocks.
  bool commit = true;
  std::string step_range;  // as ImportOptions has it
};

// A file that is not in the dataset. Files of a folder that are no traces do
// not count.
struct SkippedFile {
  Error error;
  bool named = false;  // by the user, not found in a folder
};

struct DatasetImport {
  Status inputs = Ok();  // fails where a folder cannot be listed
  Status output = Ok();  // fails where the dataset cannot be written
  std::vector<SkippedFile> skipped;  // by message
  size_t read = 0;
  size_t already = 0;  // in the dataset before
  DatasetChanges changes;

  bool named_file_failed() const;
  // One readable file is enough for a dataset; without any, none is committed.
  bool nothing_read() const { return read + already == 0; }
};

DatasetImport ImportIntoDataset(const std::vector<std::string>& inputs,
                                const std::string& folder,
                                const DatasetImportOptions& options);

}  // namespace stepscope
