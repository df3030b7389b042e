// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/output.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/file.h"
#include "base/visible_text.h"

namespace stepscope {

ExitCode WriteOutput(std::string_view text) {
  const Status status = WriteAll(STDOUT_FILENO, text, "standard output");
  if (status) return kExitOk;
  return Complain(kExitIo, status.error().message,
                  "free some space or write elsewhere");
}

void PrintError(std::string_view message) {
  // File names may hold anything; the message stays one line.
  const std::string line = "stepscope: " + VisibleText(message) + "\n";
  std::fputs(line.c_str(), stderr);
}

ExitCode Complain(ExitCode code, std::string_view message,
                  std::string_view remedy) {
  PrintError(std::string(message) + "; " + std::string(remedy));
  return code;
}

}  // namespace stepscope
