// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/human.h"
#include "cli/output.h"
#include "cli/run_captures.h"
#include "cli/run_environment.h"
#include "cli/run_process.h"
#include "cli/run_torch.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotExecute = 126;  // as shells have it
constexpr int kNoSuchCommand = 127;

// The folder of a library or of data, whether this program is installed or
// lies in a build tree: both have bin/ beside them.
std::string Beside(const std::vector<std::string>& folders,
                   const std::string& file) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  for (const std::string& folder : folders) {
    const fs::path path = self.parent_path().parent_path() / folder / file;
    if (FileExists(path.string())) return path.string();
  }
  return "";
}

Variables Inherited() {
  Variables set;
  for (const char* name :
       {"LD_PRELOAD", "NVTX_INJECTION64_PATH", "CUDA_INJECTION64_PATH"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && value[0] != '\0') set.emplace_back(name, value);
  }
  return set;
}

// A folder that exists and can be written to, absolute.
Result<std::string> MakeOutFolder(const RunOptions& options) {
  fs::path folder = options.out;
  if (options.out.empty()) {
    const time_t now = time(nullptr);
    tm parts = {};
    localtime_r(&now, &parts);
    char stamp[32];
    strftime(stamp, sizeof(stamp), "run_%Y_%m_%d_%H_%M_%S", &parts);
    folder = fs::path("profiler_log") /
             (stamp + Format("_%d", static_cast<int>(getpid())));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return FileError(folder.string(), error.value());
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return FileError(folder.string(), errno);
  const fs::path absolute = fs::absolute(folder, error);
  if (error) return FileError(folder.string(), error.value());
  return absolute.string();
}

// Why the loader will not preload into this program, or "".
std::string CannotInject(const std::string& program) {
  struct stat info;
  if (program.empty() || stat(program.c_str(), &info) != 0) return "";
  if ((info.st_mode & (S_ISUID | S_ISGID)) != 0 && geteuid() != 0)
    return "it runs with the rights of another user (setuid)";
  const Result<File> file = File::OpenForReading(program);
  std::vector<uint8_t> head(4096);
  const Result<size_t> got = file ? file->ReadAt(0, head) : Result<size_t>(0);
  const std::string_view text(reinterpret_cast<const char*>(head.data()),
                              got ? *got : 0);
  if (text.substr(0, 4) == "\177ELF" && text.find("/ld") == text.npos)
    return "it is linked statically";
  return "";
}

void AddTorch(const RunOptions& options, Injection& injection) {
  if (options.no_torch) {
    injection.torch_absent = "--no-torch was given";
    return;
  }
  const Result<TorchInstall> torch = FindTorch(options.command);
  if (!torch) {
    injection.torch_absent = torch.error().message;
    // A program without torch is nothing to speak of.
    if (torch.error().code != ErrorCode::kNotFound && !options.quiet)
      PrintError("operators are not recorded: " + torch.error().message);
    return;
  }
  const std::string sources =
      Beside({"share/stepscope/torch"}, "torch/observer.cc");
  const Result<TorchObserver> observer =
      sources.empty()
          ? Result<TorchObserver>(
                Fail(ErrorCode::kNotFound,
                     "share/stepscope/torch is missing; install stepscope"))
          : ObserverFor(*torch, fs::path(sources).parent_path().parent_path(),
                        options.quiet);
  if (!observer) {
    injection.torch_absent = observer.error().message;
    PrintError("operators are not recorded: " + observer.error().message);
    return;
  }
  injection.torch_library = observer->library;
  injection.torch_observer = observer->observer;
}

void AddGpu(const RunOptions& options, Injection& injection) {
  if (options.no_gpu) {
    injection.gpu_absent = "--no-gpu was given";
  } else if (!FileExists("/dev/nvidiactl") && !FileExists("/dev/dxg")) {
    injection.gpu_absent = "this machine has no NVIDIA driver";
  } else if (!FileExists(fs::path(injection.injector).parent_path() /
                         "libstepscope_cupti.so")) {
    injection.gpu_absent = "libstepscope_cupti.so is not installed";
  }
}

// Everything that can be wrong with profiling is said here, in one line.
Result<Injection> PrepareInjection(const RunOptions& options) {
  Injection injection;
  injection.injector =
      Beside({"lib", STEPSCOPE_LIBDIR}, "libstepscope_inject.so");
  if (injection.injector.empty()) {
    return Fail(ErrorCode::kNotFound,
                "libstepscope_inject.so is missing; install stepscope");
  }
  const std::string program = FindProgram(options.command[0]);
  const std::string why = CannotInject(program);
  if (!why.empty()) return Fail(ErrorCode::kUnsupported, program + ": " + why);
  STEPSCOPE_TRY_ASSIGN(injection.folder, MakeOutFolder(options));
  AddTorch(options, injection);
  AddGpu(options, injection);
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  injection.began_ns = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  return injection;
}

void Report(const RunOptions& options, const std::string& folder) {
  const std::vector<CaptureFileInfo> captures = CapturesIn(folder);
  if (captures.empty()) {
    PrintError(
        "nothing was recorded: the command ended at once, waited for a step or "
        "range that did not come, or cleared its environment");
    std::error_code ignored;
    if (options.out.empty()) fs::remove(folder, ignored);
    return;
  }
  if (options.quiet) return;
  uint64_t bytes = 0;
  uint64_t live = 0;
  for (const CaptureFileInfo& capture : captures) {
    bytes += capture.bytes;
    live += capture.live ? 1 : 0;
  }
  const std::string shown = fs::relative(folder).string();
  PrintError("recorded " + HumanCount(captures.size(), "capture") +
             Format(", %.2f MB, in ", static_cast<double>(bytes) / 1e6) +
             shown);
  if (live > 0) {
    PrintError(HumanCount(live, "capture") +
               " of them still being written, by a process that runs on");
  }
  PrintError("see it with: stepscope summary " + shown);
}

// "A:B", "A:" or ":B".
bool StepsMakeSense(const std::string& steps) {
  const size_t colon = steps.find(':');
  if (steps.empty()) return true;
  if (colon == steps.npos || steps.size() == 1) return false;
  const auto read = [&](size_t at, size_t end, int64_t otherwise) {
    if (at == end) return otherwise;
    int64_t value = -1;
    const auto [stop, error] =
        std::from_chars(steps.data() + at, steps.data() + end, value);
    return error == std::errc() && stop == steps.data() + end ? value : -1;
  };
  const int64_t first = read(0, colon, 0);
  return first >= 0 && first < read(colon + 1, steps.size(), INT64_MAX);
}

}  // namespace

int RunRun(const RunOptions& options) {
  if (options.command.empty()) {
    return Complain(kExitUsage, "run needs a command",
                    "stepscope run -- python train.py");
  }
  if (!StepsMakeSense(options.steps)) {
    return Complain(kExitUsage, "--steps " + options.steps,
                    "expected A:B with A < B, the steps [A, B), or A:");
  }
  if (!(options.start_after_s >= 0 && options.start_after_s < 1e9))
    return Complain(kExitUsage, "--start-after", "expected seconds");
  Result<Injection> injection = PrepareInjection(options);
  Variables variables;
  if (injection) {
    variables = RunVariables(options, *injection, Inherited());
  } else {
    PrintError("running without profiling: " + injection.error().message);
  }
  const auto adopt = [&] {
    if (injection) AdoptLiveFiles(injection->folder);
  };
  const Result<Ending> ending = RunCommand(options.command, variables, adopt);
  if (!ending) {
    PrintError(ending.error().message);
    std::error_code ignored;
    if (injection && options.out.empty())
      fs::remove(injection->folder, ignored);
    return ending.error().code == ErrorCode::kNotFound ? kNoSuchCommand
                                                       : kCannotExecute;
  }
  adopt();
  if (injection) Report(options, injection->folder);
  EndLike(*ending);
}

}  // namespace stepscope
