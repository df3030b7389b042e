// SPDX-License-Identifier: Apache-2.0
//
// Staging: where the files of a source wait until they are put into a dataset
// together.
//
//   DATASET/_staging/HASH.PID.N/   being written; locked by its writer
//   DATASET/_staging/HASH/         written; survives a kill, used by the next
//   DATASET/_staging/HASH/source   path and state of the file it was made of
//
// Names that begin with _ are invisible to Spark, pandas and the like.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "query/part_writer.h"

namespace stepscope {

// A lock that a process holds as long as this lives; the end of the process
// ends it.
class FileLock {
 public:
  // Waits for others. kIo where it cannot be had at all.
  static Result<FileLock> Wait(const std::string& path);
  // Not open where another holds it.
  static FileLock Try(const std::string& path);

  bool held() const { return file_.is_open(); }

 private:
  explicit FileLock(File file) : file_(std::move(file)) {}
  File file_;
};

class Staging {
 public:
  explicit Staging(const std::string& dataset);

  // The folder of a source that is written; it may not be there.
  std::string FolderOf(const std::string& hash) const;
  bool Has(const std::string& hash) const;
  // Hashes of all that are written, in order.
  std::vector<std::string> Written() const;

  // Which of them was made of this file in this state; "": none.
  std::string MadeOf(const std::string& path, const std::string& state) const;

  // Writes a source; another writer of the same one does no harm.
  Status Write(std::shared_ptr<const Trace> trace, const SourceFile& source);
  void Remove(const std::string& hash) const;
  // One process at a time changes what counts in a dataset.
  Result<FileLock> LockAll() const;
  // Takes away what killed writers left half written, and the folder itself if
  // nothing is left in it. REQUIRES: LockAll() is held.
  void Clean() const;

 private:
  std::map<std::pair<std::string, std::string>, std::string> ReadSources()
      const;
  Result<FileLock> MakeLocked(const std::string& path) const;

  const std::string dataset_;
  const std::string folder_;
  // Hashes by path and state, as they were at first.
  const std::map<std::pair<std::string, std::string>, std::string> sources_;
};

}  // namespace stepscope
