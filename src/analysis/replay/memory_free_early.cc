// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "analysis/memory_accounts.h"
#include "analysis/replay/memory_changes.h"
#include "analysis/replay/memory_edits.h"

namespace stepscope {
namespace {

class EarlyFrees {
 public:
  EarlyFrees(const EventTree& tree, const StepFinder& finder,
             const MemoryScript& script, MemoryCategories& categories,
             memory::Script& ops)
      : tree_(tree),
        finder_(finder),
        script_(script),
        categories_(categories),
        ops_(ops),
        places_(ops) {}

  FreedEarly Run() {
    FreedEarly freed;
    for (uint32_t id = 0; id < script_.allocations.size(); ++id) {
      const uint32_t at = places_.freed[id];
      if (places_.made[id] == ScriptPlaces::kNever ||
          at == ScriptPlaces::kNever)
        continue;
      const std::optional<int64_t> end = UselessFrom(script_.allocations[id]);
      if (!end) continue;
      const uint32_t earlier = FirstOpFrom(*end);
      if (earlier >= at) continue;
      const memory::Op& made = ops_.ops[places_.made[id]];
      ++freed.allocations;
      freed.bytes = SaturatingAdd(freed.bytes, made.bytes);
      ops_.ops[at].kind = memory::OpKind::kNothing;
      edits_.InsertFree(earlier, made, id);
    }
    edits_.Apply(ops_);
    return freed;
  }

 private:
  uint32_t FirstOpFrom(int64_t time_ns) const {
    const auto events = tree_.trace().memory().stored();
    return static_cast<uint32_t>(
        std::partition_point(ops_.ops.begin(), ops_.ops.end(),
                             [&](const memory::Op& op) {
                               return events[op.event].time_ns < time_ns;
                             }) -
        ops_.ops.begin());
  }

  // The end of the step that made it, if it is freed in the next one.
  std::optional<int64_t> UselessFrom(const BlockLife& life) {
    const auto events = tree_.trace().memory().stored();
    const int64_t made_ns = events[life.made].time_ns;
    const uint32_t step = finder_.Find(script_.process, made_ns);
    if (step == StepFinder::kNone ||
        finder_.Find(script_.process, events[life.freed].time_ns) != step + 1)
      return std::nullopt;
    const int64_t end = finder_.RangeOf(script_.process, step).end;
    const bool gradient =
        categories_.Of(life) == MemoryCategory::kGradients &&
        categories_.OptimizerBetween(script_.process, made_ns, end);
    if (!gradient && !IsResult(life)) return std::nullopt;
    return end;
  }

  // Made in the forward pass of a module, and of no use to autograd any more.
  bool IsResult(const BlockLife& life) {
    if (categories_.Of(life) != MemoryCategory::kTemporary) return false;
    const Row owner = tree_.trace().memory().stored()[life.made].owner;
    const auto [known, fresh] = in_module_.try_emplace(owner, false);
    if (fresh)
      known->second = !OwnerText(tree_, {owner, MemoryCategory::kTemporary},
                                 MemoryBy::kModule)
                           .empty();
    return known->second;
  }

  const EventTree& tree_;
  const StepFinder& finder_;
  const MemoryScript& script_;
  MemoryCategories& categories_;
  memory::Script& ops_;
  ScriptPlaces places_;
  ScriptEdits edits_;
  std::unordered_map<Row, bool> in_module_;
};

}  // namespace

FreedEarly FreeEarly(const EventTree& tree, const StepFinder& finder,
                     const MemoryScript& script, MemoryCategories& categories,
                     memory::Script& ops) {
  return EarlyFrees(tree, finder, script, categories, ops).Run();
}

}  // namespace stepscope
