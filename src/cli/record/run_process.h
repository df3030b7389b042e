// SPDX-License-Identifier: Apache-2.0
//
// Child processes: the command of `run`, which gets the terminal and our
// signals, and short helpers whose output we read.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/record/run_environment.h"

namespace stepscope {

// How a process ended.
struct Ending {
  int code = 0;    // exit code, if signal is 0
  int signal = 0;  // that ended it
  pid_t pid = 0;
};

// What else to do while a command runs.
struct Meanwhile {
  std::function<void()> idle;  // called about once a second
  int fd = -1;                 // and as soon as this one is readable:
  std::function<void()> ready;
};

// Runs `command` with `variables` added to the environment, in our process
// group, and waits. Signals that are sent to us alone are passed on; those of
// the terminal reach the command by themselves. Fails if the command could not
// be executed: kNotFound or kIo.
Result<Ending> RunCommand(const std::vector<std::string>& command,
                          const Variables& variables,
                          const Meanwhile& meanwhile);

// Standard output of a helper that ends within `timeout_s`. Fails if it cannot
// be run, takes longer or returns another code than 0. Its standard error goes
// to the file `log`, or nowhere.
Result<std::string> OutputOf(const std::vector<std::string>& command,
                             const Variables& variables, int timeout_s,
                             const std::string& log = "");

// The file that a shell would execute for `name`, or "".
std::string FindProgram(const std::string& name);

// Ends this process as the other one ended.
[[noreturn]] void EndLike(const Ending& ending);

}  // namespace stepscope
