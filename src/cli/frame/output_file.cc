// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/output_file.h"

#include <filesystem>

#include "cli/frame/output.h"

namespace stepscope {

ExitCode CheckOutput(const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "-") return kExitOk;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return Complain(kExitIo, path + ": is a folder",
                    "give a file in it, such as " +
                        (fs::path(path) / "trace.json").string());
  }
  // The first part of the path that is there says what is wrong with the rest.
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || fs::is_directory(folder, ignored)) return kExitOk;
  for (fs::path part = folder; !part.empty() && part != part.parent_path();
       part = part.parent_path()) {
    if (!fs::exists(part, ignored)) continue;
    if (fs::is_directory(part, ignored)) break;
    return Complain(kExitIo,
                    path + ": " + part.string() + " is a file, not a folder",
                    "give another folder");
  }
  return Complain(kExitIo, path + ": there is no folder " + folder.string(),
                  "create it first");
}

ExitCode ComplainOfOutput(const Error& error) {
  if (error.code == ErrorCode::kUnsupported) {
    PrintError(error.message);
    return kExitUsage;
  }
  return Complain(kExitIo, error.message,
                  "check the folder and the space left");
}

}  // namespace stepscope
