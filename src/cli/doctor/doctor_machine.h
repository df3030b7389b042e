// SPDX-License-Identifier: Apache-2.0
//
// What `doctor` knows of a machine. Plain values, so that a test can make up
// any machine; LookAtMachine fills them from the one it runs on.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope::doctor {

struct Folder {
  std::string path;
  bool exists = false;  // or can be made
  bool writable = false;
  uint64_t total = 0;  // bytes of its file system
  uint64_t free = 0;
};

// A shared library as the loader sees it.
struct Library {
  std::string path;      // "": it cannot be loaded
  uint32_t version = 0;  // as it states it; 0: it does not
  std::string error;     // of the loader
};

// A live file that no process records into any more.
struct Leftover {
  std::string path;
  uint64_t bytes = 0;  // in memory, not apparent
};

struct Torch {
  std::string version;
  std::string library;  // libtorch_cpu.so
  bool new_strings = true;
  bool debug = false;
  std::string error;  // why its operators cannot be observed; "": they can
  std::string why_not_prebuilt;  // "": the prebuilt observer does
  bool prebuilt_shapes = false;  // which then knows shapes too
  bool headers = true;           // which a compiled observer needs
};

struct Machine {
  std::string kernel;        // "Linux 6.1.0"
  std::string architecture;  // "x86_64"
  bool container = false;
  bool tsc_invariant = false;
  std::string clock_source;  // the kernel's; "": it does not say
  std::string clock_wish;    // STEPSCOPE_CLOCK

  std::string injector;        // libstepscope_inject.so; "": missing
  std::string plugin;          // libstepscope_cupti.so
  std::string torch_sources;   // share/stepscope/torch
  std::string torch_observer;  // libstepscope_torch.so, the prebuilt one

  Folder live;              // for live files: /dev/shm or STEPSCOPE_LIVE_DIR
  uint64_t live_bytes = 0;  // that one process needs
  Folder out;               // for captures
  std::vector<Leftover> leftovers;

  bool device_files = false;   // of the NVIDIA driver
  std::string driver_release;  // "580.65.06"
  Library driver;              // libcuda.so.1; version 13000 is CUDA 13.0
  Library cupti;
  std::optional<bool> counters_restricted;  // RmProfilingAdminOnly
  bool administrator = false;               // CAP_SYS_ADMIN or CAP_PERFMON

  std::string python;
  std::optional<Torch> torch;  // nothing: that Python has none
  std::string compiler;

  bool has_query = true;  // this build can load DuckDB
  Library duckdb;
  std::string duckdb_version;
  std::string duckdb_remedy;  // how to get it

  // Of those that matter to us, the ones that are set.
  std::vector<std::pair<std::string, std::string>> variables;
};

// `out` is the folder for captures, `python` the interpreter whose torch is
// meant. Loads the libraries of driver and CUPTI into this process.
Machine LookAtMachine(const std::string& out, const std::string& python);

// The driver's release in /proc/driver/nvidia/version: the first number with a
// dot, "" if there is none.
std::string ReleaseIn(std::string_view text);

// Of doctor_gpu.cc: fills what concerns NVIDIA. REQUIRES: `torch` is filled.
void LookAtGpu(Machine& machine);

}  // namespace stepscope::doctor
