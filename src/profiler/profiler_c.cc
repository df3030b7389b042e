// SPDX-License-Identifier: Apache-2.0
//
// The C ABI of the profiler. Nothing thrown passes this border.
#include <stepscope/c.h>
#include <stepscope/plugin.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "profiler/environment_profiler.h"
#include "profiler/output_names.h"
#include "profiler/process_state.h"
#include "profiler/profiler_core.h"
#include "profiler/schedule.h"

struct stepscope_profiler {
  std::shared_ptr<stepscope::ProfilerCore> core;
  uint32_t targets = 0;
};

namespace stepscope {
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

// Runs `body` on the profiler; what it throws can only be lack of memory.
template <typename Body>
int Guarded(const stepscope_profiler* profiler, Body body) noexcept {
  if (profiler == nullptr) return STEPSCOPE_INVALID;
  try {
    return body(*profiler->core);
  } catch (...) {
    return STEPSCOPE_NO_MEMORY;
  }
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
  return StatusOf(status.error());
}

int ExportTo(ProfilerCore& core, const std::string& folder,
             const std::string& worker, const std::string& format) {
  Status made = MakeFolder(folder);
  if (!made) return Outcome(core, made);
  const char* suffix = format == "capture" ? ".sscap" : ".paddle_trace.json";
  return Outcome(core, core.Export(TimedPath(folder, worker, suffix), format));
}

CoreOptions Translate(const stepscope_profiler_options& c,
                      stepscope_profiler* handle) {
  CoreOptions options;
  options.flags = c.flags;
  options.out_dir = Text(c.out_dir);
  options.memory_budget = c.memory_budget;
  void* user = c.user;
  if (auto steps = EnvironmentSteps()) {
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
      ExportTo(*handle->core, "./profiler_log", "", "json");
      return std::string();
    };
  }
  if (c.print != nullptr) {
    options.print = [print = c.print, user](std::string_view text) {
      print(user, text.data(), text.size());
    };
  }
  return options;
}

// Without targets, what the machine has is recorded.
void UseTargets(uint32_t targets) {
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
                   said.empty() ? "only the CPU is recorded: no device plugin "
                                  "beside libstepscope.so"
                                : "only the CPU is recorded: " +
                                      std::string(said));
}

}  // namespace
}  // namespace stepscope

using stepscope::Guarded;
using stepscope::ProcessState;
using stepscope::ProfilerCore;

extern "C" {

int stepscope_profiler_create(const stepscope_profiler_options* options,
                              stepscope_profiler** profiler) noexcept {
  if (profiler == nullptr) return STEPSCOPE_INVALID;
  *profiler = nullptr;
  stepscope_profiler_options c = {};
  if (options != nullptr) {
    if (options->struct_size < sizeof(c)) return STEPSCOPE_INVALID;
    c = *options;
  }
  try {
    auto handle = std::make_unique<stepscope_profiler>();
    handle->core = std::make_shared<ProfilerCore>(
        stepscope::Translate(c, handle.get()), stepscope::CollectorRecorder(),
        stepscope::DefaultTraceTools());
    handle->targets = c.targets;
    *profiler = handle.release();
    return STEPSCOPE_OK;
  } catch (...) {
    return STEPSCOPE_NO_MEMORY;
  }
}

void stepscope_profiler_destroy(stepscope_profiler* profiler) noexcept {
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
  return Guarded(profiler, [profiler](ProfilerCore& core) {
    if (!core.timer_only() && !core.inert()) {
      stepscope::YieldEnvironment();
      stepscope::UseTargets(profiler->targets);
    }
    return core.Start();
  });
}

int stepscope_profiler_step(stepscope_profiler* profiler,
                            int64_t num_samples) noexcept {
  return Guarded(profiler, [num_samples](ProfilerCore& core) {
    return core.Step(num_samples);
  });
}

int stepscope_profiler_stop(stepscope_profiler* profiler) noexcept {
  return Guarded(profiler, [profiler](ProfilerCore& core) {
    if (!core.timer_only() && !core.inert())
      stepscope::CheckTargets(profiler->targets, core.diagnostics());
    return core.Stop();
  });
}

int stepscope_profiler_reset(stepscope_profiler* profiler) noexcept {
  return Guarded(profiler, [](ProfilerCore& core) { return core.Reset(); });
}

int stepscope_profiler_pause(stepscope_profiler* profiler) noexcept {
  return Guarded(profiler, [](ProfilerCore& core) { return core.Pause(); });
}

int stepscope_profiler_resume(stepscope_profiler* profiler) noexcept {
  return Guarded(profiler, [](ProfilerCore& core) { return core.Resume(); });
}

int stepscope_profiler_wait(stepscope_profiler* profiler,
                            int timeout_ms) noexcept {
  return Guarded(profiler, [timeout_ms](ProfilerCore& core) -> int {
    return core.Wait(timeout_ms) ? STEPSCOPE_OK : STEPSCOPE_TIMEOUT;
  });
}

int stepscope_profiler_summary(stepscope_profiler* profiler,
                               const stepscope_summary_options* options,
                               stepscope_print_fn print, void* user) noexcept {
  return Guarded(profiler, [=](ProfilerCore& core) -> int {
    stepscope_summary_options c = {};
    if (options != nullptr) {
      if (options->struct_size < sizeof(c)) return STEPSCOPE_INVALID;
      c = *options;
    }
    auto text = core.SummaryText(c);
    if (!text) {
      core.diagnostics().Keep(text.error().message);
      return stepscope::StatusOf(text.error());
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
  if (path == nullptr || *path == '\0') return STEPSCOPE_INVALID;
  return Guarded(profiler, [=](ProfilerCore& core) {
    return stepscope::Outcome(core, core.Export(path, stepscope::Text(format)));
  });
}

int stepscope_profiler_export_to(stepscope_profiler* profiler,
                                 const char* folder, const char* worker,
                                 const char* format) noexcept {
  if (folder == nullptr || *folder == '\0') return STEPSCOPE_INVALID;
  return Guarded(profiler, [=](ProfilerCore& core) {
    return stepscope::ExportTo(core, folder, stepscope::Text(worker),
                               stepscope::Text(format));
  });
}

int stepscope_make_folder(const char* path) noexcept {
  if (path == nullptr || *path == '\0') return STEPSCOPE_INVALID;
  try {
    stepscope::Status made = stepscope::MakeFolder(path);
    return made ? STEPSCOPE_OK : STEPSCOPE_IO;
  } catch (...) {
    return STEPSCOPE_NO_MEMORY;
  }
}

int stepscope_profiler_step_info(stepscope_profiler* profiler, const char* unit,
                                 char* buffer, size_t size) noexcept {
  return Guarded(profiler, [=](ProfilerCore& core) {
    return stepscope::Copy(core.StepInfo(stepscope::Text(unit)), buffer, size);
  });
}

int stepscope_profiler_last_error(const stepscope_profiler* profiler,
                                  char* buffer, size_t size) noexcept {
  return Guarded(profiler, [=](ProfilerCore& core) {
    if (core.inert()) return stepscope::Copy("", buffer, size);
    return stepscope::Copy(core.diagnostics().last_error(), buffer, size);
  });
}

int64_t stepscope_profiler_step_number(
    const stepscope_profiler* profiler) noexcept {
  return profiler != nullptr ? profiler->core->step_number() : 0;
}

int stepscope_profiler_state_now(const stepscope_profiler* profiler) noexcept {
  return profiler != nullptr ? profiler->core->state() : STEPSCOPE_STATE_CLOSED;
}

}  // extern "C"
