// SPDX-License-Identifier: Apache-2.0
//
// Allocations and frees of torch, as its allocators tell them to a profiler.
// An allocator asks for an object of the calling thread, and calls it if it is
// there. torch hands that object on to the threads that it sets to work for
// this one: those of autograd, and of jobs that it forks.
#pragma once

namespace stepscope::torch_abi {

// Finds what is needed in the torch of this process, and lets torch report an
// allocation that nobody made: it must arrive once, as it was told. Null, or
// why allocations cannot be recorded. May be called again; the first answer
// stays.
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
