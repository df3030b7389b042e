// SPDX-License-Identifier: Apache-2.0
#include "collector/device_worker.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/clock.h"
#include "collector/device_blocks.h"
#include "collector/error.h"
#include "collector/names.h"
#include "collector/own_thread.h"
#include "collector/sync.h"

namespace stepscope::collector {
namespace {

constexpr int64_t kMs = 1000000;
constexpr int64_t kPollNs = 10 * kMs;
constexpr int64_t kAwaitUseNs = 20 * kMs;
// Of a plugin that cannot leave work out.
constexpr size_t kLeastTable = offsetof(stepscope_plugin, set_recording);

// Of the thread that it belongs to; 0: not asked yet.
__thread uint32_t thread_id __attribute__((tls_model("initial-exec")));

bool IsForWork(uint32_t wish) { return wish % 2 == 0; }

pid_t ThreadId() { return static_cast<pid_t>(syscall(SYS_gettid)); }

const char* StateName(uint32_t state) {
  switch (state) {
    case STEPSCOPE_DEVICE_RECORDING:
      return "recording";
    case STEPSCOPE_DEVICE_ABSENT:
      return "absent";
    case STEPSCOPE_DEVICE_REFUSED:
      return "refused";
    case STEPSCOPE_DEVICE_PARTIAL:
      return "partial";
    default:
      return "unknown";
  }
}

// What the device library still holds is fetched this often: it bounds what a
// kill loses.
int64_t FlushPeriodNs() {
  const char* text = secure_getenv("STEPSCOPE_GPU_FLUSH_MS");
  const long ms = text != nullptr ? std::atol(text) : 0;
  return (ms > 0 && ms < 3600000 ? ms : 1000) * kMs;
}

}  // namespace

void DeviceWorker::Configure(const char* path, void (*at_exit)(),
                             void (*bind)()) {
  const MutexLock lock(&mutex_);
  std::snprintf(path_, sizeof(path_), "%s", path);
  at_exit_ = at_exit;
  bind_ = bind;
}

void DeviceWorker::Want(bool early, uint32_t counters_us) {
  const MutexLock lock(&mutex_);
  counters_us_ = counters_us;
  if (path_[0] == '\0' || unusable_ || wanted_) return;
  if (abandoned_) {
    Say(STEPSCOPE_DEVICE_REFUSED,
        "the plugin has not returned from an earlier session");
    return;
  }
  wanted_ = true;
  early_ = early;
  decided_ = false;
  if (!thread_) StartThread();
  changed_.Notify();
}

// REQUIRES: mutex_ held; so in all functions below that wait.
bool DeviceWorker::WaitUntil(MutexLock* lock, int64_t deadline_ns) {
  const int64_t left = deadline_ns - MonotonicNs();
  if (left <= 0) return false;
  lock->Wait(&changed_, left < 100 * kMs ? left : 100 * kMs);
  return true;
}

bool DeviceWorker::WaitDecided() {
  MutexLock lock(&mutex_);
  const int64_t deadline = MonotonicNs() + kAttachMs * kMs;
  while (wanted_ && !decided_) {
    if (WaitUntil(&lock, deadline)) continue;
    Say(STEPSCOPE_DEVICE_REFUSED, "the plugin did not attach within %d ms",
        kAttachMs);
    wanted_ = false;
    abandoned_ = true;
  }
  return phase_ == Phase::kAttached;
}

void DeviceWorker::Bind(uint64_t session, uint64_t begin) {
  const MutexLock lock(&mutex_);
  if (phase_ != Phase::kAttached || !wanted_ || session_.load() != 0) return;
  end_.store(0);
  session_.store(session);
  last_flush_ns_ = MonotonicNs();
  begin_.store(begin);
}

void DeviceWorker::Flush(int64_t deadline_ns) {
  MutexLock lock(&mutex_);
  if (phase_ != Phase::kAttached || session_.load() == 0) return;
  const uint32_t before = flushes_;
  last_flush_ns_ = 0;
  changed_.Notify();
  while (phase_ == Phase::kAttached && wanted_ && flushes_ == before)
    if (!WaitUntil(&lock, deadline_ns)) return;
}

// Without the lock, whose holder may be a thread of low priority.
void DeviceWorker::SetRecording(bool on) {
  uint32_t wish = wishes_.load();
  while (IsForWork(wish) != on) {
    if (!wishes_.compare_exchange_weak(wish, wish + 1)) continue;
    changed_.Notify();
    return;
  }
}

int DeviceWorker::work() const {
  if (!leaves_out_.load()) return STEPSCOPE_WORK_ALWAYS;
  const uint32_t wish = wishes_.load();
  return IsForWork(wish) && followed_.load() == wish ? STEPSCOPE_WORK_RECORDED
                                                     : STEPSCOPE_WORK_LEFT_OUT;
}

void DeviceWorker::Release(uint64_t end) {
  const MutexLock lock(&mutex_);
  SetRecording(true);  // for whoever records next
  if (!wanted_) return;
  wanted_ = false;
  end_.store(end);
  const int64_t now_ns = MonotonicNs();
  abandon_at_ns_ = now_ns + kAbandonMs * kMs;
  abandon_at_last_ns_ = now_ns + kAbandonAtLastMs * kMs;
  handed_over_seen_ = handed_over_.load(std::memory_order_relaxed);
  changed_.Notify();
}

bool DeviceWorker::Finished(uint64_t session) {
  const MutexLock lock(&mutex_);
  if (session_.load() != session) return true;
  if (wanted_) return false;
  const int64_t now_ns = MonotonicNs();
  // A thread that has little of a busy processor still gets there.
  const uint32_t handed_over = handed_over_.load(std::memory_order_relaxed);
  if (handed_over != handed_over_seen_ && now_ns < abandon_at_last_ns_) {
    handed_over_seen_ = handed_over;
    abandon_at_ns_ = now_ns + kAbandonMs * kMs;
  }
  if (now_ns < abandon_at_ns_) return false;
  Say(STEPSCOPE_DEVICE_PARTIAL,
      "the device did not hand over its last records: none for %d ms",
      kAbandonMs);
  session_.store(0);  // what still comes is nobody's
  abandoned_ = true;
  return true;
}

void DeviceWorker::WaitReleased() {
  MutexLock lock(&mutex_);
  const int64_t deadline = MonotonicNs() + kAbandonMs * kMs;
  while (thread_ && phase_ != Phase::kIdle && !wanted_)
    if (!WaitUntil(&lock, deadline)) return;
}

bool DeviceWorker::NewLine(uint32_t* seen, char* key, size_t key_bytes,
                           char* line) {
  const MutexLock lock(&mutex_);
  if (line_number_ == *seen) return false;
  *seen = line_number_;
  std::snprintf(key, key_bytes, "%s",
                plugin_ != nullptr ? plugin_->device_type : "GPU");
  std::snprintf(line, kLineBytes, "%s: %.560s", StateName(state_), line_);
  return true;
}

void DeviceWorker::BeginLoading() {
  pthread_mutex_lock(&loading_);
  loading_by_.store(ThreadId());
}

void DeviceWorker::EndLoading() {
  loading_by_.store(0);
  pthread_mutex_unlock(&loading_);
}

void DeviceWorker::HoldForFork(int64_t deadline_ns) {
  constexpr int64_t kPauseNs = 100000;
  // The plugin itself forks: a driver may run a program as it starts.
  if (loading_by_.load() == ThreadId()) return;
  while (pthread_mutex_trylock(&loading_) != 0) {
    if (hangs_.load()) return;
    if (MonotonicNs() >= deadline_ns) return hangs_.store(true);
    Pause(kPauseNs);
  }
  hangs_.store(false);
  forking_ = true;
  loading_by_.store(ThreadId());
}

void DeviceWorker::ResumeAfterFork() {
  if (loading_by_.load() != ThreadId() || !forking_) return;
  forking_ = false;
  EndLoading();
}

// In a forked child the device library is as its parent left it, and its
// threads are gone: it can be used only if it never was. Plain stores only.
void DeviceWorker::ResetAfterFork() {
  loading_ = mutex_ = PTHREAD_MUTEX_INITIALIZER;
  thread_id = 0;
  loading_by_.store(0);
  forking_ = false;
  hangs_.store(false);
  if ((thread_ && !waiting_) || attached_before_) {
    static constexpr char kWhy[] =
        "this process was forked from one whose device was recorded; start it "
        "anew (spawn, exec) to record its own";
    unusable_ = true;
    state_ = STEPSCOPE_DEVICE_REFUSED;
    std::memcpy(line_, kWhy, sizeof(kWhy));
    ++line_number_;
  }
  phase_ = Phase::kIdle;
  wanted_ = thread_ = abandoned_ = waiting_ = false;
  session_.store(0);
  wishes_.store(0);
  leaves_out_.store(false);
}

// REQUIRES: mutex_ held.
void DeviceWorker::StartThread() {
  thread_ = StartOwnThread(ThreadMain, this);
  if (thread_) return;
  wanted_ = false;
  Say(STEPSCOPE_DEVICE_REFUSED, "the system refuses a thread for the plugin");
}

void* DeviceWorker::ThreadMain(void* worker) {
  // With the program's descriptors: the driver opens its own on this thread
  // for all of them.
  const OwnThread thread("stepscope-dev", Files::kOfProgram);
  static_cast<DeviceWorker*>(worker)->Run();
  return nullptr;
}

void DeviceWorker::Run() {
  MutexLock lock(&mutex_);
  if (plugin_ == nullptr && !Load()) {
    unusable_ = true;
    wanted_ = false;
  }
  while (wanted_ || phase_ == Phase::kAttached) {
    if (phase_ == Phase::kIdle)
      Attach(&lock);
    else if (wanted_)
      Poll(&lock);
    else
      Detach();
  }
  decided_ = true;
  thread_ = waiting_ = false;
  abandoned_ = false;  // it did come back
  changed_.Notify();
}

// REQUIRES: mutex_ held; so in Attach, Poll and Detach. All let go of it while
// they are in the plugin.
bool DeviceWorker::Load() {
  pthread_mutex_unlock(&mutex_);
  BeginLoading();
  const stepscope_plugin* found = nullptr;
  // Never closed again: it may have left callbacks with the driver.
  void* library = dlopen(path_, RTLD_NOW | RTLD_LOCAL);
  char why[400] = {};
  if (library == nullptr) {
    const char* error = dlerror();
    std::snprintf(why, sizeof(why), "%.399s", error != nullptr ? error : path_);
  } else {
    using Entry = const stepscope_plugin* (*)();
    const auto entry =
        reinterpret_cast<Entry>(dlsym(library, "stepscope_plugin_v1"));
    found = entry != nullptr ? entry() : nullptr;
  }
  EndLoading();
  pthread_mutex_lock(&mutex_);
  if (library == nullptr) {
    Say(STEPSCOPE_DEVICE_REFUSED, "%s", why);
    return false;
  }
  if (found == nullptr || found->struct_size < kLeastTable ||
      found->abi != STEPSCOPE_PLUGIN_ABI || found->device_type == nullptr ||
      found->query == nullptr || found->attach == nullptr ||
      found->poll == nullptr || found->detach == nullptr) {
    Say(STEPSCOPE_DEVICE_REFUSED, "%s: not a plugin of ABI %u", path_,
        STEPSCOPE_PLUGIN_ABI);
    return false;
  }
  FillHost();
  plugin_ = found;
  device_type_ =
      InternName(found->device_type, kUnknownLength, STEPSCOPE_USER_DEFINED);
  pthread_mutex_unlock(&mutex_);
  BeginLoading();
  const int status = found->query(&host_);
  EndLoading();
  pthread_mutex_lock(&mutex_);
  return status == STEPSCOPE_OK && EnsureDeviceBlocks();
}

void DeviceWorker::FillHost() {
  host_ = {sizeof(host_),
           STEPSCOPE_PLUGIN_ABI,
           this,
           NowTicks,
           Intern,
           Reserve,
           Commit,
           Report,
           Window,
           0,
           0,
           Thread};
}

// Exit handlers run last made first. The device's libraries make theirs as they
// are loaded and as they begin to work; ours must run before them.
void DeviceWorker::StayAheadOfLibraries() {
  constexpr int kTimes = 2;
  if (at_exit_made_ == kTimes) return;
  ++at_exit_made_;
  std::atexit(at_exit_);
}

void DeviceWorker::Attach(MutexLock* lock) {
  phase_ = Phase::kAttaching;
  begin_.store(0);
  end_.store(0);
  host_.flags = early_ ? uint32_t{STEPSCOPE_HOST_EARLY} : 0;
  host_.counters_us = counters_us_;
  pthread_mutex_unlock(&mutex_);
  BeginLoading();
  const int status = plugin_->attach(&host_);
  EndLoading();
  if (status == STEPSCOPE_OK) StayAheadOfLibraries();
  pthread_mutex_lock(&mutex_);
  phase_ = status == STEPSCOPE_OK ? Phase::kAttached : Phase::kIdle;
  const uint32_t wish = wishes_.load();
  followed_.store(IsForWork(wish) ? wish : wish - 1);  // it begins so
  leaves_out_.store(phase_ == Phase::kAttached &&
                    plugin_->struct_size > kLeastTable &&
                    plugin_->set_recording != nullptr);
  const bool late = waiting_ && status == STEPSCOPE_OK;
  waiting_ = status == STEPSCOPE_NOT_RUNNING;
  attached_before_ = attached_before_ || !waiting_;
  // Only what waits is tried again.
  if (status != STEPSCOPE_OK && !waiting_) wanted_ = false;
  decided_ = true;
  changed_.Notify();
  if (waiting_) WaitUntil(lock, MonotonicNs() + kAwaitUseNs);
  if (!late) return;
  pthread_mutex_unlock(&mutex_);
  bind_();  // takes the lock of the sessions, under which ours is taken
  pthread_mutex_lock(&mutex_);
}

// REQUIRES: mutex_ not held. What the plugin refuses is asked again.
void DeviceWorker::FollowRecording() {
  const uint32_t wish = wishes_.load();
  if (!leaves_out_.load() || followed_.load() == wish) return;
  if (plugin_->set_recording(&host_, IsForWork(wish) ? 1 : 0) == STEPSCOPE_OK)
    followed_.store(wish);
}

void DeviceWorker::Poll(MutexLock* lock) {
  const int64_t now = MonotonicNs();
  uint32_t flags = 0;
  if (session_.load() != 0 && now - last_flush_ns_ >= FlushPeriodNs()) {
    flags = STEPSCOPE_POLL_FLUSH;
    last_flush_ns_ = now;
  }
  host_.counters_us = counters_us_;
  pthread_mutex_unlock(&mutex_);
  // Below the threads that are being measured, once it has attached.
  setpriority(PRIO_PROCESS, static_cast<id_t>(ThreadId()), 5);
  FollowRecording();
  plugin_->poll(&host_, flags);
  if (flags != 0) StayAheadOfLibraries();
  pthread_mutex_lock(&mutex_);
  if (flags != 0) {
    ++flushes_;
    changed_.Notify();
  }
  if (wanted_) WaitUntil(lock, MonotonicNs() + kPollNs);
}

void DeviceWorker::Detach() {
  phase_ = Phase::kDetaching;
  leaves_out_.store(false);
  pthread_mutex_unlock(&mutex_);
  plugin_->detach(&host_, kDetachMs);
  pthread_mutex_lock(&mutex_);
  phase_ = Phase::kIdle;
  session_.store(0);
  begin_.store(0);
  changed_.Notify();
}

// REQUIRES: mutex_ held.
void DeviceWorker::Say(uint32_t state, const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::vsnprintf(line_, sizeof(line_), format, args);
  va_end(args);
  state_ = state;
  ++line_number_;
}

uint64_t DeviceWorker::NowTicks(void*) { return Now(); }

uint32_t DeviceWorker::Thread(void*) {
  if (thread_id == 0) thread_id = static_cast<uint32_t>(ThreadId());
  return thread_id;
}

uint32_t DeviceWorker::Intern(void*, const char* name, size_t length,
                              uint32_t type) {
  return InternName(name, length, type);
}

void* DeviceWorker::Reserve(void* worker, size_t bytes) {
  auto* self = static_cast<DeviceWorker*>(worker);
  const uint64_t session = self->session_.load();
  if (session == 0) return nullptr;
  self->handed_over_.fetch_add(1, std::memory_order_relaxed);
  return ReserveDeviceBlock(bytes, session, self->device_type_);
}

int DeviceWorker::Commit(void*, void* block, size_t bytes, uint32_t records) {
  return CommitDeviceBlock(block, bytes, records) ? STEPSCOPE_OK
                                                  : STEPSCOPE_INVALID;
}

void DeviceWorker::Report(void* worker, uint32_t state, const char* text) {
  auto* self = static_cast<DeviceWorker*>(worker);
  const MutexLock lock(&self->mutex_);
  self->Say(state, "%s", text != nullptr ? text : "");
}

void DeviceWorker::Window(void* worker, uint64_t* begin, uint64_t* end) {
  const auto* self = static_cast<const DeviceWorker*>(worker);
  *begin = self->begin_.load();
  *end = self->end_.load();
}

}  // namespace stepscope::collector
