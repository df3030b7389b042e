// SPDX-License-Identifier: Apache-2.0
//
// SharedFolder: a folder that other users may write into. Whatever they put
// there, nothing of it makes this program wait, or open, change or empty a file
// elsewhere. Thread-safe.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file.h"
#include "base/result.h"

namespace stepscope {

class SharedFolder {
 public:
  // Fails if `path` is itself a symbolic link; those above it are followed.
  static Result<SharedFolder> Open(const std::string& path);

  // A file of this user, of root or of the folder's owner, for reading.
  Result<File> OpenToRead(const std::string& name) const;
  // The same for reading and writing, made if it is not there. It has no
  // other name.
  Result<File> OpenToChange(const std::string& name) const;

  int fd() const { return folder_.fd(); }

 private:
  Result<File> Open(const std::string& name, int flags) const;

  File folder_;
  uid_t owner_ = 0;
};

}  // namespace stepscope
