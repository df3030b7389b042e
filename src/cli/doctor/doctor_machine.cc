// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/doctor_machine.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/file.h"
#include "cli/record/run_install.h"
#include "cli/record/run_process.h"
#include "cli/record/run_torch.h"
#include "cli/record/run_torch_choice.h"
#include "cli/record/run_watch.h"
#ifdef STEPSCOPE_HAVE_QUERY
#include "query/duckdb_library.h"
#endif

namespace stepscope::doctor {
namespace {

namespace fs = std::filesystem;

// Of one process, with the memory budget that it has unless told otherwise.
constexpr uint64_t kLiveBytes = uint64_t{64} << 20;

std::string FirstLine(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  return text ? text->substr(0, text->find('\n')) : "";
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// What holds for the nearest folder above it that exists.
Folder LookAtFolder(const std::string& path, bool may_be_made) {
  Folder folder;
  folder.path = path;
  std::error_code error;
  fs::path nearest = fs::absolute(path, error);
  while (may_be_made && !FileExists(nearest.string()) &&
         nearest.has_relative_path())
    nearest = nearest.parent_path();
  folder.exists = IsDirectory(nearest.string());
  folder.writable = folder.exists && access(nearest.c_str(), W_OK | X_OK) == 0;
  struct statvfs info;
  if (statvfs(nearest.c_str(), &info) == 0) {
    folder.total = uint64_t{info.f_blocks} * info.f_frsize;
    folder.free = uint64_t{info.f_bavail} * info.f_frsize;
  }
  return folder;
}

// Live files in `folder` whose process is gone.
std::vector<Leftover> LeftoversIn(const std::string& folder) {
  constexpr std::string_view kStart = "stepscope-";
  std::vector<Leftover> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(kStart) || !name.ends_with(".sscap.live")) continue;
    pid_t pid = 0;
    std::from_chars(name.data() + kStart.size(), name.data() + name.size(),
                    pid);
    struct stat info;
    if (pid <= 0 || IsRunning(pid) || stat(it->path().c_str(), &info) != 0)
      continue;
    found.push_back(
        {it->path().string(), static_cast<uint64_t>(info.st_blocks) * 512});
  }
  return found;
}

bool TscIsInvariant() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) != 0 &&
         (edx & (1u << 8)) != 0;
#else
  return false;
#endif
}

void LookAtTorch(Machine& machine, const std::string& python) {
  machine.python = FindProgram(python);
  machine.compiler = TorchCompiler();
  if (machine.python.empty()) return;
  const Result<TorchInstall> found = TorchOfPython(machine.python);
  if (found) {
    Torch torch;
    torch.version =
        found->version.empty() ? "(of an unknown version)" : found->version;
    torch.library = found->library;
    torch.new_strings = UsesNewStrings(found->library);
    torch.debug = found->debug;
    torch.why_not_prebuilt =
        WhyNotPrebuilt(*found, machine.torch_observer, machine.injector);
    torch.prebuilt_shapes = PrebuiltKnowsShapes(*found);
    torch.headers = !found->include.empty();
    machine.torch = torch;
  } else if (found.error().code != ErrorCode::kNotFound) {
    machine.torch = Torch{};
    machine.torch->error = found.error().message;
  }
}

}  // namespace

namespace {

void LookAtDuckdb(Machine& machine) {
#ifdef STEPSCOPE_HAVE_QUERY
  const auto library = duckdb::LoadLibrary();
  machine.duckdb_remedy = "get it with: " + duckdb::HowToGetLibrary();
  if (library) {
    machine.duckdb.path = (*library)->path;
    machine.duckdb_version = (*library)->version;
  } else {
    // The remedy has a line of its own.
    const std::string& message = library.error().message;
    machine.duckdb.error = message.substr(0, message.find("; get it with"));
  }
#else
  machine.has_query = false;
#endif
}

}  // namespace

Machine LookAtMachine(const std::string& out, const std::string& python) {
  Machine machine;
  utsname name = {};
  uname(&name);
  machine.kernel = std::string(name.sysname) + " " + name.release;
  machine.architecture = name.machine;
  machine.container =
      FileExists("/.dockerenv") || FileExists("/run/.containerenv");
  machine.tsc_invariant = TscIsInvariant();
  machine.clock_source = FirstLine(
      "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  machine.clock_wish = Variable("STEPSCOPE_CLOCK");
  machine.injector = FindOurLibrary("libstepscope_inject.so");
  machine.plugin = FindOurLibrary("libstepscope_cupti.so");
  machine.torch_sources = FindTorchSources();
  machine.torch_observer = FindOurLibrary("libstepscope_torch.so");
  const std::string live = Variable("STEPSCOPE_LIVE_DIR");
  machine.live = LookAtFolder(live.empty() ? "/dev/shm" : live, false);
  machine.live_bytes = kLiveBytes;
  machine.out = LookAtFolder(out, true);
  machine.leftovers = LeftoversIn(machine.live.path);
  for (const char* variable :
       {"LD_PRELOAD", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH",
        "STEPSCOPE_GPU", "STEPSCOPE_FOLLOW", "NSYS_PROFILING_SESSION_ID"})
    if (const std::string value = Variable(variable); !value.empty())
      machine.variables.emplace_back(variable, value);
  LookAtTorch(machine, python);
  LookAtDuckdb(machine);
  LookAtGpu(machine);
  return machine;
}

}  // namespace stepscope::doctor
