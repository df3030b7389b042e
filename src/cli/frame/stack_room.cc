// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/stack_room.h"

#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "cli/frame/exit_code.h"

namespace stepscope {
namespace {

// `run` was seen to use 28 KiB.
constexpr uint64_t kLeastBytes = uint64_t{64} << 10;

// PrintError() needs more room than there is.
void Say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

}  // namespace

bool HasStackRoom() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return true;
  // The environment and the words of the command count too; the name of the
  // program lies above all of them.
  const uint64_t top = getauxval(AT_EXECFN);
  // Not the place of a variable: AddressSanitizer has some of these elsewhere.
  const auto bottom = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const uint64_t used = top > bottom ? top - bottom : 0;
  return limit.rlim_cur >= used + kLeastBytes;
}

int RunWithoutStackRoom(char** words) {
  if (words[0] != nullptr && words[1] != nullptr &&
      std::strcmp(words[1], "run") == 0) {
    char** command = words + 2;
    while (*command != nullptr && std::strcmp(*command, "--") != 0) ++command;
    if (*command != nullptr && command[1] != nullptr) {
      Say("stepscope: running without profiling: the limit of the stack is too "
          "low; raise it with ulimit -s 8192\n");
      execvp(command[1], command + 1);
      return 127;  // as shells have it
    }
  }
  Say("stepscope: the limit of the stack is too low; raise it with ulimit -s "
      "8192\n");
  return kExitIo;
}

}  // namespace stepscope
