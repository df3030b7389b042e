// SPDX-License-Identifier: Apache-2.0
//
// Allocations and frees of torch, as its allocators tell them to a profiler.
// An allocator asks for an object of the calling thread, and calls it if it is
// there. torch hands that object on to the threads that it sets to work for
// this one: those of autograd, and of jobs that it forks.
#pragma once

#include <atomic>
#include <cstdint>

namespace stepscope::torch_abi {

// What torch has allocated of the host's memory. Its allocator tells that with
// each report; memory that two processes share, as batches of a DataLoader's
// workers, is reported as if there were no other.
class HostTotal {
 public:
  // With the next report's figures: `bytes` are negative for a free.
  uint64_t After(int64_t bytes, uint64_t allocated, uint64_t reserved) {
    const uint64_t before = total_.load(std::memory_order_relaxed);
    // Nothing is reserved but what is shared, and the allocator has nothing
    // left only when all of it is freed.
    const bool shared =
        reserved != 0 ||
        (allocated == 0 && static_cast<int64_t>(before) + bytes > 0);
    if (shared) return before;
    total_.store(allocated, std::memory_order_relaxed);
    return allocated;
  }

 private:
  std::atomic<uint64_t> total_{0};
};

// Finds what is needed in the torch of this process, and lets torch report an
// allocation that nobody made: it must arrive once, as it was told. Null, or
// why allocations cannot be recorded. May be called again; success stays for
// that torch.
const char* FindMemoryReports(void* torch);

// The allocators report to this thread's recording from here on, or no more.
// Null, or why not. REQUIRES: FindMemoryReports() was successful.
const char* ReportMemory(bool on);

// torch takes this thread for one that a profiler records: only then ranges of
// its Python are told to observers (_RecordFunctionFast, with which Inductor
// marks its launches). Not where torch's own profiler records. REQUIRES: as
// above.
void AnnounceProfiler(bool on);

}  // namespace stepscope::torch_abi
