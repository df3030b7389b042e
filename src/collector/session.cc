// SPDX-License-Identifier: Apache-2.0
#include "collector/session.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/clock.h"
#include "collector/core.h"
#include "collector/error.h"
#include "collector/names.h"
#include "collector/nvtx_emitter.h"
#include "collector/paths.h"
#include "collector/plugin_host.h"
#include "collector/process_info.h"
#include "collector/window_file.h"
#include "collector/writer.h"

namespace stepscope::collector {
namespace {

constexpr uint64_t kDefaultBudget = uint64_t{64} << 20;

class ControlLock : public MutexLock {
 public:
  ControlLock() : MutexLock(&core.control) { EnsureCore(); }
};

uint64_t BytesFromEnvironment(const char* variable, uint64_t otherwise) {
  const char* text = secure_getenv(variable);
  if (text == nullptr || text[0] == '\0') return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  double unit = 1;
  if (*end == 'k' || *end == 'K') unit = 1024.0;
  if (*end == 'm' || *end == 'M') unit = 1024.0 * 1024;
  if (*end == 'g' || *end == 'G') unit = 1024.0 * 1024 * 1024;
  if (end == text || !(value >= 0) || value * unit > 9e18) return otherwise;
  return static_cast<uint64_t>(value * unit);
}

Session* Find(SessionState state) {
  for (Session& session : core.sessions)
    if (session.state.load(std::memory_order_acquire) == state) return &session;
  return nullptr;
}

Session* FindId(uint64_t id) {
  for (Session& session : core.sessions)
    if (id != 0 && session.id == id) return &session;
  return nullptr;
}

// The slot unused for longest.
Session* Unused() {
  Session* oldest = nullptr;
  for (Session& session : core.sessions) {
    if (session.NeedsRing()) continue;
    if (oldest == nullptr || session.id < oldest->id) oldest = &session;
  }
  return oldest;
}

int EnsureRing(const char* capture_path, uint64_t budget) {
  if (core.ring.exists()) return STEPSCOPE_OK;
  const uint8_t* records = nullptr;
  const uint64_t names = NameRecords(0, &records);
  const RingSizes sizes = DivideBudget(budget, names);
  char live[4096];
  LivePath(capture_path, sizes.total_bytes, live, sizeof(live));
  const uint64_t serial = ++core.ring_serials;
  bool made = core.ring.Create(live, sizes, serial);
  if (!made) {
    // Shared memory may be closed to us: beside the capture, then.
    std::snprintf(live, sizeof(live), "%.4000s.live", capture_path);
    made = core.ring.Create(live, sizes, serial);
  }
  if (!made) return errno == ENOMEM ? STEPSCOPE_NO_MEMORY : STEPSCOPE_IO;
  core.keep_live = false;
  const RingSizes& s = core.ring.sizes();
  if (AttachLiveNames(
          reinterpret_cast<uint8_t*>(core.ring.header()) + s.names_offset,
          s.names_bytes, &core.ring.header()->names_used))
    return STEPSCOPE_OK;
  OwnFile file;
  core.ring.Destroy(false, &file);
  file.Close();
  return Fail(STEPSCOPE_IO, "%s: no room for %llu bytes of names", live,
              static_cast<unsigned long long>(names));
}

// What the writer thread is asked for, with its answer.
struct Preparation {
  Session* session = nullptr;
  uint64_t budget = 0;
  uint64_t max_file = 0;
  char path[4096] = {};
  int status = STEPSCOPE_OK;
  char error[512] = {};
};
constinit Preparation preparation;  // guarded by control

void ResetSession(Session* session) {
  session->id = ++core.session_ids;
  session->names_written = 0;
  session->names_refused_before = NamesRefused();
  session->last_anchor_ns = 0;
  session->usage_started = false;
  session->rewrite_at = session->window_from = 0;
  std::memset(session->device_lines, 0, sizeof(session->device_lines));
  session->device_lost_io = session->device_lost_limit = 0;
  session->threads = 0;
  std::memset(session->dropped, 0, sizeof(session->dropped));
}

// A link beside the capture that leads to the live file.
void MakeLiveLink(Session* session) {
  session->live_link[0] = '\0';
  char link[4096];
  std::snprintf(link, sizeof(link), "%.4000s.live", session->path);
  // A killed process of the same capture path may have left its link.
  struct stat stale;
  if (lstat(link, &stale) == 0 && S_ISLNK(stale.st_mode)) unlink(link);
  if (std::strcmp(link, core.ring.path()) != 0 &&
      symlink(core.ring.path(), link) == 0)
    std::memcpy(session->live_link, link, sizeof(link));
}

void RemoveFiles(Session* session) {
  session->file.Close();
  unlink(session->path);
  if (session->live_link[0] != '\0') unlink(session->live_link);
  session->state.store(SessionState::kUnused, std::memory_order_release);
}

// A clock anchor from the first moment: a process that is killed at once leaves
// a capture whose ticks have a meaning.
AppendResult AppendFirstBlocks(Session* session) {
  uint8_t description[4096];
  const size_t bytes =
      DescribeProcess(core.ring.path(), description, sizeof(description));
  const AppendResult described = session->file.AppendSmall(
      format::BlockKind::kProcess, description, bytes);
  if (described != AppendResult::kOk) return described;
  struct {
    format::ClockHeader header;
    format::Anchor anchor;
  } clock{{static_cast<uint32_t>(ClockKindInUse()), 1, NominalHz()},
          TakeAnchor()};
  return session->file.AppendSmall(format::BlockKind::kClock, &clock,
                                   sizeof(clock));
}

// Makes the files of a session. Writer thread.
int MakeFiles(Preparation* asked) {
  Session* const session = asked->session;
  // Here, since the name has the local time, which the C library reads from a
  // file.
  if (asked->path[0] == '\0' &&
      !CapturePath(nullptr, asked->path, sizeof(asked->path)))
    return STEPSCOPE_INVALID;
  if (!MakeFolderOf(asked->path)) return STEPSCOPE_IO;
  const int ring = EnsureRing(asked->path, asked->budget);
  if (ring != STEPSCOPE_OK) return ring;
  const uint32_t generation = ++core.generations;
  if (!session->file.Create(asked->path, generation,
                            core.ring.header()->ring_id))
    return STEPSCOPE_IO;
  session->file.set_limit(asked->max_file);
  std::memcpy(session->path, asked->path, sizeof(session->path));
  session->generation.store(generation, std::memory_order_relaxed);
  ResetSession(session);
  MakeLiveLink(session);
  if (AppendFirstBlocks(session) != AppendResult::kOk) {
    RemoveFiles(session);
    return STEPSCOPE_IO;
  }
  session->state.store(SessionState::kPrepared, std::memory_order_release);
  return STEPSCOPE_OK;
}

void PrepareOnWriter(void* argument) {
  auto* const asked = static_cast<Preparation*>(argument);
  const SaidForOne said;
  asked->status = MakeFiles(asked);
  if (asked->status != STEPSCOPE_OK)
    std::snprintf(asked->error, sizeof(asked->error), "%s", LastError());
}

// A session whose file exists and whose ring is ready. REQUIRES: control held.
int Prepare(const stepscope_options* options, Session** out) {
  stepscope_options given{};
  if (options != nullptr) {
    if (options->struct_size < offsetof(stepscope_options, path) ||
        options->struct_size > 4096)
      return Fail(STEPSCOPE_INVALID,
                  "stepscope_options: struct_size is %u, expected %zu",
                  options->struct_size, sizeof(given));
    std::memcpy(&given, options,
                options->struct_size < sizeof(given) ? options->struct_size
                                                     : sizeof(given));
  }
  preparation = Preparation();
  const bool named = given.path != nullptr && given.path[0] != '\0';
  if (named &&
      !CapturePath(given.path, preparation.path, sizeof(preparation.path)))
    return STEPSCOPE_INVALID;
  preparation.budget =
      given.memory_budget != 0
          ? given.memory_budget
          : BytesFromEnvironment("STEPSCOPE_BUDGET", kDefaultBudget);
  preparation.max_file = given.max_file != 0
                             ? given.max_file
                             : BytesFromEnvironment("STEPSCOPE_MAX_FILE", 0);
  preparation.session = Unused();
  if (preparation.session == nullptr)
    return Fail(STEPSCOPE_BUSY, "%u sessions are still being written",
                Core::kSessions);
  if (!RunOnWriter(PrepareOnWriter, &preparation))
    return Fail(STEPSCOPE_NO_MEMORY,
                "the system refused a thread for writing the capture");
  if (preparation.status != STEPSCOPE_OK)
    return Fail(preparation.status, "%s", preparation.error);
  *out = preparation.session;
  return STEPSCOPE_OK;
}

// REQUIRES: control held.
void Discard(Session* session) {
  RunOnWriter(
      [](void* prepared) { RemoveFiles(static_cast<Session*>(prepared)); },
      session);
}

// True if a prepared session is what `options` asks for.
bool Serves(const Session& session, const stepscope_options* options) {
  if (options == nullptr || options->path == nullptr) return true;
  char path[4096];
  return CapturePath(options->path, path, sizeof(path)) &&
         std::strcmp(path, session.path) == 0;
}

bool WantsNvtx(const stepscope_options* options) {
  if (options != nullptr && (options->flags & STEPSCOPE_EMIT_NVTX) != 0)
    return true;
  const char* wish = secure_getenv("STEPSCOPE_EMIT_NVTX");
  return wish != nullptr && std::strcmp(wish, "1") == 0;
}

}  // namespace

int PrepareSession(const stepscope_options* options) {
  const ControlLock lock;
  Session* prepared = Find(SessionState::kPrepared);
  if (prepared != nullptr) {
    if (Serves(*prepared, options)) return STEPSCOPE_OK;
    Discard(prepared);
  }
  const int status = Prepare(options, &prepared);
  if (status == STEPSCOPE_OK)
    WantDevices();
  else
    ReleaseDevices(0);
  return status;
}

int StartSession(const stepscope_options* options) {
  {
    const ControlLock lock;
    if (Find(SessionState::kRecording) == nullptr) WantDevices();
  }
  WaitForDevices();
  const ControlLock lock;
  if (Find(SessionState::kRecording) != nullptr)
    return Fail(STEPSCOPE_BUSY, "a session is already recording");
  Session* session = Find(SessionState::kPrepared);
  if (session != nullptr && !Serves(*session, options)) {
    Discard(session);
    session = nullptr;
  }
  if (session == nullptr) {
    const int status = Prepare(options, &session);
    if (status != STEPSCOPE_OK) {
      ReleaseDevices(0);
      return status;
    }
  }
  session->start_tick = Now();
  core.start_tick.store(session->start_tick, std::memory_order_relaxed);
  KeepWindow(0, 0);
  BindDevices(*session);
  SetEmitNvtx(WantsNvtx(options));
  session->state.store(SessionState::kRecording, std::memory_order_release);
  const uint32_t generation =
      session->generation.load(std::memory_order_relaxed);
  // What an earlier session left there and did not write yet goes over to this
  // one: a reader of the live file must count it once.
  __atomic_store_n(&core.ring.entry(0)->generation, generation,
                   __ATOMIC_RELAXED);
  StoreGate(generation);
  return STEPSCOPE_OK;
}

int StopSession() {
  const ControlLock lock;
  Session* session = Find(SessionState::kRecording);
  if (session == nullptr) {
    Session* prepared = Find(SessionState::kPrepared);
    if (prepared != nullptr) Discard(prepared);
    ReleaseDevices(0);
    return Fail(STEPSCOPE_NOT_RUNNING, "no session is recording");
  }
  StoreGate(0);
  session->stop_tick = Now();
  ReleaseDevices(session->stop_tick);
  session->state.store(SessionState::kStopping, std::memory_order_release);
  core.writer_sleeper.Wake();
  return STEPSCOPE_OK;
}

int WaitSealed(uint64_t id, int timeout_ms) {
  ControlLock lock;
  if (id == 0 || id > core.session_ids)
    return Fail(STEPSCOPE_NOT_RUNNING, "there was no session %llu",
                static_cast<unsigned long long>(id));
  const int64_t deadline = MonotonicNs() + int64_t{timeout_ms} * 1000000;
  for (;;) {
    const Session* session = FindId(id);
    if (session == nullptr || !session->NeedsRing()) return STEPSCOPE_OK;
    if (session->state.load() != SessionState::kStopping)
      return Fail(STEPSCOPE_NOT_RUNNING, "%s: the session has not been stopped",
                  session->path);
    const int64_t left = deadline - MonotonicNs();
    if (left <= 0)
      return Fail(STEPSCOPE_TIMEOUT,
                  "%s: the capture was not complete within %d ms",
                  session->path, timeout_ms);
    constexpr int64_t kSliceNs = 100000000;
    lock.Wait(&core.sealed, left < kSliceNs ? left : kSliceNs);
  }
}

int SessionPath(uint64_t id, char* buffer, size_t size) {
  const ControlLock lock;
  const Session* session = FindId(id);
  if (session == nullptr)
    return Fail(STEPSCOPE_NOT_RUNNING, "session %llu is not one of the last %u",
                static_cast<unsigned long long>(id), Core::kSessions);
  const size_t length = std::strlen(session->path);
  if (buffer == nullptr || length >= size)
    return Fail(STEPSCOPE_TRUNCATED,
                "the path takes %zu bytes, the buffer has %zu", length + 1,
                buffer == nullptr ? size_t{0} : size);
  std::memcpy(buffer, session->path, length + 1);
  return STEPSCOPE_OK;
}

uint64_t CurrentSession() {
  const ControlLock lock;
  const Session* recording = Find(SessionState::kRecording);
  if (recording != nullptr) return recording->id;
  uint64_t newest = 0;
  for (const Session& session : core.sessions) {
    const SessionState state = session.state.load();
    if ((state == SessionState::kStopping || state == SessionState::kSealed) &&
        session.id > newest)
      newest = session.id;
  }
  return newest;
}

int SessionStats(stepscope_stats* stats) {
  if (stats == nullptr || stats->struct_size < 8)
    return Fail(STEPSCOPE_INVALID,
                "stepscope_stats: struct_size must be set to %zu",
                sizeof(stepscope_stats));
  const uint64_t id = CurrentSession();
  const ControlLock lock;
  stepscope_stats out{};
  out.struct_size = stats->struct_size;
  out.names = NameCount();
  out.names_refused = NamesRefused();
  if (core.ring.exists()) out.memory_bytes = core.ring.sizes().total_bytes;
  const Session* session = FindId(id);
  if (session != nullptr) {
    out.threads = session->threads;
    std::memcpy(out.dropped, session->dropped, sizeof(out.dropped));
    out.file_bytes = session->file.bytes();
    for (uint32_t i = 0; session->NeedsRing() && i < core.ring.sizes().threads;
         ++i) {
      const format::ThreadEntry* entry = core.ring.entry(i);
      if (i > 0 && (__atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) ==
                        static_cast<uint32_t>(format::ThreadState::kFree) ||
                    entry->generation != session->generation.load()))
        continue;
      if (i > 0) ++out.threads;
      for (int r = 0; r < STEPSCOPE_DROP_REASONS; ++r)
        out.dropped[r] += __atomic_load_n(&entry->dropped[r], __ATOMIC_RELAXED);
      out.dropped[STEPSCOPE_DROP_IO] +=
          __atomic_load_n(&entry->lost_io, __ATOMIC_RELAXED);
      out.dropped[STEPSCOPE_DROP_FILE_LIMIT] +=
          __atomic_load_n(&entry->lost_file_limit, __ATOMIC_RELAXED);
    }
  }
  std::memcpy(
      stats, &out,
      stats->struct_size < sizeof(out) ? stats->struct_size : sizeof(out));
  return session != nullptr
             ? STEPSCOPE_OK
             : Fail(STEPSCOPE_NOT_RUNNING, "no session has been started");
}

void FinishSessionsAtExit() {
  if (core.pid == 0 || core.pid != getpid()) return;
  StopSession();
  const uint64_t id = CurrentSession();
  if (id != 0) WaitSealed(id, 10000);
  // The writer removes the live file as its last act.
  for (int i = 0; i < 2000 && core.writer_running.load(); ++i) {
    core.writer_sleeper.Wake();
    Pause(1000000);
  }
}

}  // namespace stepscope::collector
