// SPDX-License-Identifier: Apache-2.0
//
// The session half of the C API; recording is in record.cc.
#include <stepscope/c.h>

#include "collector/core.h"
#include "collector/error.h"
#include "collector/flight.h"
#include "collector/process_info.h"
#include "collector/session.h"
#include "collector/unrecorded_steps.h"
#include "collector/window_file.h"

#ifndef STEPSCOPE_VERSION
#error "the build defines STEPSCOPE_VERSION"
#endif

namespace sc = stepscope::collector;

namespace {

// Makes a call. What a failing one says stands until the thread's next call.
template <typename Call>
int Do(Call call) {
  const sc::ApiCall made;
  const int status = call();
  if (status == STEPSCOPE_OK) sc::ClearLastError();
  return status;
}

}  // namespace

extern "C" {

int stepscope_prepare(const stepscope_options* options) noexcept {
  return Do([&] { return sc::PrepareSession(options); });
}
int stepscope_start(const stepscope_options* options) noexcept {
  return Do([&] { return sc::StartSession(options); });
}
int stepscope_stop(void) noexcept {
  return Do([] { return sc::StopSession(); });
}
uint64_t stepscope_session(void) noexcept {
  const sc::ApiCall call;
  return sc::CurrentSession();
}
// libstepscope_inject.so has one of its own, which begins to record.
__attribute__((weak)) void stepscope_about_to_record(void) noexcept {}
int stepscope_wait(uint64_t session, int timeout_ms) noexcept {
  return Do([&] { return sc::WaitSealed(session, timeout_ms); });
}
int stepscope_session_path(uint64_t session, char* buffer,
                           size_t size) noexcept {
  return Do([&] { return sc::SessionPath(session, buffer, size); });
}
int stepscope_get_stats(stepscope_stats* stats) noexcept {
  return Do([&] { return sc::SessionStats(stats); });
}
void stepscope_set_metadata(const char* key, const char* value) noexcept {
  const sc::ApiCall call;
  sc::SetMetadata(key, value);
}
void stepscope_unrecorded_step(int64_t ns) noexcept {
  if (stepscope_enabled()) return;
  const sc::ApiCall call;
  sc::AddUnrecordedStep(ns);
}
void stepscope_keep_window(uint64_t from, uint64_t max_bytes) noexcept {
  sc::KeepWindow(from, max_bytes);
}
int stepscope_save_window(const char* path, uint64_t from, const char* reason,
                          int timeout_ms) noexcept {
  const sc::WindowFact fact{"saved", reason != nullptr ? reason : ""};
  return Do([&] {
    return sc::SaveWindow(path, {from, UINT64_MAX}, &fact, 1, timeout_ms);
  });
}
int stepscope_flight_start(const stepscope_flight_options* options) noexcept {
  return Do([&] { return sc::flight.Start(options); });
}
void stepscope_flight_step(int64_t step) noexcept { sc::flight.Step(step); }
int stepscope_flight_save(const char* reason) noexcept {
  return Do([&] { return sc::flight.AskToSave(reason); });
}
int stepscope_flight_stop(void) noexcept {
  return Do([] { return sc::flight.Stop(); });
}
const char* stepscope_last_error(void) noexcept { return sc::LastError(); }
void stepscope_set_last_error(const char* text) noexcept {
  if (text == nullptr || text[0] == '\0')
    sc::ClearLastError();
  else
    sc::SetLastError("%s", text);
}
const char* stepscope_version(void) noexcept { return STEPSCOPE_VERSION; }

}  // extern "C"
