// SPDX-License-Identifier: Apache-2.0
#include "analysis/replayed_calls.h"

#include <stepscope/c.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/stable_sort.h"

namespace stepscope {
namespace {

// The calls of one launch.
class GraphLaunch {
 public:
  GraphLaunch(const EventTree& tree, Row launch,
              std::vector<ReplayedCall>& calls)
      : tree_(tree), launch_(launch), calls_(calls) {
    const Trace& trace = tree.trace();
    for (Row row = launch; row != kNoRow; row = tree.parent(row)) {
      around_.push_back(trace.name()[row]);
      in_operator_ |= trace.type()[row] == STEPSCOPE_OPERATOR;
    }
  }

  void Add(const DeviceWork& work) {
    const std::span<const CapturedIn> path = tree_.captured_in(work);
    for (size_t i = 0; i < path.size(); ++i) {
      if (IsAround(path[i].name)) continue;
      ReplayedCall& call = Find(path, i);
      call.gpu_ns =
          SaturatingAdd(call.gpu_ns, tree_.trace().dur_ns()[work.row]);
    }
  }

 private:
  bool IsAround(StringId name) const {
    return std::find(around_.begin(), around_.end(), name) != around_.end();
  }

  ReplayedCall& Find(std::span<const CapturedIn> path, size_t at) {
    const CapturedIn& event = path[at];
    const auto [known, is_new] =
        index_.try_emplace(event.number, calls_.size());
    if (!is_new) return calls_[known->second];
    const auto outer = path.subspan(at + 1);
    const bool inside_operator =
        in_operator_ ||
        std::any_of(outer.begin(), outer.end(), [](const CapturedIn& other) {
          return other.type == STEPSCOPE_OPERATOR;
        });
    return calls_.emplace_back(ReplayedCall{
        event.name, event.type,
        std::any_of(
            outer.begin(), outer.end(),
            [&](const CapturedIn& other) { return other.name == event.name; }),
        event.type == STEPSCOPE_OPERATOR && !inside_operator, launch_, 0});
  }

  const EventTree& tree_;
  const Row launch_;
  std::vector<ReplayedCall>& calls_;
  std::vector<StringId> around_;  // names of the launch and what it is inside
  bool in_operator_ = false;
  std::unordered_map<uint32_t, size_t> index_;  // by number
};

}  // namespace

std::vector<ReplayedCall> FindReplayedCalls(const EventTree& tree) {
  std::vector<const DeviceWork*> replayed;
  for (const DeviceWork& work : tree.work())
    if (work.launch != kNoRow && !tree.captured_in(work).empty())
      replayed.push_back(&work);
  StableSort(replayed.begin(), replayed.end(),
             [](const DeviceWork* a, const DeviceWork* b) {
               return a->launch < b->launch;
             });
  std::vector<ReplayedCall> calls;
  for (size_t i = 0; i < replayed.size();) {
    GraphLaunch again(tree, replayed[i]->launch, calls);
    const Row launch = replayed[i]->launch;
    for (; i < replayed.size() && replayed[i]->launch == launch; ++i)
      again.Add(*replayed[i]);
  }
  return calls;
}

}  // namespace stepscope
