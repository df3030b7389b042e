// SPDX-License-Identifier: Apache-2.0
//
// Refused memory is an error with a message, never an empty or shorter table.
// Each test runs in a child whose address space may not grow.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <new>

#include "trace/build/trace_builder.h"
#include "trace/job/trace_set.h"

namespace stepscope {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasShadowMemory = true;
#else
constexpr bool kHasShadowMemory = false;
#endif

// Lets the process take `bytes` more than it has.
void LimitMemory(uint64_t bytes) {
  unsigned long long pages = 0;
  FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%llu", &pages) != 1) _exit(90);
  std::fclose(file);
  const rlim_t most =
      pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit = {most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(91);
}

// What `work` returns, called in a child.
template <typename Work>
int InChild(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "killed by " << WTERMSIG(status);
  return WEXITSTATUS(status);
}

constexpr uint64_t kLittle = uint64_t{8} << 20;
constexpr Row kEvents = 1'000'000;  // 28 bytes each
constexpr Row kEntries = 300'000;   // 24 bytes each, in doubling tables

void AddEvents(TraceBuilder& builder, Row count) {
  for (Row i = 0; i < count; ++i) {
    EventSpec event;
    event.start_ns = i * int64_t{10};
    event.dur_ns = 5;
    builder.AddEvent(event);
  }
}

bool IsOutOfMemory(const Error& error) {
  return error.code == ErrorCode::kIo &&
         error.message.find("not enough memory") != std::string::npos;
}

class OutOfMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kHasShadowMemory) GTEST_SKIP() << "a sanitizer needs the addresses";
  }
};

TEST_F(OutOfMemoryTest, EventsThatDoNotFitFailTheTrace) {
  EXPECT_EQ(InChild([] {
              LimitMemory(kLittle);
              TraceBuilder builder;
              builder.AddProcess({});
              builder.AddTrack({});
              AddEvents(builder, kEvents);
              const auto trace = builder.Finish();
              if (trace) return 1;
              return IsOutOfMemory(trace.error()) ? 0 : 2;
            }),
            0);
}

TEST_F(OutOfMemoryTest, ArgumentsAndLinksThatDoNotFitFailTheTrace) {
  for (const bool links : {false, true}) {
    EXPECT_EQ(InChild([links] {
                TraceBuilder builder;
                builder.AddProcess({});
                builder.AddTrack({});
                AddEvents(builder, 1);
                const StringId key = builder.Intern("key");
                LimitMemory(kLittle);
                for (Row i = 0; i < kEntries; ++i) {
                  if (links)
                    builder.AddLink({0, LinkSpace::kCorrelation, i, 0});
                  else
                    builder.NewArg(0, key).int_value = i;
                }
                const auto trace = builder.Finish();
                if (trace) return 1;
                return IsOutOfMemory(trace.error()) ? 0 : 2;
              }),
              0);
  }
}

TEST_F(OutOfMemoryTest, NestingIsWholeOrThrows) {
  EXPECT_EQ(InChild([] {
              TraceBuilder builder;
              builder.AddProcess({});
              builder.AddTrack({});
              AddEvents(builder, kEvents);
              const auto trace = builder.Finish();
              if (!trace) return 1;
              LimitMemory(kLittle);
              try {
                return (*trace)->nesting().parent.empty() ? 2 : 3;
              } catch (const std::bad_alloc&) {
                return 0;
              }
            }),
            0);
}

TEST_F(OutOfMemoryTest, AMergeThatDoesNotFitFails) {
  EXPECT_EQ(InChild([] {
              const auto make = [] {
                TraceBuilder builder;
                builder.AddProcess({});
                builder.AddTrack({});
                AddEvents(builder, kEvents);
                return *builder.Finish();
              };
              const TraceSet set({make(), make()});
              LimitMemory(kLittle);
              const auto merged = TraceSet::Merge(set);
              if (merged) return 1;
              return IsOutOfMemory(merged.error()) ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace stepscope
