// SPDX-License-Identifier: Apache-2.0
//
// Which event of a thread lies in which, for files of Paddle.
#pragma once

#include "importers/paddle/paddle_event.h"

namespace stepscope::json {

// By the order of the file: all outermost events of the thread, then those one
// level below, and so on. Within a level the children of its first event come
// before those of the second, so levels are laid beside each other, and of all
// ways to do so the likeliest is taken: by names, and by how much room times
// leave. Narrows low_ns and high_ns. False: that is not the file's order.
bool FindPaddleParentsByOrder(PaddleEvents& events);

// By time alone. Orders the events.
void FindPaddleParentsByTime(PaddleEvents& events);

}  // namespace stepscope::json
