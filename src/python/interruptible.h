// SPDX-License-Identifier: Apache-2.0
//
// Long work of C++ that Ctrl-C can end: it runs on a thread of its own, while
// the thread of Python looks for signals and shows how far it is.
#pragma once

#include <functional>

// Returns what `work` returned. `look` is called with the GIL, ten times a
// second once the work takes long, and raises by nanobind::python_error. Then
// `cancel` is called; if `wait` the work is waited for, else it ends by itself
// later. So without `wait` it must own what it uses, and no Python object.
int RunInterruptibly(std::function<int()> work,
                     const std::function<void()>& look,
                     const std::function<void()>& cancel, bool wait);

// Until no work is left behind, `seconds` at most. Without the GIL.
void WaitForAbandoned(int seconds);
