// SPDX-License-Identifier: Apache-2.0
//
// Every real recording: the critical path adds up to the steps, and stays
// within what was recorded when it is drawn in.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "analysis/replay/graph.h"
#include "analysis/replay/path_marks.h"
#include "analysis/replay/simulate.h"
#include "analysis/tables/critical_path.h"
#include "importers/import_many.h"

namespace stepscope {
namespace {

void Check(const Trace& trace) {
  const EventTree tree(trace);
  const StepTable steps(tree);
  NameClasses names(trace.strings());
  const ReplayGraph graph = BuildReplayGraph(tree, steps, names);
  ReplayTimes times;
  Simulate(graph, times);
  const StepPeriods periods = PeriodsOf(graph, times);
  const CriticalPath path =
      FindCriticalPath(tree, graph, names, StepChoice::All());
  ASSERT_EQ(path.steps.size(), periods.size());
  for (size_t i = 0; i < periods.size(); ++i) {
    int64_t sum = 0;
    for (size_t j = path.steps[i].first; j < path.steps[i].last; ++j) {
      sum += path.pieces[j].dur_ns;
    }
    EXPECT_EQ(sum, periods[i]) << "step " << path.steps[i].index;
  }
  int64_t total = 0;
  for (const CriticalPathRow& row :
       ComputeCriticalPath(tree, steps, names, StepChoice::All()).rows) {
    total += row.time_ns;
  }
  EXPECT_EQ(total, path.total_ns);

  const auto marked = AddPathMarks(trace, path);
  ASSERT_TRUE(marked) << marked.error().message;
  EXPECT_EQ((*marked)->begin_ns(), trace.begin_ns());
  EXPECT_EQ((*marked)->end_ns(), trace.end_ns());
  EXPECT_GE((*marked)->size(), trace.size());
}

TEST(CriticalPathFiles, AddUpToTheSteps) {
  const std::string folder = STEPSCOPE_SHARED_TRACES;
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << "no ../shared/traces";
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const auto trace = ImportPath(path, {});
    if (!trace) continue;  // not all that lies there is a trace
    SCOPED_TRACE(path);
    Check(**trace);
  }
}

}  // namespace
}  // namespace stepscope
