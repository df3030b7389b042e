// SPDX-License-Identifier: Apache-2.0
#include "query/scratch_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/file.h"

namespace stepscope {

Result<std::string> MakeScratchFolder() {
  const char* const set = secure_getenv("TMPDIR");
  std::string folder = set == nullptr || set[0] == '\0' ? "/tmp" : set;
  folder += "/stepscope-query-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return FileError(folder, errno);
  return folder;
}

ScratchFolder::ScratchFolder(std::string folder) : folder_(std::move(folder)) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace stepscope
