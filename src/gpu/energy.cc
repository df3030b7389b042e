// SPDX-License-Identifier: Apache-2.0
#include "gpu/energy.h"

#include <dlfcn.h>

namespace stepscope::gpu {
namespace {

constexpr int64_t kPeriodNs = 2'000'000'000;
constexpr int kOk = 0;

// NVML of this process; null: there is none that works.
void* Library() {
  static void* const library = []() -> void* {
    void* found = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (found == nullptr) return nullptr;
    const auto start = reinterpret_cast<int (*)()>(dlsym(found, "nvmlInit_v2"));
    return start != nullptr && start() == kOk ? found : nullptr;
  }();
  return library;
}

}  // namespace

bool Energy::Open(const char* bus) {
  *this = Energy();
  void* library = Library();
  if (library == nullptr) return false;
  const auto by_bus = reinterpret_cast<int (*)(const char*, void**)>(
      dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
  read_ = reinterpret_cast<int (*)(void*, unsigned long long*)>(
      dlsym(library, "nvmlDeviceGetTotalEnergyConsumption"));
  double joules = 0;
  return by_bus != nullptr && read_ != nullptr &&
         by_bus(bus, &handle_) == kOk && Joules(&joules);
}

bool Energy::Joules(double* joules) const {
  unsigned long long millijoules = 0;
  if (read_(handle_, &millijoules) != kOk) return false;
  *joules = static_cast<double>(millijoules) * 1e-3;
  return true;
}

bool Energy::Read(int64_t now_ns, uint64_t tick, Mean* mean) {
  double joules = 0;
  if (now_ns < due_ns_ || !Joules(&joules)) return false;
  // Only at a change is it known when the value was true.
  const bool changed = last_ >= 0 && joules != last_;
  last_ = joules;
  if (!changed) return false;
  due_ns_ = now_ns + kPeriodNs;
  last_ = -1;
  const bool known = settled_ && joules > from_ && now_ns > from_ns_;
  if (known)
    *mean = {from_tick_, tick,
             (joules - from_) * 1e9 / static_cast<double>(now_ns - from_ns_)};
  settled_ = true;
  from_ = joules;
  from_ns_ = now_ns;
  from_tick_ = tick;
  return known;
}

}  // namespace stepscope::gpu
