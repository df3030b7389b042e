// SPDX-License-Identifier: Apache-2.0
//
// What the rows of several tables share. Names are views into the Trace (or
// literals): a result lives no longer than the trace it was computed from.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/stats.h"
#include "analysis/step_shares.h"

namespace stepscope {

// Names of rows that no recorded event has.
inline constexpr std::string_view kNoLaunchName = "(no launch)";
inline constexpr std::string_view kOutsideName = "(outside events)";
inline constexpr std::string_view kOthersName = "Others";
inline constexpr std::string_view kBeforeName = "(before the recording)";

// Where a table has no row yet for a name or a cause.
inline constexpr uint32_t kNoTableRow = 0xffffffffu;

// The five values of a CPU or GPU column; the average needs the calls.
struct TimeColumn {
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  int64_t min_ns = 0;
  double ratio = 0;  // 0..1 of what the table says

  static TimeColumn Of(const TimeStats& stats, int64_t whole_ns) {
    return {stats.total_ns, stats.max_ns, stats.min_or_zero(),
            Ratio(stats.total_ns, whole_ns)};
  }
  // Of host events, as far as they lie in the steps.
  static TimeColumn Of(const TimeStats& stats, const StepShare& share,
                       int64_t window_ns) {
    return {stats.total_ns, stats.max_ns, stats.min_or_zero(),
            share.ratio(window_ns)};
  }
};

struct NamedRow {
  std::string_view name;
  uint64_t calls = 0;  // of host events: not inside another of that name
  TimeColumn cpu;
  TimeColumn gpu;
  uint64_t nested_calls = 0;  // the others
  int64_t self_cpu_ns = 0;    // of host events: less the events inside them
  StepShare share;            // what cpu.ratio is made of
};

// Order of the Operator, Kernel and UserDefined tables. Min keys ascend, the
// others descend; rows that are equal stay in order of first visit.
enum class SortKey : uint8_t {
  kCpuTotal,
  kCpuAvg,
  kCpuMax,
  kCpuMin,
  kGpuTotal,
  kGpuAvg,
  kGpuMax,
  kGpuMin,
  kCalls,
  kSelf,   // time of its own; where that is not known, the total
  kVisit,  // no order but that of the first visit; not for users
};

// True if `a` comes before `b`. REQUIRES: both have calls.
template <typename Row>
bool ComesBefore(const Row& a, const Row& b, SortKey key) {
  __extension__ using Wide = __int128;
  if (key == SortKey::kVisit) return false;
  if (key == SortKey::kCalls) return a.calls > b.calls;
  if constexpr (requires { a.self_cpu_ns; }) {
    if (key == SortKey::kSelf && a.self_cpu_ns != b.self_cpu_ns)
      return a.self_cpu_ns > b.self_cpu_ns;
  }
  if (key == SortKey::kSelf) {
    return a.cpu.total_ns != b.cpu.total_ns ? a.cpu.total_ns > b.cpu.total_ns
                                            : a.gpu.total_ns > b.gpu.total_ns;
  }
  const bool gpu = key >= SortKey::kGpuTotal;
  const TimeColumn& x = gpu ? a.gpu : a.cpu;
  const TimeColumn& y = gpu ? b.gpu : b.cpu;
  switch (key) {
    case SortKey::kCpuAvg:
    case SortKey::kGpuAvg:
      return static_cast<Wide>(x.total_ns) * b.calls >
             static_cast<Wide>(y.total_ns) * a.calls;
    case SortKey::kCpuMax:
    case SortKey::kGpuMax:
      return x.max_ns > y.max_ns;
    case SortKey::kCpuMin:
    case SortKey::kGpuMin:
      return x.min_ns < y.min_ns;
    case SortKey::kCpuTotal:
    case SortKey::kGpuTotal:
    case SortKey::kCalls:
    case SortKey::kSelf:
    case SortKey::kVisit:
      break;
  }
  return x.total_ns > y.total_ns;
}

}  // namespace stepscope
