// SPDX-License-Identifier: Apache-2.0
//
// The truth about a guest, kept outside of what is under test: a mapped file
// that outlives every process of the guest and that ledger.py reads. All
// counters are atomic, so that handlers and forked children add to them.
#pragma once

#include <cstdint>

namespace stepscope::guest {

inline constexpr uint32_t kProcesses = 256;
inline constexpr uint32_t kThreads = 8192;
inline constexpr uint32_t kFiles = 4096;
inline constexpr uint32_t kTextBytes = 16384;

// What must be found in the captures of a process. Stored; ledger.py.
enum class Bound : int32_t {
  kNothing = 0,           // it records nothing
  kExact = 1,             // everything that was attempted
  kAtLeastFloor = 2,      // at least `floor`: it stopped while threads recorded
  kAtLeastCompleted = 3,  // at least what was completed: it was ended
  kAtMost = 4,  // nothing that was not attempted: sessions came and went
};

struct ProcessRow {
  int32_t pid;
  Bound bound;
  int32_t start_status;  // stepscope_status of the session's start
  int32_t reserved;
  uint64_t floor;
  char error[512];  // what stepscope_last_error() said then
};

struct ThreadRow {
  char name[32];
  int32_t process;
  int32_t reserved;
  uint64_t attempted;  // before each begin
  uint64_t completed;  // after each end
  uint64_t handler_attempted;
  uint64_t handler_completed;
};

// A file of the user's: its line again and again, `written` bytes of it.
struct FileRow {
  uint64_t written;
  uint64_t writing;  // as far as a write in progress goes
};

struct Ledger {
  char magic[8];
  int32_t ends_by_signal;  // 0: by exit
  int32_t ends_with;       // exit code or signal
  uint32_t processes;
  uint32_t threads;
  uint32_t files;
  uint32_t text_used;
  uint32_t words_used;
  int32_t ended;  // the user's part is over: nothing of it is left to wait for
  char text[kTextBytes];   // findings of the guest itself, one a line
  char words[kTextBytes];  // the scenario
  ProcessRow process[kProcesses];
  ThreadRow thread[kThreads];
  FileRow file[kFiles];
};

extern Ledger* ledger;

// Maps the file; false: it cannot be.
bool OpenLedger(const char* path);

inline void Add(uint64_t* counter, uint64_t count = 1) {
  __atomic_fetch_add(counter, count, __ATOMIC_RELAXED);
}
inline uint64_t Read(const uint64_t* counter) {
  return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

// A finding, or a word about the scenario. Safe in handlers.
void Find(const char* format, ...) __attribute__((format(printf, 1, 2)));
void Say(const char* format, ...) __attribute__((format(printf, 1, 2)));

void ExpectExit(int code);
void ExpectSignal(int signal);

// The calling process gets a row of its own; its index.
int AddProcess(Bound bound);
extern int process_index;  // of this process
ProcessRow* ThisProcess();

// A thread's row; never null: the last one is shared when there are too many.
ThreadRow* AddThread(const char* what);

// What this process completed so far.
uint64_t CompletedSoFar();

}  // namespace stepscope::guest
