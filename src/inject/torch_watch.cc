// SPDX-License-Identifier: Apache-2.0
#include "inject/torch_watch.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "collector/sync.h"
#include "inject/recording.h"
#include "torch/observer_abi.h"

namespace stepscope::inject {
namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// libtorch_cpu.so that the observer was built for; "": it asks the one it finds
char library[4096];
char observer[4096];  // "" if there is none
bool shapes = false;
bool settled = true;  // nothing more to look for
unsigned long long loads_seen = 0;
stepscope_torch_observer_v1 attached = {};

struct Search {
  unsigned long long loads = 0;
  char path[4096] = {};
};

int Look(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  search->loads = info->dlpi_adds;
  if (search->loads == loads_seen) return 1;  // nothing new: stop
  const char* name = info->dlpi_name;
  const char* base = name != nullptr ? std::strrchr(name, '/') : nullptr;
  if (base != nullptr && std::strncmp(base, "/libtorch_cpu.so", 16) == 0)
    std::snprintf(search->path, sizeof(search->path), "%s", name);
  return 0;
}

bool IsSameFile(const char* a, const char* b) {
  struct stat one;
  struct stat two;
  return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

uint32_t RangeBegins(const char* name) {
  const Recording::Range range =
      recording.RangeBegins(name, Recording::Source::kTorch);
  return range.type | static_cast<uint32_t>(range.kind) << 16;
}

void RangeEnds(uint32_t range, int without_batch) {
  recording.RangeEnds(
      {range & 0xffff, static_cast<RangeKind>(range >> 16 & 0xff)},
      without_batch != 0);
}

void Wake() { recording.Wake(); }

void ObserveOperators(bool recording_now) {
  attached.observe_operators(recording_now ? 1 : 0);
}

// Returns why it could not be done, or null.
const char* Attach() {
  void* handle = dlopen(observer, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return dlerror();
  const auto attach = reinterpret_cast<stepscope_torch_attach_fn_v1>(
      dlsym(handle, "stepscope_torch_attach_v1"));
  if (attach == nullptr) return "it has no stepscope_torch_attach_v1";
  static stepscope_torch_host_v1 host = {};
  host.struct_size = sizeof(host);
  host.flags = shapes ? STEPSCOPE_TORCH_SHAPES : 0;
  host.attention = recording.attention_word();
  host.wake = &Wake;
  host.range_begins = &RangeBegins;
  host.range_ends = &RangeEnds;
  attached.struct_size = sizeof(attached);
  const int refused = attach(&host, &attached);
  if (refused == 2) {
    const auto probe = reinterpret_cast<stepscope_torch_probe_fn_v1>(
        dlsym(handle, "stepscope_torch_probe_v1"));
    const char* why = probe != nullptr ? probe() : nullptr;
    return why != nullptr ? why : "it records by itself";
  }
  if (refused != 0) return "it wants another stepscope";
  recording.set_listener(&ObserveOperators);
  return nullptr;
}

}  // namespace

void ConfigureTorchWatch(const Settings& settings) {
  std::snprintf(library, sizeof(library), "%s", settings.torch_library);
  std::snprintf(observer, sizeof(observer), "%s", settings.torch_observer);
  shapes = settings.shapes;
  settled = observer[0] == '\0';
}

namespace {

void LookForTorchLocked() {
  if (settled) return;
  Search search;
  dl_iterate_phdr(&Look, &search);
  loads_seen = search.loads;
  if (search.path[0] == '\0') return;
  settled = true;
  if (library[0] != '\0' && !IsSameFile(search.path, library)) {
    Complain("process %d has the torch of %s; operators are recorded of %s",
             static_cast<int>(getpid()), search.path, library);
    return;
  }
  // Waits for the thread that is still loading it.
  if (dlopen(search.path, RTLD_NOLOAD | RTLD_LAZY) == nullptr) return;
  const char* why = Attach();
  if (why != nullptr) {
    Complain("process %d: operators are not recorded: %s",
             static_cast<int>(getpid()), why);
  }
}

}  // namespace

void WatchForTorch() {
  const collector::MutexLock lock(&mutex);
  LookForTorchLocked();
}

void ResetTorchWatchInForkedChild() { mutex = PTHREAD_MUTEX_INITIALIZER; }

}  // namespace stepscope::inject
