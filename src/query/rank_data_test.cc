// SPDX-License-Identifier: Apache-2.0
#include "query/rank_data.h"

#include <gtest/gtest.h>

#include <map>

#include "analysis/kinds.h"
#include "analysis/random_trace.h"
#include "analysis/step_finder.h"
#include "analysis/tables/operator.h"
#include "analysis/views/stage_lookup.h"
#include "query/database.h"
#include "query/dataset_schema.h"
#include "query/duckdb_test_support.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::string_view Str(const duckdb::Text& text) { return text.view(); }

TEST(RankData, WorkBelongsToItsLaunch) {
  const auto trace = TraceFromText(R"(
thread 7 main
  0..100 ProfileStep#3 ProfileStep
    10..60 forward Forward
      20..50 matmul Operator
        30..40 cudaLaunchKernel CudaRuntime correlation=5
stream 3 GPU:0
  120..150 gemm Kernel correlation=5
  160..170 lost Kernel
)");
  const RankData data(trace, 1);
  std::map<std::string_view, Row> row;
  for (Row i = 0; i < trace->size(); ++i) row[trace->str(trace->name()[i])] = i;
  EXPECT_EQ(data.launch(row["gemm"]), row["cudaLaunchKernel"]);
  EXPECT_EQ(data.owner(row["gemm"]), row["matmul"]);
  EXPECT_EQ(data.operator_of(row["gemm"]), row["matmul"]);
  EXPECT_EQ(data.launch(row["lost"]), kNoRow);
  RankData::Cursor cursor;
  const RankData::Place work = data.PlaceOf(row["gemm"], cursor);
  EXPECT_EQ(work.step, 3);
  EXPECT_EQ(Str(data.stage_text(work.stage)), "Forward");
  EXPECT_EQ(data.PlaceOf(row["lost"], cursor).step, kNoStep);
  EXPECT_EQ(data.depth(row["matmul"]), 2u);
}

TEST(RankData, InvalidNamesBecomeUtf8) {
  TraceBuilder builder;
  builder.AddProcess({});
  Track track;
  track.id = 1;
  const uint32_t at = builder.AddTrack(track);
  builder.AddEvent({at, 0, 10, builder.Intern("a\xff\xfe b"), 0, 0});
  builder.AddEvent({at, 20, 10, builder.Intern("plain"), 60000, 0});
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  const RankData data(*trace, 1);
  EXPECT_EQ(Str(data.text((*trace)->name()[0])), "a\xef\xbf\xbd\xef\xbf\xbd b");
  EXPECT_EQ(Str(data.text((*trace)->name()[1])), "plain");
  EXPECT_EQ(Str(data.type_text(60000)), "Type60000");
}

// What StepFinder and StageLookup say of every event, one by one.
TEST(RankData, PlacesAreThoseOfAnalysis) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const auto trace = RandomTrace(seed).Make();
    const RankData data(trace, 1);
    const EventTree& tree = data.tree();
    const StepFinder finder(tree, data.steps());
    const StageLookup stages(tree, data.steps());
    RankData::Cursor cursor;
    for (Row row = 0; row < trace->size(); ++row) {
      const Track& track = trace->tracks()[trace->track()[row]];
      if (track.kind != TrackKind::kThread) continue;
      const RankData::Place place = data.PlaceOf(row, cursor);
      const int64_t time = trace->start_ns()[row];
      const uint32_t step = finder.Find(track.process, time);
      const uint32_t main = data.steps().main_thread(track.process);
      ASSERT_EQ(place.step, step == StepFinder::kNone
                                ? kNoStep
                                : data.steps().steps_of(main)[step].index)
          << seed << " " << row;
      if (data.steps().stages().empty()) continue;
      const size_t stage = stages.Find(tree.thread_of(row), time);
      ASSERT_EQ(place.stage, stage == StageLookup::kNoStage
                                 ? RankData::Place::kNoStage
                                 : stage)
          << seed << " " << row;
    }
  }
}

struct Sums {
  int64_t calls = 0, nested = 0, cpu = 0, gpu = 0, self_cpu = 0, self_gpu = 0;
  bool operator==(const Sums&) const = default;
};

std::map<std::string, Sums> OperatorsOf(const EventTree& tree) {
  std::map<std::string, Sums> sums;
  OperatorOptions options;
  options.detail = false;
  for (const OperatorGroup& group : ComputeOperators(tree, options))
    for (const OperatorRow& row : group.rows)
      sums[std::string(row.name)] = {static_cast<int64_t>(row.calls),
                                     static_cast<int64_t>(row.nested_calls),
                                     row.cpu.total_ns,
                                     row.gpu.total_ns,
                                     row.self_cpu_ns,
                                     row.self_gpu_ns};
  return sums;
}

// The SQL of docs/formats/dataset.md.
constexpr const char* kOperators = R"(
WITH work AS (SELECT * FROM events WHERE stream IS NOT NULL
              AND type IN ('Kernel', 'Memcpy', 'Memset')),
own AS (SELECT o.name, sum(w.dur_ns) AS ns FROM work w JOIN events o
        ON w.owner_id = o.event_id AND w.operator_id = w.owner_id
        GROUP BY o.name)
SELECT name, calls::BIGINT, nested::BIGINT, coalesce(cpu, 0)::BIGINT,
       coalesce(gpu, 0)::BIGINT, self_cpu::BIGINT,
       coalesce(own.ns, 0)::BIGINT
FROM (SELECT name, count(*) FILTER (outermost) AS calls,
             count(*) FILTER (NOT outermost) AS nested,
             sum(dur_ns) FILTER (outermost) AS cpu,
             sum(gpu_ns) FILTER (outermost) AS gpu,
             sum(self_ns) AS self_cpu
      FROM events WHERE type = 'Operator' AND tid IS NOT NULL GROUP BY name)
LEFT JOIN own USING (name)
UNION ALL
SELECT '(no launch)', count(*), 0, 0, sum(dur_ns)::BIGINT, 0,
       sum(dur_ns)::BIGINT
FROM work WHERE launch_id IS NULL HAVING count(*) > 0)";

TEST(RankData, SqlGivesTheOperatorsOfAnalysis) {
  STEPSCOPE_NEED_DUCKDB();
  auto db = Database::Open({{"threads", "1"}});
  ASSERT_TRUE(db) << db.error().message;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const auto data =
        std::make_shared<const RankData>(RandomTrace(seed).Make(), 1);
    ASSERT_TRUE((*db)->AddTable("events", SourcesOf(data)[0]));
    Result<QueryResult> result = (*db)->Query(kOperators);
    ASSERT_TRUE(result) << result.error().message;
    std::map<std::string, Sums> sums;
    while (result->NextChunk())
      for (size_t row = 0; row < result->rows(); ++row)
        sums[std::string(result->Text(0, row))] = {
            result->Int64(1, row), result->Int64(2, row),
            result->Int64(3, row), result->Int64(4, row),
            result->Int64(5, row), result->Int64(6, row)};
    ASSERT_EQ(sums, OperatorsOf(data->tree())) << seed;
  }
}

void PrintTo(const Sums& sums, std::ostream* out) {
  *out << sums.calls << " " << sums.nested << " " << sums.cpu << " " << sums.gpu
       << " " << sums.self_cpu << " " << sums.self_gpu;
}

}  // namespace
}  // namespace stepscope
