// SPDX-License-Identifier: Apache-2.0
//
// For importers that read a file by position: the plain bytes of a pipe or of
// a compressed file, in a temporary file that goes with the object.
#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace stepscope {

class InputSource;

class TemporaryCopy {
 public:
  // In the folder that TMPDIR names.
  static Result<std::unique_ptr<TemporaryCopy>> Make(InputSource& input);
  ~TemporaryCopy();
  TemporaryCopy(const TemporaryCopy&) = delete;
  TemporaryCopy& operator=(const TemporaryCopy&) = delete;

  // Where it can be opened, until it has no name any more.
  const std::string& path() const { return path_; }
  // Takes the name away: what has the file open keeps it, and nobody else
  // finds it, even if this process is killed.
  void RemoveName();
  // Hands the open file over, under the name of the input.
  File TakeFile() { return std::move(file_); }

 private:
  TemporaryCopy(File file, std::string path);

  File file_;
  std::string path_;
};

}  // namespace stepscope
