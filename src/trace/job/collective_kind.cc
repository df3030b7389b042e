// SPDX-License-Identifier: Apache-2.0
#include "trace/job/collective_kind.h"

#include <array>
#include <string>
#include <utility>

namespace stepscope {
namespace {

// Longer words first: "allreduce" holds "reduce".
constexpr std::array<std::pair<std::string_view, CollectiveKind>, 12> kWords = {
    {{"allreduce", CollectiveKind::kAllReduce},
     {"allgather", CollectiveKind::kAllGather},
     {"reducescatter", CollectiveKind::kReduceScatter},
     {"alltoall", CollectiveKind::kAllToAll},
     {"barrier", CollectiveKind::kBarrier},
     {"broadcast", CollectiveKind::kBroadcast},
     {"gather", CollectiveKind::kGather},
     {"scatter", CollectiveKind::kScatter},
     {"crossdevicereduce", CollectiveKind::kAllReduce},
     {"reduce", CollectiveKind::kReduce},
     {"send", CollectiveKind::kPointToPoint},
     {"recv", CollectiveKind::kPointToPoint}}};

}  // namespace

std::string_view CollectiveKindName(CollectiveKind kind) {
  static constexpr std::array<std::string_view, 13> kNames = {
      "all_reduce", "all_gather",  "reduce_scatter", "all_to_all", "barrier",
      "broadcast",  "reduce",      "gather",         "scatter",    "send_recv",
      "other",      "rpc_request", "rpc_handling"};
  return kNames[static_cast<size_t>(kind)];
}

CollectiveKind CollectiveKindOf(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const auto& [word, kind] : kWords) {
    if (plain.find(word) != plain.npos) return kind;
  }
  return CollectiveKind::kOther;
}

bool LeavesTogether(CollectiveKind kind) {
  return kind <= CollectiveKind::kBarrier;
}

double BusFactor(CollectiveKind kind, uint64_t ranks) {
  if (ranks == 0) return 1;
  const auto n = static_cast<double>(ranks);
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
      return (n - 1) / n;
    case CollectiveKind::kBarrier:
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
    case CollectiveKind::kPointToPoint:
    case CollectiveKind::kOther:
    case CollectiveKind::kRpcRequest:
    case CollectiveKind::kRpcHandling:
      return 1;
  }
  return 1;
}

}  // namespace stepscope
