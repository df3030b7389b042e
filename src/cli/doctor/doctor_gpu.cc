// SPDX-License-Identifier: Apache-2.0
//
// The part of LookAtMachine that concerns NVIDIA. Libraries are loaded and
// asked for their versions; CUDA is not initialised.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "cli/doctor/doctor_machine.h"

namespace stepscope::doctor {
namespace {

namespace fs = std::filesystem;

std::string PathOf(void* library) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr
             ? map->l_name
             : "";
}

// `version_function` fills a number and returns 0, as in CUDA and CUPTI. Null:
// do not ask.
bool Load(const std::string& name, const char* version_function,
          Library& library) {
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const error = dlerror();
    library.error = error != nullptr ? error : name;
    return false;
  }
  library = {};
  library.path = PathOf(handle);
  if (library.path.empty()) library.path = name;
  const auto version = version_function == nullptr
                           ? nullptr
                           : reinterpret_cast<int (*)(uint32_t*)>(
                                 dlsym(handle, version_function));
  if (version != nullptr && version(&library.version) != 0) library.version = 0;
  return true;
}

// In the order of the plugin, src/gpu/library.h. What a program loads first
// we do not see, so that the folders of torch stand for it.
Library FindCupti(const Machine& machine) {
  // Without a driver CUPTI 13.2 calls itself until the stack is used up.
  const char* const version =
      machine.driver.path.empty() ? nullptr : "cuptiGetVersion";
  Library library;
  if (const char* chosen = std::getenv("STEPSCOPE_CUPTI_PATH");
      chosen != nullptr && chosen[0] != '\0') {
    Load(chosen, version, library);
    return library;
  }
  std::vector<std::string> folders;
  if (machine.torch && !machine.torch->library.empty()) {
    const fs::path lib = fs::path(machine.torch->library).parent_path();
    for (const char* place :
         {"", "../../nvidia/cu13/lib", "../../nvidia/cuda_cupti/lib"})
      folders.push_back((lib / place).lexically_normal().string() + "/");
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root == nullptr || root[0] == '\0') continue;
    for (const char* place : {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"})
      folders.push_back(std::string(root) + place);
  }
  folders.push_back("");
  for (const char* place : {"extras/CUPTI/lib64/", "lib64/", "lib/"})
    folders.push_back(std::string("/usr/local/cuda/") + place);
  for (const std::string& folder : folders) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
      const std::string path = folder + name;
      // Why a file that is not there cannot be loaded is no news.
      if (!folder.empty() && !FileExists(path)) continue;
      Library found;
      if (Load(path, version, found)) return found;
      if (!folder.empty()) library.error = found.error;
    }
  }
  return library;
}

bool IsAdministrator() {
  constexpr int kSysAdmin = 21;
  constexpr int kPerfmon = 38;
  const Result<std::string> status = ReadFile("/proc/self/status");
  const size_t at = status ? status->find("CapEff:") : std::string::npos;
  if (at == std::string::npos) return geteuid() == 0;
  const uint64_t rights = std::strtoull(status->c_str() + at + 7, nullptr, 16);
  return ((rights >> kSysAdmin | rights >> kPerfmon) & 1) != 0;
}

}  // namespace

std::string ReleaseIn(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    const size_t end =
        std::min(text.find_first_not_of("0123456789.", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    // Not the number in "x86_64".
    const size_t dot = word.find('.');
    if (dot != word.npos && dot + 1 < word.size()) return std::string(word);
    at = end;
  }
  return "";
}

void LookAtGpu(Machine& machine) {
  machine.device_files = FileExists("/dev/nvidiactl") || FileExists("/dev/dxg");
  Load("libcuda.so.1", "cuDriverGetVersion", machine.driver);
  machine.cupti = FindCupti(machine);
  machine.administrator = IsAdministrator();
  const Result<std::string> version = ReadFile("/proc/driver/nvidia/version");
  if (version) machine.driver_release = ReleaseIn(*version);
  const Result<std::string> params = ReadFile("/proc/driver/nvidia/params");
  constexpr std::string_view kKey = "RmProfilingAdminOnly: ";
  const size_t at = params ? params->find(kKey) : std::string::npos;
  if (at != std::string::npos && at + kKey.size() < params->size())
    machine.counters_restricted = (*params)[at + kKey.size()] == '1';
}

}  // namespace stepscope::doctor
