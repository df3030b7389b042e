// SPDX-License-Identifier: Apache-2.0
//
// The session half of the C API; recording is in record.cc.
#include <stepscope/c.h>

#include "collector/error.h"
#include "collector/process_info.h"
#include "collector/session.h"

#ifndef STEPSCOPE_VERSION
#error "the build defines STEPSCOPE_VERSION"
#endif

namespace sc = stepscope::collector;

extern "C" {

int stepscope_prepare(const stepscope_options* options) noexcept {
  return sc::PrepareSession(options);
}
int stepscope_start(const stepscope_options* options) noexcept {
  return sc::StartSession(options);
}
int stepscope_stop(void) noexcept { return sc::StopSession(); }
uint64_t stepscope_session(void) noexcept { return sc::CurrentSession(); }
int stepscope_wait(uint64_t session, int timeout_ms) noexcept {
  return sc::WaitSealed(session, timeout_ms);
}
int stepscope_session_path(uint64_t session, char* buffer,
                           size_t size) noexcept {
  return sc::SessionPath(session, buffer, size);
}
int stepscope_get_stats(stepscope_stats* stats) noexcept {
  return sc::SessionStats(stats);
}
void stepscope_set_metadata(const char* key, const char* value) noexcept {
  sc::SetMetadata(key, value);
}
const char* stepscope_last_error(void) noexcept { return sc::LastError(); }
const char* stepscope_version(void) noexcept { return STEPSCOPE_VERSION; }

}  // extern "C"
