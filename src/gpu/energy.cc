// SPDX-License-Identifier: Apache-2.0
#include "gpu/energy.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>

namespace stepscope::gpu {
namespace {

constexpr int64_t kPeriodNs = 2'000'000'000;
constexpr int kOk = 0;
constexpr const char* kCounter = "nvmlDeviceGetTotalEnergyConsumption";

// NVML of this process; null: there is none that can be loaded.
void* Library() {
  static void* const library =
      dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(Library(), name));
}

bool Fail(const char* function, int result, char* why, size_t size) {
  const auto text_of = Find<const char* (*)(int)>("nvmlErrorString");
  const char* text = text_of != nullptr ? text_of(result) : nullptr;
  std::snprintf(why, size, "%s: %s (%d)", function,
                text != nullptr ? text : "unknown error", result);
  return false;
}

bool Start(char* why, size_t size) {
  if (Library() == nullptr) {
    std::snprintf(why, size, "NVML (libnvidia-ml.so.1) cannot be loaded");
    return false;
  }
  using Init = int (*)();
  // Once: NVML counts them.
  static const int result = [] {
    const auto init = Find<Init>("nvmlInit_v2");
    return init != nullptr ? init() : -1;
  }();
  return result == kOk || Fail("nvmlInit_v2", result, why, size);
}

// The counter is that of the whole device, also where it is split.
bool IsSplit(void* device) {
  const auto mode =
      Find<int (*)(void*, unsigned*, unsigned*)>("nvmlDeviceGetMigMode");
  unsigned now = 0;
  unsigned after_reset = 0;
  return mode != nullptr && mode(device, &now, &after_reset) == kOk && now == 1;
}

}  // namespace

bool Energy::Open(const char* bus, char* why, size_t size) {
  *this = Energy();
  if (!Start(why, size)) return false;
  const auto by_bus =
      Find<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  read_ = Find<int (*)(void*, unsigned long long*)>(kCounter);
  if (by_bus == nullptr || read_ == nullptr) {
    std::snprintf(why, size, "this NVML has no counter of joules");
    return false;
  }
  if (const int result = by_bus(bus, &handle_); result != kOk)
    return Fail("nvmlDeviceGetHandleByPciBusId_v2", result, why, size);
  if (IsSplit(handle_)) {
    std::snprintf(why, size,
                  "the device is split by MIG, and counts joules as a whole");
    return false;
  }
  int64_t millijoules = 0;
  const int result = Count(&millijoules);
  return result == kOk || Fail(kCounter, result, why, size);
}

int Energy::Count(int64_t* millijoules) const {
  unsigned long long count = 0;
  const int result = read_(handle_, &count);
  *millijoules = static_cast<int64_t>(count);
  return result;
}

void Energy::Begin(int64_t now_ns, uint64_t tick, int64_t millijoules,
                   int64_t step_millijoules) {
  begun_ = true;
  due_ns_ = now_ns + kPeriodNs;
  last_ = -1;
  from_ = millijoules;
  from_step_ = step_millijoules;
  from_ns_ = now_ns;
  from_tick_ = tick;
}

Energy::Found Energy::Read(int64_t now_ns, uint64_t tick, Window* window,
                           char* why, size_t size) {
  if (now_ns < due_ns_) return Found::kNothing;
  int64_t count = 0;
  if (const int result = Count(&count); result != kOk) {
    Fail(kCounter, result, why, size);
    return Found::kFailed;
  }
  // Only at a change is it known when the value was true.
  const int64_t before = last_;
  last_ = count;
  if (before >= 0 && count == before) return Found::kNothing;
  if (before >= 0 ? count < before : begun_ && count < from_) {
    const bool known = begun_;
    begun_ = false;
    return known ? Found::kWentBack : Found::kNothing;
  }
  if (before < 0) return Found::kNothing;
  const int64_t step = count - before;
  const bool known = begun_ && count > from_ && now_ns > from_ns_;
  if (known)
    *window = {from_tick_, tick, count - from_, std::max(from_step_, step),
               static_cast<double>(count - from_) * 1e6 /
                   static_cast<double>(now_ns - from_ns_)};
  Begin(now_ns, tick, count, step);
  return known ? Found::kWindow : Found::kNothing;
}

}  // namespace stepscope::gpu
