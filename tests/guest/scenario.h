// SPDX-License-Identifier: Apache-2.0
//
// What a guest does, made from a seed. The first seeds are directed: each aims
// at one way in which a recorder can harm its host. The others mix.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope::guest {

// Troubles; each is a bit.
enum Trouble : uint32_t {
  kDescriptors = 1u << 0,     // opens, writes, closes and dups files
  kCloseAll = 1u << 1,        // closes all descriptors from 3 on, as daemons do
  kTakeNumbers = 1u << 2,     // puts files on low numbers, as shells do
  kStandardClosed = 1u << 3,  // starts with 0, 1 and 2 closed
  kForks = 1u << 4,           // fork, vfork, clone, spawn, exec
  kForkedSessions = 1u << 5,  // children that close, open and record
  kStorm = 1u << 6,           // signals at the highest rate; handlers record
  kChunkEnds = 1u << 7,       // signals where a chunk is used up
  kNoDefer = 1u << 8,         // handlers interrupt themselves
  kJumps = 1u << 9,           // handlers leave by siglongjmp
  kCancel = 1u << 10,         // threads are cancelled while they record
  kCancelControl = 1u << 11,  // and in the functions of sessions
  kSessions = 1u << 12,       // sessions come and go
  kSmallStacks = 1u << 13,
  kFewDescriptors = 1u << 14,  // RLIMIT_NOFILE
  kSmallFiles = 1u << 15,      // RLIMIT_FSIZE
  kLittleMemory = 1u << 16,    // RLIMIT_AS
  kTinyDisk = 1u << 17,        // captures on a file system of 1 MiB
  kNoSharedMemory = 1u << 18,  // /dev/shm cannot be written
  kNoLiveFolder = 1u << 19,    // STEPSCOPE_LIVE_DIR does not exist
  kRefusedCalls = 1u << 20,    // a seccomp filter; see seccomp.h
  kAllTroubles = 1u << 21,
};

enum class Ending {
  kStop,         // stop, wait, return
  kReturn,       // return from main while the session records
  kExitRunning,  // exit while threads record
  kQuickExit,    // _exit while threads record
  kKill,         // SIGKILL
  kExec,         // exec while threads record
  kThreadExit,   // main ends by pthread_exit, the others go on
  kRawExit,      // main ends by the system call
  kHandlerExit,  // exit in a handler
  kHandlerQuickExit,
};

struct Scenario {
  uint64_t seed = 0;
  const char* name = "mixed";
  uint32_t troubles = 0;
  Ending ending = Ending::kStop;
  int recorders = 3;
  int lives = 1;  // threads one after the other in the place of each recorder
  uint64_t events = 20000;  // of each life
  uint32_t styles = 1;
  uint64_t budget = 0;
  uint64_t max_file = 0;
  int code = 0;

  bool Has(uint32_t trouble) const { return (troubles & trouble) != 0; }
};

int DirectedScenarios();
// The directed ones have the seeds 1 to DirectedScenarios().
Scenario MakeScenario(uint64_t seed);
// False: there is none of that name.
bool FindScenario(const std::string& name, Scenario* scenario);

// For people.
std::string Describe(const Scenario& scenario);

}  // namespace stepscope::guest
