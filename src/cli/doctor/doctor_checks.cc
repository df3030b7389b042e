// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/doctor_checks.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace stepscope::doctor {
namespace {

constexpr uint64_t kLittleRoom = uint64_t{1} << 30;

std::string Value(const Machine& machine, std::string_view name) {
  for (const auto& [key, value] : machine.variables)
    if (key == name) return value;
  return "";
}

bool IsOurs(const std::string& value) {
  return value.find("libstepscope_inject.so") != value.npos;
}

bool FitsLive(const Machine& machine) {
  // As the recorder has it: half of what is free stays free.
  return machine.live.exists && machine.live.writable &&
         machine.live.free >= 2 * machine.live_bytes;
}

}  // namespace

Check CheckSystem(const Machine& machine) {
  Check check = {Part::kHost, "system", Verdict::kOk,
                 machine.kernel + ", " + machine.architecture +
                     (machine.container ? ", in a container" : ""),
                 ""};
  if (machine.architecture != "x86_64" && machine.architecture != "aarch64") {
    check.verdict = Verdict::kWarn;
    check.remedy =
        "made for x86_64 and aarch64; events cost more here, since the "
        "processor's counter is not used";
  }
  return check;
}

Check CheckClock(const Machine& machine) {
  Check check = {Part::kHost, "clock", Verdict::kOk, "", ""};
  const std::string slower =
      "clock_gettime, which costs more per event than the processor's "
      "counter: ";
  if (machine.clock_wish == "monotonic") {
    check.verdict = Verdict::kWarn;
    check.text = slower + "STEPSCOPE_CLOCK=monotonic asks for it";
    check.remedy = "unset STEPSCOPE_CLOCK";
    return check;
  }
  if (machine.architecture == "aarch64") {
    check.text = "cntvct_el0, constant on every aarch64";
    return check;
  }
  if (machine.architecture != "x86_64") {
    check.verdict = Verdict::kWarn;
    check.text = slower + "no counter is known for " + machine.architecture;
    return check;
  }
  if (!machine.tsc_invariant) {
    check.verdict = Verdict::kWarn;
    check.text = slower + "the TSC is not invariant";
    check.remedy =
        "in a virtual machine, let the hypervisor show it (QEMU: -cpu "
        "host,+invtsc)";
    return check;
  }
  constexpr std::array<std::string_view, 3> kTrusted = {
      "tsc", "kvm-clock", "hyperv_clocksource_tsc_page"};
  const bool trusted =
      machine.clock_source.empty() ||
      std::any_of(kTrusted.begin(), kTrusted.end(), [&](std::string_view name) {
        return machine.clock_source.starts_with(name);
      });
  if (!trusted) {
    check.verdict = Verdict::kWarn;
    check.text = slower +
                 "the kernel does not trust the TSC, its clock source "
                 "is " +
                 machine.clock_source;
    check.remedy =
        "see dmesg for \"clocksource\"; boot with clocksource=tsc if the "
        "kernel was wrong";
    return check;
  }
  check.text = "tsc, invariant" +
               (machine.clock_source.empty()
                    ? std::string()
                    : "; the kernel's clock source is " + machine.clock_source);
  return check;
}

Check CheckInjector(const Machine& machine) {
  if (!machine.injector.empty())
    return {Part::kHost, "injector", Verdict::kOk, machine.injector, ""};
  return {Part::kHost, "injector", Verdict::kNo,
          "libstepscope_inject.so is missing; stepscope run cannot record",
          "install stepscope whole: cmake --install build --prefix DIR"};
}

Check CheckLiveFiles(const Machine& machine) {
  const Folder& live = machine.live;
  const std::string need =
      BytesText(machine.live_bytes) + " per process, and as much to spare";
  if (FitsLive(machine)) {
    return {Part::kHost, "live files", Verdict::kOk,
            live.path + ": " + BytesText(live.free) + " free of " +
                BytesText(live.total) + ", room for " +
                CountText(live.free / machine.live_bytes - 1) + " processes",
            ""};
  }
  const std::string why =
      !live.exists     ? live.path + " does not exist"
      : !live.writable ? live.path + " cannot be written to"
                       : live.path + ": " + BytesText(live.free) + " free of " +
                             BytesText(live.total) + ", needed are " + need;
  const bool elsewhere =
      machine.out.writable && machine.out.free >= machine.live_bytes;
  Check check = {Part::kHost, "live files",
                 elsewhere ? Verdict::kWarn : Verdict::kNo,
                 why + (elsewhere ? "; they go beside the captures, where a "
                                    "busy disk can hold recording up"
                                  : "; nor is there room beside the captures"),
                 ""};
  if (live.path != "/dev/shm") {
    check.remedy = "name another folder in STEPSCOPE_LIVE_DIR, or unset it";
    return check;
  }
  check.remedy =
      machine.container
          ? "start the container with more shared memory (docker run "
            "--shm-size=1g)"
          : "mount -o remount,size=1G /dev/shm, or remove files from it";
  check.remedy +=
      "; or name a folder in memory in STEPSCOPE_LIVE_DIR, or less memory in "
      "STEPSCOPE_BUDGET (16M)";
  return check;
}

Check CheckOutput(const Machine& machine) {
  const Folder& out = machine.out;
  Check check = {Part::kHost, "captures", Verdict::kOk,
                 out.path + ": " + BytesText(out.free) + " free", ""};
  if (!out.exists || !out.writable) {
    check.verdict = Verdict::kNo;
    check.text = out.path + (out.exists ? " cannot be written to"
                                        : " does not exist and cannot be made");
    check.remedy = "name another folder: stepscope run --out DIR";
  } else if (out.free < machine.live_bytes) {
    check.verdict = Verdict::kNo;
    check.text +=
        out.total == 0 ? ": it cannot hold files" : ": the disk is full";
    check.remedy = "make room, or name another folder: stepscope run --out DIR";
  } else if (out.free < kLittleRoom) {
    check.verdict = Verdict::kWarn;
    check.remedy =
        "about 8 bytes per event; record fewer steps (run --steps A:B) or "
        "bound the file (STEPSCOPE_MAX_FILE=200M)";
  }
  return check;
}

Check CheckLeftovers(const Machine& machine) {
  if (machine.leftovers.empty())
    return {Part::kHost, "leftovers", Verdict::kOk,
            "no live files of killed processes", ""};
  uint64_t bytes = 0;
  for (const Leftover& one : machine.leftovers) bytes += one.bytes;
  return {Part::kHost, "leftovers", Verdict::kWarn,
          CountText(machine.leftovers.size(), "live file") +
              " of killed processes, " + BytesText(bytes) +
              " of memory, such as " + machine.leftovers[0].path,
          "keep what is in one with stepscope convert X.sscap -o Y.sscap "
          "--remove-live, or remove it with rm"};
}

Check CheckEnvironment(const Machine& machine) {
  std::vector<std::string> odd;
  std::string remedy;
  const auto add = [&](const std::string& text, const std::string& what) {
    odd.push_back(text);
    if (!remedy.empty()) remedy += "; ";
    remedy += what;
  };
  for (const auto& [name, value] : machine.variables) {
    if (name == "LD_PRELOAD" && !IsOurs(value)) {
      add("LD_PRELOAD=" + value,
          "run keeps LD_PRELOAD and puts its own library first; unset it if "
          "the program then fails");
    } else if (name == "CUDA_INJECTION64_PATH" && !IsOurs(value)) {
      add(name + "=" + value,
          "another profiler takes the GPU: unset CUDA_INJECTION64_PATH");
    } else if (name == "STEPSCOPE_GPU" && value == "0") {
      add("STEPSCOPE_GPU=0", "unset STEPSCOPE_GPU to record the GPU");
    } else if (name == "NSYS_PROFILING_SESSION_ID") {
      add("Nsight Systems is recording", "one profiler of the GPU at a time");
    } else if (name == "STEPSCOPE_FOLLOW") {
      add("this shell runs under stepscope run", "leave it first");
    }
  }
  if (odd.empty())
    return {Part::kHost, "environment", Verdict::kOk,
            "no variable that interferes", ""};
  std::string text;
  for (const std::string& one : odd) text += (text.empty() ? "" : ", ") + one;
  return {Part::kHost, "environment", Verdict::kWarn, text, remedy};
}

Check CheckNvtx(const Machine& machine) {
  const std::string other = Value(machine, "NVTX_INJECTION64_PATH");
  if (other.empty() || IsOurs(other))
    return {Part::kHost, "NVTX", Verdict::kOk,
            "ranges of programs that have them are recorded", ""};
  return {Part::kHost, "NVTX", Verdict::kWarn,
          "ranges go to another tool: NVTX_INJECTION64_PATH=" + other,
          "unset it, or take them with stepscope run --nvtx"};
}

Check CheckDriver(const Machine& machine) {
  Check check = {Part::kGpu, "driver", Verdict::kOk, "", ""};
  if (machine.driver.path.empty() || !machine.device_files) {
    check.verdict = Verdict::kNo;
    check.text =
        !machine.device_files
            ? "no NVIDIA driver: there is no /dev/nvidiactl"
            : "the driver's library cannot be loaded: " + machine.driver.error;
    check.remedy =
        machine.container
            ? "start the container with its GPUs (docker run --gpus all, with "
              "NVIDIA's container toolkit)"
            : "install NVIDIA's driver; nvidia-smi must list the GPU";
    return check;
  }
  check.text = machine.driver.path;
  if (!machine.driver_release.empty())
    check.text += ", " + machine.driver_release;
  if (machine.driver.version > 0)
    check.text += Format(", CUDA %u.%u", machine.driver.version / 1000,
                         machine.driver.version % 1000 / 10);
  return check;
}

Check CheckPlugin(const Machine& machine) {
  if (!machine.plugin.empty())
    return {Part::kGpu, "GPU plugin", Verdict::kOk, machine.plugin, ""};
  return {Part::kGpu, "GPU plugin", Verdict::kNo,
          "libstepscope_cupti.so is missing",
          "build stepscope where CUPTI's headers are (CUDA toolkit), and "
          "install it whole"};
}

Check CheckCupti(const Machine& machine) {
  // As the plugin has it, src/gpu/cupti_api.h.
  constexpr uint32_t kOldest = 19;
  constexpr uint32_t kUnknown = 140000;
  constexpr uint32_t kThirteen = 130000;
  const Library& cupti = machine.cupti;
  Check check = {Part::kGpu, "CUPTI", Verdict::kOk, "", ""};
  if (cupti.path.empty()) {
    check.verdict = Verdict::kNo;
    check.text = "libcupti.so.13 and .12 are not found" +
                 (cupti.error.empty() ? "" : ": " + cupti.error);
    check.remedy =
        "pip install nvidia-cuda-cupti-cu12 (for CUDA 13: nvidia-cuda-cupti; "
        "torch brings it along), or the CUDA toolkit; name another place in "
        "STEPSCOPE_CUPTI_PATH";
    return check;
  }
  if (cupti.version == 0 && machine.driver.path.empty()) {
    check.text = cupti.path + ", whose version only a driver can tell";
    return check;
  }
  check.text = cupti.path + Format(", API version %u", cupti.version);
  if (cupti.version < kOldest || cupti.version >= kUnknown) {
    check.verdict = Verdict::kNo;
    check.text += "; 12 and 13 are known";
    check.remedy = "name a libcupti of CUDA 12 or 13 in STEPSCOPE_CUPTI_PATH";
  } else if (cupti.version >= kThirteen && machine.driver.version > 0 &&
             machine.driver.version < 13000) {
    check.verdict = Verdict::kWarn;
    check.text += "; newer than the driver";
    check.remedy =
        "update the driver, or name a libcupti of CUDA 12 in "
        "STEPSCOPE_CUPTI_PATH";
  }
  return check;
}

Check CheckPermission(const Machine& machine) {
  Check check = {Part::kGpu, "permission", Verdict::kOk,
                 "profiling is open to all users", ""};
  if (!machine.counters_restricted) {
    check.text = machine.device_files
                     ? "the driver does not say who may profile"
                     : "not checked: no driver";
  } else if (*machine.counters_restricted && machine.administrator) {
    check.text = "profiling is open to administrators, as which you run";
  } else if (*machine.counters_restricted) {
    check.verdict = Verdict::kWarn;
    check.text =
        "the driver keeps its counters for administrators "
        "(RmProfilingAdminOnly: 1); kernels and copies do not need them, but "
        "some drivers refuse those too";
    check.remedy =
        machine.container
            ? "if they are refused: docker run --cap-add=SYS_ADMIN, or on the "
              "host the option below; options nvidia "
              "NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d"
            : "if they are refused: options nvidia "
              "NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, then "
              "load the module again";
  }
  return check;
}

Check CheckTorch(const Machine& machine) {
  Check check = {Part::kTorch, "torch", Verdict::kOk, "", ""};
  if (machine.python.empty()) {
    check.verdict = Verdict::kNo;
    check.text = "no Python is found";
    check.remedy = "name one: stepscope doctor --python PROGRAM";
  } else if (!machine.torch) {
    check.verdict = Verdict::kNo;
    check.text = machine.python + " has no torch";
    check.remedy = "name another: stepscope doctor --python PROGRAM";
  } else {
    const Torch& torch = *machine.torch;
    check.text = "torch " + torch.version + " of " + machine.python +
                 (torch.new_strings ? "" : ", strings of the old C++ ABI") +
                 (torch.debug ? ", built with assertions" : "");
    if (!torch.error.empty()) {
      check.verdict = Verdict::kNo;
      check.text += ": " + torch.error;
      check.remedy = "install torch whole, from pip or your distribution";
    }
  }
  return check;
}

namespace {

// What stands in the way of compiling an observer, and what to do; {} if
// nothing does.
struct Obstacle {
  std::string text;
  std::string remedy;
};

Obstacle WhyNotCompiled(const Machine& machine, const Torch& torch) {
  if (machine.torch_sources.empty())
    return {"share/stepscope/torch is missing",
            "install stepscope whole: cmake --install build --prefix DIR"};
  if (!torch.headers)
    return {"torch's headers are missing",
            "install them (Debian: libtorch-dev), or torch from pip"};
  if (machine.compiler.empty())
    return {"there is no C++ compiler",
            "install g++ or clang++, or name one in CXX"};
  return {};
}

}  // namespace

Check CheckObserver(const Machine& machine) {
  Check check = {Part::kTorch, "observer", Verdict::kOk, "", ""};
  if (!machine.torch || !machine.torch->error.empty()) {
    check.verdict =
        machine.torch_observer.empty() ? Verdict::kNo : Verdict::kOk;
    check.text = machine.torch_observer.empty()
                     ? "libstepscope_torch.so is missing"
                     : "the prebuilt one, " + machine.torch_observer;
    if (machine.torch_observer.empty())
      check.remedy =
          "install stepscope whole: cmake --install build --prefix DIR";
    return check;
  }
  const Torch& torch = *machine.torch;
  const Obstacle obstacle = WhyNotCompiled(machine, torch);
  if (torch.why_not_prebuilt.empty()) {
    check.text = "the prebuilt one, " + machine.torch_observer;
    if (torch.prebuilt_shapes) return check;
    if (obstacle.text.empty()) {
      check.text += "; for --shapes one is compiled with " + machine.compiler;
    } else {
      check.verdict = Verdict::kWarn;
      check.text += "; without --shapes, for which one must be compiled: " +
                    obstacle.text;
      check.remedy = obstacle.remedy;
    }
    return check;
  }
  if (obstacle.text.empty()) {
    check.text = "compiled on the spot with " + machine.compiler +
                 ", because " + torch.why_not_prebuilt;
    return check;
  }
  check.verdict = Verdict::kNo;
  check.text = "not the prebuilt one (" + torch.why_not_prebuilt +
               "), and none can be compiled: " + obstacle.text;
  check.remedy = obstacle.remedy;
  return check;
}

Check CheckDuckdb(const Machine& machine) {
  Check check = {Part::kSql, "DuckDB", Verdict::kOk, "", ""};
  if (!machine.has_query) {
    check.verdict = Verdict::kNo;
    check.text = "this build of stepscope has no part for it";
  } else if (machine.duckdb.path.empty()) {
    check.verdict = Verdict::kNo;
    check.text = machine.duckdb.error;
    check.remedy = machine.duckdb_remedy;
  } else {
    check.text = machine.duckdb.path + ", " + machine.duckdb_version;
  }
  return check;
}

Diagnosis Examine(const Machine& machine) {
  Diagnosis diagnosis;
  for (const auto check :
       {&CheckSystem, &CheckClock, &CheckInjector, &CheckLiveFiles,
        &CheckOutput, &CheckLeftovers, &CheckEnvironment, &CheckNvtx,
        &CheckDriver, &CheckPlugin, &CheckCupti, &CheckPermission, &CheckTorch,
        &CheckObserver, &CheckDuckdb})
    diagnosis.checks.push_back(check(machine));
  const auto good = [&](Part part) {
    return std::none_of(diagnosis.checks.begin(), diagnosis.checks.end(),
                        [&](const Check& check) {
                          return check.part == part &&
                                 check.verdict == Verdict::kNo;
                        });
  };
  diagnosis.host = good(Part::kHost);
  diagnosis.gpu = diagnosis.host && good(Part::kGpu);
  diagnosis.torch = diagnosis.host && good(Part::kTorch);
  diagnosis.sql = good(Part::kSql);
  return diagnosis;
}

}  // namespace stepscope::doctor
