// SPDX-License-Identifier: Apache-2.0
//
// What a box says is what `summary` says of a trace that was cut there.
#include "server/timeline/box_sums.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>

#include "analysis/random_trace.h"
#include "analysis/summary.h"
#include "base/whole_or_part.h"
#include "server/events/event_json.h"

namespace stepscope::server {
namespace {

// calls, nested calls, total, self.
using Figures = std::tuple<uint64_t, uint64_t, int64_t, int64_t>;
using ByName = std::map<std::string, Figures>;

std::shared_ptr<const Trace> CutAt(const Trace& trace, Interval box) {
  TraceBuilder builder;
  builder.AddProcess({});
  for (const Track& track : trace.tracks()) {
    Track same = track;
    same.name = {};
    same.device_type = {};
    const uint32_t index = builder.AddTrack(same);
    for (Row row = track.first; row < track.last; ++row) {
      const int64_t start = trace.start_ns()[row];
      const int64_t end = trace.end_ns(row);
      if (start >= box.end || (start < box.begin && end <= box.begin)) continue;
      EventSpec event;
      event.track = index;
      event.name = builder.Intern(trace.str(trace.name()[row]));
      event.type = trace.type()[row];
      event.start_ns = std::max(start, box.begin);
      event.dur_ns = std::min(end, box.end) - event.start_ns;
      builder.AddEvent(event);
    }
  }
  return *builder.Finish();
}

// Of one kind; names that tables put elsewhere are left out.
ByName FromBox(const OpenTrace& open, Interval box, uint16_t kind,
               TrackKind on) {
  std::vector<uint32_t> all(open.view().tracks.size());
  std::iota(all.begin(), all.end(), 0u);
  ByName figures;
  for (const BoxRow& row : SumBox(open, all, box).rows)
    if (row.kind == kind && row.on == on)
      figures[std::string(open.trace().str(row.name))] = {
          row.durations.size(), row.nested_calls, row.total_ns, row.self_ns};
  return figures;
}

void ExpectTheSummary(const OpenTrace& open, Interval box, const Trace& cut) {
  SummaryOptions options;
  const Summary summary = ComputeSummary(cut, options);
  ByName operators;
  for (const OperatorGroup& group : summary.operators)
    for (const OperatorRow& row : group.rows)
      if (!row.no_launch)
        operators[std::string(row.name)] = {row.calls, row.nested_calls,
                                            row.cpu.total_ns, row.self_cpu_ns};
  EXPECT_EQ(FromBox(open, box, STEPSCOPE_OPERATOR, TrackKind::kThread),
            operators);
  const auto without_self = [](ByName figures) {
    for (auto& [name, row] : figures) std::get<3>(row) = 0;
    return figures;
  };
  ByName kernels;
  for (const KernelRow& row : summary.kernel)
    kernels[std::string(row.name)] = {row.calls, 0, row.gpu.total_ns, 0};
  EXPECT_EQ(
      without_self(FromBox(open, box, STEPSCOPE_KERNEL, TrackKind::kStream)),
      kernels);
  ByName ranges;
  for (const ThreadRows& thread : summary.user_defined)
    for (const RangeRow& row : thread.rows)
      ranges[std::string(row.name)] = {row.calls, row.nested_calls,
                                       row.cpu.total_ns, 0};
  EXPECT_EQ(without_self(
                FromBox(open, box, STEPSCOPE_USER_DEFINED, TrackKind::kThread)),
            ranges);
}

TEST(BoxSumsTest, AreTheSummaryOfTheSameWindow) {
  const uint32_t seeds = WholeOrPart(400u, 100u);
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    const auto trace = RandomTrace(seed).Make();
    const OpenTrace open(trace);
    std::mt19937 random(seed);
    const auto draw = [&] { return static_cast<int64_t>(random() % kSpan); };
    Interval box = {draw(), draw()};
    if (box.begin > box.end) std::swap(box.begin, box.end);
    // Events that overlap without nesting may nest once they are cut.
    if (seed % 2 == 1) box = {0, kSpan};
    SCOPED_TRACE("seed " + std::to_string(seed) + ", box " +
                 std::to_string(box.begin) + " to " + std::to_string(box.end));
    ExpectTheSummary(open, box, *CutAt(*trace, box));
    if (HasFailure()) return;
  }
}

// An operator that calls one of its own name, and a range of which the
// recorder put a copy on the stream: each counts once.
class SameNamesTest : public testing::Test {
 protected:
  SameNamesTest() : open_(Made()) {}

  static std::shared_ptr<const Trace> Made() {
    TraceBuilder builder;
    builder.AddProcess({});
    Track thread;
    thread.id = 1;
    Track stream;
    stream.id = 7;
    stream.kind = TrackKind::kStream;
    stream.device = 0;
    const uint32_t tracks[] = {builder.AddTrack(thread),
                               builder.AddTrack(stream)};
    const auto add = [&](int track, const char* name, uint16_t type,
                         int64_t start, int64_t dur) {
      EventSpec event;
      event.track = tracks[track];
      event.name = builder.Intern(name);
      event.type = type;
      event.start_ns = start;
      event.dur_ns = dur;
      builder.AddEvent(event);
    };
    add(0, "forward", STEPSCOPE_USER_DEFINED, 0, 100);
    add(0, "conv", STEPSCOPE_OPERATOR, 10, 60);
    add(0, "conv", STEPSCOPE_OPERATOR, 20, 40);
    add(1, "forward", STEPSCOPE_USER_DEFINED, 200, 50);
    return *builder.Finish();
  }
  const OpenTrace open_;
};

TEST_F(SameNamesTest, CountOnceInABox) {
  const Interval all = {0, 1000};
  EXPECT_EQ(FromBox(open_, all, STEPSCOPE_OPERATOR, TrackKind::kThread),
            (ByName{{"conv", {1, 1, 60, 60}}}));
  EXPECT_EQ(FromBox(open_, all, STEPSCOPE_USER_DEFINED, TrackKind::kThread),
            (ByName{{"forward", {1, 0, 100, 40}}}));
  EXPECT_EQ(FromBox(open_, all, STEPSCOPE_USER_DEFINED, TrackKind::kStream),
            (ByName{{"forward", {1, 0, 50, 50}}}));
}

TEST_F(SameNamesTest, CountOnceInTheDetails) {
  const auto same = [&](Row row) {
    const std::string json = EventJson(open_, row);
    return json.substr(json.find("\"same_name\":"), 60);
  };
  EXPECT_TRUE(same(0).find("\"calls\":1,\"nested\":0,\"total\":100,") !=
              std::string::npos)
      << same(0);
  for (const Row row : {1u, 2u})
    EXPECT_TRUE(same(row).find("\"calls\":1,\"nested\":1,\"total\":60,") !=
                std::string::npos)
        << same(row);
  EXPECT_TRUE(same(3).find("\"calls\":1,\"nested\":0,\"total\":50,") !=
              std::string::npos)
      << same(3);
}

}  // namespace
}  // namespace stepscope::server
