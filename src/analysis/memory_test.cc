// SPDX-License-Identifier: Apache-2.0
//
// What all tables together hold at once, counted to the byte: a column that is
// copied, or a record per event, shows here on any machine. Everything that
// the process asks for is counted, whether or not it is touched.
#include <gtest/gtest.h>
#include <malloc.h>
#include <stepscope/c.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "analysis/summary.h"
#include "trace/build/trace_builder.h"

namespace {

std::atomic<int64_t> held{0};
std::atomic<int64_t> highest{0};

void Count(int64_t bytes) {
  const int64_t now = held += bytes;
  int64_t before = highest;
  while (now > before && !highest.compare_exchange_weak(before, now)) {
  }
}

void* Take(size_t bytes) {
  void* const data = std::malloc(bytes);
  if (data == nullptr) throw std::bad_alloc();
  Count(static_cast<int64_t>(malloc_usable_size(data)));
  return data;
}

void GiveBack(void* data) {
  Count(-static_cast<int64_t>(malloc_usable_size(data)));
  std::free(data);
}

}  // namespace

void* operator new(size_t bytes) { return Take(bytes); }
void operator delete(void* data) noexcept { GiveBack(data); }
void operator delete(void* data, size_t) noexcept { GiveBack(data); }

// Large columns are mappings of their own (base/column.cc). The C library's own
// calls do not come here.
extern "C" void* mmap(void* at, size_t bytes, int protection, int flags, int fd,
                      off_t offset) noexcept {
  void* const data = reinterpret_cast<void*>(
      syscall(SYS_mmap, at, bytes, protection, flags, fd, offset));
  if (data != MAP_FAILED) Count(static_cast<int64_t>(bytes));
  return data;
}
extern "C" int munmap(void* at, size_t bytes) noexcept {
  Count(-static_cast<int64_t>(bytes));
  return static_cast<int>(syscall(SYS_munmap, at, bytes));
}
extern "C" void* mremap(void* at, size_t bytes, size_t new_bytes, int flags,
                        ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  void* const to = va_arg(arguments, void*);
  va_end(arguments);
  // Takes the place of pages that were counted.
  if ((flags & MREMAP_FIXED) != 0) Count(-static_cast<int64_t>(new_bytes));
  return reinterpret_cast<void*>(
      syscall(SYS_mremap, at, bytes, new_bytes, flags, to));
}

namespace stepscope {
namespace {

constexpr int kOperators = 120'000;

// Two threads in turn, as forward and backward are: steps of operators, each
// with a part inside and a call of the device's API; with a device, each call
// launches a kernel.
std::shared_ptr<const Trace> MakeTrace(bool gpu) {
  TraceBuilder builder;
  builder.AddProcess({});
  Track track;
  track.id = 1;
  const uint32_t main = builder.AddTrack(track);
  track.id = 2;
  const uint32_t autograd = builder.AddTrack(track);
  Track stream;
  stream.kind = TrackKind::kStream;
  stream.id = 7;
  stream.device = 0;
  stream.device_type = builder.Intern("GPU");
  const uint32_t device = builder.AddTrack(stream);
  const StringId launch = builder.Intern("cudaLaunchKernel");
  const StringId kernel = builder.Intern("void kernel<float>(int)");
  const StringId inner = builder.Intern("compute");
  const StringId step_name = builder.Intern("ProfileStep");
  int64_t time = 0;
  int64_t step_begin = 0;
  for (int i = 0; i < kOperators; ++i) {
    const uint32_t thread = i / 500 % 2 == 0 ? main : autograd;
    // No two calls are alike, as in life; some are long enough to be a wait.
    const int64_t dur = 4'000 + i * 7'919 % 3'000 + (i % 9 == 0 ? 40'000 : 0);
    const StringId name =
        builder.Intern(std::string("op").append(std::to_string(i % 60)));
    builder.AddEvent({thread, time, dur, name, STEPSCOPE_OPERATOR, 0});
    builder.AddEvent(
        {thread, time + 100, dur - 200, inner, STEPSCOPE_OPERATOR_INNER, 0});
    const Row call = builder.AddEvent(
        {thread, time + 200, 900 + i % 50, launch, STEPSCOPE_CUDA_RUNTIME, 0});
    if (gpu) {
      const Row work = builder.AddEvent(
          {device, time + 3'000, 900 + i % 90, kernel, STEPSCOPE_KERNEL, 0});
      const auto id = static_cast<uint64_t>(i);
      builder.AddLink({0, LinkSpace::kCorrelation, id, call});
      builder.AddLink({0, LinkSpace::kCorrelation, id, work});
    }
    time += dur + 300;
    if ((i + 1) % 1'000 != 0) continue;
    builder.AddEvent({main, step_begin, time - step_begin, step_name,
                      STEPSCOPE_PROFILE_STEP, 0});
    time += 100;
    step_begin = time;
  }
  std::shared_ptr<const Trace> trace = *builder.Finish();
  trace->nesting();  // is part of the trace
  return trace;
}

// Bytes per event that a summary holds at most, beside the trace.
double PeakOf(const Trace& trace, ViewSet views) {
  SummaryOptions options;
  options.views = views;
  const int64_t before = held;
  highest = before;
  const Summary summary = ComputeSummary(trace, options);
  EXPECT_FALSE(summary.steps.empty());
  return static_cast<double>(highest - before) /
         static_cast<double>(trace.size());
}

constexpr ViewSet kTables = kUsualViews & ~kAdviceView;

// The trace takes 28 bytes per event and 8 for its nesting: with 6 more, all
// is within 1.5 times the tables. A copy of one column is 2 to 8 bytes.
TEST(MemoryTest, TablesOfHostEvents) {
  const auto trace = MakeTrace(/*gpu=*/false);
  EXPECT_LE(PeakOf(*trace, kTables), 2.5);
  EXPECT_LE(PeakOf(*trace, kAdviceView), 3.5);
  EXPECT_LE(PeakOf(*trace, kUsualViews), 3.5);
  EXPECT_LE(PeakOf(*trace, kCriticalPathView), 8.5);
}

// Device time by event takes 8 bytes, and each piece of work 12. The replay
// has a node for each launch and each piece of work.
TEST(MemoryTest, TablesOfDeviceWork) {
  const auto trace = MakeTrace(/*gpu=*/true);
  EXPECT_LE(PeakOf(*trace, kTables), 17.5);
  EXPECT_LE(PeakOf(*trace, kUsualViews), 58);
}

}  // namespace
}  // namespace stepscope
