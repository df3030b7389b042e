// SPDX-License-Identifier: Apache-2.0
//
// The part of torch that allocators report to, in torch's layout or, by
// FAKE_..., in another one: what a later torch may look like.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#define EXPORT __attribute__((visibility("default")))

namespace c10 {

#ifdef FAKE_KIND
// As from torch 2.15 on: known by the place of a name.
class EXPORT DebugInfoKind {
 public:
  constexpr explicit DebugInfoKind(const std::string_view* name)
      : name_(name) {}
  bool operator==(DebugInfoKind other) const { return name_ == other.name_; }
  static const DebugInfoKind PROFILER_STATE;

 private:
  const std::string_view* name_;
};
static constexpr std::string_view kProfilerName = "PROFILER_STATE";
static constexpr std::string_view kOtherName = "PRODUCER_INFO";
const DebugInfoKind DebugInfoKind::PROFILER_STATE(&kProfilerName);
static const DebugInfoKind& kProfilerState = DebugInfoKind::PROFILER_STATE;
static const DebugInfoKind kOtherKind(&kOtherName);
#else
enum class DebugInfoKind : uint8_t { kProducerInfo = 0, kProfilerState = 2 };
static constexpr DebugInfoKind kProfilerState = DebugInfoKind::kProfilerState;
static constexpr DebugInfoKind kOtherKind = DebugInfoKind::kProducerInfo;
#endif

struct DebugInfoBase {
  virtual ~DebugInfoBase() = default;
};

struct Device {
  int8_t type;
  int8_t index;
};

struct MemoryReportingInfoBase : DebugInfoBase {
#ifdef FAKE_MOVED
  virtual void reportSomethingElse() = 0;
#endif
#ifdef FAKE_ORDER
  virtual void reportMemoryUsage(int64_t size, void* address, size_t allocated,
                                 size_t reserved, Device device) = 0;
#else
  virtual void reportMemoryUsage(void* address, int64_t size, size_t allocated,
                                 size_t reserved, Device device) = 0;
#endif
  virtual void reportOutOfMemory(int64_t size, size_t allocated,
                                 size_t reserved, Device device);
  virtual bool memoryProfilingEnabled() const = 0;
};

class EXPORT ThreadLocalDebugInfo {
 public:
  static DebugInfoBase* get(DebugInfoKind kind);
  static std::shared_ptr<ThreadLocalDebugInfo> current();
  static void _forceCurrentDebugInfo(
      std::shared_ptr<ThreadLocalDebugInfo> info);
  static void _push(DebugInfoKind kind, std::shared_ptr<DebugInfoBase> info);

 private:
  std::shared_ptr<DebugInfoBase> info_;
  DebugInfoKind kind_ = kProfilerState;
  std::shared_ptr<ThreadLocalDebugInfo> parent_;
};

namespace {

thread_local std::shared_ptr<ThreadLocalDebugInfo> list;

MemoryReportingInfoBase* TheReporter() {
  return static_cast<MemoryReportingInfoBase*>(
      ThreadLocalDebugInfo::get(kProfilerState));
}

}  // namespace

void MemoryReportingInfoBase::reportOutOfMemory(int64_t, size_t, size_t,
                                                Device) {}

DebugInfoBase* ThreadLocalDebugInfo::get(DebugInfoKind kind) {
  const ThreadLocalDebugInfo* at = list.get();
  while (at != nullptr && !(at->kind_ == kind)) at = at->parent_.get();
  return at != nullptr ? at->info_.get() : nullptr;
}

std::shared_ptr<ThreadLocalDebugInfo> ThreadLocalDebugInfo::current() {
  return list;
}

void ThreadLocalDebugInfo::_forceCurrentDebugInfo(
    std::shared_ptr<ThreadLocalDebugInfo> info) {
  list = std::move(info);
}

void ThreadLocalDebugInfo::_push(DebugInfoKind kind,
                                 std::shared_ptr<DebugInfoBase> info) {
  auto next = std::make_shared<ThreadLocalDebugInfo>();
  next->info_ = std::move(info);
  next->kind_ = kind;
  next->parent_ = list;
  list = next;
}

EXPORT bool memoryProfilingEnabled() {
  MemoryReportingInfoBase* const reporter = TheReporter();
  return reporter != nullptr && reporter->memoryProfilingEnabled();
}

EXPORT void reportMemoryUsageToProfiler(void* address, int64_t size,
                                        size_t allocated, size_t reserved,
                                        Device device) {
  MemoryReportingInfoBase* const reporter = TheReporter();
  if (reporter == nullptr) return;
#ifdef FAKE_ORDER
  reporter->reportMemoryUsage(size, address, allocated, reserved, device);
#else
  reporter->reportMemoryUsage(address, size, allocated, reserved, device);
#endif
}

}  // namespace c10

extern "C" EXPORT int fake_has_reporter() {
  return c10::TheReporter() != nullptr ? 1 : 0;
}
extern "C" EXPORT int fake_is_enabled() {
  return c10::memoryProfilingEnabled() ? 1 : 0;
}
// Something of another kind lies in front.
extern "C" EXPORT void fake_push_other() {
  c10::ThreadLocalDebugInfo::_push(c10::kOtherKind,
                                   std::make_shared<c10::DebugInfoBase>());
}
extern "C" EXPORT void fake_clear() {
  c10::ThreadLocalDebugInfo::_forceCurrentDebugInfo(nullptr);
}
