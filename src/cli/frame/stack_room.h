// SPDX-License-Identifier: Apache-2.0
//
// A program whose stack ends is killed without a word. `ulimit -s` may leave
// less than this program needs; what it runs may need less.
#pragma once

namespace stepscope {

// Whether the limit leaves room for any command. Needs very little itself.
bool HasStackRoom();

// Says in one line that it does not. `run` still executes its command, without
// profiling, and returns only if it cannot. Returns the exit code.
int RunWithoutStackRoom(char** words);

}  // namespace stepscope
