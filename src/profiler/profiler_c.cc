// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of the profiler. Nothing thrown passes this border.
#include <stepscope/c.h>
#include <stepscope/plugin.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "profiler/cancel_off.h"
#include "profiler/environment_profiler.h"
#include "profiler/flight_recorder.h"
#include "profiler/output_names.h"
#include "profiler/process_state.h"
#include "profiler/profiler_core.h"
#include "profiler/schedule.h"

struct stepscope_profiler {
  std::shared_ptr<stepscope::profiler::ProfilerCore> core;
  uint32_t targets = 0;
  uint32_t counters_us = 0;
};

namespace stepscope::profiler {
namespace {

constexpr uint32_t kCpuTarget = 1u << STEPSCOPE_TARGET_CPU;

int StatusOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      return STEPSCOPE_NOT_RUNNING;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported:
      return STEPSCOPE_INVALID;
    case ErrorCode::kIo:
    case ErrorCode::kCorrupt:
    case ErrorCode::kCancelled:
      break;
  }
  return STEPSCOPE_IO;
}

// The reason for stepscope_last_error(), where the status says it all.
const char* ReasonFor(int status) {
  switch (status) {
    case STEPSCOPE_OK:
      return nullptr;
    case STEPSCOPE_BUSY:
      return "the profiler is already running";
    case STEPSCOPE_NOT_RUNNING:
      return "the profiler is not running";
    case STEPSCOPE_NO_MEMORY:
      return "not enough memory";
    case STEPSCOPE_TIMEOUT:
      return "a window was not delivered in time";
    case STEPSCOPE_TRUNCATED:
      return "the text does not fit into the buffer";
    default:
      return "an argument of the call is NULL, empty or out of range";
  }
}

// Sets the thread's last error; null clears it.
int Finish(int status, const char* why) {
  stepscope_set_last_error(why);
  return status;
}

// Runs `body` on the profiler; what it throws can only be lack of memory.
// `body` gives the reason of its own failures.
template <typename Body>
int Guarded(const stepscope_profiler* profiler, Body body) noexcept {
  if (profiler == nullptr)
    return Finish(STEPSCOPE_INVALID, "the profiler is NULL");
  try {
    const int status = body(*profiler->core);
    if (status == STEPSCOPE_OK) stepscope_set_last_error(nullptr);
    return status;
  } catch (...) {
    profiler->core->diagnostics().ReportNoMemory("the call failed", nullptr);
    return Finish(STEPSCOPE_NO_MEMORY, ReasonFor(STEPSCOPE_NO_MEMORY));
  }
}

// For a `body` whose status says why it failed.
template <typename Body>
int Call(const stepscope_profiler* profiler, Body body) noexcept {
  return Guarded(profiler, [&body](ProfilerCore& core) -> int {
    const int status = body(core);
    return Finish(status, ReasonFor(status));
  });
}

int Copy(const std::string& text, char* buffer, size_t size) {
  if (buffer == nullptr || size == 0) return STEPSCOPE_INVALID;
  size_t length = text.size() < size ? text.size() : size - 1;
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
  return length == text.size() ? STEPSCOPE_OK : STEPSCOPE_TRUNCATED;
}

std::string Text(const char* text) { return text != nullptr ? text : ""; }

// Keeps the error of a failed export.
int Outcome(ProfilerCore& core, const Status& status) {
  if (status) return STEPSCOPE_OK;
  core.diagnostics().Report(Reason::kExport, status.error().message);
  return Finish(StatusOf(status.error()), status.error().message.c_str());
}

int ExportToFolder(ProfilerCore& core, const std::string& folder,
                   const std::string& worker, const std::string& format) {
  Status made = MakeFolder(folder);
  if (!made) return Outcome(core, made);
  const char* suffix = format == "capture"  ? ".sscap"
                       : format == "pb"     ? ".paddle_trace.pb"
                       : format == "kineto" ? ".pt.trace.json"
                                            : ".paddle_trace.json";
  return Outcome(core, core.Export(TimedPath(folder, worker, suffix), format));
}

Recorder& RecorderFor(const stepscope_profiler_options& c) {
  return (c.flags & STEPSCOPE_FLIGHT) != 0
             ? FlightRecorder(c.flight, CaptureFolder(Text(c.out_dir)))
             : CollectorRecorder();
}

CoreOptions Translate(const stepscope_profiler_options& c,
                      stepscope_profiler* handle) {
  CoreOptions options;
  options.flags = c.flags;
  options.out_dir = Text(c.out_dir);
  options.memory_budget = c.memory_budget;
  void* user = c.user;
  if ((c.flags & STEPSCOPE_FLIGHT) != 0) {
    // No scheduler: every step is recorded.
  } else if (auto steps = EnvironmentSteps()) {
    options.scheduler = [schedule = ScheduleFor(*steps)](int64_t step) {
      return stepscope_schedule_state(&schedule, step);
    };
  } else if (c.scheduler != nullptr) {
    options.scheduler = [call = c.scheduler, user](int64_t step) {
      return call(user, step);
    };
  }
  if (c.on_trace_ready != nullptr) {
    options.on_trace_ready = [call = c.on_trace_ready, user, handle] {
      char why[1024] = "";
      if (call(user, handle, why, sizeof(why)) == 0) return std::string();
      return std::string(why[0] != '\0' ? why : "on_trace_ready failed");
    };
  } else {
    options.on_trace_ready = [handle] {
      ExportToFolder(*handle->core, "./profiler_log", "", "json");
      return std::string();
    };
  }
  if (c.print != nullptr) {
    options.print = [print = c.print, user](std::string_view text) {
      print(user, text.data(), text.size());
    };
  }
  if (c.warn != nullptr) {
    options.warn = [warn = c.warn, user](std::string_view text) {
      warn(user, text.data(), text.size());
    };
  }
  return options;
}

// Without targets, what the machine has is recorded.
void UseTargets(uint32_t targets, uint32_t counters_us) {
  stepscope_use_counters(counters_us);
  stepscope_use_devices(targets == kCpuTarget ? STEPSCOPE_DEVICES_OFF
                                              : STEPSCOPE_DEVICES_AUTO);
}

// Says why a device that was asked for by name is not recorded.
void CheckTargets(uint32_t targets, Diagnostics& diagnostics) {
  if ((targets & ~kCpuTarget) == 0) return;
  char report[1024];
  stepscope_device_report(report, sizeof(report));
  const std::string_view said(report);
  if (said.find(": recording: ") != said.npos ||
      said.find(": partial: ") != said.npos)
    return;
  diagnostics.Warn(Reason::kTargets,
                   said.empty()
                       ? "only the CPU is recorded: no device plugin "
                         "beside libstepscope.so"
                       : "only the CPU is recorded: " + std::string(said));
}

}  // namespace
}  // namespace stepscope::profiler

namespace sp = stepscope::profiler;
using sp::Call;
using sp::Guarded;
using sp::ProcessState;
using sp::ProfilerCore;

extern "C" {

int stepscope_profiler_create(const stepscope_profiler_options* options,
                              stepscope_profiler** profiler) noexcept {
  const sp::CancelOff cancel_off;
  if (profiler == nullptr)
    return sp::Finish(STEPSCOPE_INVALID, "the profiler is NULL");
  *profiler = nullptr;
  stepscope_profiler_options c = {};
  if (options != nullptr) {
    constexpr size_t kOldest = offsetof(stepscope_profiler_options, warn);
    if (options->struct_size < kOldest)
      return sp::Finish(STEPSCOPE_INVALID,
                        "stepscope_profiler_options: struct_size is not set");
    std::memcpy(&c, options, std::min<size_t>(options->struct_size, sizeof(c)));
  }
  try {
    auto handle = std::make_unique<stepscope_profiler>();
    handle->core = std::make_shared<ProfilerCore>(
        sp::Translate(c, handle.get()), sp::RecorderFor(c),
        sp::DefaultTraceTools());
    handle->targets = c.targets;
    handle->counters_us = c.counters_us;
    *profiler = handle.release();
    return sp::Finish(STEPSCOPE_OK, nullptr);
  } catch (...) {
    return sp::Finish(STEPSCOPE_NO_MEMORY, "not enough memory for a profiler");
  }
}

void stepscope_profiler_destroy(stepscope_profiler* profiler) noexcept {
  const sp::CancelOff cancel_off;
  if (profiler == nullptr) return;
  bool done = false;
  Guarded(profiler, [&done](ProfilerCore& core) {
    done = core.Close();
    return STEPSCOPE_OK;
  });
  // A handle that a callback still holds, or the parent's threads in a forked
  // child, is left alone.
  if (done) delete profiler;
}

int stepscope_profiler_start(stepscope_profiler* profiler) noexcept {
  const sp::CancelOff cancel_off;
  return Call(profiler, [profiler](ProfilerCore& core) {
    if (!core.timer_only() && !core.inert()) {
      sp::YieldEnvironment();
      sp::UseTargets(profiler->targets, profiler->counters_us);
    }
    return core.Start();
  });
}

int stepscope_profiler_step(stepscope_profiler* profiler,
                            int64_t num_samples) noexcept {
  const sp::CancelOff cancel_off;
  return Call(profiler, [num_samples](ProfilerCore& core) {
    return core.Step(num_samples);
  });
}

int stepscope_profiler_leave_step(stepscope_profiler* profiler) noexcept {
  const sp::CancelOff cancel_off;
  return Call(profiler, [](ProfilerCore& core) { return core.LeaveStep(); });
}

int stepscope_profiler_stop(stepscope_profiler* profiler) noexcept {
  const sp::CancelOff cancel_off;
  return Call(profiler, [profiler](ProfilerCore& core) {
    if (!core.timer_only() && !core.inert())
      sp::CheckTargets(profiler->targets, core.diagnostics());
    return core.Stop();
  });
}

int stepscope_profiler_reset(stepscope_profiler* profiler) noexcept {
  const sp::CancelOff cancel_off;
  return Call(profiler, [](ProfilerCore& core) { return core.Reset(); });
}

int stepscope_profiler_pause(stepscope_profiler* profiler) noexcept {
  const sp::CancelOff cancel_off;
  return Call(profiler, [](ProfilerCore& core) { return core.Pause(); });
}

int stepscope_profiler_resume(stepscope_profiler* profiler) noexcept {
  const sp::CancelOff cancel_off;
  return Call(profiler, [](ProfilerCore& core) { return core.Resume(); });
}

int stepscope_profiler_wait(stepscope_profiler* profiler,
                            int timeout_ms) noexcept {
  const sp::CancelOff cancel_off;
  return Call(profiler, [timeout_ms](ProfilerCore& core) -> int {
    return core.Wait(timeout_ms) ? STEPSCOPE_OK : STEPSCOPE_TIMEOUT;
  });
}

int stepscope_end_deliveries(int timeout_ms) noexcept {
  const sp::CancelOff cancel_off;
  const int status = ProcessState::EndDeliveries(timeout_ms)
                         ? STEPSCOPE_OK
                         : STEPSCOPE_TIMEOUT;
  return sp::Finish(status, sp::ReasonFor(status));
}

int stepscope_profiler_summary(stepscope_profiler* profiler,
                               const stepscope_summary_options* options,
                               stepscope_print_fn print, void* user) noexcept {
  const sp::CancelOff cancel_off;
  return Guarded(profiler, [=](ProfilerCore& core) -> int {
    stepscope_summary_options c = {};
    if (options != nullptr) {
      if (options->struct_size < sizeof(c))
        return sp::Finish(STEPSCOPE_INVALID,
                          "stepscope_summary_options: struct_size is not set");
      c = *options;
    }
    auto text = core.SummaryText(c);
    if (!text) {
      core.diagnostics().Keep(text.error().message);
      return sp::Finish(sp::StatusOf(text.error()),
                        text.error().message.c_str());
    }
    if (print != nullptr) {
      print(user, text->data(), text->size());
    } else {
      core.Print(*text);
    }
    return STEPSCOPE_OK;
  });
}

int stepscope_profiler_export(stepscope_profiler* profiler, const char* path,
                              const char* format) noexcept {
  const sp::CancelOff cancel_off;
  if (path == nullptr || *path == '\0')
    return sp::Finish(STEPSCOPE_INVALID, "the path is NULL or empty");
  return Guarded(profiler, [=](ProfilerCore& core) {
    return sp::Outcome(core, core.Export(path, sp::Text(format)));
  });
}

int stepscope_profiler_export_to(stepscope_profiler* profiler,
                                 const char* folder, const char* worker,
                                 const char* format) noexcept {
  const sp::CancelOff cancel_off;
  if (folder == nullptr || *folder == '\0')
    return sp::Finish(STEPSCOPE_INVALID, "the folder is NULL or empty");
  return Guarded(profiler, [=](ProfilerCore& core) {
    return sp::ExportToFolder(core, folder, sp::Text(worker), sp::Text(format));
  });
}

int stepscope_make_folder(const char* path) noexcept {
  const sp::CancelOff cancel_off;
  if (path == nullptr || *path == '\0')
    return sp::Finish(STEPSCOPE_INVALID, "the path is NULL or empty");
  try {
    stepscope::Status made = sp::MakeFolder(path);
    return made ? sp::Finish(STEPSCOPE_OK, nullptr)
                : sp::Finish(STEPSCOPE_IO, made.error().message.c_str());
  } catch (...) {
    return sp::Finish(STEPSCOPE_NO_MEMORY, sp::ReasonFor(STEPSCOPE_NO_MEMORY));
  }
}

int stepscope_profiler_step_info(stepscope_profiler* profiler, const char* unit,
                                 char* buffer, size_t size) noexcept {
  const sp::CancelOff cancel_off;
  return Call(profiler, [=](ProfilerCore& core) {
    return sp::Copy(core.StepInfo(sp::Text(unit)), buffer, size);
  });
}

int stepscope_profiler_last_error(const stepscope_profiler* profiler,
                                  char* buffer, size_t size) noexcept {
  const sp::CancelOff cancel_off;
  if (profiler == nullptr) return STEPSCOPE_INVALID;
  // Leaves stepscope_last_error() alone: whoever asks here may ask there next.
  try {
    ProfilerCore& core = *profiler->core;
    return sp::Copy(core.inert() ? "" : core.diagnostics().last_error(), buffer,
                    size);
  } catch (...) {
    return STEPSCOPE_NO_MEMORY;
  }
}

int64_t stepscope_profiler_step_number(
    const stepscope_profiler* profiler) noexcept {
  const sp::CancelOff cancel_off;
  return profiler != nullptr ? profiler->core->step_number() : 0;
}

int stepscope_profiler_state_now(const stepscope_profiler* profiler) noexcept {
  const sp::CancelOff cancel_off;
  return profiler != nullptr ? profiler->core->state() : STEPSCOPE_STATE_CLOSED;
}

}  // extern "C"
