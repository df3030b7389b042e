// SPDX-License-Identifier: Apache-2.0
//
// A thread that looks after an injected process: starts what is due, notices
// that torch was loaded, samples what the processors do. It sleeps nearly
// always, with every signal blocked.
#pragma once

namespace stepscope::inject {

// Starts the thread unless it runs. Where none can be had the process is
// recorded from its first event on, without samples and operators.
// `memory`: samples that of the process, too.
void StartWatcher(bool memory);

// In a forked child the thread is gone.
void ForgetWatcher();

}  // namespace stepscope::inject
