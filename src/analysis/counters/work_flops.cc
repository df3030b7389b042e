// SPDX-License-Identifier: Apache-2.0
#include "analysis/counters/work_flops.h"

#include <stepscope/c.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/stats.h"

namespace stepscope {
namespace {

// Who does the arithmetic of a call: the last of these that it launched.
enum Worker : size_t { kAnyWork, kAnyKernel, kMatrixKernel, kWorkers };

constexpr size_t kNoCall = SIZE_MAX;

// Calls that work was launched in.
class CallLookup {
 public:
  CallLookup(const EventTree& tree, const std::vector<CountedCall>& calls)
      : tree_(tree), calls_(calls) {}

  // kNoCall if there is none. Quick for work of one owner in a row.
  size_t Find(const DeviceWork& work) {
    if (work.owner == last_owner_) return last_found_;
    last_owner_ = work.owner;
    last_found_ = kNoCall;
    for (Row row = work.owner; row != kNoRow; row = tree_.parent(row)) {
      if (tree_.trace().type()[row] != STEPSCOPE_OPERATOR) continue;
      const auto at =
          std::ranges::lower_bound(calls_, row, {}, &CountedCall::row);
      if (at == calls_.end() || at->row != row) continue;
      last_found_ = static_cast<size_t>(at - calls_.begin());
      break;
    }
    return last_found_;
  }

 private:
  const EventTree& tree_;
  const std::vector<CountedCall>& calls_;
  Row last_owner_ = kNoRow;
  size_t last_found_ = kNoCall;
};

}  // namespace

std::vector<WorkFlops> DealFlops(const EventTree& tree, NameClasses& names,
                                 const std::vector<CountedCall>& calls) {
  std::vector<WorkFlops> flops(tree.work().size());
  if (calls.empty()) return flops;
  const Trace& trace = tree.trace();
  const auto worker_of = [&](const DeviceWork& work) {
    if (trace.type()[work.row] != STEPSCOPE_KERNEL) return kAnyWork;
    return names.matrix_kernel(trace.name()[work.row]) ? kMatrixKernel
                                                       : kAnyKernel;
  };
  // By call, of each kind of work.
  std::vector<std::array<int64_t, kWorkers>> times(calls.size());
  std::vector<size_t> call_of(tree.work().size());
  CallLookup lookup(tree, calls);
  for (size_t i = 0; i < call_of.size(); ++i) {
    const DeviceWork& work = tree.work()[i];
    call_of[i] = lookup.Find(work);
    if (call_of[i] == kNoCall) continue;
    int64_t& time = times[call_of[i]][worker_of(work)];
    time = SaturatingAdd(time, trace.dur_ns()[work.row]);
  }
  for (size_t i = 0; i < call_of.size(); ++i) {
    if (call_of[i] == kNoCall) continue;
    flops[i].call = calls[call_of[i]].row;
    const DeviceWork& work = tree.work()[i];
    const std::array<int64_t, kWorkers>& of_call = times[call_of[i]];
    const Worker worker = worker_of(work);
    const auto by_better = std::span(of_call).subspan(worker + 1);
    if (std::ranges::any_of(by_better, [](int64_t ns) { return ns > 0; }))
      continue;
    flops[i].flops = static_cast<double>(calls[call_of[i]].flops) *
                     Ratio(trace.dur_ns()[work.row], of_call[worker]);
  }
  return flops;
}

}  // namespace stepscope
