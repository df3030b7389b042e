// SPDX-License-Identifier: Apache-2.0
//
// Ranges that are open: pushed ones on a stack of their thread, started ones
// in a table of the process, since any thread may end them. Nothing here
// allocates. What finds no room is not recorded, and its end is ignored; the
// capture has a counter of those.
#pragma once

#include <stepscope/c.h>

#include <cstdint>

#include "inject/nvtx_objects.h"
#include "inject/recording.h"

namespace stepscope::inject::nvtx {

struct OpenRange {
  stepscope_scope scope;
  const Domain* domain;
  Recording::Range range;
};

// Pushed ranges of the calling thread. Each domain has its own order: a pop
// takes the domain's last, whatever others pushed in between. Push and pop
// return the level of the range within its domain, or a negative number.
//
// True if there is room; else the range counts as pushed, and its pop finds
// nothing.
bool HasRoomToPush();
// REQUIRES: HasRoomToPush() was just true.
int PushRange(const OpenRange& range);
int PopRange(const Domain* domain, OpenRange* range);

// Started ranges: a place first, then what is kept there. 0: no room.
uint64_t ReservePlace();
void KeepRange(uint64_t place, const OpenRange& range);
// False: no such range, or it was ended already.
bool TakeRange(uint64_t place, OpenRange* range);

// Pushed ranges of the parent are not open in a child.
void ForgetRangesInForkedChild();

}  // namespace stepscope::inject::nvtx
