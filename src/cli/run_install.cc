// SPDX-License-Identifier: Apache-2.0
#include "cli/run_install.h"

#include <filesystem>
#include <initializer_list>

#include "base/file.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string Beside(std::initializer_list<const char*> folders,
                   const std::string& file) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  for (const char* folder : folders) {
    const fs::path path = self.parent_path().parent_path() / folder / file;
    if (FileExists(path.string())) return path.string();
  }
  return "";
}

}  // namespace

std::string FindOurLibrary(const std::string& name) {
  return Beside({"lib", STEPSCOPE_LIBDIR}, name);
}

std::string FindTorchSources() {
  const std::string observer =
      Beside({"share/stepscope/torch"}, "torch/observer.cc");
  return observer.empty()
             ? ""
             : fs::path(observer).parent_path().parent_path().string();
}

}  // namespace stepscope
