// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/rpc_pairs.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/ranks/align_set.h"
#include "analysis/ranks/file_digest.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

TEST(RpcNames, OfBothSides) {
  const auto request = ParseRpcName("SendRPC:fc_0.w_0@GRAD");
  const auto handling = ParseRpcName("RequestSend:fc_0.w_0@GRAD");
  ASSERT_TRUE(request && handling);
  EXPECT_FALSE(request->is_handling);
  EXPECT_TRUE(handling->is_handling);
  EXPECT_EQ(request->method, handling->method);
  EXPECT_EQ(request->about, "fc_0.w_0@GRAD");
  EXPECT_EQ(request->about, handling->about);
  EXPECT_EQ(ParseRpcName("GetRPC")->method, ParseRpcName("RequestGet")->method);
  EXPECT_EQ(ParseRpcName("RecvParam")->method,
            ParseRpcName("SendParam")->method);
  EXPECT_FALSE(ParseRpcName("RequestSender"));
  EXPECT_FALSE(ParseRpcName("sendrpc"));
  EXPECT_FALSE(ParseRpcName("conv2d"));
}

// A trainer asks a server, which takes `handling_ns` to answer. Each side
// records by its own clock, and a request takes longer one way than the other.
struct Exchange {
  int64_t request_ns = 200'000;
  int64_t handling_ns = 1'000'000;
  int64_t reply_ns = 300'000;
};

std::string Line(int64_t from, int64_t to, const std::string& what) {
  return std::to_string(from) + ".." + std::to_string(to) + " " + what + "\n";
}

std::shared_ptr<const Trace> Make(const std::string& path,
                                  const std::string& text) {
  TraceBuilder builder;
  builder.AddSource("fluid", path);
  BuildFromText(text, builder);
  const auto trace = builder.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

std::shared_ptr<const Trace> Trainer(int rank, int64_t ahead_ns,
                                     const std::string& about = "") {
  const Exchange call;
  std::string text = "process " + std::to_string(10 + rank) +
                     " rank=" + std::to_string(rank) + "\nthread 1\n";
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t at = 5'000'000 * i + 1'000'000 * rank + ahead_ns;
    text += Line(at, at + call.request_ns + call.handling_ns + call.reply_ns,
                 "SendRPC" + about);
  }
  return Make("trainer_" + std::to_string(rank), text);
}

// Handles what `ranks` trainers ask. `named`: says who asked.
std::shared_ptr<const Trace> Server(int64_t ahead_ns, int ranks, bool named,
                                    const std::string& about = "") {
  const Exchange call;
  std::string text = "process 99\nthread 1\n";
  for (int64_t i = 0; i < 20; ++i) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int64_t at =
          5'000'000 * i + 1'000'000 * rank + call.request_ns + ahead_ns;
      text += Line(at, at + call.handling_ns,
                   "RequestSend" + about +
                       (named ? " trainer_id=" + std::to_string(rank) : ""));
    }
  }
  return Make("pserver_0", text);
}

TEST(RpcPairs, BoundTheOffsetFromBothSides) {
  const int64_t ahead = 7'000'000'000;
  TraceSet set({Trainer(0, 0), Server(ahead, 1, false)});
  // As laid before: both begin where the first begins.
  const int64_t before = set.members()[1].clock(ahead);
  const SetClocks clocks = AlignSet(set);
  const AlignedClock& server = clocks.members[1].clock;
  EXPECT_EQ(clocks.members[0].clock.method, ClockMethod::kReference);
  EXPECT_EQ(server.method, ClockMethod::kRpc);
  EXPECT_EQ(server.collectives, 20u);
  // Half of what the two ways take is open.
  EXPECT_EQ(server.error_ns, 250'000);
  const int64_t true_offset = set.members()[0].clock(0) - before;
  EXPECT_LE(std::abs(server.offset_ns - true_offset), server.error_ns);
  EXPECT_EQ(set.members()[1].clock(ahead), before + server.offset_ns);
  ASSERT_EQ(clocks.notes.size(), 1u);
  EXPECT_NE(clocks.notes[0].find("requests to parameter servers"),
            std::string::npos);
}

TEST(RpcPairs, TwoTrainersByWayOfTheServer) {
  TraceSet set({Trainer(0, 0), Trainer(1, -3'000'000'000),
                Server(7'000'000'000, 2, true)});
  const SetClocks clocks = AlignSet(set);
  EXPECT_EQ(clocks.members[1].clock.method, ClockMethod::kRpc);
  EXPECT_EQ(clocks.members[2].clock.method, ClockMethod::kRpc);
  EXPECT_EQ(clocks.members[1].clock.error_ns, 500'000);
  // The first requests were 1 ms apart.
  const int64_t first = set.members()[0].clock(0);
  const int64_t second = set.members()[1].clock(1'000'000 - 3'000'000'000);
  EXPECT_LE(std::abs(second - first - 1'000'000), 500'000);
}

TEST(RpcPairs, WhoAskedMustBeKnown) {
  TraceSet set({Trainer(0, 0), Trainer(1, 0), Server(0, 2, false)});
  for (const MemberClock& member : AlignSet(set).members)
    EXPECT_NE(member.clock.method, ClockMethod::kRpc);
}

TEST(RpcPairs, VariablesTellWhoAsked) {
  TraceSet set({Trainer(0, 0, ":a"), Server(5'000'000, 1, false, ":a")});
  EXPECT_EQ(AlignSet(set).members[1].clock.method, ClockMethod::kRpc);
  TraceSet other({Trainer(0, 0, ":a"), Server(5'000'000, 1, false, ":b")});
  EXPECT_NE(AlignSet(other).members[1].clock.method, ClockMethod::kRpc);
}

TEST(RpcPairs, AsRecordedIfAsked) {
  TraceSet set({Trainer(0, 0), Server(7'000'000'000, 1, false)});
  const ClockMap before = set.members()[1].clock;
  const SetClocks clocks = AlignSet(set, Alignment::kAsRecorded);
  EXPECT_NE(clocks.members[1].clock.method, ClockMethod::kRpc);
  EXPECT_EQ(set.members()[1].clock, before);
  ASSERT_EQ(clocks.notes.size(), 1u);
  EXPECT_NE(clocks.notes[0].find("not aligned, as asked"), std::string::npos);
}

TEST(RpcPairs, FileByFileTheSame) {
  const auto trainer = Trainer(0, 0);
  const auto server = Server(7'000'000'000, 1, false);
  std::vector<FileDigest> files;
  files.push_back(DigestFile(*trainer));
  files.push_back(DigestFile(*server));
  ASSERT_EQ(files[1].ranks.size(), 1u);
  const RankJob job = AnalyseFiles(std::move(files));
  bool said = false;
  for (const std::string& note : job.notes)
    said =
        said || note.find("requests to parameter servers") != std::string::npos;
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace stepscope
