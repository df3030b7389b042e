// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/iteration_kinds.h"

#include <array>
#include <optional>
#include <utility>

namespace stepscope {
namespace {

class KindSum {
 public:
  void Add(const IterationRow& one) {
    row_.gpu_busy_ns += one.gpu_busy_ns;
    row_.kernels += one.kernels;
    row_.launches += one.launches;
    row_.graphs += one.graphs;
    row_.idle.Add(one.idle);
    row_.work_ns += one.work_ns;
    row_.late_ns += one.late_ns;
    if (one.repeats_another_rank) return;
    ++row_.count;
    AddSaid(row_.requests, one.mark.requests);
    AddSaid(row_.tokens_context, one.mark.tokens_context);
    AddSaid(row_.tokens_generation, one.mark.tokens_generation);
    row_.host_ns = SaturatingAdd(row_.host_ns, one.host_ns);
    hosts_.push_back(one.host_ns);
    busy_.push_back(one.gpu_busy_ns);
    if (!one.period_ns) return;
    periods_.push_back(*one.period_ns);
    if (!one.mark.tokens_context && !one.mark.tokens_generation) return;
    tokens_ =
        SaturatingAdd(tokens_, one.mark.tokens_context.value_or(0) +
                                   one.mark.tokens_generation.value_or(0));
    tokens_during_ = SaturatingAdd(tokens_during_, *one.period_ns);
  }

  IterationKindRow Finish(IterationKind kind) {
    row_.kind = kind;
    row_.period = ComputeSpread(periods_);
    row_.host_p50_ns = ComputeSpread(hosts_).p50_ns;
    row_.gpu_busy_p50_ns = ComputeSpread(busy_).p50_ns;
    if (tokens_ > 0 && tokens_during_ > 0)
      row_.tokens_per_s = static_cast<double>(tokens_) /
                          static_cast<double>(tokens_during_) * 1e9;
    return std::move(row_);
  }

 private:
  static void AddSaid(std::optional<int64_t>& sum,
                      const std::optional<int64_t>& one) {
    if (one) sum = SaturatingAdd(sum.value_or(0), *one);
  }

  IterationKindRow row_;
  std::vector<int64_t> periods_, hosts_, busy_;
  int64_t tokens_ = 0;
  int64_t tokens_during_ = 0;
};

}  // namespace

std::vector<IterationKindRow> SumByKind(std::span<const IterationRow> list) {
  std::array<KindSum, kIterationKinds> sums;
  for (const IterationRow& one : list)
    sums[static_cast<size_t>(one.mark.kind)].Add(one);
  std::vector<IterationKindRow> rows;
  for (size_t i = 0; i < kIterationKinds; ++i) {
    IterationKindRow row = sums[i].Finish(static_cast<IterationKind>(i));
    if (row.count > 0) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace stepscope
