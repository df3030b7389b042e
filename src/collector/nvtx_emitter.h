// SPDX-License-Identifier: Apache-2.0
//
// Shows recorded events to an NVTX tool as well, Nsight say, while a session
// asks for it. The tool is the library that NVTX_INJECTION64_PATH names, found
// and called as NVTX's own header would, which is not needed.
//
// Costs nothing while off: the inline code of c.h knows nothing of it. While
// on, threads are kept out of that code (see TakeSlots), so that every begin
// and end comes through here. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace stepscope::collector {

extern std::atomic<bool> nvtx_emitted;

inline bool EmitsNvtx() { return nvtx_emitted.load(std::memory_order_relaxed); }

// From the next session on. Without a tool it stays off; likewise where the
// tool is the injector of `stepscope run`, which would record events twice.
void SetEmitNvtx(bool on);

// An event of this thread begins, ends, or is a point in time. `slot` tells
// events apart. NVTX knows nested ranges only: an event that ends before one
// inside it takes that with it, and one that ends on another thread ends here
// with the event around it.
void EmitBegin(uint32_t site, const void* slot);
void EmitEnd(const void* slot);
void EmitMark(uint32_t site);

}  // namespace stepscope::collector
