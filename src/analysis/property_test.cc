// SPDX-License-Identifier: Apache-2.0
//
// What must hold for every trace, tried on thousands of random ones: parts
// add up to their whole, busy time fits into the window, and the tables agree
// with each other and with a slow, obvious computation.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <map>
#include <set>
#include <string>

#include "analysis/kinds.h"
#include "analysis/random_trace.h"
#include "analysis/summary.h"
#include "base/whole_or_part.h"

namespace stepscope {
namespace {

// One bit a nanosecond.
template <typename Wanted>
int64_t SlowUnion(const Trace& trace, Wanted wanted) {
  std::set<int64_t> busy;
  for (Row row = 0; row < trace.size(); ++row) {
    if (!wanted(row)) continue;
    for (int64_t t = 0; t < trace.dur_ns()[row]; ++t) {
      busy.insert(trace.start_ns()[row] + t);
    }
  }
  return static_cast<int64_t>(busy.size());
}

bool OnStream(const Trace& trace, Row row) {
  return trace.tracks()[trace.track()[row]].kind == TrackKind::kStream;
}

void CheckOverview(const Trace& trace, const Summary& summary) {
  for (const bool gpu : {false, true}) {
    uint64_t calls = 0;
    for (const OverviewRow& row :
         gpu ? summary.overview.gpu : summary.overview.cpu) {
      ASSERT_LE(row.time_ns, kSpan);
      ASSERT_GE(row.time_ns, 0);
      if (row.type == "Communication") continue;
      const int64_t slow = SlowUnion(trace, [&](Row r) {
        static const std::map<std::string, uint16_t> kByName = {
            {"Operator", 0},    {"Dataloader", 1},  {"ProfileStep", 2},
            {"CudaRuntime", 3}, {"Kernel", 4},      {"Memcpy", 5},
            {"Memset", 6},      {"UserDefined", 7}, {"OperatorInner", 8},
            {"Forward", 9},     {"Backward", 10}};
        return OnStream(trace, r) == gpu &&
               trace.type()[r] == kByName.at(row.type);
      });
      // Of passes that were concluded there is no event.
      const bool is_pass = row.type == "Forward" || row.type == "Backward";
      if (slow == 0 && is_pass) continue;
      ASSERT_EQ(row.time_ns, slow) << row.type;
      if (gpu) calls += row.calls;
    }
    uint64_t work = 0;
    for (Row row = 0; row < trace.size(); ++row) work += OnStream(trace, row);
    if (gpu) {
      ASSERT_EQ(calls, work);
    }
  }
}

// Stages of a thread neither contain each other nor does one that was
// concluded overlap another.
void CheckStages(const EventTree& tree) {
  const StepTable steps(tree);
  const auto stages = steps.stages();
  for (size_t i = 1; i < stages.size(); ++i) {
    const StepInterval& a = stages[i - 1];
    const StepInterval& b = stages[i];
    ASSERT_LE(a.thread, b.thread);
    if (a.thread != b.thread) continue;
    ASSERT_LE(a.range.begin, b.range.begin);
    ASSERT_LE(a.range.end, b.range.end);
    if (a.inferred || b.inferred) {
      ASSERT_LE(a.range.end, b.range.begin);
    }
  }
}

void CheckModel(const Summary& summary) {
  if (summary.model.empty()) return;
  int64_t cpu = 0;
  int64_t gpu = 0;
  int64_t step_gpu = -1;
  for (const ModelRow& row : summary.model) {
    if (row.name == "ProfileStep") {
      step_gpu = row.gpu.total_ns;
      continue;
    }
    ASSERT_GE(row.cpu.total_ns, 0) << row.name;
    ASSERT_GE(row.gpu.total_ns, 0) << row.name;
    cpu += row.cpu.total_ns;
    gpu += row.gpu.total_ns;
  }
  // Stages and Others make the whole, of every thread that steps.
  ASSERT_GE(cpu, summary.total_ns);
  if (step_gpu >= 0) {
    ASSERT_GE(gpu, step_gpu);
  }
}

void CheckDistribution(const Trace& trace, const Summary& summary) {
  const Distribution& d = summary.distribution;
  ASSERT_LE(d.communication_ns, kSpan);
  ASSERT_LE(d.overlap_ns, std::min(d.communication_ns, d.computation_ns));
  const int64_t kernels = SlowUnion(trace, [&](Row row) {
    return OnStream(trace, row) && trace.type()[row] == STEPSCOPE_KERNEL;
  });
  ASSERT_EQ(d.kernel.all_ns, kernels);
  ASSERT_LE(d.computation_ns, kernels);
  ASSERT_GE(d.computation_ns + d.gpu.all_ns, kernels);
}

void CheckKernels(const Trace& trace, const Summary& summary) {
  int64_t total = 0;
  for (Row row = 0; row < trace.size(); ++row) {
    if (OnStream(trace, row) && trace.type()[row] == STEPSCOPE_KERNEL) {
      total += trace.dur_ns()[row];
    }
  }
  int64_t listed = 0;
  double ratio = 0;
  for (const NamedRow& row : summary.kernel) {
    listed += row.gpu.total_ns;
    ratio += row.gpu.ratio;
    ASSERT_LE(row.gpu.min_ns, row.gpu.max_ns);
    ASSERT_LE(row.gpu.max_ns, row.gpu.total_ns);
  }
  ASSERT_EQ(listed, total);
  if (total > 0) {
    ASSERT_NEAR(ratio, 1, 1e-9);
  }
}

// The innermost event that an event lies in, of all lanes, that is no call.
void CheckParents(const EventTree& tree) {
  const Trace& trace = tree.trace();
  if (!tree.threads().has_lanes()) return;
  for (size_t i = 0; i < tree.threads().size(); ++i) {
    std::vector<Row> before;
    tree.threads().ForEachRow(i, [&](Row row) {
      Row wanted = kNoRow;
      for (const Row other : before) {
        if (IsApiCall(trace.type()[other]) ||
            tree.end_ns(other) <= trace.start_ns()[row] ||
            tree.end_ns(other) < tree.end_ns(row))
          continue;
        wanted = other;
      }
      ASSERT_EQ(tree.parent(row), wanted);
      before.push_back(row);
    });
  }
}

// Device time below each host event, found by walking up from each launch.
void CheckTree(const EventTree& tree) {
  const Trace& trace = tree.trace();
  std::map<Row, int64_t> slow;
  uint64_t orphans = 0;
  for (const DeviceWork& work : tree.work()) {
    if (work.launch == kNoRow) {
      ++orphans;
      continue;
    }
    for (Row row = work.launch; row != kNoRow; row = tree.parent(row)) {
      ASSERT_TRUE(row == work.launch || !IsApiCall(trace.type()[row]));
      slow[row] += trace.dur_ns()[work.row];
    }
  }
  ASSERT_EQ(tree.orphans(), orphans);
  for (Row row = 0; row < trace.size(); ++row) {
    ASSERT_EQ(tree.gpu_ns(row), slow.contains(row) ? slow[row] : 0);
    const Row parent = tree.parent(row);
    if (parent == kNoRow) continue;
    ASSERT_LE(trace.start_ns()[parent], trace.start_ns()[row]);
    ASSERT_GE(tree.end_ns(parent), tree.end_ns(row));
    ASSERT_EQ(tree.thread_of(parent), tree.thread_of(row));
  }
  CheckParents(tree);
}

void CheckSelf(const EventTree& tree) {
  const Trace& trace = tree.trace();
  for (size_t i = 0; i < tree.threads().size(); ++i) {
    int64_t self = 0;
    tree.threads().ForEachRow(i, [&](Row row) {
      ASSERT_GE(tree.self_ns(row), 0);
      ASSERT_LE(tree.self_ns(row), trace.dur_ns()[row]);
      self += tree.self_ns(row);
    });
    ASSERT_EQ(self, SlowUnion(trace, [&](Row row) {
                return tree.thread_of(row) == i;
              }));
  }
}

void CheckOperators(const EventTree& tree, const Summary& merged,
                    const Summary& apart) {
  const Trace& trace = tree.trace();
  std::map<std::string_view, std::pair<uint64_t, int64_t>> by_name;
  int64_t self = 0;
  for (Row row = 0; row < trace.size(); ++row) {
    if (OnStream(trace, row) || trace.type()[row] != STEPSCOPE_OPERATOR)
      continue;
    ++by_name[trace.str(trace.name()[row])].first;
    self += tree.self_ns(row);
  }
  for (const Summary* summary : {&merged, &apart}) {
    uint64_t calls = 0;
    int64_t listed_self = 0;
    for (const OperatorGroup& group : summary->operators) {
      for (const OperatorRow& row : group.rows) {
        if (row.no_launch) {
          ASSERT_EQ(row.calls, summary->no_launch);
          continue;
        }
        calls += row.calls + row.nested_calls;
        ASSERT_LE(row.cpu.min_ns * static_cast<int64_t>(row.calls),
                  row.cpu.total_ns);
        listed_self += row.self_cpu_ns;
        ASSERT_LE(row.cpu.max_ns, row.cpu.total_ns);
        // Not where one thread runs two events of a name at once.
        if (!tree.threads().has_lanes()) {
          ASSERT_LE(row.self_cpu_ns, row.cpu.total_ns);
        }
        ASSERT_LE(row.self_gpu_ns, row.gpu.total_ns);
        if (summary == &merged) {
          ASSERT_EQ(row.calls + row.nested_calls, by_name.at(row.name).first);
        }
      }
    }
    uint64_t wanted = 0;
    for (const auto& [name, count] : by_name) wanted += count.first;
    ASSERT_EQ(calls, wanted);
    ASSERT_EQ(listed_self, self);
  }
}

// However events lie in, beside and across steps and each other.
void CheckShares(const Summary& summary) {
  const auto is_share = [](double ratio) { return ratio >= 0 && ratio <= 1; };
  for (const auto* rows : {&summary.overview.cpu, &summary.overview.gpu})
    for (const OverviewRow& row : *rows) ASSERT_TRUE(is_share(row.ratio));
  const Distribution::InSteps& in = summary.distribution.in_steps;
  for (const int64_t ns :
       {in.communication_ns, in.computation_ns, in.overlap_ns})
    ASSERT_LE(ns, summary.total_ns);
  const auto check = [&](const auto& row) {
    ASSERT_TRUE(is_share(row.cpu.ratio)) << row.cpu.ratio;
    ASSERT_TRUE(is_share(row.gpu.ratio)) << row.gpu.ratio;
  };
  for (const ModelRow& row : summary.model) check(row);
  for (const NamedRow& row : summary.memory_manipulation) check(row);
  for (const ThreadRows& group : summary.user_defined)
    for (const RangeRow& row : group.rows) check(row);
  for (const OperatorGroup& group : summary.operators) {
    for (const OperatorRow& row : group.rows) {
      check(row);
      for (const OperatorInnerRow& inner : row.inner) check(inner);
      for (const OperatorDeviceRow& device : row.device)
        ASSERT_TRUE(is_share(device.gpu.ratio)) << device.gpu.ratio;
    }
  }
  for (const KernelRow& row : summary.kernel)
    ASSERT_TRUE(is_share(row.gpu.ratio)) << row.gpu.ratio;
  for (const PythonRow& row : summary.python) {
    check(row);
    ASSERT_GE(row.self_cpu_ns, 0);
  }
}

class PropertyTest : public testing::TestWithParam<uint32_t> {};

TEST_P(PropertyTest, TablesReconcile) {
  constexpr uint32_t kTraces = WholeOrPart(500u, 125u);
  for (uint32_t i = 0; i < kTraces; ++i) {
    const uint32_t seed = GetParam() * kTraces + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto trace = RandomTrace(seed).Make();
    const Summary summary = ComputeSummary(*trace, {});
    SummaryOptions per_thread;
    per_thread.thread_sep = true;
    CheckOverview(*trace, summary);
    CheckModel(summary);
    CheckDistribution(*trace, summary);
    CheckKernels(*trace, summary);
    CheckShares(summary);
    const EventTree tree(*trace);
    CheckTree(tree);
    CheckStages(tree);
    CheckSelf(tree);
    CheckOperators(tree, summary, ComputeSummary(*trace, per_thread));
    for (const DeviceRow& device : summary.device) {
      ASSERT_LE(device.busy_ns, kSpan);
    }
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, PropertyTest, testing::Range(0u, 6u));

}  // namespace
}  // namespace stepscope
