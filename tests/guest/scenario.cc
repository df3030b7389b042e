// SPDX-License-Identifier: Apache-2.0
#include "guest/scenario.h"

#include <iterator>
#include <random>

#include "guest/recorder.h"

namespace stepscope::guest {
namespace {

constexpr uint32_t kAllStyles =
    kSites | kKnownNames | kNewNames | kNested | kArguments;

constexpr Scenario kDirected[] = {
    {.name = "closes_all",
     .troubles = kDescriptors | kCloseAll,
     .events = 300000,
     .styles = kSites | kNewNames},
    {.name = "takes_numbers",
     .troubles = kDescriptors | kTakeNumbers,
     .events = 200000,
     .styles = kSites | kNewNames},
    {.name = "standard_closed",
     .troubles = kStandardClosed | kDescriptors,
     .events = 100000},
    {.name = "child_closes_all",
     .troubles = kForkedSessions,
     .events = 50000,
     .styles = kSites | kNewNames},
    {.name = "handlers_at_chunk_ends",
     .troubles = kStorm | kChunkEnds,
     .recorders = 2,
     .events = 100000},
    {.name = "handlers_at_high_rates",
     .troubles = kStorm,
     .lives = 4,
     .events = 100000,
     .styles = kSites | kKnownNames | kNewNames},
    {.name = "main_ends_first", .ending = Ending::kThreadExit, .events = 50000},
    {.name = "main_leaves_by_system_call",
     .ending = Ending::kRawExit,
     .events = 50000},
    {.name = "cancelled_threads",
     .troubles = kCancel,
     .events = 50000,
     .styles = kAllStyles},
    {.name = "cancelled_control",
     .troubles = kCancelControl,
     .events = 50000,
     .styles = kAllStyles},
    {.name = "short_threads_at_the_file_limit",
     .recorders = 4,
     .lives = 20,
     .events = 40000,
     .max_file = 1u << 20},
    {.name = "short_threads_on_a_full_disk",
     .troubles = kTinyDisk,
     .recorders = 4,
     .lives = 20,
     .events = 40000},
    {.name = "exit_in_a_handler",
     .troubles = kStorm,
     .ending = Ending::kHandlerExit,
     .styles = kAllStyles,
     .code = 9},
    {.name = "exit_in_a_handler_of_control",
     .troubles = kStorm | kSessions,
     .ending = Ending::kHandlerExit,
     .recorders = 1,
     .events = 2000,
     .code = 9},
    {.name = "children_of_all_kinds",
     .troubles = kForks | kDescriptors,
     .events = 100000,
     .styles = kAllStyles},
    {.name = "small_budget",
     .recorders = 4,
     .events = 300000,
     .styles = kAllStyles,
     .budget = 1u << 20},
    {.name = "refused_system_calls",
     .troubles = kRefusedCalls,
     .events = 100000,
     .styles = kAllStyles},
};

struct Word {
  uint32_t trouble;
  const char* text;
};
constexpr Word kWords[] = {
    {kDescriptors, "opens, writes, dups and closes files"},
    {kCloseAll, "closes all descriptors from 3 on"},
    {kTakeNumbers, "puts files on low descriptor numbers"},
    {kStandardClosed, "starts with descriptors 0 to 2 closed"},
    {kForks, "forks, vforks, clones, spawns, execs"},
    {kForkedSessions, "children close all, open files and record"},
    {kStorm, "signals at the highest rate, handlers record"},
    {kChunkEnds, "signals inside the recorder at the end of a chunk"},
    {kNoDefer, "handlers interrupt themselves"},
    {kJumps, "handlers leave by siglongjmp"},
    {kCancel, "threads are cancelled while they record"},
    {kCancelControl, "a thread is cancelled in stop and wait"},
    {kSessions, "sessions come and go"},
    {kSmallStacks, "small stacks"},
    {kFewDescriptors, "RLIMIT_NOFILE"},
    {kSmallFiles, "RLIMIT_FSIZE"},
    {kLittleMemory, "RLIMIT_AS"},
    {kTinyDisk, "captures on a file system of 1 MiB"},
    {kNoSharedMemory, "/dev/shm cannot be written"},
    {kNoLiveFolder, "STEPSCOPE_LIVE_DIR does not exist"},
    {kRefusedCalls, "a seccomp filter refuses what can be done without"},
};
constexpr const char* kEndings[] = {
    "stops, waits and returns",
    "returns from main while it records",
    "exits while threads record",
    "_exits while threads record",
    "is killed while threads record",
    "execs while threads record",
    "main ends by pthread_exit",
    "main ends by the system call exit",
    "exits in a handler",
    "_exits in a handler",
};

// What cannot be judged together is taken apart: sessions that come and go
// leave no exact count, and must not hide what other troubles lose.
void MakeSound(Scenario* s) {
  if (s->Has(kSessions)) s->troubles &= ~uint32_t{kCancelControl};
  if (s->Has(kChunkEnds | kNoDefer) || s->ending >= Ending::kHandlerExit)
    s->troubles |= kStorm;
  if (s->Has(kCloseAll | kTakeNumbers)) s->troubles |= kDescriptors;
  if (s->Has(kCancelControl)) s->ending = Ending::kStop;
  // Kernels differ in whose code it is, the first thread's or the last one's.
  if (s->ending == Ending::kRawExit) s->code = 0;
  // Its long name alone is more than that.
  if (s->Has(kLittleMemory)) s->troubles &= ~uint32_t{kChunkEnds};
}

Scenario Mixed(uint64_t seed) {
  Rng rng(seed);
  Scenario s;
  s.seed = seed;
  const uint64_t count = 2 + rng() % 4;
  for (uint64_t i = 0; i < count; ++i)
    s.troubles |= kWords[rng() % std::size(kWords)].trouble;
  s.ending = static_cast<Ending>(rng() % std::size(kEndings));
  if (rng() % 2 == 0) s.ending = Ending::kStop;  // the one that counts exactly
  s.recorders = 1 + static_cast<int>(rng() % 4);
  s.lives = rng() % 3 == 0 ? 2 + static_cast<int>(rng() % 12) : 1;
  s.events = (uint64_t{1000} << rng() % 7) / static_cast<uint64_t>(s.lives);
  s.styles = 1 + static_cast<uint32_t>(rng() % kAllStyles);
  if (rng() % 3 == 0) s.budget = uint64_t{1} << (20 + rng() % 4);
  if (rng() % 4 == 0) s.max_file = uint64_t{65536} << rng() % 5;
  s.code = static_cast<int>(rng() % 100);
  MakeSound(&s);
  return s;
}

}  // namespace

int DirectedScenarios() { return static_cast<int>(std::size(kDirected)); }

Scenario MakeScenario(uint64_t seed) {
  if (seed < 1 || seed > std::size(kDirected)) return Mixed(seed);
  Scenario s = kDirected[seed - 1];
  s.seed = seed;
  return s;
}

bool FindScenario(const std::string& name, Scenario* scenario) {
  for (uint64_t seed = 1; seed <= std::size(kDirected); ++seed)
    if (name == kDirected[seed - 1].name) {
      *scenario = MakeScenario(seed);
      return true;
    }
  return false;
}

std::string Describe(const Scenario& s) {
  std::string text = std::string(s.name) + ": " + std::to_string(s.recorders) +
                     " x " + std::to_string(s.lives) + " threads of " +
                     std::to_string(s.events) + " events";
  if (s.budget != 0) text += "; budget " + std::to_string(s.budget);
  if (s.max_file != 0) text += "; file limit " + std::to_string(s.max_file);
  for (const Word& word : kWords)
    if (s.Has(word.trouble)) text += std::string("; ") + word.text;
  return text + "; " + kEndings[static_cast<int>(s.ending)];
}

}  // namespace stepscope::guest
