// SPDX-License-Identifier: Apache-2.0
//
// Threads that record, and count in the ledger what they attempt.
#pragma once

#include <stepscope/stepscope.h>

#include <csignal>
#include <cstdint>
#include <random>

#include "guest/ledger.h"

namespace stepscope::guest {

using Rng = std::mt19937_64;

// The row of the calling thread; handlers count there too.
extern thread_local ThreadRow* my_row;
// Set while the calling thread is inside a function of stepscope, or counts
// what it does there. A handler that leaves by a jump looks at it: to jump out
// of a library is the user's own fault.
extern thread_local volatile std::sig_atomic_t inside_stepscope;

// A thread of the guest: gets a row, and its name in the capture is the row's.
void EnterThread(const char* what);

// Called now and then between events (signals.cc).
void ExpectSignals();

// One event, counted.
template <typename Begin>
void Attempt(Begin begin) {
  inside_stepscope = 1;
  Add(&my_row->attempted);
  stepscope_end(begin());
  Add(&my_row->completed);
  inside_stepscope = 0;
}

// The ways to record an event; each is a bit.
enum Style : uint32_t {
  kSites = 1,       // by a static place in the code
  kKnownNames = 2,  // names that were used before
  kNewNames = 4,    // a name that is new each time
  kNested = 8,      // one inside another
  kArguments = 16,  // with arguments and counters beside
};

// Records `count` events in the given styles. Ends early if the ledger says
// that the user's part is over.
void RecordEvents(uint64_t count, uint32_t styles, Rng* rng);

// Records `count` events, each with a new name of some 1,000 bytes: more than
// the room for names that is reserved at once.
void RecordLongNames(int count);

}  // namespace stepscope::guest
