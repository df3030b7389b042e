// SPDX-License-Identifier: Apache-2.0
//
// Profiles two steps and prints what of the recorder this process holds
// meanwhile. Linked into a program, or loaded by one as Python loads a module.
#include <dirent.h>
#include <dlfcn.h>
#include <stepscope/stepscope.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace {

// Live files that are mapped: one per ring.
size_t Rings() {
  std::set<std::string> inodes;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(".sscap.live") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string range, mode, offset, device, inode;
    fields >> range >> mode >> offset >> device >> inode;
    inodes.insert(device + " " + inode);
  }
  return inodes.size();
}

// Threads that write captures.
size_t Writers() {
  size_t count = 0;
  DIR* const tasks = opendir("/proc/self/task");
  while (const dirent* task = tasks != nullptr ? readdir(tasks) : nullptr) {
    std::string name;
    std::getline(
        std::ifstream("/proc/self/task/" + std::string(task->d_name) + "/comm"),
        name);
    count += name == "stepscope";
  }
  if (tasks != nullptr) closedir(tasks);
  return count;
}

std::string LibraryOf(const void* symbol) {
  Dl_info info = {};
  if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return "?";
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

extern "C" STEPSCOPE_API void Profile() {
  stepscope::ProfilerOptions options;
  options.scheduler = stepscope::MakeScheduler({.record = 2, .repeat = 1});
  options.on_trace_ready = stepscope::ExportChromeTracing("timelines");
  options.quiet = true;
  stepscope::Profiler profiler(options);
  profiler.Start();
  for (int i = 0; i < 2; ++i) {
    { stepscope::RecordEvent event("work"); }
    if (i == 1) {
      std::printf("recorder: %s\n",
                  LibraryOf(reinterpret_cast<void*>(&stepscope_start)).c_str());
      std::printf("rings: %zu\n", Rings());
      std::printf("writers: %zu\n", Writers());
      std::printf("recording: %d\n", stepscope_enabled());
    }
    profiler.Step();
  }
  profiler.Stop();
  profiler.Wait();
  std::printf("last error: [%s]\n", profiler.LastError().c_str());
}
