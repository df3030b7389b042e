// SPDX-License-Identifier: Apache-2.0
#include "collector/window_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "collector/clock.h"
#include "collector/error.h"
#include "collector/names.h"
#include "collector/paths.h"
#include "collector/process_info.h"
#include "collector/window_copy.h"
#include "collector/window_index.h"

namespace stepscope::collector {
namespace {

using format::BlockKind;

// A file is written anew when half of it can go, and this much.
constexpr uint64_t kLeastGain = 256 * 1024;

std::atomic<uint64_t> keep_from{0};
std::atomic<uint64_t> keep_bytes{0};

// kAbandoned: the writer is at it, and nobody waits for it any more.
enum class SaveState : uint32_t {
  kNone,
  kAsked,
  kTaken,
  kAbandoned,
  kSaved,
  kFailed
};

// One save at a time; `turn` is held by whoever asked.
pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
struct Asked {
  std::atomic<SaveState> state{SaveState::kNone};
  TickWindow window;
  char path[4096] = {};
  uint8_t facts[2048] = {};
  size_t fact_bytes = 0;
  char error[512] = {};
};
constinit Asked asked;

void AppendAnchor(CaptureFile* file) {
  struct {
    format::ClockHeader header;
    format::Anchor anchor;
  } payload{{static_cast<uint32_t>(ClockKindInUse()), 1, NominalHz()},
            TakeAnchor()};
  file->AppendSmall(BlockKind::kClock, &payload, sizeof(payload));
}

void AppendUsage(CaptureFile* file) {
  const format::UsageSample sample = TakeUsage();
  file->AppendSmall(BlockKind::kUsage, &sample, sizeof(sample));
}

// A new file beside its final place: `part` gets its name.
bool CreatePart(const Session& session, const char* path, char* part,
                size_t part_bytes, CaptureFile* file) {
  std::snprintf(part, part_bytes, "%.4000s.part", path);
  unlink(part);  // of a process that was killed while it wrote
  return file->Create(part, session.generation.load(),
                      core.ring.header()->ring_id);
}

void AddMark(const Session* session, WindowIndex* index) {
  const uint64_t bytes = session->file.bytes();
  index->marks.Add({TakeAnchor(), bytes});
}

bool PutInPlace(const char* part, const char* path) {
  if (rename(part, path) == 0) return true;
  SetLastError("%s: cannot be put in its place: %s", path, strerror(errno));
  return false;
}

// Writes the session's file anew, without what is older than `from`. As it is
// where that fails: it grows until the next attempt.
bool Compact(Session* session, uint64_t from) {
  char part[4096];
  CaptureFile file;
  if (!MakeFolderOf(session->path) ||
      !CreatePart(*session, session->path, part, sizeof(part), &file))
    return false;
  const uint8_t* records = nullptr;
  const uint64_t names = NameRecords(0, &records);
  if (!CopyWindow(session, {from, UINT64_MAX}, /*held=*/false, &file) ||
      !PutInPlace(part, session->path)) {
    file.Close();
    unlink(part);
    return false;
  }
  session->file.TakeOver(&file);
  // Names that came meanwhile may be written twice.
  session->names_written = names;
  AppendUsage(&session->file);
  return true;
}

bool Save(Session* session) {
  char part[4096];
  CaptureFile file;
  if (!MakeFolderOf(asked.path) ||
      !CreatePart(*session, asked.path, part, sizeof(part), &file))
    return false;
  AppendUsage(&file);
  bool good = CopyWindow(session, asked.window, /*held=*/true, &file);
  const uint64_t now = Now();
  const format::EndRecord end{
      asked.window.until < now ? asked.window.until : now,
      NamesRefused() - session->names_refused_before,
      {}};
  AppendAnchor(&file);
  AppendUsage(&file);
  good = good && file.AppendSmall(BlockKind::kProcess, asked.facts,
                                  asked.fact_bytes) == AppendResult::kOk;
  good = good && file.AppendSmall(BlockKind::kEnd, &end, sizeof(end)) ==
                     AppendResult::kOk;
  file.Close();
  if (good && PutInPlace(part, asked.path)) return true;
  unlink(part);
  return false;
}

void Answer(bool saved) {
  if (!saved)
    std::snprintf(asked.error, sizeof(asked.error), "%.500s", LastError());
  SaveState expected = SaveState::kTaken;
  if (!asked.state.compare_exchange_strong(
          expected, saved ? SaveState::kSaved : SaveState::kFailed))
    asked.state.store(SaveState::kNone, std::memory_order_release);
}

// True if the writer is still at a window that nobody waits for.
bool IsAbandoned() {
  return asked.state.load(std::memory_order_acquire) == SaveState::kAbandoned;
}

size_t PutFact(const WindowFact& fact, uint8_t* out, size_t room) {
  const uint32_t lengths[2] = {static_cast<uint32_t>(std::strlen(fact.key)),
                               static_cast<uint32_t>(std::strlen(fact.value))};
  const size_t total = sizeof(lengths) + lengths[0] + lengths[1];
  if (total > room) return 0;
  std::memcpy(out, lengths, sizeof(lengths));
  std::memcpy(out + sizeof(lengths), fact.key, lengths[0]);
  std::memcpy(out + sizeof(lengths) + lengths[0], fact.value, lengths[1]);
  return total;
}

int TooLate(const char* path, int timeout_ms) {
  return Fail(STEPSCOPE_TIMEOUT, "%s: the window was not saved within %d ms",
              path, timeout_ms);
}

// REQUIRES: `turn` held.
int SaveInTurn(const char* path, const TickWindow& window,
               const WindowFact* facts, size_t count, int timeout_ms,
               int64_t deadline) {
  if (!stepscope_enabled())
    return Fail(STEPSCOPE_NOT_RUNNING,
                "nothing is being recorded that could be saved");
  if (std::strlen(path) >= sizeof(asked.path) - 64)
    return Fail(STEPSCOPE_INVALID, "the path of the window is too long");
  while (IsAbandoned()) {
    if (MonotonicNs() >= deadline) return TooLate(path, timeout_ms);
    Pause(1000000);
  }
  std::snprintf(asked.path, sizeof(asked.path), "%s", path);
  asked.window = window;
  asked.fact_bytes = 0;
  for (size_t i = 0; i < count; ++i)
    asked.fact_bytes += PutFact(facts[i], asked.facts + asked.fact_bytes,
                                sizeof(asked.facts) - asked.fact_bytes);
  asked.error[0] = '\0';
  asked.state.store(SaveState::kAsked, std::memory_order_release);
  for (;;) {
    core.writer_sleeper.Wake();
    const SaveState now = asked.state.load(std::memory_order_acquire);
    if (now == SaveState::kSaved) return STEPSCOPE_OK;
    if (now == SaveState::kFailed)
      return Fail(STEPSCOPE_IO, "%s: the window was not saved: %s", path,
                  asked.error);
    // Taken back, or left to the writer that is at it.
    const bool over = !stepscope_enabled();
    const bool late = MonotonicNs() >= deadline;
    SaveState expected = SaveState::kAsked;
    if ((over || late) &&
        asked.state.compare_exchange_strong(expected, SaveState::kNone))
      return over ? Fail(STEPSCOPE_NOT_RUNNING,
                         "%s: the window was not saved: the recording ended",
                         path)
                  : TooLate(path, timeout_ms);
    expected = SaveState::kTaken;
    if (late &&
        asked.state.compare_exchange_strong(expected, SaveState::kAbandoned))
      return TooLate(path, timeout_ms);
    Pause(1000000);
  }
}

}  // namespace

void KeepWindow(uint64_t from, uint64_t max_bytes) {
  keep_bytes.store(max_bytes, std::memory_order_relaxed);
  keep_from.store(from, std::memory_order_release);
}

int SaveWindow(const char* path, const TickWindow& window,
               const WindowFact* facts, size_t count, int timeout_ms) {
  const int64_t deadline = MonotonicNs() + int64_t{timeout_ms} * 1000000;
  while (pthread_mutex_trylock(&turn) != 0) {
    if (MonotonicNs() >= deadline) return TooLate(path, timeout_ms);
    Pause(1000000);
  }
  const int status =
      SaveInTurn(path, window, facts, count, timeout_ms, deadline);
  pthread_mutex_unlock(&turn);
  return status;
}

void TendWindow(Session* session) {
  WindowIndex& index = IndexOf(*session);
  if (index.marks.IsDue(session->file.bytes())) AddMark(session, &index);
  SaveState expected = SaveState::kAsked;
  if (asked.state.compare_exchange_strong(expected, SaveState::kTaken))
    Answer(Save(session));
  uint64_t from = keep_from.load(std::memory_order_acquire);
  if (from == 0) return;
  const uint64_t bytes = session->file.bytes();
  const uint64_t limit = keep_bytes.load(std::memory_order_relaxed);
  const bool too_large = limit != 0 && bytes > limit;
  const WindowMark* left = index.marks.Before(from);
  const uint64_t stale = left != nullptr ? left->bytes : 0;
  if (stale < bytes / 2 + kLeastGain && !too_large) return;
  if (bytes < session->rewrite_at) return;
  // A window that does not fit is shortened: its younger half stays.
  if (from < session->window_from) from = session->window_from;
  const bool done = Compact(session, from);
  const uint64_t after = session->file.bytes();
  if (done) {
    index.Clear();
    AddMark(session, &index);
    if (limit != 0 && after > limit / 2)
      session->window_from = from + (Now() - from) / 2;
  }
  // What found no room, or gained nothing, is not tried again at once.
  session->rewrite_at = 0;
  if (!done || after > bytes - bytes / 8)
    session->rewrite_at =
        after + (after / 16 > kLeastGain ? after / 16 : kLeastGain);
}

void ResetWindowAfterFork() {
  turn = PTHREAD_MUTEX_INITIALIZER;
  asked.state.store(SaveState::kNone, std::memory_order_relaxed);
  keep_from.store(0, std::memory_order_relaxed);
}

}  // namespace stepscope::collector
