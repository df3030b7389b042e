// SPDX-License-Identifier: Apache-2.0
//
// The file of a session that keeps a window: a session that never stops, of
// which only the last part is wanted. Its capture is an ordinary one at every
// instant; now and then it is written anew without what is older than the
// window, and renamed into its place. A window can also be saved: copied to a
// file of its own, complete, while recording goes on.
//
// Writer thread only, except what says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/core.h"
#include "collector/window_filter.h"

namespace stepscope::collector {

// Any thread: from now on what ended before `from` may be discarded, and what
// does not fit into `max_bytes` of the capture (0: no limit). 0: keep all.
void KeepWindow(uint64_t from, uint64_t max_bytes);

// Any thread but the writer: copies what was recorded in `window` into a new
// capture at `path`. Waits for the writer, `timeout_ms` at most. `key` and
// `value` pairs, `count` of them, go into its description.
struct WindowFact {
  const char* key;
  const char* value;
};
int SaveWindow(const char* path, const TickWindow& window,
               const WindowFact* facts, size_t count, int timeout_ms);

// Called by the writer for the session that records: does what is due of both.
void TendWindow(Session* session);

void ResetWindowAfterFork();

}  // namespace stepscope::collector
