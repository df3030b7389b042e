// SPDX-License-Identifier: Apache-2.0
//
// For importers that need a file by position: a compressed one is expanded
// into a temporary file without a name, which goes with the object.
#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "importers/input/input_file.h"

namespace stepscope {

class ExpandedFile {
 public:
  static Result<std::unique_ptr<ExpandedFile>> Make(InputFile& input);
  ~ExpandedFile();
  ExpandedFile(const ExpandedFile&) = delete;
  ExpandedFile& operator=(const ExpandedFile&) = delete;

  // Where it can be opened by this process, as long as the object lives.
  const std::string& path() const { return path_; }

 private:
  explicit ExpandedFile(int fd);

  int fd_;
  std::string path_;
};

}  // namespace stepscope
