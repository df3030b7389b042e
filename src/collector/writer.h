// SPDX-License-Identifier: Apache-2.0
//
// The writer thread: empties full chunks into capture files, keeps clock
// anchors coming, seals stopped sessions, prefaults the ring. It exists while
// a session does.
#pragma once

namespace stepscope::collector {

// Starts the thread unless it runs. REQUIRES: control held. False: the system
// refused a thread.
bool EnsureWriter();

}  // namespace stepscope::collector
