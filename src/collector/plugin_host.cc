// SPDX-License-Identifier: Apache-2.0
#include "collector/plugin_host.h"

#include <dlfcn.h>
#include <stepscope/plugin.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/clock.h"
#include "collector/device_blocks.h"
#include "collector/device_worker.h"
#include "collector/error.h"

namespace stepscope::collector {
namespace {

constexpr uint32_t kPlugins = Session::kPlugins;

constinit DeviceWorker workers[kPlugins];
std::atomic<int> mode{STEPSCOPE_DEVICES_AUTO};
std::atomic<uint32_t> counters_us{0};  // 0: as the environment says
std::atomic<bool> searched{false};
pthread_mutex_t search = PTHREAD_MUTEX_INITIALIZER;

// The libraries of the devices are still whole when this runs; when the
// collector's own destructor runs they need not be.
void DetachAtExit() {
  for (DeviceWorker& worker : workers) worker.Release(0);
  for (DeviceWorker& worker : workers) worker.WaitReleased();
}

// Gives the recording session what has attached since it began.
void BindLate() {
  const MutexLock lock(&core.control);
  for (const Session& session : core.sessions)
    if (session.state.load() == SessionState::kRecording) BindDevices(session);
}

void SearchBesideLibrary() {
  Dl_info self = {};
  if (dladdr(reinterpret_cast<void*>(&WantDevices), &self) == 0 ||
      self.dli_fname == nullptr)
    return;
  char path[4096];
  const char* slash = std::strrchr(self.dli_fname, '/');
  const int folder =
      slash != nullptr ? static_cast<int>(slash - self.dli_fname) + 1 : 0;
  std::snprintf(path, sizeof(path), "%.*slibstepscope_cupti.so", folder,
                self.dli_fname);
  if (access(path, R_OK) == 0)
    workers[0].Configure(path, DetachAtExit, BindLate);
}

void Search() {
  if (searched.load(std::memory_order_acquire)) return;
  const MutexLock lock(&search);
  if (searched.load(std::memory_order_relaxed)) return;
  const char* list = secure_getenv("STEPSCOPE_PLUGIN_PATH");
  // Code that somebody else may have chosen is not loaded with raised
  // privileges, wherever it lies.
  if (getauxval(AT_SECURE) != 0) {
  } else if (list == nullptr || list[0] == '\0') {
    SearchBesideLibrary();
  } else {
    for (uint32_t i = 0; i < kPlugins && *list != '\0'; ++i) {
      const size_t length = std::strcspn(list, ":");
      char path[4096];
      std::snprintf(path, sizeof(path), "%.*s", static_cast<int>(length), list);
      workers[i].Configure(path, DetachAtExit, BindLate);
      list += length + (list[length] == ':' ? 1 : 0);
    }
  }
  searched.store(true, std::memory_order_release);
}

bool OffByEnvironment() {
  const char* text = secure_getenv("STEPSCOPE_GPU");
  return text != nullptr && std::strcmp(text, "0") == 0;
}

// Microseconds between samples of the hardware's counters; 0: none.
uint32_t CounterInterval() {
  const uint32_t chosen = counters_us.load(std::memory_order_relaxed);
  if (chosen != 0) return chosen;
  const char* text = secure_getenv("STEPSCOPE_GPU_COUNTERS");
  const long us = text != nullptr ? std::atol(text) : 0;
  return us > 0 && us <= 1000000 ? static_cast<uint32_t>(us) : 0;
}

void Want(bool early) {
  Search();
  const uint32_t interval = CounterInterval();
  for (DeviceWorker& worker : workers) worker.Want(early, interval);
}

void AppendLost(Session* session, const char* key, uint64_t* lost) {
  if (*lost == 0) return;
  char value[32];
  std::snprintf(value, sizeof(value), "%llu",
                static_cast<unsigned long long>(*lost));
  session->file.AppendFact(key, value);
  *lost = 0;
}

}  // namespace

void WantDevices() {
  if (mode.load() == STEPSCOPE_DEVICES_AUTO && !OffByEnvironment()) Want(false);
}

void WaitForDevices() {
  for (DeviceWorker& worker : workers) worker.WaitDecided();
}

void BindDevices(const Session& session) {
  for (DeviceWorker& worker : workers)
    worker.Bind(session.id, session.start_tick);
}

void FlushDevices(int timeout_ms) {
  const int64_t deadline = MonotonicNs() + int64_t{timeout_ms} * 1000000;
  for (DeviceWorker& worker : workers) worker.Flush(deadline);
}

void ReleaseDevices(uint64_t end) {
  for (DeviceWorker& worker : workers) worker.Release(end);
}

void TendDevices(Session* session) {
  DrainDeviceBlocks();
  for (uint32_t i = 0; i < kPlugins; ++i) {
    char type[64];
    char key[80];
    char line[DeviceWorker::kLineBytes];
    if (!workers[i].NewLine(&session->device_lines[i], type, sizeof(type),
                            line))
      continue;
    std::snprintf(key, sizeof(key), "device.%s", type);
    session->file.AppendFact(key, line);
  }
  if (session->state.load(std::memory_order_acquire) != SessionState::kStopping)
    return;
  AppendLost(session, "device_lost.io", &session->device_lost_io);
  AppendLost(session, "device_lost.file_limit", &session->device_lost_limit);
}

bool DevicesFinished(const Session& session) {
  bool finished = true;
  for (DeviceWorker& worker : workers) finished &= worker.Finished(session.id);
  return finished;
}

void HoldDevicesForFork() {
  constexpr int64_t kLongestNs = 1000000000;
  const int64_t deadline = MonotonicNs() + kLongestNs;
  for (DeviceWorker& worker : workers) worker.HoldForFork(deadline);
}

void ResumeDevicesAfterFork() {
  for (DeviceWorker& worker : workers) worker.ResumeAfterFork();
}

void ResetDevicesAfterFork() {
  search = PTHREAD_MUTEX_INITIALIZER;
  for (DeviceWorker& worker : workers) worker.ResetAfterFork();
  ResetDeviceBlocksAfterFork();
}

}  // namespace stepscope::collector

namespace sc = stepscope::collector;

extern "C" {

void stepscope_use_devices(int wanted) noexcept {
  sc::mode.store(wanted, std::memory_order_relaxed);
}

void stepscope_use_counters(uint32_t interval_us) noexcept {
  sc::counters_us.store(interval_us, std::memory_order_relaxed);
}

int stepscope_attach_devices(void) noexcept {
  const sc::ApiCall call;
  if (sc::mode.load() == STEPSCOPE_DEVICES_OFF || sc::OffByEnvironment())
    return STEPSCOPE_OK;
  bool any = false;
  for (const sc::Session& session : sc::core.sessions) {
    const sc::SessionState state = session.state.load();
    any |= state == sc::SessionState::kPrepared ||
           state == sc::SessionState::kRecording;
  }
  if (!any)
    return sc::Fail(STEPSCOPE_NOT_RUNNING,
                    "no session is recording or prepared");
  sc::Want(true);
  sc::WaitForDevices();
  sc::BindLate();
  sc::ClearLastError();
  return STEPSCOPE_OK;
}

void stepscope_record_device_work(int on) noexcept {
  for (sc::DeviceWorker& worker : sc::workers) worker.SetRecording(on != 0);
}

int stepscope_device_work(void) noexcept {
  int all = STEPSCOPE_WORK_ALWAYS;
  for (const sc::DeviceWorker& worker : sc::workers) {
    const int work = worker.work();
    if (work == STEPSCOPE_WORK_LEFT_OUT) return work;
    if (work != STEPSCOPE_WORK_ALWAYS) all = work;
  }
  return all;
}

void stepscope_device_report(char* buffer, size_t size) noexcept {
  if (buffer == nullptr || size == 0) return;
  buffer[0] = '\0';
  size_t used = 0;
  for (sc::DeviceWorker& worker : sc::workers) {
    uint32_t seen = 0;
    char type[64];
    char line[sc::DeviceWorker::kLineBytes];
    if (used >= size || !worker.NewLine(&seen, type, sizeof(type), line))
      continue;
    const int n = std::snprintf(buffer + used, size - used, "%s%s: %s",
                                used > 0 ? "\n" : "", type, line);
    if (n > 0) used += static_cast<size_t>(n);
  }
}

}  // extern "C"
