// SPDX-License-Identifier: Apache-2.0
//
// What a kernel that a graph replays was captured in, whatever becomes of the
// graph and of the numbers of its nodes.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "analysis/event_tree.h"
#include "session.h"

namespace stepscope {
namespace {

// What was captured once and is replayed counts for where it was captured. The
// first graph was made before the recording.
TEST_F(Session, ReplayedKernelsBelongToTheOperatorThatWasCaptured) {
  constexpr uint32_t kLaunch = 2;
  constexpr uint32_t kMakesCopies = 6;  // any call that is recorded
  Fake& fake = Fake::Get();
  fake.node(1, 0);
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  const stepscope_scope model =
      stepscope_begin("model", STEPSCOPE_USER_DEFINED);
  for (uint64_t node = 10; node < 13; ++node) {
    const stepscope_scope op =
        stepscope_begin(node == 10 ? "first" : "others", STEPSCOPE_OPERATOR);
    fake.enter(kLaunch);
    fake.node(node, 0);
    fake.leave(kLaunch);
    stepscope_end(op);
  }
  stepscope_end(model);
  fake.enter(kMakesCopies);
  fake.node(2, 1);
  for (uint64_t node = 10; node < 13; ++node) fake.node(node + 10, node);
  fake.leave(kMakesCopies);
  for (const uint64_t node : {2, 20, 21, 22}) {
    FakeWork work;
    work.graph_node = node;
    fake.work(&work);
  }
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  const EventTree tree(*trace);
  ASSERT_EQ(tree.work().size(), 4u);
  std::string found;
  for (const DeviceWork& work : tree.work()) {
    for (const CapturedIn& event : tree.captured_in(work))
      found += std::string(trace->str(event.name)) + " ";
    found += "| ";
  }
  EXPECT_EQ(found, "| first model | others model | others model | ");
  // Node 2 is a copy of one that nobody saw.
  EXPECT_EQ(trace->ledger().seen(), trace->ledger().kept() + 1);
}

// Graphs of which a part is captured, copied and replayed as a test says.
class Graphs : public Session {
 protected:
  void Begin() { ASSERT_EQ(Start(), STEPSCOPE_OK); }
  // A launch in an operator becomes a node.
  void Capture(const char* op, uint64_t node) {
    const stepscope_scope scope = stepscope_begin(op, STEPSCOPE_OPERATOR);
    fake_.enter(kLaunch);
    fake_.node(node, 0);
    fake_.leave(kLaunch);
    stepscope_end(scope);
  }
  // As instantiating a graph does, or making one a child of another.
  void Copy(std::initializer_list<std::pair<uint64_t, uint64_t>> nodes) {
    const stepscope_scope scope =
        stepscope_begin("instantiate", STEPSCOPE_OPERATOR);
    fake_.enter(kMakesCopies);
    for (const auto& [node, original] : nodes) fake_.node(node, original);
    fake_.leave(kMakesCopies);
    stepscope_end(scope);
  }
  void Replay(uint64_t node, const char* name = "kernel") {
    FakeWork work;
    work.graph_node = node;
    work.name = name;
    fake_.work(&work);
  }
  // What the replays were captured in, in the order of replays.
  std::string Origins() {
    const auto trace = Finish();
    if (trace == nullptr) return "no trace";
    const EventTree tree(*trace);
    std::string found;
    for (const DeviceWork& work : tree.work()) {
      for (const CapturedIn& event : tree.captured_in(work))
        found += std::string(trace->str(event.name)) + " ";
      found += "| ";
    }
    for (const auto& [why, bin] : trace->ledger().rejected())
      found += std::to_string(bin.count) + " " + why;
    return found;
  }

  static constexpr uint32_t kLaunch = 2;
  static constexpr uint32_t kMakesCopies = 6;  // any call that is recorded
  Fake& fake_ = Fake::Get();
};

// What instantiates it is not what its kernels are from.
TEST_F(Graphs, MadeBeforeTheRecording) {
  fake_.node(1, 0);
  Begin();
  Copy({{2, 1}});
  Replay(2);
  EXPECT_EQ(Origins(), "| 1 graph node made before the recording");
}

TEST_F(Graphs, CopiedTwice) {
  Begin();
  Capture("a", 1);
  Capture("b", 2);
  Copy({{11, 1}, {12, 2}});
  Copy({{21, 11}, {22, 12}, {31, 1}});
  for (const uint64_t node : {21, 22, 31, 12}) Replay(node);
  EXPECT_EQ(Origins(), "a | b | a | b | ");
}

// The graph of a condition, or one inside another, is captured by itself and
// its nodes are copied with those around them.
TEST_F(Graphs, InsideOthers) {
  Begin();
  Capture("body", 1);
  Copy({{2, 1}});  // into its parent
  Capture("around", 3);
  Copy({{12, 2}, {13, 3}});
  Replay(13);
  for (int i = 0; i < 3; ++i) Replay(12);
  EXPECT_EQ(Origins(), "around | body | body | body | ");
}

// The node of the first executable is gone when the second gets its number.
// What each was captured in came in the other order.
TEST_F(Graphs, NumbersThatAreUsedAgain) {
  Begin();
  Capture("first", 1);
  Capture("second", 2);
  Copy({{20, 2}});
  Replay(20);
  Replay(20);
  Copy({{20, 1}});
  Replay(20);
  EXPECT_EQ(Origins(), "second | second | first | ");
}

TEST_F(Graphs, NumbersThatAreUsedAgainByWhatNobodySaw) {
  fake_.node(1, 0);
  Begin();
  Capture("seen", 2);
  Copy({{20, 2}});
  Replay(20);
  Copy({{20, 1}});
  Replay(20);
  EXPECT_EQ(Origins(), "seen | | 1 graph node made before the recording");
}

// A record comes long after its graph is gone and its number is another's.
TEST_F(Graphs, DestroyedWhileRecordsAreDue) {
  Begin();
  Capture("first", 1);
  Copy({{20, 1}});
  FakeWork late;
  late.graph_node = 20;
  late.in_flight = true;
  late.lead = 0;
  fake_.work(&late);
  Capture("second", 2);
  Copy({{20, 2}});
  Replay(20);
  fake_.finish();
  EXPECT_EQ(Origins(), "first | second | ");
}

// An update changes what a node of an executable does, and no more: its kernel
// has the new name, its origin is that of what was instantiated.
TEST_F(Graphs, UpdatedInPlace) {
  Begin();
  Capture("old", 1);
  Copy({{20, 1}});
  Replay(20, "before");
  Capture("new", 2);
  fake_.enter(kMakesCopies);  // no node is made
  fake_.leave(kMakesCopies);
  Replay(20, "after");
  EXPECT_EQ(Origins(), "old | old | ");
}

}  // namespace
}  // namespace stepscope
