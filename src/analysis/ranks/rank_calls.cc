// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/rank_calls.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/kinds.h"
#include "analysis/ranks/collective_args.h"
#include "analysis/ranks/rpc_pairs.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

// Around a launch, how far up metadata may stand.
constexpr int kMostParents = 6;

// Puts a kernel into a queue and returns.
bool OnlyEnqueues(std::string_view name) {
  return name.starts_with("c10d::") || name.starts_with("nccl:") ||
         name.starts_with("record_param_comms");
}

// By string: what it says as the name of a remote call; empty: none does.
std::map<StringId, RpcName> RpcNames(const Trace& trace) {
  std::map<StringId, RpcName> names;
  for (uint32_t id = 0; id < trace.strings().size(); ++id)
    if (auto name = ParseRpcName(trace.str(StringId{id})))
      names.emplace(StringId{id}, *std::move(name));
  return names;
}

class CallFinder {
 public:
  CallFinder(const EventTree& tree, const StepTable& steps, NameClasses& names,
             const Communication& communication)
      : tree_(tree),
        trace_(tree.trace()),
        steps_(steps),
        names_(names),
        communication_(communication),
        args_(tree.trace()),
        rpc_(RpcNames(tree.trace())),
        found_(tree.trace().processes().size()) {}

  std::vector<RankCalls> Find() {
    for (uint32_t i = 0; i < found_.size(); ++i) {
      found_[i].process = i;
      found_[i].rank = trace_.processes()[i].rank;
    }
    if (communication_.any_kernel()) {
      FindOnDevices();
      FindOnHosts();
    }
    if (!rpc_.empty()) FindRemoteCalls();
    for (RankCalls& rank : found_) {
      StableSort(rank.calls.begin(), rank.calls.end(),
                 [](const RankCall& a, const RankCall& b) {
                   return a.time.begin < b.time.begin;
                 });
    }
    return std::move(found_);
  }

 private:
  void FindOnDevices() {
    for (const DeviceWork& work : tree_.work()) {
      if (trace_.type()[work.row] != STEPSCOPE_KERNEL) continue;
      if (!names_.collective_kernel(trace_.name()[work.row])) continue;
      CollectiveArgs args = args_.Read(work.row);
      Row around = work.launch;
      for (int i = 0; i < kMostParents && around != kNoRow; ++i) {
        if (!args.group.empty() && args.bytes > 0) break;
        const CollectiveArgs more = args_.Read(around);
        if (!more.name.empty()) args = more;
        around = tree_.parent(around);
      }
      const Row launch = work.launch == kNoRow ? work.row : work.launch;
      Add(work.row, args, trace_.start_ns()[launch], true);
    }
  }

  void FindOnHosts() {
    if (communication_.host_calls() == 0) return;
    for (uint32_t i = 0; i < tree_.threads().size(); ++i) {
      OpenSpan outermost;
      tree_.threads().ForEachRow(i, [&](Row row) {
        if (!Meets(row)) return;
        if (!outermost.Enter(trace_.start_ns()[row], tree_.end_ns(row))) return;
        Add(row, args_.Read(row), trace_.start_ns()[row], false);
      });
    }
  }

  void FindRemoteCalls() {
    for (uint32_t i = 0; i < tree_.threads().size(); ++i) {
      tree_.threads().ForEachRow(i, [&](Row row) {
        const auto rpc = rpc_.find(trace_.name()[row]);
        if (rpc == rpc_.end() ||
            (trace_.flags()[row] & (kEventInstant | kEventOpenAtEnd)) != 0)
          return;
        const CollectiveArgs args = args_.Read(row);
        CallSignature signature;
        signature.kind = rpc->second.is_handling ? CollectiveKind::kRpcHandling
                                                 : CollectiveKind::kRpcRequest;
        signature.group = rpc->second.method + '|' + rpc->second.about;
        signature.source = args.source;
        AddCall(row, std::move(signature), args.seq, trace_.start_ns()[row],
                false);
      });
    }
  }

  bool Meets(Row row) const {
    if (!communication_.IsHostEvent(row)) return false;
    const StringId name = trace_.name()[row];
    if (rpc_.contains(name)) return false;
    if (OnlyEnqueues(trace_.str(name))) return false;
    if ((trace_.flags()[row] & (kEventInstant | kEventOpenAtEnd)) != 0)
      return false;
    return names_.host_side_collective(name) || tree_.gpu_ns(row) == 0;
  }

  void Add(Row row, const CollectiveArgs& args, int64_t called_ns,
           bool on_device) {
    const std::string_view name = trace_.str(trace_.name()[row]);
    CallSignature signature;
    signature.kind = CollectiveKindOf(args.name.empty() ? name : args.name);
    if (signature.kind == CollectiveKind::kOther) return;
    signature.group = args.group;
    signature.ranks = args.ranks;
    signature.group_size = args.group_size;
    signature.bytes = args.bytes;
    signature.source = args.source;
    signature.target = args.target;
    AddCall(row, std::move(signature), args.seq, called_ns, on_device);
  }

  void AddCall(Row row, CallSignature signature, int64_t seq, int64_t called_ns,
               bool on_device) {
    const uint32_t process = trace_.tracks()[trace_.track()[row]].process;
    RankCall call;
    call.time = {trace_.start_ns()[row], tree_.end_ns(row)};
    call.row = row;
    call.signature =
        Intern(process, std::move(signature), trace_.str(trace_.name()[row]));
    call.seq = seq;
    call.step = StepOf(process, called_ns);
    call.on_device = on_device;
    found_[process].calls.push_back(call);
  }

  uint32_t Intern(uint32_t process, CallSignature signature,
                  std::string_view name) {
    std::string key = signature.group;
    for (const int64_t part :
         {static_cast<int64_t>(signature.kind), signature.group_size,
          static_cast<int64_t>(signature.bytes), signature.source,
          signature.target})
      key += '|' + std::to_string(part);
    for (const int64_t rank : signature.ranks)
      key += ',' + std::to_string(rank);
    std::vector<CallSignature>& all = found_[process].signatures;
    const auto [known, is_new] = signature_of_.try_emplace(
        {process, std::move(key)}, static_cast<uint32_t>(all.size()));
    if (is_new) {
      signature.name = name;
      all.push_back(std::move(signature));
    }
    return known->second;
  }

  // What runs between two steps belongs to the one before.
  int64_t StepOf(uint32_t process, int64_t time_ns) const {
    const uint32_t thread = steps_.main_thread(process);
    if (thread == kNoThread) return kNoStep;
    const auto steps = steps_.steps_of(thread);
    auto after = std::partition_point(
        steps.begin(), steps.end(),
        [&](const StepInterval& step) { return step.range.begin <= time_ns; });
    if (after == steps.begin()) return kNoStep;
    const bool is_last = after == steps.end();
    --after;
    if (is_last && time_ns >= after->range.end) return kNoStep;
    return after->index;
  }

  const EventTree& tree_;
  const Trace& trace_;
  const StepTable& steps_;
  NameClasses& names_;
  const Communication& communication_;
  CollectiveArgReader args_;
  std::map<StringId, RpcName> rpc_;
  std::vector<RankCalls> found_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> signature_of_;
};

}  // namespace

bool MayHaveCalls(const Trace& trace, const Communication& communication) {
  return communication.any_kernel() || !RpcNames(trace).empty();
}

std::vector<RankCalls> FindRankCalls(const EventTree& tree,
                                     const StepTable& steps, NameClasses& names,
                                     const Communication& communication) {
  return CallFinder(tree, steps, names, communication).Find();
}

}  // namespace stepscope
