// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <string>

#include "trace/build/trace_builder.h"
#include "trace/captured_in.h"

namespace stepscope {
namespace {

class CaptureScopesTest : public testing::Test {
 protected:
  CaptureScopesTest() {
    builder_.AddProcess({});
    thread_ = builder_.AddTrack({});
    Track stream;
    stream.kind = TrackKind::kStream;
    stream_ = builder_.AddTrack(stream);
  }

  Row Host(std::string_view name, uint16_t type, int64_t begin, int64_t end) {
    return Add(thread_, name, type, begin, end);
  }
  // A call that became the node of a graph.
  void Captured(uint64_t node, int64_t begin) {
    const Row call =
        Host("cudaLaunchKernel", STEPSCOPE_CUDA_RUNTIME, begin, begin + 5);
    builder_.AddLink({0, LinkSpace::kGraphNode, node, call});
  }
  Row Replayed(uint64_t node, std::string_view name, int64_t begin) {
    const Row row = Add(stream_, name, STEPSCOPE_KERNEL, begin, begin + 5);
    builder_.AddLink({0, LinkSpace::kGraphNode, node, row});
    return row;
  }

  void Finish() {
    auto trace = builder_.Finish();
    ASSERT_TRUE(trace);
    trace_ = *trace;
  }

  // Of the kernel with this name.
  std::string TextOf(std::string_view name) const {
    for (Row row = 0; row < trace_->size(); ++row) {
      if (trace_->str(trace_->name()[row]) != name) continue;
      for (const Arg& arg : trace_->args_of(row))
        if (trace_->str(arg.key) == kCapturedIn)
          return std::string(trace_->str(arg.text));
    }
    return "";
  }

  TraceBuilder builder_;
  std::shared_ptr<const Trace> trace_;

 private:
  Row Add(uint32_t track, std::string_view name, uint16_t type, int64_t begin,
          int64_t end) {
    EventSpec event;
    event.track = track;
    event.start_ns = begin;
    event.dur_ns = end - begin;
    event.name = builder_.Intern(name);
    event.type = type;
    return builder_.AddEvent(event);
  }

  uint32_t thread_ = 0;
  uint32_t stream_ = 0;
};

TEST_F(CaptureScopesTest, NamesWhatWasOpenInnermostFirst) {
  Host("step", STEPSCOPE_PROFILE_STEP, 0, 1000);
  Host("forward \"pass\"", STEPSCOPE_USER_DEFINED, 10, 100);
  Host("aten::linear", STEPSCOPE_OPERATOR, 20, 90);
  Host("aten::mm", STEPSCOPE_OPERATOR, 30, 60);
  Captured(7, 40);
  Captured(8, 50);
  Captured(9, 70);
  builder_.AddInt(Replayed(7, "first", 2000), "grid", 1);
  Replayed(8, "second", 2010);
  Replayed(9, "third", 2020);
  Finish();
  EXPECT_EQ(TextOf("first"),
            R"([["aten::mm","Operator",1],["aten::linear","Operator",2],)"
            R"(["forward \"pass\"","UserDefined",3]])");
  EXPECT_EQ(TextOf("second"), TextOf("first"));
  EXPECT_EQ(TextOf("third"), R"([["aten::linear","Operator",2],)"
                             R"(["forward \"pass\"","UserDefined",3]])");
}

TEST_F(CaptureScopesTest, TwoCallsOfOneOperatorDiffer) {
  Host("aten::mm", STEPSCOPE_OPERATOR, 0, 20);
  Captured(1, 10);
  Host("aten::mm", STEPSCOPE_OPERATOR, 30, 50);
  Captured(2, 40);
  Replayed(1, "first", 100);
  Replayed(2, "second", 110);
  Finish();
  EXPECT_EQ(TextOf("first"), R"([["aten::mm","Operator",1]])");
  EXPECT_EQ(TextOf("second"), R"([["aten::mm","Operator",2]])");
}

// A node that is gone leaves its id to another.
TEST_F(CaptureScopesTest, AnIdThatIsUsedAgainIsTheLastOne) {
  Host("before", STEPSCOPE_OPERATOR, 0, 20);
  Captured(1, 10);
  Replayed(1, "first", 100);
  Host("after", STEPSCOPE_OPERATOR, 200, 220);
  Captured(1, 210);
  Replayed(1, "second", 300);
  Finish();
  EXPECT_EQ(TextOf("first"), R"([["before","Operator",1]])");
  EXPECT_EQ(TextOf("second"), R"([["after","Operator",2]])");
}

TEST_F(CaptureScopesTest, NothingIsMadeUp) {
  Captured(1, 10);  // inside nothing
  Replayed(1, "outside", 100);
  Replayed(2, "unknown", 110);
  Host("late", STEPSCOPE_OPERATOR, 200, 220);
  Captured(3, 210);
  Replayed(3, "before its capture", 150);
  Finish();
  EXPECT_EQ(TextOf("outside"), "");
  EXPECT_EQ(TextOf("unknown"), "");
  EXPECT_EQ(TextOf("before its capture"), "");
}

// A file may state ids of events that it does not have.
TEST_F(CaptureScopesTest, IdsOfNoEventAreSkipped) {
  Host("aten::mm", STEPSCOPE_OPERATOR, 0, 20);
  Captured(1, 10);
  builder_.AddLink({0, LinkSpace::kGraphNode, 1, kNoRow});
  Replayed(1, "first", 100);
  Finish();
  EXPECT_EQ(TextOf("first"), R"([["aten::mm","Operator",1]])");
}

}  // namespace
}  // namespace stepscope
