// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_shares.h"

#include <algorithm>

namespace stepscope {

void StepShares::Add(uint32_t kind, Row row, uint32_t thread) {
  if (kind >= kinds_.size()) kinds_.resize(kind + 1);
  Kind& of = kinds_[kind];
  const uint32_t process = tree_.threads()[thread].process;
  if (of.thread != thread) {
    of.thread = thread;
    of.until = INT64_MIN;
    const int64_t steps_ns = steps_.process_steps_ns(process);
    of.share.steps_ns = SaturatingAdd(of.share.steps_ns, steps_ns);
    of.share.loose_threads += steps_ns == 0;
  }
  const int64_t end = tree_.end_ns(row);
  const int64_t begin = std::max(tree_.trace().start_ns()[row], of.until);
  if (begin >= end) return;
  of.until = end;
  of.share.inside_ns = SaturatingAdd(
      of.share.inside_ns, steps_.TimeInProcessSteps(process, {begin, end}));
}

}  // namespace stepscope
