// SPDX-License-Identifier: Apache-2.0
//
// What the program says to the shell. Scripts rely on it: never renumber.
#pragma once

#include <string_view>

namespace stepscope {

enum ExitCode {
  kExitOk = 0,          // also for damaged input of which something was read
  kExitNo = 1,          // the answer is "no" (a comparison's gate, a trigger)
  kExitUsage = 2,       // wrong arguments
  kExitUnreadable = 3,  // no event could be read from the input
  kExitIo = 4,          // the output could not be written
  kExitMissing = 5,     // a library that the command needs is not there
};

// What the manual and the guide say about them.
struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
};
inline constexpr ExitMeaning kExitMeanings[] = {
    {kExitOk,
     "done; also for a damaged input if at least one event could be read"},
    {kExitNo,
     "the answer is \"no\": compare found B slower than allowed; trigger did "
     "not reach every process"},
    {kExitUsage, "wrong arguments"},
    {kExitUnreadable,
     "the input cannot be read: missing, unknown format, nothing left of it"},
    {kExitIo, "the output cannot be written"},
    {kExitMissing,
     "something that the command needs is not installed, such as DuckDB for "
     "query"},
};

}  // namespace stepscope
