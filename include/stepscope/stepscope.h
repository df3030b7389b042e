// SPDX-License-Identifier: Apache-2.0
//
// stepscope for C++17 and later: RAII events and the Profiler, header-only over
// the C functions of c.h, so that no std type crosses the library boundary.
//
//   {
//     stepscope::RecordEvent event("DataPrepare");
//     ...
//   }
//
// Defining STEPSCOPE_DISABLE removes the STEPSCOPE_EVENT macros from the code.
#pragma once

#include <stepscope/c.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace stepscope {

// Paddle's event types and ours; see stepscope_event_type for the meanings.
enum class EventType : uint32_t {
  kOperator = STEPSCOPE_OPERATOR,
  kDataloader = STEPSCOPE_DATALOADER,
  kProfileStep = STEPSCOPE_PROFILE_STEP,
  kCudaRuntime = STEPSCOPE_CUDA_RUNTIME,
  kKernel = STEPSCOPE_KERNEL,
  kMemcpy = STEPSCOPE_MEMCPY,
  kMemset = STEPSCOPE_MEMSET,
  kUserDefined = STEPSCOPE_USER_DEFINED,
  kOperatorInner = STEPSCOPE_OPERATOR_INNER,
  kForward = STEPSCOPE_FORWARD,
  kBackward = STEPSCOPE_BACKWARD,
  kOptimization = STEPSCOPE_OPTIMIZATION,
  kCommunication = STEPSCOPE_COMMUNICATION,
  kPythonOp = STEPSCOPE_PYTHON_OP,
  kPythonUserDefined = STEPSCOPE_PYTHON_USER_DEFINED,
  kPythonFunction = STEPSCOPE_PYTHON_FUNCTION,
  kSynchronization = STEPSCOPE_SYNCHRONIZATION,
  kOverhead = STEPSCOPE_OVERHEAD,
  kGraphLaunch = STEPSCOPE_GRAPH_LAUNCH,
};

// Times the enclosing block, or until End(). Off, it is one load and a branch.
// The object may be ended on another thread and in any order. Not copyable;
// moving hands the open scope over.
class [[nodiscard]] RecordEvent {
 public:
  explicit RecordEvent(const char* name,
                       EventType type = EventType::kUserDefined) noexcept
      : scope_(stepscope_begin(name, static_cast<uint32_t>(type))) {}

  explicit RecordEvent(std::string_view name,
                       EventType type = EventType::kUserDefined) noexcept {
    if (stepscope_enabled()) {
      scope_ = stepscope_begin_name(name.data(), name.size(),
                                    static_cast<uint32_t>(type));
    }
  }

  // For static call sites; see STEPSCOPE_EVENT.
  explicit RecordEvent(stepscope_site* site) noexcept
      : scope_(stepscope_begin_site(site)) {}

  RecordEvent(RecordEvent&& other) noexcept : scope_(other.scope_) {
    other.scope_ = stepscope_scope{nullptr, 0};
  }
  RecordEvent(const RecordEvent&) = delete;
  RecordEvent& operator=(const RecordEvent&) = delete;
  RecordEvent& operator=(RecordEvent&&) = delete;

  ~RecordEvent() { stepscope_end(scope_); }

  // Ends the event now; later calls and the destructor do nothing.
  void End() noexcept {
    stepscope_end(scope_);
    scope_ = stepscope_scope{nullptr, 0};
  }

  // Ends this event and begins another at the same instant, with one counter
  // read instead of two.
  void Next(stepscope_site* site) noexcept {
    scope_ = stepscope_next_id(scope_, stepscope_site_id(site));
  }

  // Attaches an argument while the event is open: shape, dtype, bytes.
  void Arg(const char* key, int64_t value) noexcept {
    if (scope_.slot != nullptr) stepscope_arg_i64(scope_, key, value);
  }
  void Arg(const char* key, int value) noexcept {
    Arg(key, static_cast<int64_t>(value));
  }
  void Arg(const char* key, double value) noexcept {
    if (scope_.slot != nullptr) stepscope_arg_f64(scope_, key, value);
  }
  void Arg(const char* key, std::string_view text) noexcept {
    if (scope_.slot != nullptr)
      stepscope_arg_text(scope_, key, text.data(), text.size());
  }
  void Arg(const char* key, const char* text) noexcept {
    Arg(key, std::string_view(text != nullptr ? text : ""));
  }
  void Arg(const char* key, std::initializer_list<int64_t> values) noexcept {
    Arg(key, values.begin(), values.size());
  }
  void Arg(const char* key, const int64_t* values, size_t count) noexcept {
    if (scope_.slot != nullptr)
      stepscope_arg_i64s(scope_, key, values, count);
  }

  stepscope_scope scope() const noexcept { return scope_; }

 private:
  stepscope_scope scope_ = {nullptr, 0};
};

inline void RecordInstant(
    const char* name, EventType type = EventType::kUserDefined) noexcept {
  if (stepscope_enabled())
    stepscope_instant(name, static_cast<uint32_t>(type));
}

inline void RecordCounter(const char* name, double value) noexcept {
  if (stepscope_enabled()) stepscope_counter_f64(name, value);
}
inline void RecordCounter(const char* name, int64_t value) noexcept {
  if (stepscope_enabled()) stepscope_counter_i64(name, value);
}
inline void RecordCounter(const char* name, int value) noexcept {
  RecordCounter(name, static_cast<int64_t>(value));
}

// An allocator's events. Totals are the allocator's after the event, in bytes.
inline void RecordAlloc(const void* address, uint64_t bytes, const char* place,
                        uint64_t total_allocated,
                        uint64_t total_reserved = 0) noexcept {
  if (stepscope_enabled())
    stepscope_memory(STEPSCOPE_ALLOCATE, reinterpret_cast<uintptr_t>(address),
                     bytes, place, total_allocated, total_reserved);
}
inline void RecordFree(const void* address, uint64_t bytes, const char* place,
                       uint64_t total_allocated,
                       uint64_t total_reserved = 0) noexcept {
  if (stepscope_enabled())
    stepscope_memory(STEPSCOPE_FREE, reinterpret_cast<uintptr_t>(address),
                     bytes, place, total_allocated, total_reserved);
}

inline void SetThreadName(const char* name) noexcept {
  stepscope_set_thread_name(name);
}

}  // namespace stepscope

#define STEPSCOPE_CONCAT_(a, b) a##b
#define STEPSCOPE_CONCAT(a, b) STEPSCOPE_CONCAT_(a, b)

// Times the enclosing block from a static call site: the name is interned once
// and the event path touches no string. `name` must be a literal.
//   STEPSCOPE_EVENT("conv2d", stepscope::EventType::kOperator);
#if defined(STEPSCOPE_DISABLE)
#define STEPSCOPE_EVENT(name, type) static_cast<void>(0)
#else
#define STEPSCOPE_EVENT(event_name, event_type)                         \
  static ::stepscope_site STEPSCOPE_CONCAT(stepscope_site_, __LINE__) = \
      {"" event_name, static_cast<uint32_t>(event_type), 0};            \
  ::stepscope::RecordEvent STEPSCOPE_CONCAT(stepscope_event_, __LINE__)( \
      &STEPSCOPE_CONCAT(stepscope_site_, __LINE__))
#endif
