// SPDX-License-Identifier: Apache-2.0
#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/replay/memory_changes.h"
#include "analysis/replay/memory_edits.h"

namespace stepscope {
namespace {

using memory::Op;
using memory::OpKind;

bool IsOperator(uint16_t type) {
  return type == STEPSCOPE_OPERATOR || type == STEPSCOPE_OPERATOR_INNER;
}

// One call: which ops are its own, and what becomes of its allocations.
struct CallPlan {
  uint32_t first = ScriptPlaces::kNever;  // op
  uint32_t end = 0;                       // op behind its last
  std::vector<uint32_t> ids;              // that it allocates
  std::vector<uint32_t> dropped;
  std::vector<uint32_t> results;  // outlive it, and are not dropped
};

class Checkpointer {
 public:
  Checkpointer(const RecordedMemory& recorded, const ModuleCalls& calls,
               memory::Script& ops)
      : from_(recorded),
        trace_(recorded.tree.trace()),
        calls_(calls),
        ops_(ops),
        places_(ops),
        call_of_(ops.allocations, ModuleCalls::kNone),
        plans_(calls.calls().size()),
        is_dropped_(ops.allocations) {}

  MadeAgain Run() {
    FindOwn();
    MadeAgain again;
    std::set<std::pair<uint32_t, uint32_t>> steps;
    for (uint32_t i = 0; i < plans_.size(); ++i) {
      if (!Decide(plans_[i])) continue;
      Change(i, again);
      const ModuleCall& call = calls_.calls()[i];
      ++again.calls;
      again.host_ns =
          SaturatingAdd(again.host_ns, call.when.end - call.when.begin);
      again.device_ns =
          SaturatingAdd(again.device_ns, from_.tree.gpu_ns(call.row));
      const uint32_t step = from_.finder.Find(call.process, call.when.begin);
      if (step != StepFinder::kNone) steps.insert({call.process, step});
    }
    for (const auto& [id, until] : kept_until_)
      edits_.InsertFree(until, ops_.ops[places_.made[id]], id);
    again.steps = steps.size();
    edits_.Apply(ops_);
    return again;
  }

 private:
  Row OwnerOf(uint32_t id) const {
    return trace_.memory().stored()[from_.script.allocations[id].made].owner;
  }

  void FindOwn() {
    for (uint32_t i = 0; i < ops_.ops.size(); ++i) {
      const Op& op = ops_.ops[i];
      if (op.kind != OpKind::kAllocate) continue;
      const uint32_t call = calls_.CallOf(trace_.memory()[op.event]);
      if (call == ModuleCalls::kNone) continue;
      call_of_[op.id] = call;
      CallPlan& plan = plans_[call];
      plan.first = std::min(plan.first, i);
      plan.ids.push_back(op.id);
    }
    for (uint32_t i = 0; i < plans_.size(); ++i)
      plans_[i].end = FirstOpFrom(trace_, ops_, calls_.calls()[i].when.end);
  }

  // What made an allocation: the outermost operator around it, or the stack.
  Row MakerOf(uint32_t id) const {
    Row row = OwnerOf(id);
    if (row == kNoRow || (trace_.flags()[row] & kEventInstant) != 0) return row;
    for (Row around = from_.tree.parent(row);
         around != kNoRow && IsOperator(trace_.type()[around]);
         around = from_.tree.parent(around))
      row = around;
    return row;
  }

  // Whether anything of a call is dropped. From its last allocation on: the
  // operator that made the last that is of the step's data made the result.
  bool Decide(CallPlan& plan) {
    for (size_t i = plan.ids.size(); i-- > 0;) {
      const uint32_t id = plan.ids[i];
      if (places_.freed[id] < plan.end) continue;  // gone when it returns
      const MemoryCategory category =
          from_.categories.Of(from_.script.allocations[id]);
      if (category != MemoryCategory::kActivations &&
          category != MemoryCategory::kTemporary &&
          category != MemoryCategory::kOther)
        continue;
      if (plan.dropped.empty() &&
          (plan.results.empty() || MakerOf(id) == MakerOf(plan.results.back())))
        plan.results.push_back(id);
      else if (category == MemoryCategory::kActivations)
        plan.dropped.push_back(id);
    }
    std::reverse(plan.results.begin(), plan.results.end());
    std::reverse(plan.dropped.begin(), plan.dropped.end());
    for (const uint32_t id : plan.dropped) is_dropped_[id] = true;
    return !plan.dropped.empty();
  }

  void Change(uint32_t call, MadeAgain& again) {
    const CallPlan& plan = plans_[call];
    uint32_t needed = ScriptPlaces::kNever;  // first, in the backward pass
    uint32_t done = 0;
    for (const uint32_t id : plan.dropped) {
      const uint32_t made = places_.made[id];
      needed = std::min(needed, places_.freed[id]);
      done = std::max(done, places_.freed[id] + 1);
      edits_.InsertFree(plan.end, ops_.ops[made], id);
      again.dropped_bytes =
          SaturatingAdd(again.dropped_bytes, ops_.ops[made].bytes);
    }
    KeepInput(plan, done);
    Repeat(call, needed, done);
  }

  // The whole call once more: what was dropped is freed where it was recorded.
  void Repeat(uint32_t call, uint32_t at, uint32_t done) {
    const CallPlan& plan = plans_[call];
    // Id, and that of the copy; both ascend.
    std::vector<std::pair<uint32_t, uint32_t>> copies;
    const auto copy_of = [&](uint32_t id) {
      return std::lower_bound(copies.begin(), copies.end(),
                              std::pair{id, uint32_t{0}})
          ->second;
    };
    for (uint32_t i = plan.first; i < plan.end; ++i) {
      Op op = ops_.ops[i];
      if (op.kind == OpKind::kAllocate && call_of_[op.id] == call) {
        if (places_.freed[op.id] == ScriptPlaces::kNever &&
            !Contains(plan.results, op.id))
          continue;  // made once, and kept
        copies.push_back({op.id, ops_.allocations});
        op.id = ops_.allocations++;
        edits_.Insert(at, op);
      } else if (op.kind == OpKind::kFree && op.id < call_of_.size() &&
                 call_of_[op.id] == call) {
        edits_.InsertFree(at, op, copy_of(op.id));
      }
    }
    for (const uint32_t id : plan.dropped)
      ops_.ops[places_.freed[id]].id = copy_of(id);
    for (const auto& [id, copy] : copies)
      if (places_.freed[id] >= plan.end && !is_dropped_[id])
        edits_.InsertFree(done, ops_.ops[places_.made[id]], copy);
  }

  static bool Contains(const std::vector<uint32_t>& ids, uint32_t id) {
    return std::binary_search(ids.begin(), ids.end(), id);
  }

  // What was made last before the call is what it is called with: it is needed
  // once more, even if nothing else would have kept it.
  void KeepInput(const CallPlan& plan, uint32_t done) {
    for (uint32_t i = plan.first; i-- > 0;) {
      const Op& op = ops_.ops[i];
      if (op.kind != OpKind::kAllocate) continue;
      const uint32_t freed = places_.freed[op.id];
      if (freed < plan.first || is_dropped_[op.id]) continue;  // gone before
      if (freed == ScriptPlaces::kNever || freed >= done) return;
      ops_.ops[freed].kind = OpKind::kNothing;
      uint32_t& until = kept_until_[op.id];
      until = std::max(until, done);
      return;
    }
  }

  const RecordedMemory from_;
  const Trace& trace_;
  const ModuleCalls& calls_;
  memory::Script& ops_;
  ScriptPlaces places_;
  std::vector<uint32_t> call_of_;            // by id
  std::vector<CallPlan> plans_;              // by call
  std::vector<bool> is_dropped_;             // by id
  std::map<uint32_t, uint32_t> kept_until_;  // op, by id: inputs
  ScriptEdits edits_;
};

}  // namespace

MadeAgain Checkpoint(const RecordedMemory& recorded, const ModuleCalls& calls,
                     memory::Script& ops) {
  return Checkpointer(recorded, calls, ops).Run();
}

}  // namespace stepscope
