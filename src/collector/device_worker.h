// SPDX-License-Identifier: Apache-2.0
//
// DeviceWorker: one device plugin and the thread that talks to it. The thread
// exists only while the plugin is wanted. A plugin that does not return is
// left behind: nobody waits for it longer than a bound.
#pragma once

#include <pthread.h>
#include <stepscope/plugin.h>

#include <atomic>
#include <cstdint>

#include "collector/sync.h"

namespace stepscope::collector {

class DeviceWorker {
 public:
  // How long a plugin may take to attach before a session starts without it,
  // and to detach before a session is sealed without the rest.
  static constexpr int kAttachMs = 5000;
  static constexpr int kDetachMs = 1500;
  // Without a record handed over; while some come it may take longer.
  static constexpr int kAbandonMs = 2000;
  static constexpr int kAbandonAtLastMs = 60000;

  // Before anything else: the shared library to load, what releases all
  // workers when the process exits, and what binds those that attach while a
  // session is recording.
  void Configure(const char* path, void (*at_exit)(), void (*bind)());

  // Wishes for the plugin; returns at once. `early`: its device library is
  // only just initialising.
  void Want(bool early, uint32_t counters_us);
  // True once it is attached, or not to be for now; waits up to kAttachMs.
  bool WaitDecided();
  // If attached and unbound: its records are `session`'s from `begin` on.
  void Bind(uint64_t session, uint64_t begin);
  // Fetches what the device library holds by now; waits until that is handed
  // over, or until `deadline_ns`.
  void Flush(int64_t deadline_ns);
  // Whether work that is launched from now on is recorded, where the plugin
  // can leave it out. Any thread; returns at once, and the plugin's thread sees
  // to it. Until the wish ends.
  void SetRecording(bool on);
  // What has come of it by now, a stepscope_device_work_state.
  int work() const;
  // Ends the wish; what is bound stays so until everything was handed over.
  void Release(uint64_t end);
  // False while `session` still waits for the plugin's records.
  bool Finished(uint64_t session);
  // The same for whatever is bound; waits up to kAbandonMs.
  void WaitReleased();

  // The newest line of the plugin if it is not number `*seen`. False: nothing
  // new. `line` has room for kLineBytes.
  static constexpr size_t kLineBytes = 600;
  bool NewLine(uint32_t* seen, char* key, size_t key_bytes, char* line);

  // Around a fork. The plugin's thread may be in the loader of libraries, which
  // a child then finds locked for ever: waits until `deadline_ns` for it to
  // come out, and keeps it out until the fork is done.
  void HoldForFork(int64_t deadline_ns);
  void ResumeAfterFork();
  void ResetAfterFork();

 private:
  enum class Phase { kIdle, kAttaching, kAttached, kDetaching };

  static void* ThreadMain(void* worker);
  void Run();
  bool Load();
  void BeginLoading();
  void EndLoading();
  void Attach(MutexLock* lock);
  void Poll(MutexLock* lock);
  void FollowRecording();
  void Detach();
  void StartThread();
  void Say(uint32_t state, const char* format, ...)
      __attribute__((format(printf, 3, 4)));
  void FillHost();
  void StayAheadOfLibraries();
  bool WaitUntil(MutexLock* lock, int64_t deadline_ns);

  // The host table's slots.
  static uint64_t NowTicks(void* worker);
  static uint32_t Thread(void* worker);
  static uint32_t Intern(void* worker, const char* name, size_t length,
                         uint32_t type);
  static void* Reserve(void* worker, size_t bytes);
  static int Commit(void* worker, void* block, size_t bytes, uint32_t records);
  static void Report(void* worker, uint32_t state, const char* text);
  static void Window(void* worker, uint64_t* begin, uint64_t* end);

  // Held, and alone, while the plugin may load a library, or for a fork.
  pthread_mutex_t loading_ = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<pid_t> loading_by_{0};
  bool forking_ = false;            // guarded by loading_
  std::atomic<bool> hangs_{false};  // a fork has waited long enough for it
  std::atomic<uint32_t> handed_over_{0};  // blocks, by the device's thread
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;  // for all below
  EventCount changed_;
  Phase phase_ = Phase::kIdle;
  bool wanted_ = false;
  bool early_ = false;
  uint32_t counters_us_ = 0;
  bool decided_ = false;  // since the last Want()
  bool thread_ = false;
  bool waiting_ = false;   // nothing uses the device yet
  bool unusable_ = false;  // for good: not here, or not loadable
  bool abandoned_ = false;
  bool attached_before_ = false;  // or tried to
  int64_t abandon_at_ns_ = 0;
  int64_t abandon_at_last_ns_ = 0;
  uint32_t handed_over_seen_ = 0;
  int64_t last_flush_ns_ = 0;
  uint32_t flushes_ = 0;
  uint32_t line_number_ = 0;
  uint32_t state_ = 0;
  char line_[kLineBytes] = {};

  char path_[4096] = {};
  void (*at_exit_)() = nullptr;
  void (*bind_)() = nullptr;
  int at_exit_made_ = 0;
  const stepscope_plugin* plugin_ = nullptr;
  stepscope_plugin_host host_ = {};
  uint32_t device_type_ = 0;
  // How often work was asked for or refused: odd means to leave it out. A
  // plugin that is about to follow an older wish has not followed this one.
  std::atomic<uint32_t> wishes_{0};
  std::atomic<uint32_t> followed_{0};    // the wish that the plugin followed
  std::atomic<bool> leaves_out_{false};  // attached, and can leave work out
  std::atomic<uint64_t> session_{0};     // 0: unbound
  std::atomic<uint64_t> begin_{0};
  std::atomic<uint64_t> end_{0};
};

}  // namespace stepscope::collector
