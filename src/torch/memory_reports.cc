// SPDX-License-Identifier: Apache-2.0
#include "torch/memory_reports.h"

#include <stepscope/c.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "torch/record_function_abi.h"

namespace stepscope::torch_abi {
namespace {

// c10::Device
struct Device {
  int8_t type;
  int8_t index;
};

// c10::DebugInfoKind: a number of one byte, or (from torch 2.15 on) the address
// of a name. Both are passed in a register.
using Kind = uintptr_t;
constexpr Kind kNumberedProfilerState = 2;

std::atomic<bool> reporting{false};
std::atomic<bool> announced{false};

// The last thing that torch told while it was probed.
struct Told {
  const void* address = nullptr;
  int64_t bytes = 0;
  uint64_t allocated = 0;
  uint64_t reserved = 0;
  Device device = {};
  int times = 0;

  bool IsOnce(const Told& other) const {
    return times == 1 && address == other.address && bytes == other.bytes &&
           allocated == other.allocated && reserved == other.reserved &&
           device.type == other.device.type &&
           device.index == other.device.index;
  }
};
thread_local Told* probe = nullptr;

// As the other recorders of this project name places.
const char* NameOf(Device device, char* text, size_t size) {
  if (device.type == 0) return "Place(cpu)";
  if (device.type == 1)
    std::snprintf(text, size, "Place(gpu:%d)", device.index);
  else
    std::snprintf(text, size, "Place(%d:%d)", device.type, device.index);
  return text;
}

void Record(const void* address, int64_t bytes, uint64_t allocated,
            uint64_t reserved, Device device) {
  if (!stepscope_enabled()) return;
  if (device.type == 0) {
    static HostTotal host;
    allocated = host.After(bytes, allocated, reserved);
    reserved = 0;
  }
  char text[32];
  const bool frees = bytes < 0;
  stepscope_memory(
      frees ? STEPSCOPE_FREE : STEPSCOPE_ALLOCATE,
      reinterpret_cast<uintptr_t>(address),
      frees ? -static_cast<uint64_t>(bytes) : static_cast<uint64_t>(bytes),
      NameOf(device, text, sizeof(text)), allocated, reserved);
}

// c10::MemoryReportingInfoBase, by its table of functions: two destructors,
// reportMemoryUsage, and then reportOutOfMemory (from 1.12 on) and
// memoryProfilingEnabled. One answer serves for both of the last two: the
// result of the first is not looked at.
//
// torch's own profiler takes whatever lies in this place for its state, and
// finds all of it zero: a profiler that is turned off.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void Report(void* address, int64_t bytes, uint64_t allocated,
                      uint64_t reserved, Device device) {
    if (probe == nullptr)
      return Record(address, bytes, allocated, reserved, device);
    const int times = probe->times + 1;
    *probe = {address, bytes, allocated, reserved, device, times};
  }
  virtual uintptr_t ReportOutOfMemoryOrIsEnabled() { return IsEnabled(); }
  virtual uintptr_t IsEnabledOrType() { return IsEnabled(); }
  virtual uintptr_t Later0() { return 0; }
  virtual uintptr_t Later1() { return 0; }
  virtual uintptr_t Later2() { return 0; }
  virtual uintptr_t Later3() { return 0; }

 private:
  static uintptr_t IsEnabled() {
    if (probe != nullptr) return 1;
    return reporting.load(std::memory_order_relaxed) && stepscope_enabled() ? 1
                                                                            : 0;
  }
  uintptr_t state_[256] = {};
};

// Lives as long as the process: threads may hold it.
const std::shared_ptr<Reporter>& TheReporter() {
  static const auto* const reporter =
      new std::shared_ptr<Reporter>(std::make_shared<Reporter>());
  return *reporter;
}

// c10::ThreadLocalDebugInfo, a list that is never changed: what is put in
// front of it makes a new one.
using List = std::shared_ptr<void>;

struct MemoryFunctions {
  Kind profiler_state = kNumberedProfilerState;
  Reporter* (*get)(Kind kind) = nullptr;
  List (*current)() = nullptr;
  // By value or by reference: a pointer to the caller's object either way.
  void (*set)(List* list) = nullptr;
  void (*push)(Kind kind, std::shared_ptr<Reporter>* info) = nullptr;
  bool (*is_enabled)() = nullptr;
  // The totals were signed at first.
  void (*report)(void* address, int64_t bytes, uint64_t allocated,
                 uint64_t reserved, Device device) = nullptr;
};
MemoryFunctions torch_memory;

bool FindMemoryFunctions(void* torch, MemoryFunctions* found) {
  const bool set = Find(torch,
                        "_ZN3c1020ThreadLocalDebugInfo22_forceCurrentDebugInfo"
                        "ESt10shared_ptrIS0_E",
                        &found->set) ||
                   Find(torch,
                        "_ZN3c1020ThreadLocalDebugInfo22_forceCurrentDebugInfo"
                        "ERKSt10shared_ptrIS0_E",
                        &found->set);
  const bool report =
      Find(torch, "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE",
           &found->report) ||
      Find(torch, "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE",
           &found->report);
  const Kind* named = nullptr;
  if (Find(torch, "_ZN3c1013DebugInfoKind14PROFILER_STATEE", &named))
    found->profiler_state = *named;
  return set && report &&
         Find(torch, "_ZN3c1020ThreadLocalDebugInfo3getENS_13DebugInfoKindE",
              &found->get) &&
         Find(torch, "_ZN3c1020ThreadLocalDebugInfo7currentEv",
              &found->current) &&
         Find(torch,
              "_ZN3c1020ThreadLocalDebugInfo5_pushENS_13DebugInfoKindE"
              "St10shared_ptrINS_13DebugInfoBaseEE",
              &found->push) &&
         Find(torch, "_ZN3c1022memoryProfilingEnabledEv", &found->is_enabled);
}

// What this thread had before, and what it has with the reporter in front.
struct Place {
  List before;
  List with_reporter;
};
thread_local Place place;

void PutIn() {
  place.before = torch_memory.current();
  // torch may move out of what it is given.
  std::shared_ptr<Reporter> reporter = TheReporter();
  torch_memory.push(torch_memory.profiler_state, &reporter);
  place.with_reporter = torch_memory.current();
}

// False if torch's own profiler has the place.
bool IsPutIn() {
  const Reporter* const now = torch_memory.get(torch_memory.profiler_state);
  if (now == nullptr) PutIn();
  return now == nullptr || now == TheReporter().get();
}

// False if something lies in front of the reporter, and it stays.
bool TakeOut() {
  if (place.with_reporter == nullptr ||
      torch_memory.current() != place.with_reporter)
    return false;
  List before = place.before;
  torch_memory.set(&before);
  place = {};
  return true;
}

const char* Probe() {
  static constexpr const char* kOther =
      "this torch reports its allocations in another way";
  if (torch_memory.get(torch_memory.profiler_state) != nullptr)
    return "a profiler of torch records them already";
  const auto token = [](uintptr_t number) {
    return reinterpret_cast<void*>(number);
  };
  const Told expected = {
      token(0x5e95'c09e'51e0), -0x3579'1357, 0x1234'5678'9abc,
      0x2345'6789'abcd,        {1, 5},       1};
  Told told;
  probe = &told;
  PutIn();
  const bool there =
      torch_memory.get(torch_memory.profiler_state) == TheReporter().get();
  const bool enabled = there && torch_memory.is_enabled();
  if (enabled)
    torch_memory.report(const_cast<void*>(expected.address), expected.bytes,
                        expected.allocated, expected.reserved, expected.device);
  const bool gone = TakeOut();
  probe = nullptr;
  return enabled && gone && told.IsOnce(expected) && !torch_memory.is_enabled()
             ? nullptr
             : kOther;
}

}  // namespace

const char* FindMemoryReports(void* torch) {
  static void* found = nullptr;
  if (found == torch) return nullptr;
  torch_memory = {};
  if (!FindMemoryFunctions(torch, &torch_memory))
    return "this torch has another interface for allocations";
  const char* why = Probe();
  found = why == nullptr ? torch : nullptr;
  return why;
}

const char* ReportMemory(bool on) {
  if (on && !IsPutIn()) return "a profiler of torch records them already";
  reporting.store(on, std::memory_order_relaxed);
  if (!on && !announced.load(std::memory_order_relaxed)) TakeOut();
  return nullptr;
}

void AnnounceProfiler(bool on) {
  announced.store(on && IsPutIn(), std::memory_order_relaxed);
  if (!on && !reporting.load(std::memory_order_relaxed)) TakeOut();
}

}  // namespace stepscope::torch_abi
