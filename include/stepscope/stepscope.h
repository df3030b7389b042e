// SPDX-License-Identifier: Apache-2.0
//
// stepscope for C++17 and later: events that end with their scope, and the
// Profiler. Header-only, on top of the C functions of c.h, so that the program
// may be built by any compiler.
//
//   {
//     stepscope::RecordEvent event("DataPrepare");
//     ...
//   }
//
// With STEPSCOPE_DISABLE defined before this header, in all files of a program
// or in some, everything that marks the program does nothing and needs no
// library: RecordEvent to ReaderScope below, STEPSCOPE_EVENT, and the same
// functions of c.h. The Profiler stays, and then records and times steps alone.
//
// Above 600 lines because the whole C++ interface is one header to include.
#pragma once

#include <stepscope/c.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {

// What kind of event it is; see stepscope_event_type.
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
  kRequest = STEPSCOPE_REQUEST,  // what Request below records
};

#if defined(STEPSCOPE_DISABLE)
// Other names for the linker: files with and without the macro may be mixed.
inline namespace disabled {
#endif

// Records an event from here to the end of the block, or to End(). Costs two
// loads and a branch while nothing is recorded. Events may end on another
// thread and in any order. Cannot be copied; a moved-from event is over.
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

  // For a place in the code with a fixed name; see STEPSCOPE_EVENT.
  explicit RecordEvent(stepscope_site* site) noexcept
      : scope_(stepscope_begin_site(site)) {}

  RecordEvent(RecordEvent&& other) noexcept : scope_(other.scope_) {
    other.scope_ = stepscope_scope{nullptr, 0};
  }
  RecordEvent(const RecordEvent&) = delete;
  RecordEvent& operator=(const RecordEvent&) = delete;
  RecordEvent& operator=(RecordEvent&&) = delete;

  ~RecordEvent() { stepscope_end(scope_); }

  // Ends the event now. After that, End and the destructor do nothing.
  void End() noexcept {
    stepscope_end(scope_);
    scope_ = stepscope_scope{nullptr, 0};
  }

  // Ends this event and begins another one with the same read of the counter.
  void Next(stepscope_site* site) noexcept {
    scope_ = stepscope_next_id(scope_, stepscope_site_id(site));
  }

  // Adds an argument to the open event: a shape, a data type, a size.
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
    if (scope_.slot != nullptr) stepscope_arg_i64s(scope_, key, values, count);
  }

  stepscope_scope scope() const noexcept { return scope_; }

 private:
  stepscope_scope scope_ = {nullptr, 0};
};

// Records a point in time on the calling thread.
inline void RecordInstant(const char* name,
                          EventType type = EventType::kUserDefined) noexcept {
  if (stepscope_enabled()) stepscope_instant(name, static_cast<uint32_t>(type));
}

// Records the value that a counter has now. Each name is one counter of the
// process.
inline void RecordCounter(const char* name, double value) noexcept {
  if (stepscope_enabled()) stepscope_counter_f64(name, value);
}
inline void RecordCounter(const char* name, int64_t value) noexcept {
  if (stepscope_enabled()) stepscope_counter_i64(name, value);
}
inline void RecordCounter(const char* name, int value) noexcept {
  RecordCounter(name, static_cast<int64_t>(value));
}

// Record that memory was allocated or freed. `place` is where, such as
// "Place(cpu)" or "Place(gpu:0)". The totals are those of the allocator after
// this event, in bytes.
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

// Sets the name of the calling thread in timelines.
inline void SetThreadName(const char* name) noexcept {
  stepscope_set_thread_name(name);
}

// Records the time spent waiting for a batch, as a Dataloader event and as the
// reader cost of the Profiler that was started last. `reader` tells data
// loaders apart: while a second one is in use (validation inside training), its
// time is not counted.
class [[nodiscard]] ReaderScope {
 public:
  explicit ReaderScope(const void* reader = nullptr) noexcept
      : read_(stepscope_reader_begin(reader)) {}
  ~ReaderScope() {
    if (open_) stepscope_reader_end(read_);
  }
  ReaderScope(const ReaderScope&) = delete;
  ReaderScope& operator=(const ReaderScope&) = delete;

  // There was no further batch: this time is not counted.
  void Cancel() noexcept {
    if (open_) stepscope_reader_cancel(read_);
    open_ = false;
  }

 private:
  stepscope_read read_;
  bool open_ = true;
};

// A request of a server, from its arrival to End() or the destructor. Recorded
// are the instants at which it arrives, has tokens and ends, on whichever
// thread calls; `summary --views requests` makes a table of them.
//
//   stepscope::Request request(id, prompt.size());
//   ...
//   request.Token();  // the first token, and each after it
//
// Of one request, one call at a time. Not copyable; a moved-from request has
// ended. What is recorded of it while no session runs is little: one that began
// before is announced by its first token, or by an iteration that has it.
class [[nodiscard]] Request {
 public:
  static constexpr int64_t kUnknown = -1;

  // `tokens_in`: of the prompt. `traceparent`: the caller's span, as in the
  // header of W3C trace context. Both texts are copied.
  explicit Request(std::string_view id, int64_t tokens_in = kUnknown,
                   std::string_view traceparent = {})
      : id_(id),
        traceparent_(traceparent),
        tokens_in_(tokens_in),
        number_(NextNumber()),
        arrival_(Clock::now()) {
    if (!stepscope_enabled()) stepscope_about_to_record();
    if (stepscope_enabled()) Announce(0);
  }
  Request(Request&& other) noexcept
      : id_(std::move(other.id_)),
        traceparent_(std::move(other.traceparent_)),
        tokens_in_(other.tokens_in_),
        number_(std::exchange(other.number_, 0)),
        arrival_(other.arrival_),
        announced_(other.announced_) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  Request& operator=(Request&&) = delete;
  ~Request() { End(); }

  // So many more tokens are there.
  void Token(int64_t count = 1) noexcept {
    if (count <= 0 || !BeforeRecording()) return;
    static stepscope_site site = {"request token", kType, 0};
    const int64_t values[] = {static_cast<int64_t>(number_), count};
    Record(&site, values, 2, {});
  }

  // It is answered; or it failed, with this kind of error.
  void End(std::string_view error = {}) noexcept {
    if (BeforeRecording()) {
      static stepscope_site site = {"request end", kType, 0};
      const auto number = static_cast<int64_t>(number_);
      Record(&site, &number, 1, error);
    }
    number_ = 0;
  }

  const std::string& id() const noexcept { return id_; }
  bool ended() const noexcept { return number_ == 0; }

 private:
  friend class Iteration;
  using Clock = std::chrono::steady_clock;
  static constexpr auto kType = static_cast<uint32_t>(EventType::kRequest);

  // Unique in the process, also beside other libraries with this header, and
  // small enough for a double.
  static uint64_t NextNumber() noexcept {
    static std::atomic<uint64_t> next{[] {
      const auto now =
          static_cast<uint64_t>(Clock::now().time_since_epoch().count());
      const uint64_t mixed = (now ^ reinterpret_cast<uintptr_t>(&now)) *
                             uint64_t{0x9e3779b97f4a7c15u};
      return ((mixed >> 44) << 32) + 1;
    }()};
    return next.fetch_add(1, std::memory_order_relaxed);
  }

  // The session; 0: nothing is recorded.
  static uint32_t Gate() noexcept {
#if defined(STEPSCOPE_DISABLE)
    return 0;
#else
    return stepscope_gate();
#endif
  }

  // False: nothing is to be recorded.
  bool BeforeRecording() noexcept {
    const uint32_t gate = Gate();
    if (gate == 0 || number_ == 0) return false;
    if (announced_ != gate) {
      using std::chrono::nanoseconds;
      Announce(std::chrono::duration_cast<nanoseconds>(Clock::now() - arrival_)
                   .count());
    }
    return true;
  }

  void Announce(int64_t age_ns) noexcept {
    static stepscope_site site = {"request", kType, 0};
    announced_ = Gate();
    const stepscope_scope scope = stepscope_begin_site(&site);
    if (scope.slot == nullptr) return;
    const int64_t values[] = {static_cast<int64_t>(number_), tokens_in_, age_ns,
                              0};
    stepscope_arg_i64s(scope, "stepscope.request", values, 4);
    stepscope_arg_text(scope, "id", id_.data(), id_.size());
    if (!traceparent_.empty())
      stepscope_arg_text(scope, "traceparent", traceparent_.data(),
                         traceparent_.size());
    stepscope_end(scope);
  }

  static void Record(stepscope_site* site, const int64_t* values, size_t count,
                     std::string_view error) noexcept {
    const stepscope_scope scope = stepscope_begin_site(site);
    if (scope.slot == nullptr) return;
    stepscope_arg_i64s(scope, "stepscope.request", values, count);
    if (!error.empty())
      stepscope_arg_text(scope, "error", error.data(), error.size());
    stepscope_end(scope);
  }

  std::string id_;
  std::string traceparent_;
  int64_t tokens_in_;
  uint64_t number_;  // 0: it has ended
  Clock::time_point arrival_;
  uint32_t announced_ = 0;  // generation of the session that knows it
};

// What an iteration does for a request. Stored: never renumber.
enum class RequestKind : uint8_t {
  kPrefill = 1,  // reads its prompt
  kDecode = 2,   // makes a token
  kVerify = 3,   // checks tokens that a draft proposed
  kDraft = 4,
};

struct IterationMember {
  Request& request;
  RequestKind kind;
  int64_t tokens;  // that it works on
};

// One iteration of a server's loop, from here to the end of the block. What the
// thread launches from here to its next iteration counts for it.
//
//   stepscope::Iteration iteration(members);  // of IterationMember
//   model.Forward(batch);
class [[nodiscard]] Iteration {
 public:
  Iteration(const IterationMember* members, size_t count) noexcept {
    if (stepscope_enabled()) Begin(members, count);
  }
  explicit Iteration(const std::vector<IterationMember>& members) noexcept
      : Iteration(members.data(), members.size()) {}
  Iteration(std::initializer_list<IterationMember> members) noexcept
      : Iteration(members.begin(), members.size()) {}
  Iteration(const Iteration&) = delete;
  Iteration& operator=(const Iteration&) = delete;
  ~Iteration() { stepscope_end(scope_); }

 private:
  void Begin(const IterationMember* members, size_t count) noexcept {
    constexpr auto kType = static_cast<uint32_t>(EventType::kUserDefined);
    static stepscope_site sites[] = {
        {"iteration[idle]", kType, 0},   {"iteration[prefill]", kType, 0},
        {"iteration[decode]", kType, 0}, {"iteration[verify]", kType, 0},
        {"iteration[draft]", kType, 0},  {"iteration[mixed]", kType, 0},
        {"iteration[unknown]", kType, 0}};
    size_t site = 0;
    for (size_t i = 0; i < count; ++i) {
      members[i].request.BeforeRecording();  // it may be new to the session
      const auto kind = static_cast<size_t>(members[i].kind);
      const bool reads = members[i].kind == RequestKind::kPrefill;
      if (i == 0)
        site = kind >= 1 && kind <= 4 ? kind : 6;
      else if (site != kind)
        site = site == 1 || site == 5 || reads ? 5 : 6;
    }
    scope_ = stepscope_begin_site(&sites[site]);
    if (scope_.slot == nullptr) return;
    size_t i = 0;
    do {  // an idle iteration says that nobody is in it
      int64_t values[kMostValues];
      size_t used = 0;
      for (; i < count && used + 2 <= kMostValues; ++i) {
        values[used++] = static_cast<int64_t>(members[i].request.number_ * 8) +
                         static_cast<int64_t>(members[i].kind);
        values[used++] = members[i].tokens;
      }
      stepscope_arg_i64s(scope_, "stepscope.members", values, used);
    } while (i < count);
  }

  static constexpr size_t kMostValues = 400;  // of a list, in the collector
  stepscope_scope scope_ = {nullptr, 0};
};

#if defined(STEPSCOPE_DISABLE)
}  // namespace disabled
#endif

}  // namespace stepscope

#define STEPSCOPE_CONCAT_(a, b) a##b
#define STEPSCOPE_CONCAT(a, b) STEPSCOPE_CONCAT_(a, b)

// Records an event from here to the end of the block. The cheapest way: the
// name, which must be a literal, is looked up once and never copied.
//   STEPSCOPE_EVENT("conv2d", stepscope::EventType::kOperator);
#if defined(STEPSCOPE_DISABLE)
#define STEPSCOPE_EVENT(name, type) static_cast<void>(0)
#else
#define STEPSCOPE_EVENT(event_name, event_type)                           \
  static ::stepscope_site STEPSCOPE_CONCAT(stepscope_site_, __LINE__) = { \
      "" event_name, static_cast<uint32_t>(event_type), 0};               \
  ::stepscope::RecordEvent STEPSCOPE_CONCAT(stepscope_event_, __LINE__)(  \
      &STEPSCOPE_CONCAT(stepscope_site_, __LINE__))
#endif

// ---------------------------------------------------------------------------
// Profiler: decides which steps are recorded and what happens to each recorded
// window, and measures how long steps take.
//
//   stepscope::Profiler prof(
//       {.scheduler = stepscope::StepRange(2, 10),
//        .on_trace_ready = stepscope::ExportChromeTracing("./profiler_demo")});
//   prof.Start();
//   for (...) {
//     { stepscope::ReaderScope reader; batch = loader.Next(); }
//     ...
//     prof.Step(batch.size());
//   }
//   prof.Stop();
//   prof.Summary();

namespace stepscope {

class Profiler;

// What a step is for; see stepscope_profiler_state.
enum class ProfilerState : int {
  kClosed = STEPSCOPE_STATE_CLOSED,
  kReady = STEPSCOPE_STATE_READY,
  kRecord = STEPSCOPE_STATE_RECORD,
  kRecordAndReturn = STEPSCOPE_STATE_RECORD_AND_RETURN,
};

enum class ProfilerTarget : int {
  kCpu = STEPSCOPE_TARGET_CPU,
  kGpu = STEPSCOPE_TARGET_GPU,
  kXpu = STEPSCOPE_TARGET_XPU,
  kCustomDevice = STEPSCOPE_TARGET_CUSTOM_DEVICE,
};

enum class SortedKeys : int {
  kCpuTotal = STEPSCOPE_SORT_CPU_TOTAL,
  kCpuAvg = STEPSCOPE_SORT_CPU_AVG,
  kCpuMax = STEPSCOPE_SORT_CPU_MAX,
  kCpuMin = STEPSCOPE_SORT_CPU_MIN,
  kGpuTotal = STEPSCOPE_SORT_GPU_TOTAL,
  kGpuAvg = STEPSCOPE_SORT_GPU_AVG,
  kGpuMax = STEPSCOPE_SORT_GPU_MAX,
  kGpuMin = STEPSCOPE_SORT_GPU_MIN,
};

enum class SummaryView : int {
  kDevice = STEPSCOPE_VIEW_DEVICE,
  kOverview = STEPSCOPE_VIEW_OVERVIEW,
  kModel = STEPSCOPE_VIEW_MODEL,
  kDistributed = STEPSCOPE_VIEW_DISTRIBUTED,
  kKernel = STEPSCOPE_VIEW_KERNEL,
  kOperator = STEPSCOPE_VIEW_OPERATOR,
  kMemory = STEPSCOPE_VIEW_MEMORY,
  kMemoryManipulation = STEPSCOPE_VIEW_MEMORY_MANIPULATION,
  kUserDefined = STEPSCOPE_VIEW_USER_DEFINED,
};

// Returns the state of a step, from 0. Called on the thread that steps.
using Scheduler = std::function<ProfilerState(int64_t step)>;

// Called when a window is complete, on the delivery thread, for one window at a
// time. In the callback, Stop, Summary and Export do not wait, and use this
// window. An exception becomes the text of Profiler::LastError().
using TraceReady = std::function<void(Profiler&)>;

// First `skip_first` steps are skipped. Then come cycles of `closed`, `ready`
// and `record` steps, `repeat` times (0: forever). The last step of each cycle
// ends a window.
struct ScheduleOptions {
  int64_t closed = 0;
  int64_t ready = 0;
  int64_t record = 0;  // at least 1
  int64_t repeat = 0;
  int64_t skip_first = 0;
};

// Throws std::invalid_argument if the numbers are not valid.
inline Scheduler MakeScheduler(const ScheduleOptions& options) {
  const stepscope_schedule schedule = {sizeof(stepscope_schedule),
                                       0,
                                       options.closed,
                                       options.ready,
                                       options.record,
                                       options.repeat,
                                       options.skip_first};
  if (stepscope_schedule_state(&schedule, 0) < 0) {
    throw std::invalid_argument(
        "stepscope::MakeScheduler: record must be at least 1 and the other "
        "numbers at least 0");
  }
  return [schedule](int64_t step) {
    return static_cast<ProfilerState>(
        stepscope_schedule_state(&schedule, step));
  };
}

// Records the steps from `first` up to, but not including, `last`, once. Throws
// std::invalid_argument if there are none.
inline Scheduler StepRange(int64_t first, int64_t last) {
  if (last <= first || last <= 0) {
    throw std::invalid_argument(
        "stepscope::StepRange: the range [first, last) holds no step");
  }
  ScheduleOptions options;
  if (first >= 1) {
    options.closed = first - 1;
    options.ready = 1;
  } else {
    first = 0;
  }
  options.record = last - first;
  options.repeat = 1;
  return MakeScheduler(options);
}

// Paddle's options in Paddle's order, then our own. New ones come last.
struct ProfilerOptions {
  std::vector<ProfilerTarget> targets = {};  // none: what the machine has
  Scheduler scheduler = nullptr;             // none: every step is recorded
  TraceReady on_trace_ready = nullptr;  // none: Chrome trace in ./profiler_log
  bool record_shapes = false;
  bool profile_memory = false;
  bool timer_only = false;  // measure steps, record nothing
  bool emit_nvtx = false;
  std::vector<std::string> custom_device_types = {};
  bool with_flops = false;

  bool keep_capture = false;   // do not delete the *.sscap of each window
  std::string out_dir = {};    // of captures, if STEPSCOPE_OUT is not set.
                               // Empty: as the exporter, else ./profiler_log
  uint64_t memory_budget = 0;  // of the recorder, in bytes. 0: 64 MiB
  bool quiet = false;          // Stop does not print the Perf Summary
  // Receives what Stop and Summary print. None: standard output.
  std::function<void(std::string_view text)> print = nullptr;
  bool flight = false;  // record all steps, keep the last ones; `scheduler` is
                        // not used. See "Flight recorder" in c.h
  stepscope_flight_options flight_options = {};
  // Record nothing until `stepscope trigger --job DIR` asks for steps. DIR is
  // flight_options.folder, else as out_dir. `scheduler` and `on_trace_ready`
  // are not used.
  bool on_demand = false;
  uint32_t counters_us = 0;  // sample the hardware's counters of GPUs so often
};

struct SummaryOptions {
  SortedKeys sorted_by = SortedKeys::kCpuTotal;
  bool op_detail = true;                // operators with phases inside them
  bool thread_sep = false;              // operators of each thread apart
  std::string time_unit = "ms";         // s, ms, us or ns
  std::vector<SummaryView> views = {};  // none: all
};

// What ExportChromeTracing and ExportCapture return. A type with a name,
// because the Profiler asks it for its folder.
class FolderExporter {
 public:
  FolderExporter(std::string folder, std::string worker, const char* format)
      : folder_(std::move(folder)),
        worker_(std::move(worker)),
        format_(format) {
    stepscope_make_folder(folder_.c_str());  // a failure shows at delivery
  }

  const std::string& folder() const { return folder_; }
  inline void operator()(Profiler& profiler) const;

 private:
  std::string folder_;
  std::string worker_;
  const char* format_;
};

// Writes each window to <worker>_time_<date and time>.paddle_trace.json in
// `folder`, created at once. `worker_name` empty: host_<hostname>pid_<pid>.
inline FolderExporter ExportChromeTracing(std::string folder,
                                          std::string worker_name = {}) {
  return FolderExporter(std::move(folder), std::move(worker_name), "json");
}

// Writes each window to a capture, <worker>_time_<date and time>.sscap.
inline FolderExporter ExportCapture(std::string folder,
                                    std::string worker_name = {}) {
  return FolderExporter(std::move(folder), std::move(worker_name), "capture");
}

// Call Start, Step and Stop on the thread that trains; the other methods may be
// called from any thread. Methods throw nothing but std::bad_alloc. Those that
// return bool return false on failure, and LastError() says why. The destructor
// stops the profiler and waits for the delivery of windows, 60 s at most. In a
// forked child the parent's profiler does nothing.
class Profiler {
 public:
  Profiler() : Profiler(ProfilerOptions()) {}
  inline explicit Profiler(ProfilerOptions options);
  ~Profiler() { stepscope_profiler_destroy(handle_); }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  // Starts the profiler and enters step 0. False if it is running.
  bool Start() noexcept { return Ok(stepscope_profiler_start(handle_)); }

  // Ends a step and enters the next one. The speed is in samples/s if the
  // number of samples in the step is given, else in steps/s.
  bool Step() noexcept { return Ok(stepscope_profiler_step(handle_, -1)); }
  bool Step(int64_t num_samples) noexcept {
    return Ok(stepscope_profiler_step(handle_, num_samples));
  }

  // Prints the Perf Summary, ends the window that is being recorded, and
  // returns. The window is delivered in the background. False if the profiler
  // is not running.
  bool Stop() noexcept { return Ok(stepscope_profiler_stop(handle_)); }

  // Discards what was recorded and measured so far, and continues.
  bool Reset() noexcept { return Ok(stepscope_profiler_reset(handle_)); }

  // The time between Pause and Resume does not count as time of steps: use them
  // around a validation loop.
  // What follows is in no step until Resume(), such as evaluation.
  bool LeaveStep() noexcept {
    return Ok(stepscope_profiler_leave_step(handle_));
  }
  bool Pause() noexcept { return Ok(stepscope_profiler_pause(handle_)); }
  bool Resume() noexcept { return Ok(stepscope_profiler_resume(handle_)); }

  // Prints the tables of the last delivered window.
  inline bool Summary(const SummaryOptions& options = SummaryOptions());
  // Returns the tables as text; "" if there is no window.
  inline std::string SummaryText(
      const SummaryOptions& options = SummaryOptions());

  // Writes the last delivered window. `format` is "json" (a Chrome trace,
  // compressed if the path ends in .gz) or "capture". Empty: a capture if the
  // path ends in .sscap, else a Chrome trace.
  bool Export(const std::string& path, const std::string& format = {}) {
    return Ok(stepscope_profiler_export(
        handle_, path.c_str(), format.empty() ? nullptr : format.c_str()));
  }

  // Reader cost, batch cost and speed of the steps since the last call.
  inline std::string StepInfo(const std::string& unit = {});

  // Waits until all finished windows are delivered. Returns at once when
  // called on the delivery thread.
  bool Wait(int timeout_ms = 60000) noexcept {
    return Ok(stepscope_profiler_wait(handle_, timeout_ms));
  }

  // Why a call or callback last failed since Start, on any thread; or "".
  inline std::string LastError() const;

  int64_t step_num() const noexcept {
    return stepscope_profiler_step_number(handle_);
  }
  ProfilerState current_state() const noexcept {
    return static_cast<ProfilerState>(stepscope_profiler_state_now(handle_));
  }
  stepscope_profiler* handle() const noexcept { return handle_; }

 private:
  static bool Ok(int status) noexcept { return status == STEPSCOPE_OK; }
  static inline int CallScheduler(void* user, int64_t step) noexcept;
  static inline int CallTraceReady(void* user, stepscope_profiler* profiler,
                                   char* error, size_t error_size) noexcept;
  static inline void CallPrint(void* user, const char* text,
                               size_t length) noexcept;
  static inline void Append(void* user, const char* text,
                            size_t length) noexcept;
  inline bool Render(const SummaryOptions& options, stepscope_print_fn print,
                     void* user);

  ProfilerOptions options_;
  stepscope_profiler* handle_ = nullptr;
};

inline Profiler::Profiler(ProfilerOptions options)
    : options_(std::move(options)) {
  if (!options_.on_trace_ready && !options_.timer_only)
    options_.on_trace_ready = ExportChromeTracing("./profiler_log");
  std::string out_dir = options_.out_dir;
  const auto* exporter = options_.on_trace_ready.target<FolderExporter>();
  if (out_dir.empty() && exporter != nullptr) out_dir = exporter->folder();

  stepscope_profiler_options c = {};
  c.struct_size = sizeof(c);
  for (ProfilerTarget target : options_.targets)
    c.targets |= 1u << static_cast<unsigned>(target);
  if (!options_.custom_device_types.empty())
    c.targets |= 1u << STEPSCOPE_TARGET_CUSTOM_DEVICE;
  auto flag = [&c](bool on, uint32_t bit) { c.flags |= on ? bit : 0u; };
  flag(options_.record_shapes, STEPSCOPE_RECORD_SHAPES);
  flag(options_.profile_memory, STEPSCOPE_PROFILE_MEMORY);
  flag(options_.timer_only, STEPSCOPE_TIMER_ONLY);
  flag(options_.emit_nvtx, STEPSCOPE_EMIT_NVTX);
  flag(options_.with_flops, STEPSCOPE_WITH_FLOPS);
  flag(options_.keep_capture, STEPSCOPE_KEEP_CAPTURE);
  flag(options_.quiet, STEPSCOPE_QUIET);
  const bool flies = options_.flight || options_.on_demand;
  flag(flies, STEPSCOPE_FLIGHT);
  if (options_.on_demand)
    options_.flight_options.flags |= STEPSCOPE_FLIGHT_ON_DEMAND;
  options_.flight_options.struct_size = sizeof(options_.flight_options);
  c.flight = flies ? &options_.flight_options : nullptr;
  c.user = this;
  if (options_.scheduler) c.scheduler = &Profiler::CallScheduler;
  c.on_trace_ready = &Profiler::CallTraceReady;
  if (options_.print) c.print = &Profiler::CallPrint;
  c.out_dir = out_dir.empty() ? nullptr : out_dir.c_str();
  c.memory_budget = options_.memory_budget;
  c.counters_us = options_.counters_us;
  stepscope_profiler_create(&c, &handle_);
}

inline void FolderExporter::operator()(Profiler& profiler) const {
  stepscope_profiler_export_to(profiler.handle(), folder_.c_str(),
                               worker_.c_str(), format_);
}

inline int Profiler::CallScheduler(void* user, int64_t step) noexcept {
  try {
    return static_cast<int>(
        static_cast<Profiler*>(user)->options_.scheduler(step));
  } catch (...) {
    return -1;
  }
}

inline int Profiler::CallTraceReady(void* user, stepscope_profiler*,
                                    char* error, size_t error_size) noexcept {
  const char* why = "on_trace_ready threw something unknown";
  Profiler* self = static_cast<Profiler*>(user);
  try {
    if (self->options_.on_trace_ready) self->options_.on_trace_ready(*self);
    return 0;
  } catch (const std::exception& thrown) {
    std::snprintf(error, error_size, "on_trace_ready threw: %s", thrown.what());
  } catch (...) {
    std::snprintf(error, error_size, "%s", why);
  }
  return 1;
}

inline void Profiler::CallPrint(void* user, const char* text,
                                size_t length) noexcept {
  try {
    static_cast<Profiler*>(user)->options_.print({text, length});
  } catch (...) {  // printing is the last step: there is no one to tell
  }
}

inline void Profiler::Append(void* user, const char* text,
                             size_t length) noexcept {
  try {
    static_cast<std::string*>(user)->append(text, length);
  } catch (...) {  // out of memory: the text stays short
  }
}

inline bool Profiler::Render(const SummaryOptions& options,
                             stepscope_print_fn print, void* user) {
  stepscope_summary_options c = {};
  c.struct_size = sizeof(c);
  c.sorted_by = static_cast<uint32_t>(options.sorted_by);
  c.no_op_detail = options.op_detail ? 0 : 1;
  c.thread_sep = options.thread_sep ? 1 : 0;
  c.time_unit = options.time_unit.c_str();
  for (SummaryView view : options.views)
    c.views |= 1u << static_cast<unsigned>(view);
  return Ok(stepscope_profiler_summary(handle_, &c, print, user));
}

inline bool Profiler::Summary(const SummaryOptions& options) {
  return Render(options, nullptr, nullptr);
}

inline std::string Profiler::SummaryText(const SummaryOptions& options) {
  std::string text;
  Render(options, &Profiler::Append, &text);
  return text;
}

inline std::string Profiler::StepInfo(const std::string& unit) {
  char buffer[512] = "";
  stepscope_profiler_step_info(handle_, unit.c_str(), buffer, sizeof(buffer));
  return buffer;
}

inline std::string Profiler::LastError() const {
  char buffer[4096] = "";
  stepscope_profiler_last_error(handle_, buffer, sizeof(buffer));
  return buffer;
}

}  // namespace stepscope
