// SPDX-License-Identifier: Apache-2.0
//
// What goes into the collector comes out of the reader: every kind of record,
// and the odd uses that real programs make of them.
#include <dirent.h>
#include <time.h>

#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "recorded.h"

namespace stepscope {
namespace {

using testing::CountByName;
using testing::FindEvent;
using testing::FindThread;
using testing::Recorded;

TEST(Recording, EventsNestAndKeepNameAndType) {
  Recorded recorded;
  SetThreadName("main thread");
  {
    RecordEvent outer("outer", EventType::kForward);
    for (int i = 0; i < 3; ++i) {
      STEPSCOPE_EVENT("inner", EventType::kOperator);
    }
  }
  const auto trace = recorded.Finish();
  ASSERT_NE(trace, nullptr);
  EXPECT_TRUE(trace->complete());
  const Row outer = FindEvent(*trace, "outer");
  const Row inner = FindEvent(*trace, "inner");
  ASSERT_NE(outer, kNoRow);
  ASSERT_NE(inner, kNoRow);
  EXPECT_EQ(CountByName(*trace)["inner"], 3u);
  EXPECT_EQ(trace->type()[outer], STEPSCOPE_FORWARD);
  EXPECT_EQ(trace->type()[inner], STEPSCOPE_OPERATOR);
  EXPECT_EQ(trace->nesting().parent[inner], outer);
  EXPECT_GE(trace->start_ns()[inner], trace->start_ns()[outer]);
  EXPECT_LE(trace->end_ns(inner), trace->end_ns(outer));
  EXPECT_NE(FindThread(*trace, "main thread"), nullptr);
}

TEST(Recording, DurationsAreTrue) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
  };
  Recorded recorded;
  const int64_t before = now();
  {
    RecordEvent event("sleep");
    usleep(20000);
  }
  const int64_t after = now();
  const auto trace = recorded.Finish();
  const Row row = FindEvent(*trace, "sleep");
  ASSERT_NE(row, kNoRow);
  // Of our clock against that one, which may be set meanwhile.
  constexpr int64_t kSlack = 1000000000;
  EXPECT_GE(trace->dur_ns()[row], 20000000);
  EXPECT_LT(trace->dur_ns()[row], after - before + kSlack);
  const int64_t began = trace->epoch_ns() + trace->start_ns()[row];
  EXPECT_GT(began, before - kSlack);
  EXPECT_LT(began, after - 20000000 + kSlack);
}

TEST(Recording, DurationsBeyond32BitsOfTicks) {
  Recorded recorded;
  {
    RecordEvent event("long");
    usleep(2300000);  // 2^32 ticks last 0.9 s at 5 GHz, 2.1 s at 2 GHz
  }
  const auto trace = recorded.Finish();
  const Row row = FindEvent(*trace, "long");
  ASSERT_NE(row, kNoRow);
  EXPECT_GE(trace->dur_ns()[row], 2300000000);
  EXPECT_EQ(trace->flags()[row] & kEventOpenAtEnd, 0);
}

TEST(Recording, ArgumentsCountersMemoryFlowsInstants) {
  Recorded recorded;
  {
    RecordEvent event("conv2d", EventType::kOperator);
    event.Arg("shape", {64, 3, 32, 32});
    event.Arg("dtype", "float32");
    event.Arg("bytes", int64_t{786432});
    event.Arg("ratio", 0.5);
    RecordCounter("loss", 2.5);
    RecordCounter("queue", 3);
    RecordInstant("epoch");
    stepscope_flow("batch", 42, 0);
    stepscope_flow("batch", 42, 1);
    void* const block = reinterpret_cast<void*>(0x1000);
    RecordAlloc(block, 4096, "Place(cpu)", 4096, 8192);
    RecordFree(block, 4096, "Place(cpu)", 0, 8192);
  }
  const auto trace = recorded.Finish();
  const Row row = FindEvent(*trace, "conv2d");
  ASSERT_NE(row, kNoRow);
  std::map<std::string, const Arg*> args;
  for (const Arg& arg : trace->args_of(row))
    args[std::string(trace->str(arg.key))] = &arg;
  ASSERT_EQ(args.size(), 4u);
  ASSERT_EQ(args["shape"]->list_count, 4u);
  EXPECT_EQ(trace->arg_ints()[args["shape"]->list_first], 64);
  EXPECT_EQ(trace->arg_ints()[args["shape"]->list_first + 3], 32);
  EXPECT_EQ(trace->str(args["dtype"]->text), "float32");
  EXPECT_EQ(args["bytes"]->int_value, 786432);
  EXPECT_EQ(args["ratio"]->double_value, 0.5);
  ASSERT_EQ(trace->counters().size(), 2u);
  EXPECT_EQ(trace->counters()[0].value, 2.5);
  EXPECT_EQ(trace->counters()[1].int_value, 3);
  const Row instant = FindEvent(*trace, "epoch");
  ASSERT_NE(instant, kNoRow);
  EXPECT_NE(trace->flags()[instant] & kEventInstant, 0);
  ASSERT_EQ(trace->flows().size(), 2u);
  EXPECT_EQ(trace->flows()[0].id, 42u);
  ASSERT_EQ(trace->memory().size(), 2u);
  EXPECT_EQ(trace->memory()[0].bytes, 4096);
  EXPECT_EQ(trace->memory()[1].bytes, -4096);
  EXPECT_EQ(trace->memory()[0].owner, row);
  EXPECT_EQ(trace->str(trace->memory()[0].place), "Place(cpu)");
}

TEST(Recording, LongTextAndListsAreClippedAndFlagged) {
  Recorded recorded;
  {
    RecordEvent event("clipped");
    event.Arg("text", std::string_view(std::string(10000, 'x')));
    const std::vector<int64_t> many(5000, 7);
    event.Arg("list", many.data(), many.size());
  }
  const auto trace = recorded.Finish();
  const auto args = trace->args_of(FindEvent(*trace, "clipped"));
  ASSERT_EQ(args.size(), 2u);
  for (const Arg& arg : args) EXPECT_TRUE(arg.clipped);
  EXPECT_EQ(trace->str(args[0].text).size(), 3072u);
  EXPECT_EQ(args[1].list_count, 400u);
}

TEST(Recording, NamesWithEveryByteComeBackExactly) {
  Recorded recorded;
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  { RecordEvent event{std::string_view(all)}; }
  { RecordEvent event(""); }
  { RecordEvent event(static_cast<const char*>(nullptr)); }
  { RecordEvent event(std::string_view("a\0b", 3)); }
  { RecordEvent event("a"); }  // same first bytes, other name
  const auto trace = recorded.Finish();
  const auto counts = CountByName(*trace);
  EXPECT_EQ(counts.at(all), 1u);
  EXPECT_EQ(counts.at(""), 1u);
  EXPECT_EQ(counts.at("(null)"), 1u);
  EXPECT_EQ(counts.at(std::string("a\0b", 3)), 1u);
  EXPECT_EQ(counts.at("a"), 1u);
}

TEST(Recording, NameOfOneMebibyteIsClippedAndFlagged) {
  Recorded recorded;
  const std::string big(1 << 20, 'n');
  { RecordEvent event(big.c_str()); }
  const auto trace = recorded.Finish();
  ASSERT_EQ(trace->size(), 1u);
  EXPECT_EQ(trace->str(trace->name()[0]).size(), 64u * 1024);
  EXPECT_NE(trace->flags()[0] & kEventNameClipped, 0);
}

TEST(Recording, SameAddressWithOtherTextIsAnotherName) {
  Recorded recorded;
  char buffer[32];
  for (int i = 0; i < 100; ++i) {
    std::snprintf(buffer, sizeof(buffer), "step %d", i % 10);
    RecordEvent event(buffer);
  }
  const auto trace = recorded.Finish();
  const auto counts = CountByName(*trace);
  EXPECT_EQ(counts.size(), 10u);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(counts.at("step " + std::to_string(i)), 10u);
}

TEST(Recording, NamesAtTheEndOfAPageAreSafeToCompare) {
  Recorded recorded;
  const long page = sysconf(_SC_PAGESIZE);
  void* memory = nullptr;
  ASSERT_EQ(posix_memalign(&memory, static_cast<size_t>(page),
                           static_cast<size_t>(2 * page)),
            0);
  char* end = static_cast<char*>(memory) + page;
  for (int shift = 1; shift < 24; ++shift) {
    char* name = end - shift;
    std::memset(name, 'p', static_cast<size_t>(shift - 1));
    name[shift - 1] = '\0';
    for (int i = 0; i < 2; ++i) RecordEvent event(name);
  }
  free(memory);
  const auto trace = recorded.Finish();
  EXPECT_EQ(trace->size(), 46u);
  EXPECT_EQ(CountByName(*trace).size(), 23u);
}

TEST(Recording, BeginWithoutEndIsOpenAtTheEnd) {
  Recorded recorded;
  const stepscope_scope outer = stepscope_begin("never ended", 7);
  const stepscope_scope inner = stepscope_begin("ended", 7);
  stepscope_end(inner);
  const auto trace = recorded.Finish();
  stepscope_end(outer);  // after the session: nothing happens
  const Row row = FindEvent(*trace, "never ended");
  ASSERT_NE(row, kNoRow);
  EXPECT_NE(trace->flags()[row] & kEventOpenAtEnd, 0);
  EXPECT_EQ(trace->flags()[FindEvent(*trace, "ended")] & kEventOpenAtEnd, 0);
  ASSERT_EQ(trace->threads().size(), 1u);
  ASSERT_EQ(trace->threads()[0].open_scopes.size(), 1u);
  EXPECT_EQ(trace->threads()[0].open_scopes[0], row);
}

TEST(Recording, EndWithoutBeginAndDoubleEndDoNothing) {
  Recorded recorded;
  stepscope_end(stepscope_scope{nullptr, 0});
  RecordEvent event("once");
  event.End();
  event.End();
  const auto trace = recorded.Finish();
  EXPECT_EQ(trace->size(), 1u);
}

TEST(Recording, EndsInAnyOrderAndOnAnotherThread) {
  Recorded recorded;
  const stepscope_scope a = stepscope_begin("a", 7);
  const stepscope_scope b = stepscope_begin("b", 7);
  const stepscope_scope c = stepscope_begin("c", 7);
  stepscope_end(a);
  std::thread([c] { stepscope_end(c); }).join();
  usleep(1000);
  stepscope_end(b);
  auto moved = std::make_unique<RecordEvent>("moved");
  std::thread([event = std::move(moved)]() mutable { event.reset(); }).join();
  const auto trace = recorded.Finish();
  EXPECT_EQ(trace->size(), 4u);
  for (Row row = 0; row < trace->size(); ++row)
    EXPECT_EQ(trace->flags()[row] & kEventOpenAtEnd, 0)
        << trace->str(trace->name()[row]);
  EXPECT_GE(trace->dur_ns()[FindEvent(*trace, "b")], 1000000);
  EXPECT_EQ(testing::Dropped(*trace), 0u);
}

// Counters of some processors tick every 40 ns. Of events that begin in one
// tick the longest comes first, whichever was recorded first.
void AwaitTick() {
  const uint64_t now = stepscope_tick();
  while (stepscope_tick() == now) {
  }
}

TEST(Recording, ScopesThatSpanManyChunksEndRight) {
  Recorded recorded;
  {
    RecordEvent outer("outer");
    for (int i = 0; i < 20000; ++i) {
      AwaitTick();
      RecordEvent inner("inner");
    }
    outer.Arg("late", 1);  // its slot is in a chunk handed over long ago
  }
  const auto trace = recorded.Finish();
  const Row outer = FindEvent(*trace, "outer");
  ASSERT_NE(outer, kNoRow);
  EXPECT_EQ(trace->flags()[outer] & kEventOpenAtEnd, 0);
  EXPECT_EQ(trace->args_of(outer).size(), 1u);
  EXPECT_EQ(CountByName(*trace)["inner"], 20000u);
  for (Row row = 0; row < trace->size(); ++row)
    ASSERT_EQ(trace->nesting().parent[row], row == outer ? kNoRow : outer);
}

TEST(Recording, DepthOfTenThousand) {
  Recorded recorded;
  std::vector<std::unique_ptr<RecordEvent>> scopes;
  for (int i = 0; i < 10000; ++i)
    scopes.push_back(std::make_unique<RecordEvent>("deep"));
  while (!scopes.empty()) scopes.pop_back();
  const auto trace = recorded.Finish();
  ASSERT_EQ(trace->size(), 10000u);
  uint32_t deepest = 0;
  for (Row row = 0; row < trace->size(); ++row) {
    deepest = std::max(deepest, trace->nesting().depth[row]);
    ASSERT_EQ(trace->flags()[row] & kEventOpenAtEnd, 0);
  }
  EXPECT_EQ(deepest, 9999u);
}

TEST(Recording, NextSharesTheInstantBetweenTwoEvents) {
  static stepscope_site first = {"first", 7, 0};
  static stepscope_site second = {"second", 7, 0};
  Recorded recorded;
  {
    RecordEvent event(&first);
    for (int i = 0; i < 10000; ++i) {
      AwaitTick();
      event.Next(i % 2 == 0 ? &second : &first);
    }
  }
  const auto trace = recorded.Finish();
  ASSERT_EQ(trace->size(), 10001u);
  for (Row row = 1; row < trace->size(); ++row)
    ASSERT_EQ(trace->end_ns(row - 1), trace->start_ns()[row]) << row;
}

TEST(Recording, EventsSurviveExceptions) {
  Recorded recorded;
  try {
    RecordEvent event("thrower");
    throw std::runtime_error("user's error");
  } catch (const std::runtime_error&) {
  }
  const auto trace = recorded.Finish();
  ASSERT_EQ(trace->size(), 1u);
  EXPECT_EQ(trace->flags()[0] & kEventOpenAtEnd, 0);
}

TEST(Recording, NamesBeyondTheBoundAreCountedNotLost) {
  Recorded recorded;
  constexpr int kNames = 500000;
  for (int i = 0; i < kNames; ++i) {
    const std::string name = "distinct name number " + std::to_string(i);
    RecordEvent event{std::string_view(name)};
  }
  stepscope_stats stats{};
  stats.struct_size = sizeof(stats);
  ASSERT_EQ(stepscope_get_stats(&stats), STEPSCOPE_OK);
  EXPECT_GT(stats.names_refused, 0u);
  const auto trace = recorded.Finish();
  EXPECT_EQ(trace->size() + testing::Dropped(*trace), uint64_t{kNames});
  // The bound holds, and what goes beyond it has one name in common.
  EXPECT_LT(CountByName(*trace).size(), 140000u);
  EXPECT_GE(stats.names_refused + 140000, uint64_t{kNames});
}

}  // namespace
}  // namespace stepscope
