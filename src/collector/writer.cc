// SPDX-License-Identifier: Apache-2.0
#include "collector/writer.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "collector/clock.h"
#include "collector/core.h"
#include "collector/drain.h"
#include "collector/error.h"
#include "collector/names.h"
#include "collector/own_thread.h"
#include "collector/plugin_host.h"
#include "collector/process_info.h"
#include "collector/unrecorded_steps.h"
#include "collector/window_file.h"

namespace stepscope::collector {
namespace {

using format::BlockKind;
using format::ThreadEntry;

constexpr int64_t kAnchorIntervalNs = 200000000;
constexpr int64_t kBusySleepNs = 500000;
constexpr int64_t kIdleSleepNs = 5000000;
// A burst that fits the ring is over before its chunks are packed: on a machine
// whose processors all record, the writer takes the time of one of them.
constexpr int64_t kDrainIntervalNs = 20000000;

// What somebody who holds control waits for.
struct Job {
  void (*run)(void*) = nullptr;
  void* argument = nullptr;
  std::atomic<bool> asked{false};
  EventCount done;
};
constinit Job job;

// Whoever holds control may be waiting for a job.
void LockControl() {
  while (pthread_mutex_trylock(&core.control) != 0) {
    ServeJob();
    Pause(20000);
  }
}

void AppendSessionAnchor(Session* session) {
  struct {
    format::ClockHeader header;
    format::Anchor anchor;
  } payload{{static_cast<uint32_t>(ClockKindInUse()), 1, NominalHz()},
            TakeAnchor()};
  session->last_anchor_ns = payload.anchor.monotonic_ns;
  session->file.AppendSmall(BlockKind::kClock, &payload, sizeof(payload));
}

AppendResult AppendSessionUsage(Session* session) {
  const format::UsageSample sample = TakeUsage();
  return session->file.AppendSmall(BlockKind::kUsage, &sample, sizeof(sample));
}

AppendResult AppendNames(Session* session, Drain* drain) {
  const uint8_t* records = nullptr;
  const uint64_t bytes = NameRecords(session->names_written, &records);
  if (bytes == 0) return AppendResult::kOk;
  const AppendResult result =
      drain->AppendCopy(session, BlockKind::kNames, records, bytes);
  if (result == AppendResult::kOk) session->names_written += bytes;
  return result;
}

// Adds a thread's losses to the figures that outlive its entry.
void Account(Session* session, const ThreadEntry& entry) {
  for (int r = 0; r < STEPSCOPE_DROP_REASONS; ++r)
    session->dropped[r] += entry.dropped[r];
  session->dropped[STEPSCOPE_DROP_IO] += entry.lost_io;
  session->dropped[STEPSCOPE_DROP_FILE_LIMIT] += entry.lost_file_limit;
}

bool IsState(const ThreadEntry* entry, format::ThreadState state) {
  return __atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) ==
         static_cast<uint32_t>(state);
}

// Entry 0 is counted into from any thread, at any time: only what was written
// is taken away.
void TakeAway(const ThreadEntry& written, ThreadEntry* entry) {
  const auto less = [](uint64_t* count, uint64_t by) {
    __atomic_fetch_sub(count, by, __ATOMIC_RELAXED);
  };
  for (int reason = 0; reason < STEPSCOPE_DROP_REASONS; ++reason)
    less(&entry->dropped[reason], written.dropped[reason]);
  less(&entry->side_dropped, written.side_dropped);
  less(&entry->lost_io, written.lost_io);
  less(&entry->lost_file_limit, written.lost_file_limit);
  less(&entry->lost_side, written.lost_side);
}

// Counts an entry's losses and, if it was written, takes it out of
// circulation; one that was not stays for the live file that is kept then.
void Retire(uint32_t index, Session* session, bool exited, bool written,
            const ThreadEntry& unattached) {
  ThreadEntry* entry = core.ring.entry(index);
  LockControl();
  if (session != nullptr) {
    Account(session, index == 0 ? unattached : *entry);
    if (index > 0) ++session->threads;
  }
  if (written) {
    if (index == 0)
      TakeAway(unattached, entry);
    else if (exited)
      core.ring.ReleaseEntry(index);
    else
      entry->generation = 0;  // counted; its thread still holds it
  }
  pthread_mutex_unlock(&core.control);
}

// Writes and frees the entries of threads that exited. With `sealing`, all
// entries of that session are written; those of living threads stay theirs.
// An entry is freed only after it was written: a kill loses none.
AppendResult AppendThreads(Session* sealing, Drain* drain) {
  constexpr uint32_t kBatch = 256;
  struct Written {
    uint32_t index;
    Session* session;
    bool exited;
  };
  Written batch[kBatch];
  uint32_t count = 0;
  ThreadEntry unattached{};
  AppendResult worst = AppendResult::kOk;
  const auto flush = [&] {
    const AppendResult result = drain->Flush();
    if (result != AppendResult::kOk) worst = result;
    // What could not be written while recording is tried again later.
    const bool written = result == AppendResult::kOk;
    if (written || sealing != nullptr)
      for (uint32_t i = 0; i < count; ++i)
        Retire(batch[i].index, batch[i].session, batch[i].exited, written,
               unattached);
    count = 0;
  };
  const RingMap map = core.ring.map();
  for (uint32_t i = sealing != nullptr ? 0 : 1; i < core.ring.sizes().threads;
       ++i) {
    const ThreadEntry* entry = map.entry(i);
    const bool exited = IsState(entry, format::ThreadState::kExited);
    const bool wanted =
        i == 0 || exited ||
        (sealing != nullptr && !IsState(entry, format::ThreadState::kFree) &&
         entry->generation == sealing->generation.load());
    if (!wanted) continue;
    Session* session = i == 0 ? sealing : SessionOf(entry->generation);
    if (session != nullptr) {
      ThreadEntry copy;
      std::memcpy(&copy, entry, sizeof(copy));
      if (i == 0) unattached = copy;
      const AppendResult result = drain->AppendThread(session, copy);
      if (result != AppendResult::kOk) worst = result;
    }
    batch[count++] = {i, session, exited};
    if (count == kBatch) flush();
  }
  flush();
  return worst;
}

// Appends what is due while a session records.
void Tend(Session* session, Drain* drain) {
  if (!session->usage_started) {
    AppendSessionUsage(session);
    session->usage_started = true;
  }
  AppendNames(session, drain);
  TendDevices(session);
  if (MonotonicNs() - session->last_anchor_ns >= kAnchorIntervalNs)
    AppendSessionAnchor(session);
  TendWindow(session);
}

// Declares `sealed` (if any) complete and takes the ring down if no session
// needs it, in this order for whoever waits: nothing is left behind when the
// file is complete. True: the thread ends.
bool Finish(Session* sealed) {
  // Whoever holds control may be waiting for a slow disk: come back later,
  // unless somebody waits for this session.
  if (sealed != nullptr)
    LockControl();
  else if (pthread_mutex_trylock(&core.control) != 0)
    return false;
  if (sealed != nullptr)
    sealed->state.store(SessionState::kSealed, std::memory_order_release);
  bool needed = false;
  for (const Session& session : core.sessions) needed |= session.NeedsRing();
  OwnFile ring_file;
  if (!needed) {
    DetachLiveNames();
    core.ring.Destroy(core.keep_live, &ring_file);
    core.writer_running.store(false, std::memory_order_release);
  }
  // After the file it leads to, so that a kill in between leaves no file that
  // nothing names.
  if (sealed != nullptr && sealed->live_link[0] != '\0')
    unlink(sealed->live_link);
  pthread_mutex_unlock(&core.control);
  core.sealed.Notify();
  ring_file.Close();
  return !needed;
}

// Collects what threads still hold, completes the file and closes it. True:
// that was the last session, and the thread ends.
bool SealSession(Session* session, Drain* drain) {
  // A thread that passed the gate before it closed is done by then, unless it
  // lost its core; what it stores later began after the stop.
  Pause(50000);
  drain->DrainFull();
  drain->DrainSession(session);
  TendDevices(session);
  const format::EndRecord end{
      session->stop_tick, NamesRefused() - session->names_refused_before, {}};
  // Names may need more room than is left; what says how much was lost has its
  // own. It comes last: a thread that lost its core may count until then.
  const AppendResult names = AppendNames(session, drain);
  session->file.UseSpare();
  if (!session->usage_started) AppendSessionUsage(session);
  session->usage_started = true;
  AppendResult worst = AppendSessionUsage(session);
  AppendSessionAnchor(session);
  const AppendResult threads = AppendThreads(session, drain);
  for (const AppendResult result : {names, threads})
    if (result != AppendResult::kOk) worst = result;
  if (const int error = session->file.write_error(); error != 0) {
    char number[16];
    std::snprintf(number, sizeof(number), "%d", error);
    session->file.AppendFact("write_error", number);
  }
  // Only behind what is whole: a reader that sees it looks no further, and
  // what found no room is in the live file.
  if (worst == AppendResult::kOk)
    worst = session->file.AppendSmall(BlockKind::kEnd, &end, sizeof(end));
  if (worst == AppendResult::kOk)
    AppendUnrecordedSteps(session->path, &session->file);
  session->file.Close();
  if (worst != AppendResult::kOk) {
    core.keep_live = true;
    session->live_link[0] = '\0';  // stays, to lead to it
  }
  return Finish(session);
}

void* WriterMain(void*) {
  const OwnThread self("stepscope", Files::kOwn);
  // Asked here once, since the answer is in a file.
  ClockKindInUse();
  Drain* drain = Drain::Get();
  bool nice = false;
  int64_t last_drain_ns = 0;
  for (;;) {
    ServeJob();
    if (!core.ring.exists()) {
      if (Finish(nullptr)) return nullptr;
      core.writer_sleeper.Sleep(kBusySleepNs);
      continue;
    }
    const bool growing = core.ring.GrowStep();
    if (!growing && !nice) {
      // From now on below the threads that are being measured.
      setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 5);
      nice = true;
    }
    __atomic_store_n(&core.ring.header()->heartbeat, Now(), __ATOMIC_RELAXED);
    const int64_t now_ns = MonotonicNs();
    if (core.ring.Crowded() || now_ns - last_drain_ns >= kDrainIntervalNs) {
      drain->DrainFull();
      last_drain_ns = now_ns;
    }
    bool busy = false;
    for (Session& session : core.sessions) {
      const SessionState state = session.state.load(std::memory_order_acquire);
      if (state == SessionState::kRecording) Tend(&session, drain);
      if (state != SessionState::kStopping) continue;
      TendDevices(&session);
      if (!DevicesFinished(session))
        busy = true;  // look again soon
      else if (SealSession(&session, drain))
        return nullptr;
    }
    AppendThreads(nullptr, drain);
    if (Finish(nullptr)) return nullptr;
    if (!growing) core.writer_sleeper.Sleep(busy ? kBusySleepNs : kIdleSleepNs);
  }
}

}  // namespace

bool EnsureWriter() {
  if (core.writer_running.load(std::memory_order_acquire)) {
    core.writer_sleeper.Wake();
    return true;
  }
  core.writer_running.store(true, std::memory_order_release);
  const bool made = StartOwnThread(WriterMain, nullptr);
  if (!made) core.writer_running.store(false, std::memory_order_release);
  return made;
}

bool RunOnWriter(void (*run)(void*), void* argument) {
  if (!EnsureWriter()) return false;
  job.run = run;
  job.argument = argument;
  job.asked.store(true, std::memory_order_release);
  constexpr int64_t kSliceNs = 10000000;
  for (;;) {
    const uint32_t seen = job.done.count();
    if (!job.asked.load(std::memory_order_acquire)) return true;
    core.writer_sleeper.Wake();
    job.done.Wait(seen, kSliceNs);
  }
}

void ServeJob() {
  if (!job.asked.load(std::memory_order_acquire)) return;
  job.run(job.argument);
  job.asked.store(false, std::memory_order_release);
  job.done.Notify();
}

void ResetWriterAfterFork() {
  core.writer_running.store(false, std::memory_order_relaxed);
  job.asked.store(false, std::memory_order_relaxed);
}

}  // namespace stepscope::collector
