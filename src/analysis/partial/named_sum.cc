// SPDX-License-Identifier: Apache-2.0
#include "analysis/partial/named_sum.h"

#include <algorithm>

namespace stepscope {
namespace {

// Short lists. Ranks of a job do the same in the same order, as a rule: what
// comes at a place here is looked for at the same place there first.
void AddSums(const std::vector<NamedSum>& from, std::vector<NamedSum>& to) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (i < to.size() && to[i].name == from[i].name) {
      to[i].Add(from[i]);
      continue;
    }
    const auto known = std::find_if(
        to.begin(), to.end(),
        [&](const NamedSum& sum) { return sum.name == from[i].name; });
    if (known == to.end())
      to.push_back(from[i]);
    else
      known->Add(from[i]);
  }
}

}  // namespace

void NamedSum::Add(const NamedSum& other) {
  calls += other.calls;
  nested_calls += other.nested_calls;
  AddStats(other.cpu, cpu);
  AddStats(other.gpu, gpu);
  self_cpu_ns = SaturatingAdd(self_cpu_ns, other.self_cpu_ns);
  self_gpu_ns = SaturatingAdd(self_gpu_ns, other.self_gpu_ns);
  share.Add(other.share);
  cpu_sketch.Add(other.cpu_sketch);
  gpu_sketch.Add(other.gpu_sketch);
  use.Add(other.use);
  AddSums(other.inner, inner);
  AddSums(other.device, device);
}

void AddStats(const TimeStats& from, TimeStats& to) {
  to.total_ns = SaturatingAdd(to.total_ns, from.total_ns);
  to.max_ns = std::max(to.max_ns, from.max_ns);
  to.min_ns = std::min(to.min_ns, from.min_ns);
}

TimeStats StatsOf(const TimeColumn& column) {
  return {column.total_ns, column.max_ns, column.min_ns};
}

void NamedSums::Add(const std::vector<NamedSum>& rows) {
  for (const NamedSum& row : rows) {
    const auto [at, is_new] = index_.try_emplace(row.name, rows_.size());
    if (is_new)
      rows_.push_back(row);
    else
      rows_[at->second].Add(row);
  }
}

}  // namespace stepscope
