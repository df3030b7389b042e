// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/record/run_torch_choice.h"

namespace stepscope::doctor {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Everything can be recorded on it.
Machine GoodMachine() {
  Machine machine;
  machine.kernel = "Linux 6.1.0";
  machine.architecture = "x86_64";
  machine.tsc_invariant = true;
  machine.clock_source = "tsc";
  machine.injector = "/opt/lib/libstepscope_inject.so";
  machine.plugin = "/opt/lib/libstepscope_cupti.so";
  machine.torch_sources = "/opt/share/stepscope/torch";
  machine.live = {"/dev/shm", true, true, 8192 * kMiB, 8000 * kMiB};
  machine.live_bytes = 64 * kMiB;
  machine.out = {"profiler_log", true, true, 90000 * kMiB, 50000 * kMiB};
  machine.device_files = true;
  machine.driver_release = "580.65.06";
  machine.driver = {"/usr/lib/libcuda.so.1", 13000, ""};
  machine.cupti = {"/usr/lib/libcupti.so.13", 130001, ""};
  machine.counters_restricted = false;
  machine.python = "/usr/bin/python3";
  machine.torch_observer = "/opt/lib/libstepscope_torch.so";
  machine.torch = Torch{};
  machine.torch->version = "2.11.0";
  machine.torch->library = "/x/torch/lib/libtorch_cpu.so";
  machine.torch->prebuilt_shapes = true;
  machine.compiler = "/usr/bin/c++";
  machine.duckdb.path = "/opt/lib/stepscope/libduckdb.so";
  machine.duckdb_version = "v1.5.5";
  machine.duckdb_remedy = "get it with: npm pack";
  return machine;
}

const Check& Find(const Diagnosis& diagnosis, const std::string& name) {
  const auto found =
      std::find_if(diagnosis.checks.begin(), diagnosis.checks.end(),
                   [&](const Check& check) { return check.name == name; });
  EXPECT_NE(found, diagnosis.checks.end()) << name;
  return *found;
}

// The one check that differs from a good machine's, with a remedy.
void ExpectAlone(const Machine& machine, const std::string& name,
                 Verdict verdict, const std::string& in_text,
                 const std::string& in_remedy) {
  const Diagnosis diagnosis = Examine(machine);
  for (const Check& check : diagnosis.checks) {
    if (check.name != name) {
      EXPECT_EQ(check.verdict, Verdict::kOk) << check.name << check.text;
      continue;
    }
    EXPECT_EQ(check.verdict, verdict) << check.text;
    EXPECT_NE(check.text.find(in_text), std::string::npos) << check.text;
    EXPECT_NE(check.remedy.find(in_remedy), std::string::npos) << check.remedy;
    EXPECT_EQ(check.remedy.empty(), in_remedy.empty());
    const bool no = verdict == Verdict::kNo;
    EXPECT_EQ(diagnosis.host, !(no && check.part == Part::kHost));
    const bool sql = check.part == Part::kSql;
    EXPECT_EQ(diagnosis.gpu, !(no && check.part != Part::kTorch && !sql));
    EXPECT_EQ(diagnosis.torch, !(no && check.part != Part::kGpu && !sql));
    EXPECT_EQ(diagnosis.sql, !(no && sql));
  }
}

TEST(DoctorTest, SqlNeedsDuckdb) {
  Machine machine = GoodMachine();
  machine.duckdb.path = "";
  machine.duckdb.error = "libduckdb.so is not found";
  ExpectAlone(machine, "DuckDB", Verdict::kNo, "libduckdb.so is not found",
              "npm pack");
  machine = GoodMachine();
  machine.has_query = false;
  ExpectAlone(machine, "DuckDB", Verdict::kNo, "this build", "");
}

TEST(DoctorTest, AGoodMachineRecordsEverythingAndNeedsNothing) {
  const Diagnosis diagnosis = Examine(GoodMachine());
  EXPECT_TRUE(diagnosis.host && diagnosis.gpu && diagnosis.torch);
  EXPECT_EQ(diagnosis.checks.size(), 15u);
  for (const Check& check : diagnosis.checks) {
    EXPECT_EQ(check.verdict, Verdict::kOk) << check.name;
    EXPECT_EQ(check.remedy, "") << check.name;
    EXPECT_NE(check.text, "") << check.name;
  }
}

TEST(DoctorTest, NoSharedMemory) {
  Machine machine = GoodMachine();
  machine.live.exists = machine.live.writable = false;
  ExpectAlone(machine, "live files", Verdict::kWarn, "does not exist",
              "remount");
  machine.live.exists = true;
  ExpectAlone(machine, "live files", Verdict::kWarn, "cannot be written to",
              "remount");
}

TEST(DoctorTest, AnotherFolderForLiveFiles) {
  Machine machine = GoodMachine();
  machine.live = {"/scratch/none", false, false, 0, 0};
  ExpectAlone(machine, "live files", Verdict::kWarn, "/scratch/none",
              "STEPSCOPE_LIVE_DIR");
}

TEST(DoctorTest, FullSharedMemory) {
  Machine machine = GoodMachine();
  machine.container = true;
  machine.live = {"/dev/shm", true, true, 64 * kMiB, 40 * kMiB};
  ExpectAlone(machine, "live files", Verdict::kWarn,
              "40.0 MiB free of 64.0 MiB", "--shm-size");
  // Just enough: twice what one process takes.
  machine.live.free = 128 * kMiB;
  EXPECT_EQ(CheckLiveFiles(machine).verdict, Verdict::kOk);
  machine.live.free -= 1;
  EXPECT_EQ(CheckLiveFiles(machine).verdict, Verdict::kWarn);
}

TEST(DoctorTest, NoRoomAnywhere) {
  Machine machine = GoodMachine();
  machine.live.exists = machine.live.writable = false;
  machine.out.free = kMiB;
  const Diagnosis diagnosis = Examine(machine);
  EXPECT_FALSE(diagnosis.host || diagnosis.gpu || diagnosis.torch);
  EXPECT_EQ(Find(diagnosis, "live files").verdict, Verdict::kNo);
  EXPECT_EQ(Find(diagnosis, "captures").verdict, Verdict::kNo);
}

TEST(DoctorTest, TheFolderForCaptures) {
  Machine machine = GoodMachine();
  machine.out.free = 900 * kMiB;
  ExpectAlone(machine, "captures", Verdict::kWarn, "900.0 MiB", "--steps");
  machine.out.free = 0;
  ExpectAlone(machine, "captures", Verdict::kNo, "full", "--out");
  machine.out = {"/x", true, false, 0, 0};
  ExpectAlone(machine, "captures", Verdict::kNo, "cannot be written to",
              "--out");
  machine.out.exists = false;
  ExpectAlone(machine, "captures", Verdict::kNo, "does not exist", "--out");
}

TEST(DoctorTest, Clocks) {
  Machine machine = GoodMachine();
  for (const char* trusted :
       {"", "tsc", "kvm-clock", "hyperv_clocksource_tsc_page"}) {
    machine.clock_source = trusted;
    EXPECT_EQ(CheckClock(machine).verdict, Verdict::kOk) << trusted;
  }
  machine.clock_source = "hpet";
  ExpectAlone(machine, "clock", Verdict::kWarn, "hpet", "clocksource=tsc");
  machine.clock_source = "tsc";
  machine.tsc_invariant = false;
  ExpectAlone(machine, "clock", Verdict::kWarn, "not invariant", "invtsc");
  machine.architecture = "aarch64";
  ExpectAlone(machine, "clock", Verdict::kOk, "cntvct", "");
  machine.clock_wish = "monotonic";
  ExpectAlone(machine, "clock", Verdict::kWarn, "STEPSCOPE_CLOCK", "unset");
  machine.architecture = "riscv64";
  machine.clock_wish = "";
  const Diagnosis diagnosis = Examine(machine);
  EXPECT_TRUE(diagnosis.host);
  EXPECT_EQ(Find(diagnosis, "system").verdict, Verdict::kWarn);
  EXPECT_EQ(Find(diagnosis, "clock").verdict, Verdict::kWarn);
}

TEST(DoctorTest, MissingPartsOfStepscope) {
  Machine machine = GoodMachine();
  machine.injector = "";
  ExpectAlone(machine, "injector", Verdict::kNo, "libstepscope_inject.so",
              "install");
  machine = GoodMachine();
  machine.plugin = "";
  ExpectAlone(machine, "GPU plugin", Verdict::kNo, "libstepscope_cupti.so",
              "CUPTI's headers");
}

TEST(DoctorTest, NoDriver) {
  Machine machine = GoodMachine();
  machine.device_files = false;
  ExpectAlone(machine, "driver", Verdict::kNo, "/dev/nvidiactl", "nvidia-smi");
  machine.container = true;
  ExpectAlone(machine, "driver", Verdict::kNo, "", "--gpus all");
  machine.device_files = true;
  machine.driver = {"", 0, "libcuda.so.1: cannot open"};
  ExpectAlone(machine, "driver", Verdict::kNo, "cannot open", "--gpus all");
}

TEST(DoctorTest, ReleaseOfTheDriver) {
  EXPECT_EQ(ReleaseIn("NVRM version: NVIDIA UNIX x86_64 Kernel Module  "
                      "535.183.01  Sun May 12 19:39:15 UTC 2024\n"),
            "535.183.01");
  EXPECT_EQ(ReleaseIn("NVRM version: NVIDIA UNIX Open Kernel Module for "
                      "x86_64  580.159.04  Release Build\n"
                      "GCC version:  gcc version 15.3.0 (GCC)\n"),
            "580.159.04");
  EXPECT_EQ(ReleaseIn("x86_64 no release 7."), "");
}

TEST(DoctorTest, WithoutADriverCuptiIsNotAsked) {
  Machine machine = GoodMachine();
  machine.driver = {"", 0, "libcuda.so.1: cannot open"};
  machine.cupti.version = 0;
  const Diagnosis diagnosis = Examine(machine);
  const Check& check = Find(diagnosis, "CUPTI");
  EXPECT_EQ(check.verdict, Verdict::kOk) << check.text;
}

TEST(DoctorTest, Cupti) {
  Machine machine = GoodMachine();
  machine.cupti = {};
  ExpectAlone(machine, "CUPTI", Verdict::kNo, "not found", "pip install");
  machine.cupti = {"/x/libcupti.so.11", 18, ""};
  ExpectAlone(machine, "CUPTI", Verdict::kNo, "version 18",
              "STEPSCOPE_CUPTI_PATH");
  machine.cupti.version = 140000;
  ExpectAlone(machine, "CUPTI", Verdict::kNo, "12 and 13",
              "STEPSCOPE_CUPTI_PATH");
  machine.cupti.version = 130001;
  machine.driver.version = 12080;
  ExpectAlone(machine, "CUPTI", Verdict::kWarn, "newer than the driver",
              "update the driver");
  machine.cupti.version = 28;
  EXPECT_EQ(CheckCupti(machine).verdict, Verdict::kOk);
}

TEST(DoctorTest, Permission) {
  Machine machine = GoodMachine();
  machine.counters_restricted = true;
  ExpectAlone(machine, "permission", Verdict::kWarn, "RmProfilingAdminOnly",
              "NVreg_RestrictProfilingToAdminUsers=0");
  machine.container = true;
  ExpectAlone(machine, "permission", Verdict::kWarn, "RmProfilingAdminOnly",
              "--cap-add");
  machine.administrator = true;
  ExpectAlone(machine, "permission", Verdict::kOk, "administrators", "");
  machine.counters_restricted.reset();
  ExpectAlone(machine, "permission", Verdict::kOk, "does not say", "");
}

TEST(DoctorTest, Torch) {
  Machine machine = GoodMachine();
  machine.torch->error = "no libtorch_cpu.so";
  ExpectAlone(machine, "torch", Verdict::kNo, "no libtorch_cpu", "install");
  machine.torch.reset();
  ExpectAlone(machine, "torch", Verdict::kNo, "has no torch", "--python");
  machine.python = "";
  ExpectAlone(machine, "torch", Verdict::kNo, "no Python", "--python");
}

TEST(DoctorTest, ThePrebuiltObserverNeedsNeitherCompilerNorHeaders) {
  Machine machine = GoodMachine();
  machine.compiler = "";
  machine.torch_sources = "";
  machine.torch->headers = false;
  ExpectAlone(machine, "observer", Verdict::kOk,
              "prebuilt one, /opt/lib/libstepscope_torch.so", "");
  // Before 2.3 it knows no shapes.
  machine.torch->prebuilt_shapes = false;
  ExpectAlone(machine, "observer", Verdict::kWarn, "without --shapes",
              "install stepscope whole");
  machine = GoodMachine();
  machine.torch->prebuilt_shapes = false;
  ExpectAlone(machine, "observer", Verdict::kOk,
              "for --shapes one is compiled with /usr/bin/c++", "");
}

TEST(DoctorTest, AnUnknownTorchGetsAnObserverOfItsOwn) {
  Machine machine = GoodMachine();
  machine.torch->why_not_prebuilt =
      "this torch calls its observers in another way";
  ExpectAlone(machine, "observer", Verdict::kOk,
              "compiled on the spot with /usr/bin/c++, because this torch", "");
  machine.compiler = "";
  ExpectAlone(machine, "observer", Verdict::kNo, "no C++ compiler", "CXX");
  machine.torch->headers = false;
  ExpectAlone(machine, "observer", Verdict::kNo, "headers", "libtorch-dev");
  machine.torch_sources = "";
  ExpectAlone(machine, "observer", Verdict::kNo, "share/stepscope/torch",
              "install stepscope whole");
}

TEST(DoctorTest, TheVersionOfTorchDecidesWhetherItIsAsked) {
  TorchInstall torch;
  const auto fit = [&](const char* version) {
    torch.version = version;
    return FitOf(torch);
  };
  EXPECT_EQ(fit("1.11.0"), PrebuiltFit::kTooOld);
  EXPECT_EQ(fit("1.12.1+cu113"), PrebuiltFit::kKnown);
  EXPECT_EQ(fit("1.13.0a0"), PrebuiltFit::kKnown);
  EXPECT_EQ(fit("2.15.0"), PrebuiltFit::kKnown);
  EXPECT_EQ(fit("2.16.0"), PrebuiltFit::kUnknown);
  EXPECT_EQ(fit("3.0"), PrebuiltFit::kUnknown);
  EXPECT_EQ(fit(""), PrebuiltFit::kUnknown);
  EXPECT_EQ(fit("git1234"), PrebuiltFit::kUnknown);
  torch.version = "2.2.2";
  EXPECT_FALSE(PrebuiltKnowsShapes(torch));
  torch.version = "2.3.0";
  EXPECT_TRUE(PrebuiltKnowsShapes(torch));
  torch.debug = true;
  EXPECT_EQ(FitOf(torch), PrebuiltFit::kUnknown);
}

TEST(DoctorTest, Leftovers) {
  Machine machine = GoodMachine();
  machine.leftovers = {{"/dev/shm/stepscope-7-1.sscap.live", 3 * kMiB},
                       {"/dev/shm/stepscope-8-1.sscap.live", 5 * kMiB}};
  ExpectAlone(machine, "leftovers", Verdict::kWarn,
              "2 live files of killed processes, 8.00 MiB", "--remove-live");
}

TEST(DoctorTest, VariablesOfOthers) {
  Machine machine = GoodMachine();
  machine.variables = {{"LD_PRELOAD", "/x/libjemalloc.so"},
                       {"CUDA_INJECTION64_PATH", "/x/other.so"}};
  ExpectAlone(machine, "environment", Verdict::kWarn, "/x/other.so",
              "unset CUDA_INJECTION64_PATH");
  machine.variables = {{"NVTX_INJECTION64_PATH", "/x/tool.so"}};
  ExpectAlone(machine, "NVTX", Verdict::kWarn, "/x/tool.so", "--nvtx");
  machine.variables = {{"LD_PRELOAD", "/x/libstepscope_inject.so"},
                       {"NVTX_INJECTION64_PATH", "/x/libstepscope_inject.so"}};
  EXPECT_EQ(CheckEnvironment(machine).verdict, Verdict::kOk);
  EXPECT_EQ(CheckNvtx(machine).verdict, Verdict::kOk);
}

TEST(DoctorTest, TextIsAlignedWrappedAndPlainUnlessAsked) {
  Machine machine = GoodMachine();
  machine.cupti = {};
  machine.live.exists = false;
  const std::string text = DiagnosisText(Examine(machine), false, 80);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(text.find("Host: can be recorded\n"), std::string::npos);
  EXPECT_NE(text.find("GPU: cannot be recorded\n"), std::string::npos);
  EXPECT_NE(text.find("\nno    CUPTI        libcupti.so.13 and"),
            std::string::npos)
      << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(DiagnosisText(Examine(machine), true, 80).find("\033[31mno"),
            std::string::npos);
}

TEST(DoctorTest, JsonHasEveryCheck) {
  Machine machine = GoodMachine();
  machine.torch_observer = "";
  machine.torch->why_not_prebuilt = "libstepscope_torch.so is missing";
  machine.compiler = "";
  const std::string json = DiagnosisJson(Examine(machine));
  EXPECT_EQ(
      json.find(
          "{\"host\":true,\"gpu\":true,\"torch\":false,"
          "\"sql\":true,\"checks\":[{\"part\":\"host\",\"name\":\"system\","
          "\"verdict\":\"ok\",\"text\":\"Linux 6.1.0, x86_64\","
          "\"remedy\":null}"),
      0u)
      << json;
  EXPECT_NE(json.find("\"name\":\"observer\",\"verdict\":\"no\""),
            std::string::npos);
}

// Whatever this machine is, each thing that is missing has its remedy.
TEST(DoctorTest, ThisMachine) {
  const Machine machine = LookAtMachine("profiler_log", "python3");
  EXPECT_EQ(machine.kernel.find("Linux "), 0u);
  EXPECT_GT(machine.out.total, 0u);
  const Diagnosis diagnosis = Examine(machine);
  EXPECT_EQ(diagnosis.checks.size(), 15u);
  for (const Check& check : diagnosis.checks) {
    EXPECT_TRUE(check.verdict != Verdict::kNo || !check.remedy.empty())
        << check.name;
  }
  const Machine nowhere = LookAtMachine("/proc/nowhere/x", "no-such-python");
  EXPECT_EQ(CheckOutput(nowhere).verdict, Verdict::kNo);
  EXPECT_EQ(CheckTorch(nowhere).verdict, Verdict::kNo);
}

}  // namespace
}  // namespace stepscope::doctor
