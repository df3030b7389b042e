// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/bill_option.h"
#include "cli/frame/output.h"
#include "cli/record/companion.h"
#include "cli/record/run_captures.h"
#include "cli/record/run_environment.h"
#include "cli/record/run_folder.h"
#include "cli/record/run_install.h"
#include "cli/record/run_process.h"
#include "cli/record/run_report.h"
#include "cli/record/run_torch.h"
#include "cli/record/run_torch_choice.h"
#include "cli/record/run_watch.h"
#include "cli/record/saved_windows.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotExecute = 126;  // as shells have it
constexpr int kNoSuchCommand = 127;
constexpr int kLastMoments = 10;
constexpr useconds_t kMomentUs = 50'000;

Variables Inherited() {
  Variables set;
  for (const char* name : {"LD_PRELOAD", "PYTHONPATH", "NVTX_INJECTION64_PATH",
                           "CUDA_INJECTION64_PATH", "STEPSCOPE_GPU_KINDS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && value[0] != '\0') set.emplace_back(name, value);
  }
  return set;
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
    // For a torch that only shows when the command runs.
    if (torch.error().code == ErrorCode::kNotFound)
      injection.torch_observer = FindOurLibrary("libstepscope_torch.so");
    // A program without torch is nothing to speak of.
    if (torch.error().code != ErrorCode::kNotFound && !options.quiet)
      PrintError("operators are not recorded: " + torch.error().message);
    return;
  }
  ObserverWish wish;
  wish.shapes = options.shapes;
  wish.quiet = options.quiet;
  const char* const compile = std::getenv("STEPSCOPE_TORCH_COMPILE");
  wish.compiled = compile != nullptr && std::string_view(compile) == "1";
  const Result<ChosenObserver> chosen =
      ChooseObserver(*torch, wish, injection.injector);
  if (!chosen) {
    injection.torch_absent = chosen.error().message;
    PrintError("operators are not recorded: " + chosen.error().message);
    return;
  }
  if (!chosen->remark.empty()) PrintError(chosen->remark);
  injection.torch_library = chosen->observer.library;
  injection.torch_observer = chosen->observer.observer;
}

void AddGpu(const RunOptions& options, Injection& injection) {
  if (options.no_gpu) {
    injection.gpu_absent = "--no-gpu was given";
  } else if (!FileExists("/dev/nvidiactl") && !FileExists("/dev/dxg")) {
    injection.gpu_absent = "this machine has no NVIDIA driver";
  } else if (FindOurLibrary("libstepscope_cupti.so").empty()) {
    injection.gpu_absent = "libstepscope_cupti.so is not installed";
  }
}

// Starts stepscope inside Python programs: for calls of functions, if they are
// asked for, and for the stages of frameworks, if the package knows them.
void FindPython(const RunOptions& options, Injection& injection) {
  const char* const package = std::getenv("STEPSCOPE_PYTHON_PACKAGE");
  injection.python_package =
      package != nullptr && package[0] != '\0' ? package : FindPythonPackage();
  const bool knows_stages =
      !injection.python_package.empty() &&
      FileExists(injection.python_package + "/stepscope/_frameworks.py");
  if (!options.wants_python() && !options.wants_memory() &&
      (options.no_torch || !knows_stages))
    return;
  injection.python_hook = FindPythonHook();
  if (injection.python_hook.empty() && options.wants_python()) {
    PrintError(
        "Python functions are not recorded: share/stepscope/python is "
        "missing; install stepscope");
  }
}

// Everything that can be wrong with profiling is said here, in one line.
Result<Injection> PrepareInjection(const RunOptions& options,
                                   OutFolder& folder) {
  Injection injection;
  injection.injector = FindOurLibrary("libstepscope_inject.so");
  if (injection.injector.empty()) {
    return Fail(ErrorCode::kNotFound,
                "libstepscope_inject.so is missing; install stepscope");
  }
  const std::string program = FindProgram(options.command[0]);
  const std::string why = CannotInject(program);
  if (!why.empty()) return Fail(ErrorCode::kUnsupported, program + ": " + why);
  STEPSCOPE_TRY_ASSIGN(folder, MakeOutFolder(options.out));
  injection.folder = folder.path;
  if (!folder.occupied.empty()) {
    PrintError("note: " + folder.occupied +
               " holds an earlier run; this one goes to " +
               ShownFolder(folder.path));
  }
  AddTorch(options, injection);
  AddGpu(options, injection);
  FindPython(options, injection);
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  injection.began_ns = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  char host[128] = "host";
  gethostname(host, sizeof(host) - 1);
  injection.run_id = Format("%s-%d-%llx", host, static_cast<int>(getpid()),
                            static_cast<unsigned long long>(time(nullptr)));
  return injection;
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

CompanionPlan PlanOf(const RunOptions& options, const Injection& injection) {
  CompanionPlan plan;
  plan.folder = injection.folder;
  plan.run_id = injection.run_id;
  plan.otlp = options.otlp;
  plan.bill = BillOf(options.bill);
  if (!options.prometheus.empty())
    plan.prometheus = fs::absolute(options.prometheus).string();
  plan.quiet = options.quiet;
  return plan;
}

int CannotRun(const Error& error) {
  PrintError(error.message);
  return error.code == ErrorCode::kNotFound ? kNoSuchCommand : kCannotExecute;
}

int RunPlainly(const std::vector<std::string>& command) {
  const Result<Ending> ending = RunCommand(command, {}, {});
  if (!ending) return CannotRun(ending.error());
  EndLike(*ending);
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
  if (options.always && options.on_demand)
    return Complain(kExitUsage, "--always and --on-demand",
                    "choose one: --always obeys triggers too");
  if (options.flies() && !options.steps.empty())
    return Complain(kExitUsage, "--steps with --always or --on-demand",
                    "ask for steps with stepscope trigger");
  if (options.budget_percent != 0 &&
      !(options.always && options.budget_percent >= 0 &&
        options.budget_percent < 100))
    return Complain(kExitUsage, "--budget",
                    "expected percent, 0 to less than 100, with --always");
  if (options.wants_counters() && options.no_gpu)
    return Complain(kExitUsage, "--counters with --no-gpu", "choose one");
  if (options.counter_interval_us != 0 &&
      !(options.counter_interval_us >= 10 &&
        options.counter_interval_us <= 100000))
    return Complain(kExitUsage, "--counter-interval",
                    "expected 10 to 100000 microseconds");
  if (options.keep_steps > 2000)
    return Complain(kExitUsage, "--keep-steps", "expected 1 to 2000");
  if (!(options.start_after_s >= 0 && options.start_after_s < 1e9))
    return Complain(kExitUsage, "--start-after", "expected seconds");
  if (!options.bill.empty() && options.otlp.empty())
    return Complain(kExitUsage, "--bill: of the requests that --otlp sends",
                    "add --otlp ENDPOINT, or leave it out: summary takes "
                    "--bill as well");
  if (const std::string fault = FaultOfCompanion(options); !fault.empty()) {
    PrintError(fault);
    return kExitUsage;
  }
  OutFolder folder;
  const Result<Injection> injection = PrepareInjection(options, folder);
  if (!injection) {
    PrintError("running without profiling: " + injection.error().message);
    return RunPlainly(options.command);
  }
  Companion companion(PlanOf(options, *injection));
  ProcessWatch watch(folder.path);
  LiveCaptures live;
  std::vector<CaptureEnding> ended;
  const auto fold = [&] {
    watch.Look();
    live = FoldLiveFiles(folder.path, injection->run_id,
                         [&](pid_t pid) { return watch.EndedOf(pid); });
    for (CaptureEnding& one : live.ended)
      if (one.error.empty()) ended.push_back(std::move(one));
    companion.Look();
  };
  const Result<Ending> ending = RunCommand(
      options.command, RunVariables(options, *injection, Inherited()),
      {fold, watch.fd(), [&] { watch.Look(); }});
  if (!ending) {
    std::error_code ignored;
    if (folder.fresh) fs::remove(folder.path, ignored);
    return CannotRun(ending.error());
  }
  watch.SetEnding(*ending);
  fold();
  // What ends together with the command, by one signal to all, is not running
  // in the background: it only has not ended yet.
  for (int i = 0; i < kLastMoments && !live.running.empty(); ++i) {
    usleep(kMomentUs);
    fold();
  }
  const char* const live_folder = std::getenv("STEPSCOPE_LIVE_DIR");
  RemoveEmptyLiveFiles(live_folder != nullptr && live_folder[0] != '\0'
                           ? live_folder
                           : "/dev/shm");
  for (const CaptureEnding& one : live.ended)
    if (!one.error.empty()) ended.push_back(one);
  companion.Finish();
  if (options.flies()) RemoveControlFolder(folder.path);
  ReportRun(folder.path, folder.fresh, options.quiet,
            DescribeProcesses(ended, live.running));
  EndLike(*ending);
}

}  // namespace stepscope
