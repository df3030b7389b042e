// SPDX-License-Identifier: Apache-2.0
//
// The module stepscope._core: the Profiler behind <stepscope/c.h>, for the
// package in python/stepscope, which checks arguments and raises exceptions.
//
// Calls that may take long release the GIL. Warnings and printed text are kept
// and handed out to the thread that asks, so that only on_ready needs the GIL
// on a thread that Python does not know.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <stepscope/c.h>
#include <stepscope/external.h>
#include <stepscope/plugin.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "python/external.h"
#include "python/gil.h"
#include "python/traces.h"

namespace nb = nanobind;

namespace {

// Set when the interpreter is about to end: a thread that then asks for the GIL
// would never return.
std::atomic<bool> shut_down{false};

// What callbacks use. It outlives the Profiler if windows are still to be
// delivered then.
struct Shared {
  nb::object on_ready;
  // Set on the stepping thread, which then asks for it.
  std::atomic<int> next_state{STEPSCOPE_STATE_RECORD};
  std::mutex mutex;
  std::vector<std::string> warnings;
  std::string printed;
};

class Profiler {
 public:
  // `on_ready` is called without arguments when a window is complete. It raises
  // nothing.
  // `keep_steps`, `slow_factor` and `hang_ns` are of a flight recorder, and so
  // are its flags and the folder of the job.
  Profiler(uint32_t flags, uint32_t targets, const std::string& out_dir,
           nb::object on_ready, int64_t keep_steps, double slow_factor,
           int64_t hang_ns, uint32_t flight_flags, const std::string& job,
           uint32_t counters_us)
      : shared_(new Shared) {
    shared_->on_ready = std::move(on_ready);
    stepscope_profiler_options options = {};
    options.struct_size = sizeof(options);
    options.flags = flags;
    options.targets = targets;
    options.counters_us = counters_us;
    options.user = shared_;
    options.scheduler = &Profiler::NextState;
    options.on_trace_ready = &Profiler::OnReady;
    options.print = &Profiler::Print;
    options.warn = &Profiler::Warn;
    options.out_dir = out_dir.empty() ? nullptr : out_dir.c_str();
    stepscope_flight_options flight = {};
    flight.struct_size = sizeof(flight);
    flight.steps = keep_steps;
    flight.slow_factor = slow_factor;
    flight.hang_ns = hang_ns;
    flight.flags = flight_flags;
    flight.folder = job.empty() ? nullptr : job.c_str();
    options.flight = &flight;
    if (stepscope_profiler_create(&options, &handle_) != STEPSCOPE_OK)
      throw std::bad_alloc();
  }
  // What is not delivered by now was waited for: it keeps what it uses.
  ~Profiler() {
    Stop();
    if (!Wait(0)) return;
    {
      const GilReleased released;
      stepscope_profiler_destroy(handle_);
    }
    delete shared_;
  }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  int Start(int state) {
    const GilReleased released;
    shared_->next_state = state;
    return stepscope_profiler_start(handle_);
  }
  int Step(int64_t num_samples, int state) {
    const GilReleased released;
    shared_->next_state = state;
    return stepscope_profiler_step(handle_, num_samples);
  }
  int Stop() {
    const GilReleased released;
    return stepscope_profiler_stop(handle_);
  }
  int Reset() {
    const GilReleased released;
    return stepscope_profiler_reset(handle_);
  }
  int LeaveStep() { return stepscope_profiler_leave_step(handle_); }
  int Pause() { return stepscope_profiler_pause(handle_); }
  int Resume() { return stepscope_profiler_resume(handle_); }
  bool Wait(int timeout_ms) {
    const GilReleased released;
    return stepscope_profiler_wait(handle_, timeout_ms) == STEPSCOPE_OK;
  }

  // (status, text)
  nb::tuple Summary(uint32_t sorted_by, bool op_detail, bool thread_sep,
                    const std::string& time_unit, uint32_t views) {
    stepscope_summary_options options = {};
    options.struct_size = sizeof(options);
    options.sorted_by = sorted_by;
    options.no_op_detail = op_detail ? 0 : 1;
    options.thread_sep = thread_sep ? 1 : 0;
    options.time_unit = time_unit.c_str();
    options.views = views;
    std::string text;
    int status = 0;
    {
      const GilReleased released;
      status = stepscope_profiler_summary(handle_, &options, &Append, &text);
    }
    return nb::make_tuple(status, ToPython(text));
  }
  int Export(const std::string& path, const std::string& format) {
    const GilReleased released;
    return stepscope_profiler_export(handle_, path.c_str(), format.c_str());
  }
  int ExportTo(const std::string& folder, const std::string& worker,
               const std::string& format) {
    const GilReleased released;
    return stepscope_profiler_export_to(handle_, folder.c_str(), worker.c_str(),
                                        format.c_str());
  }
  std::string StepInfo(const std::string& unit) {
    char text[4096] = "";
    stepscope_profiler_step_info(handle_, unit.c_str(), text, sizeof(text));
    return text;
  }
  std::string LastError() {
    char text[4096] = "";
    stepscope_profiler_last_error(handle_, text, sizeof(text));
    return text;
  }
  int64_t StepNumber() { return stepscope_profiler_step_number(handle_); }
  int State() { return stepscope_profiler_state_now(handle_); }

  std::vector<std::string> TakeWarnings() {
    std::lock_guard<std::mutex> lock(shared_->mutex);
    return std::exchange(shared_->warnings, {});
  }
  nb::str TakePrinted() {
    std::lock_guard<std::mutex> lock(shared_->mutex);
    return ToPython(std::exchange(shared_->printed, {}));
  }

 private:
  static Shared* Self(void* user) { return static_cast<Shared*>(user); }

  // Names of events may hold bytes that are no UTF-8.
  static nb::str ToPython(const std::string& text) {
    PyObject* made = PyUnicode_DecodeUTF8(
        text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
    if (made == nullptr) nb::raise_python_error();
    return nb::steal<nb::str>(made);
  }
  static void Append(void* user, const char* text, size_t length) {
    static_cast<std::string*>(user)->append(text, length);
  }
  static int NextState(void* user, int64_t) { return Self(user)->next_state; }
  static void Print(void* user, const char* text, size_t length) {
    std::lock_guard<std::mutex> lock(Self(user)->mutex);
    Self(user)->printed.append(text, length);
  }
  static void Warn(void* user, const char* text, size_t length) {
    std::lock_guard<std::mutex> lock(Self(user)->mutex);
    Self(user)->warnings.emplace_back(text, length);
  }
  static int OnReady(void* user, stepscope_profiler*, char* error,
                     size_t error_size) {
    if (shut_down) {
      std::snprintf(error, error_size,
                    "on_trace_ready was not called: Python is exiting");
      return 1;
    }
    const GilTaken taken;
    PyObject* const on_ready = Self(user)->on_ready.ptr();
    PyObject* const result =
        OrWaitForTheEnd([=] { return PyObject_CallNoArgs(on_ready); });
    if (result == nullptr) {
      if (shut_down) {
        PyErr_Clear();  // it was asked to end
      } else {
        PyErr_WriteUnraisable(on_ready);
      }
      std::snprintf(error, error_size, "on_trace_ready raised");
      return 1;
    }
    Py_DECREF(result);
    return 0;
  }

  Shared* const shared_;
  stepscope_profiler* handle_ = nullptr;
};

// Time spent waiting for a batch, for the timer and as a Dataloader event;
// `silent`: for the timer alone.
class Read {
 public:
  Read(uint64_t reader, bool silent) {
    const auto* which =
        reinterpret_cast<const void*>(static_cast<uintptr_t>(reader));
    read_ = silent ? stepscope_reader_begin_silent(which)
                   : stepscope_reader_begin(which);
  }
  void End() {
    if (!std::exchange(over_, true)) stepscope_reader_end(read_);
  }
  void Cancel() {
    if (!std::exchange(over_, true)) stepscope_reader_cancel(read_);
  }

 private:
  stepscope_read read_ = {};
  bool over_ = false;
};

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // what lives at exit is no news to a user
  m.doc() = "The Profiler in C++. Use the package stepscope instead.";
  nb::class_<Profiler>(m, "Profiler")
      .def(nb::init<uint32_t, uint32_t, const std::string&, nb::object, int64_t,
                    double, int64_t, uint32_t, const std::string&, uint32_t>())
      .def("start", &Profiler::Start)
      .def("step", &Profiler::Step)
      .def("stop", &Profiler::Stop)
      .def("reset", &Profiler::Reset)
      .def("leave_step", &Profiler::LeaveStep)
      .def("pause", &Profiler::Pause)
      .def("resume", &Profiler::Resume)
      .def("wait", &Profiler::Wait)
      .def("summary", &Profiler::Summary)
      .def("export", &Profiler::Export)
      .def("export_to", &Profiler::ExportTo)
      .def("step_info", &Profiler::StepInfo)
      .def("last_error", &Profiler::LastError)
      .def("step_number", &Profiler::StepNumber)
      .def("state", &Profiler::State)
      .def("take_warnings", &Profiler::TakeWarnings)
      .def("take_printed", &Profiler::TakePrinted);
  nb::class_<Read>(m, "Read")
      .def(nb::init<uint64_t, bool>(), nb::arg("reader"),
           nb::arg("silent") = false)
      .def("end", &Read::End)
      .def("cancel", &Read::Cancel);
  AddTraces(m);
  AddExternal(m);
  // No callback is called any more. What `threads` run gets a SystemExit, and
  // after the time is left to itself.
  m.def("shut_down",
        [](const std::vector<unsigned long>& threads, int timeout_ms) {
          shut_down = true;
          for (const unsigned long thread : threads)
            PyThreadState_SetAsyncExc(thread, PyExc_SystemExit);
          const GilReleased released;
          WaitForAbandonedWork();
          stepscope_end_deliveries(timeout_ms);
        });
  m.def("version", [] { return std::string(stepscope_version()); });
  m.def("last_error", [] { return std::string(stepscope_last_error()); });
  m.def("make_folder", [](const std::string& path) {
    return stepscope_make_folder(path.c_str());
  });
  m.def("flight_save", [](const std::string& reason) {
    return stepscope_flight_save(reason.c_str());
  });
  // A file of another tool as a part of the capture.
  m.def("add_file", [](uint64_t session, uint32_t kind, const nb::bytes& data) {
    const GilReleased released;
    return stepscope_add_file(session, kind, data.c_str(), data.size());
  });
  // The one that records, or was stopped last; 0: there was none.
  m.def("session", [] { return stepscope_session(); });
  m.def("mark_step", [] { stepscope_step(); });
  // A recording without steps, into one file.
  m.def("start_session", [](const std::string& path, bool devices) {
    const GilReleased released;
    stepscope_use_devices(devices ? STEPSCOPE_DEVICES_AUTO
                                  : STEPSCOPE_DEVICES_OFF);
    stepscope_options options = {};
    options.struct_size = sizeof(options);
    options.path = path.c_str();
    return stepscope_start(&options);
  });
  m.def("stop_session", [](int timeout_ms) {
    const GilReleased released;
    const uint64_t session = stepscope_session();
    const int status = stepscope_stop();
    return status != STEPSCOPE_OK ? status
                                  : stepscope_wait(session, timeout_ms);
  });
  m.def("counter", [](const std::string& name, double value) {
    stepscope_counter_f64(name.c_str(), value);
  });
  m.def("instant", [](const std::string& name) {
    stepscope_instant(name.c_str(), STEPSCOPE_PYTHON_USER_DEFINED);
  });
  m.def("set_thread_name", [](const std::string& name) {
    stepscope_set_thread_name(name.c_str());
  });
  m.def("set_metadata", [](const std::string& key, const std::string& value) {
    stepscope_set_metadata(key.c_str(), value.c_str());
  });
}
