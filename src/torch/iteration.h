// SPDX-License-Identifier: Apache-2.0
//
// Whether the Python code of this thread is leaving a block because an iterator
// has no more to give. torch ends its range around DataLoader.__next__ alike
// with a batch and without one; only Python knows.
#pragma once

namespace stepscope {

// False where there is no Python. Takes the interpreter's lock for a moment.
// REQUIRES: called from code that Python called on this thread.
bool IsIterationStopping();

}  // namespace stepscope
