// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/collective_rows.h"

#include <algorithm>
#include <map>

#include "analysis/interval.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

std::string GroupOf(const CallSignature& call) {
  if (!call.group.empty()) return call.group;
  std::string group;
  for (const int64_t rank : call.ranks)
    group += (group.empty() ? "ranks " : ", ") + std::to_string(rank);
  return group;
}

bool IsRemoteCall(CollectiveKind kind) {
  return kind == CollectiveKind::kRpcRequest ||
         kind == CollectiveKind::kRpcHandling;
}

}  // namespace

std::optional<double> CollectiveRow::AlgorithmBandwidth() const {
  if (bytes == 0 || time_ns <= 0) return std::nullopt;
  // Bytes per ns are GB/s.
  return static_cast<double>(bytes) * static_cast<double>(calls) /
         static_cast<double>(time_ns);
}

std::optional<double> CollectiveRow::BusBandwidth() const {
  const std::optional<double> algorithm = AlgorithmBandwidth();
  // Of one rank nothing goes over a bus.
  if (!algorithm || bus_factor <= 0) return std::nullopt;
  return *algorithm * bus_factor;
}

CollectiveKey KeyOfCall(const CallSignature& call) {
  return {call.kind, GroupOf(call), call.ranks, call.bytes};
}

void DescribeCall(const CallSignature& call, size_t met, CollectiveRow& row) {
  row.kind = CollectiveKindName(call.kind);
  row.group = GroupOf(call);
  row.bytes = call.bytes;
  const uint64_t size = call.group_size > 0
                            ? static_cast<uint64_t>(call.group_size)
                            : std::max<uint64_t>(met, call.ranks.size());
  row.group_size = std::max(row.group_size, size);
  row.bus_factor = BusFactor(call.kind, size);
}

void SortByTime(std::vector<CollectiveRow>& rows) {
  StableSort(rows.begin(), rows.end(),
             [](const CollectiveRow& a, const CollectiveRow& b) {
               return a.time_ns > b.time_ns;
             });
}

std::vector<CollectiveRow> CollectivesOfOne(
    std::span<const RankCalls* const> calls) {
  std::map<CollectiveKey, CollectiveRow> rows;
  for (const RankCalls* const rank : calls) {
    for (const RankCall& call : rank->calls) {
      const CallSignature& signature = rank->signatures[call.signature];
      if (IsRemoteCall(signature.kind)) continue;
      CollectiveRow& row = rows[KeyOfCall(signature)];
      DescribeCall(signature, 1, row);
      row.ranks = 1;
      ++row.calls;
      row.time_ns = SaturatingAdd(
          row.time_ns, SaturatingSubtract(call.time.end, call.time.begin));
    }
  }
  std::vector<CollectiveRow> list;
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  SortByTime(list);
  return list;
}

std::vector<CollectiveRow> CollectivesOfOne(
    const EventTree& tree, const StepTable& steps, NameClasses& names,
    const Communication& communication) {
  const std::vector<RankCalls> found =
      FindRankCalls(tree, steps, names, communication);
  std::vector<const RankCalls*> calls;
  for (const RankCalls& rank : found) calls.push_back(&rank);
  return CollectivesOfOne(calls);
}

std::string ComparePeak(double peak, std::vector<CollectiveRow>& rows) {
  if (peak <= 0) return {};
  uint64_t faster = 0;
  for (CollectiveRow& row : rows) {
    row.peak_ratio.reset();
    const std::optional<double> bus = row.BusBandwidth();
    if (!bus) continue;
    if (*bus <= peak)
      row.peak_ratio = *bus / peak;
    else
      ++faster;
  }
  if (faster == 0) return {};
  return CountText(faster, "row") +
         Format(
             " of the collectives %s faster than the stated peak of %g "
             "GB/s, which is not that of their link.",
             faster == 1 ? "is" : "are", peak);
}

}  // namespace stepscope
