// SPDX-License-Identifier: Apache-2.0
//
// Operator table: operators by name, with what they did inside. Sums are
// plain. Nested operators are listed too; ratios are of the totals of the
// outermost ones, so that nothing counts twice in what they are taken over.
#pragma once

#include <vector>

#include "analysis/event_tree.h"
#include "analysis/percentiles.h"
#include "analysis/tables/rows.h"

namespace stepscope {

// Device work launched by an operator or by one of its inner events; the
// ratio is of that one's GPU total.
struct OperatorDeviceRow {
  std::string_view name;
  uint64_t calls = 0;
  TimeColumn gpu;
};

// A direct child that is no operator; ratios are of the operator's totals.
struct OperatorInnerRow {
  std::string_view name;
  uint64_t calls = 0;  // not inside another of that name
  TimeColumn cpu;
  TimeColumn gpu;
  std::vector<OperatorDeviceRow> device;
  uint64_t nested_calls = 0;  // the others
};

struct MeasuredWork;

struct OperatorRow {
  std::string_view name;
  // Not inside another of that name: all but the self times is of these.
  uint64_t calls = 0;
  uint64_t nested_calls = 0;  // the others
  TimeColumn cpu;
  TimeColumn gpu;
  int64_t self_cpu_ns = 0;  // less child events and API calls
  int64_t self_gpu_ns = 0;  // launched by the operator itself
  Spread cpu_spread;        // of the calls; empty unless asked for
  Spread gpu_spread;
  StringId id;
  std::vector<OperatorInnerRow> inner;
  std::vector<OperatorDeviceRow> device;
  bool no_launch = false;  // the row of work whose launch was not recorded
  const MeasuredWork* measured = nullptr;  // of Summary::measured
};

struct OperatorGroup {
  int64_t thread_id = 0;              // of a table per thread
  std::string_view thread_name = {};  // empty: it has none
  uint32_t process = 0;
  bool unknown_thread = false;  // per thread: the group of `no_launch`
  std::vector<OperatorRow> rows = {};
  // What ratios are of: all outermost operators.
  int64_t outermost_cpu_ns = 0;
  int64_t outermost_gpu_ns = 0;  // without that of `no_launch`
};

struct OperatorOptions {
  SortKey sort = SortKey::kCpuTotal;
  bool per_thread = false;  // sort and take ratios for each thread by itself
  bool detail = true;       // fill `inner` and `device`
  bool spread = false;      // fill `cpu_spread` and `gpu_spread`
  bool sketch = false;      // of these too
};

std::vector<OperatorGroup> ComputeOperators(const EventTree& tree,
                                            const OperatorOptions& options);

}  // namespace stepscope
