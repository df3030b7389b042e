// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/rpc_pairs.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analysis/interval.h"

namespace stepscope {
namespace {

struct Method {
  std::string_view request;
  std::string_view handling;
  std::string_view name;
};
// Longer names first: they begin with shorter ones.
constexpr std::array<Method, 9> kMethods = {{
    {"GetMonomerBarrierRPC", "RequestGetMonomerBarrier", "monomer_barrier"},
    {"GetMonomerRPC", "RequestGetMonomerVariable", "get_monomer"},
    {"GetNoBarrierRPC", "RequestGetNoBarrier", "get_no_barrier"},
    {"CheckpointNotifyRPC", "RequestCheckpoint", "checkpoint"},
    {"PrefetchRPC", "RequestPrefetch", "prefetch"},
    {"SendRPC", "RequestSend", "send"},
    {"GetRPC", "RequestGet", "get"},
    {"SendGrad", "RecvGrad", "grad"},
    {"RecvParam", "SendParam", "param"},
}};

// Nothing unless `name` is `word`, alone or with what it is about.
std::optional<std::string_view> About(std::string_view name,
                                      std::string_view word) {
  if (!name.starts_with(word)) return std::nullopt;
  name.remove_prefix(word.size());
  if (name.empty()) return name;
  constexpr std::string_view kSeparators = ":/#";
  if (kSeparators.find(name[0]) == kSeparators.npos) return std::nullopt;
  return name.substr(1);
}

// Requests or handlings of one kind by one member, in order.
struct Call {
  int64_t seq = -1;
  int64_t asked_by = -1;  // rank; of handlings, where stated
  Interval time;          // of the set, as clocks lie so far
};
using Calls = std::map<std::string, std::vector<Call>>;  // by what it is about

// What is to be added to the times of the handling clock.
struct Bounds {
  std::vector<int64_t> low;
  std::vector<int64_t> high;

  void Add(const Call& request, const Call& handling) {
    low.push_back(SaturatingSubtract(request.time.begin, handling.time.begin));
    high.push_back(SaturatingSubtract(request.time.end, handling.time.end));
  }
};

struct Edge {
  uint32_t asks = 0;
  uint32_t handles = 0;
  int64_t offset_ns = 0;
  int64_t error_ns = 0;
  uint64_t pairs = 0;
};

// Pairs that were put together wrongly, and drift, leave no room between the
// strictest bounds; then those are taken that nine in ten keep.
Edge Solve(uint32_t asks, uint32_t handles, Bounds bounds) {
  std::sort(bounds.low.begin(), bounds.low.end());
  std::sort(bounds.high.begin(), bounds.high.end());
  const size_t tenth = bounds.low.size() / 10;
  int64_t low = bounds.low.back();
  int64_t high = bounds.high.front();
  if (low > high) {
    low = bounds.low[bounds.low.size() - 1 - tenth];
    high = bounds.high[tenth];
  }
  const int64_t apart = SaturatingSubtract(high, low);
  return {asks, handles, SaturatingAdd(low, apart / 2),
          apart < 0 ? -(apart / 2) : apart / 2, bounds.low.size()};
}

class RpcAligner {
 public:
  RpcAligner(std::span<const RpcMember> members,
             std::vector<AlignedClock>& clocks)
      : members_(members),
        clocks_(clocks),
        requests_(members.size()),
        handlings_(members.size()) {
    for (uint32_t i = 0; i < members.size(); ++i) Take(i);
  }

  uint64_t Align() {
    for (uint32_t asks = 0; asks < members_.size(); ++asks) {
      for (uint32_t handles = 0; handles < members_.size(); ++handles) {
        // One clock needs no bounds.
        const int64_t shared = members_[asks].prior.shared;
        if (asks != handles &&
            (shared < 0 || shared != members_[handles].prior.shared))
          Pair(asks, handles);
      }
    }
    uint64_t used = 0;
    while (const Edge* edge = NextEdge()) used += Lay(*edge);
    return used;
  }

 private:
  void Take(uint32_t index) {
    for (const RankCalls* rank : members_[index].calls) {
      for (const RankCall& call : rank->calls) {
        const CallSignature& signature = rank->signatures[call.signature];
        const bool asks = signature.kind == CollectiveKind::kRpcRequest;
        if (!asks && signature.kind != CollectiveKind::kRpcHandling) continue;
        Calls& to = asks ? requests_[index] : handlings_[index];
        const ClockMap& to_set = clocks_[index].to_set;
        to[signature.group].push_back(
            {call.seq,
             signature.source,
             {to_set(call.time.begin), to_set(call.time.end)}});
      }
    }
  }

  bool OnlyOneAsks(const std::string& about) const {
    return std::count_if(
               requests_.begin(), requests_.end(),
               [&](const Calls& calls) { return calls.contains(about); }) == 1;
  }

  int64_t RankOf(uint32_t member) const {
    const auto& calls = members_[member].calls;
    return calls.size() == 1 ? calls[0]->rank : -1;
  }

  void Pair(uint32_t asks, uint32_t handles) {
    Bounds bounds;
    for (const auto& [about, requests] : requests_[asks]) {
      const auto found = handlings_[handles].find(about);
      if (found == handlings_[handles].end()) continue;
      const bool only_one = OnlyOneAsks(about);
      std::vector<const Call*> handlings;
      std::map<int64_t, const Call*> by_seq;
      for (const Call& call : found->second) {
        const bool mine =
            call.asked_by >= 0 ? call.asked_by == RankOf(asks) : only_one;
        if (!mine) continue;
        if (call.seq >= 0)
          by_seq.try_emplace(call.seq, &call);
        else
          handlings.push_back(&call);
      }
      std::vector<const Call*> in_order;
      for (const Call& request : requests) {
        const auto same = by_seq.find(request.seq);
        if (same != by_seq.end())
          bounds.Add(request, *same->second);
        else if (request.seq < 0)
          in_order.push_back(&request);
      }
      // One that was lost would put all others together wrongly.
      if (in_order.size() != handlings.size()) continue;
      for (size_t i = 0; i < in_order.size(); ++i)
        bounds.Add(*in_order[i], *handlings[i]);
    }
    if (!bounds.low.empty())
      edges_.push_back(Solve(asks, handles, std::move(bounds)));
  }

  bool IsPlaced(uint32_t member) const {
    return clocks_[member].method != ClockMethod::kAlone;
  }

  // From who lies already to who does not, the surest first. Where nobody does,
  // the first who asks is what others are laid beside.
  const Edge* NextEdge() {
    const Edge* best = nullptr;
    const Edge* first = nullptr;
    for (const Edge& edge : edges_) {
      const bool a = IsPlaced(edge.asks);
      const bool b = IsPlaced(edge.handles);
      if (!a && !b && first == nullptr) first = &edge;
      if (a == b) continue;
      if (best == nullptr || edge.error_ns < best->error_ns) best = &edge;
    }
    if (best != nullptr || first == nullptr) return best;
    clocks_[first->asks].method = ClockMethod::kReference;
    clocks_[first->asks].error_ns = 0;
    return NextEdge();
  }

  // Edges hold between clocks as they lay; who was placed has moved since.
  uint64_t Lay(const Edge& edge) {
    const bool asks_is_placed = IsPlaced(edge.asks);
    const uint32_t from = asks_is_placed ? edge.asks : edge.handles;
    const uint32_t to = asks_is_placed ? edge.handles : edge.asks;
    const int64_t between =
        asks_is_placed ? edge.offset_ns : SaturatingSubtract(0, edge.offset_ns);
    const AlignedClock& base = clocks_[from];
    AlignedClock& clock = clocks_[to];
    const int64_t moved = base.method == ClockMethod::kRpc ? base.offset_ns : 0;
    clock.method = ClockMethod::kRpc;
    clock.offset_ns = SaturatingAdd(between, moved);
    clock.to_set = clock.to_set.ThenShift(clock.offset_ns);
    clock.collectives = edge.pairs;
    clock.error_ns =
        SaturatingAdd(edge.error_ns, std::max<int64_t>(0, base.error_ns));
    return edge.pairs;
  }

  std::span<const RpcMember> members_;
  std::vector<AlignedClock>& clocks_;
  std::vector<Calls> requests_;   // by member
  std::vector<Calls> handlings_;  // the same
  std::vector<Edge> edges_;
};

}  // namespace

std::optional<RpcName> ParseRpcName(std::string_view name) {
  // Asked of every string of a trace.
  constexpr std::string_view kFirst = "CGPRS";
  if (name.empty() || kFirst.find(name[0]) == kFirst.npos) return std::nullopt;
  for (const Method& method : kMethods) {
    for (const bool handling : {false, true}) {
      const auto about =
          About(name, handling ? method.handling : method.request);
      if (about)
        return RpcName{handling, std::string(method.name), std::string(*about)};
    }
  }
  return std::nullopt;
}

uint64_t AlignByRpc(std::span<const RpcMember> members,
                    std::vector<AlignedClock>& clocks) {
  return RpcAligner(members, clocks).Align();
}

}  // namespace stepscope
