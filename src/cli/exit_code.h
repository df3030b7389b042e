// SPDX-License-Identifier: Apache-2.0
//
// What the program says to the shell. Scripts rely on it: never renumber.
#pragma once

namespace stepscope {

enum ExitCode {
  kExitOk = 0,          // also for damaged input of which something was read
  kExitNo = 1,          // the answer is "no" (a comparison's gate)
  kExitUsage = 2,       // wrong arguments
  kExitUnreadable = 3,  // no event could be read from the input
  kExitIo = 4,          // the output could not be written
};

}  // namespace stepscope
