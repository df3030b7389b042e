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
  EarlyFrees(const RecordedMemory& recorded, memory::Script& ops)
      : from_(recorded), ops_(ops), places_(ops) {}

  FreedEarly Run() {
    FreedEarly freed;
    for (uint32_t id = 0; id < from_.script.allocations.size(); ++id) {
      const uint32_t at = places_.freed[id];
      if (places_.made[id] == ScriptPlaces::kNever ||
          at == ScriptPlaces::kNever)
        continue;
      const std::optional<int64_t> end =
          UselessFrom(from_.script.allocations[id]);
      if (!end) continue;
      const uint32_t earlier = FirstOpFrom(from_.tree.trace(), ops_, *end);
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
  // The end of the step that made it, if it is freed in the next one.
  std::optional<int64_t> UselessFrom(const BlockLife& life) {
    const auto events = from_.tree.trace().memory().stored();
    const int64_t made_ns = events[life.made].time_ns;
    const uint32_t step = from_.finder.Find(from_.script.process, made_ns);
    if (step == StepFinder::kNone ||
        from_.finder.Find(from_.script.process, events[life.freed].time_ns) !=
            step + 1)
      return std::nullopt;
    const int64_t end = from_.finder.RangeOf(from_.script.process, step).end;
    const bool gradient =
        from_.categories.Of(life) == MemoryCategory::kGradients &&
        from_.categories.OptimizerBetween(from_.script.process, made_ns, end);
    if (!gradient && !IsResult(life)) return std::nullopt;
    return end;
  }

  // Made in the forward pass of a module, and of no use to autograd any more.
  bool IsResult(const BlockLife& life) {
    if (from_.categories.Of(life) != MemoryCategory::kTemporary) return false;
    const Row owner = from_.tree.trace().memory().stored()[life.made].owner;
    const auto [known, fresh] = in_module_.try_emplace(owner, false);
    if (fresh)
      known->second =
          !OwnerText(from_.tree, {owner, owner, MemoryCategory::kTemporary},
                     MemoryBy::kModule)
               .empty();
    return known->second;
  }

  const RecordedMemory from_;
  memory::Script& ops_;
  ScriptPlaces places_;
  ScriptEdits edits_;
  std::unordered_map<Row, bool> in_module_;
};

}  // namespace

FreedEarly FreeEarly(const RecordedMemory& recorded, memory::Script& ops) {
  return EarlyFrees(recorded, ops).Run();
}

}  // namespace stepscope
