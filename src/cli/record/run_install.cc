// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_install.h"

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

std::string FindPythonHook() {
  const std::string hook =
      Beside({"share/stepscope/python"}, "sitecustomize.py");
  return hook.empty() ? "" : fs::path(hook).parent_path().string();
}

std::string FindPythonPackage() {
  // In a wheel this program is stepscope/_native/bin/stepscope. In a build
  // tree, tools/python_package.py puts the package beside bin/.
  for (const char* folder : {"../..", "python-package"}) {
    const std::string init = Beside({folder}, "stepscope/__init__.py");
    if (init.empty()) continue;
    return fs::path(init).parent_path().parent_path().lexically_normal();
  }
  return "";
}

}  // namespace stepscope
