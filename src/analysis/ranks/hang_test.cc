// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/hang.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <memory>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kEnd = 10'000 * kMs;

// Ranks whose windows were saved at kEnd.
class Job {
 public:
  uint32_t AddRank(int64_t rank, std::string_view saved,
                   std::string_view in_step = "41") {
    Process process;
    process.pid = 100 + rank;
    process.rank = rank;
    process.metadata.emplace_back(builder_.Intern("saved"),
                                  builder_.Intern(saved));
    process.metadata.emplace_back(builder_.Intern("saved_in_step"),
                                  builder_.Intern(in_step));
    Track track;
    track.process = builder_.AddProcess(std::move(process));
    track.kind = TrackKind::kThread;
    track.id = 1;
    track_ = builder_.AddTrack(track);
    report_ = ThreadReport();
    report_.track = track_;
    return track.process;
  }
  Row Open(std::string_view name, uint16_t type, int64_t start_ms) {
    const Row row = Add(name, type, start_ms * kMs, kEnd);
    report_.open_scopes.push_back(row);
    return row;
  }
  void Ended(std::string_view name, int64_t start_ms, int64_t end_ms) {
    Add(name, STEPSCOPE_OPERATOR, start_ms * kMs, end_ms * kMs);
  }
  void FinishRank() { builder_.AddThread(report_); }

  std::vector<std::string> Lines() {
    auto trace = std::move(builder_).Finish();
    EXPECT_TRUE(static_cast<bool>(trace));
    const Hang hang = FindHang(**trace);
    return DescribeHang(**trace, hang);
  }

 private:
  Row Add(std::string_view name, uint16_t type, int64_t from, int64_t to) {
    EventSpec event;
    event.start_ns = from;
    event.dur_ns = to - from;
    event.name = builder_.Intern(name);
    event.track = track_;
    event.type = type;
    return builder_.AddEvent(event);
  }

  TraceBuilder builder_;
  uint32_t track_ = 0;
  ThreadReport report_;
};

constexpr std::string_view kHang = "hang: step 41 began 5.0 s ago";

TEST(Hang, NamesTheRankThatHasNotCome) {
  Job job;
  for (const int64_t rank : {0, 1, 2, 3}) {
    job.AddRank(rank, kHang);
    job.Ended("aten::mm", 3000, 3200);
    job.Open("ProfileStep#41", STEPSCOPE_PROFILE_STEP, 3000);
    if (rank == 1)
      job.Open("load", STEPSCOPE_DATALOADER, 3500);
    else
      job.Open("gloo:all_reduce", STEPSCOPE_COMMUNICATION, 4000);
    job.FinishRank();
  }
  const auto lines = job.Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "rank 1 has not arrived: it is in ProfileStep#41 > load for 6.5 s, "
            "outside any collective; the last that ended, 6.8 s before, is "
            "aten::mm");
  EXPECT_EQ(lines[1],
            "ranks 0, 2 and 3 wait in gloo:all_reduce for 6.0 s, in "
            "ProfileStep#41");
}

TEST(Hang, DifferentCollectives) {
  Job job;
  job.AddRank(0, kHang);
  job.Open("gloo:all_reduce", STEPSCOPE_COMMUNICATION, 4000);
  job.FinishRank();
  job.AddRank(1, kHang);
  job.Open("gloo:broadcast", STEPSCOPE_COMMUNICATION, 4000);
  job.FinishRank();
  const auto lines = job.Lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "rank 0 waits in gloo:all_reduce for 6.0 s");
  EXPECT_EQ(lines[1], "rank 1 waits in gloo:broadcast for 6.0 s");
  EXPECT_NE(lines[2].find("different collectives"), std::string::npos);
}

TEST(Hang, AllInOne) {
  Job job;
  for (const int64_t rank : {0, 1}) {
    job.AddRank(rank, kHang);
    job.Open("gloo:all_reduce", STEPSCOPE_COMMUNICATION, 4000);
    job.FinishRank();
  }
  const auto lines = job.Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[1].find("the same collective"), std::string::npos);
}

// Workers of a data loader have no steps.
TEST(Hang, HelpersAreNoRanks) {
  Job job;
  job.AddRank(0, kHang);
  job.Open("gloo:all_reduce", STEPSCOPE_COMMUNICATION, 4000);
  job.FinishRank();
  job.AddRank(-1, kHang, "-1");
  job.FinishRank();
  EXPECT_EQ(job.Lines().size(), 1u);
}

TEST(Hang, NothingIsSaidOfOtherWindows) {
  Job job;
  job.AddRank(0, "trigger");
  job.Open("gloo:all_reduce", STEPSCOPE_COMMUNICATION, 4000);
  job.FinishRank();
  EXPECT_TRUE(job.Lines().empty());
}

}  // namespace
}  // namespace stepscope
