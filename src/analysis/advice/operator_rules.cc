// SPDX-License-Identifier: Apache-2.0
//
// Operators that keep the host while the device has nothing to do. What helps
// depends on what kind of operator it is.
#include <algorithm>
#include <utility>

#include "analysis/advice/rules.h"
#include "analysis/set_up.h"
#include "analysis/stats.h"
#include "base/text.h"

namespace stepscope {
namespace {

enum class OperatorKind : uint8_t {
  kCompute,
  kCommunication,  // what communication libraries do around an exchange
  kAllocation,
  kCopy,
  kInput,  // of an input pipeline
};

struct KindRule {
  std::string_view part;  // of a name
  OperatorKind kind;
};
constexpr KindRule kKindRules[] = {
    {"flatten_dense_tensors", OperatorKind::kCommunication},
    {"c10d::", OperatorKind::kCommunication},
    {"record_param_comms", OperatorKind::kCommunication},
    {"DistributedDataParallel", OperatorKind::kCommunication},
    {"_functional_collectives", OperatorKind::kCommunication},
    {"aten::empty", OperatorKind::kAllocation},
    {"aten::new_empty", OperatorKind::kAllocation},
    {"aten::resize_", OperatorKind::kAllocation},
    {"aten::zeros", OperatorKind::kAllocation},
    {"Malloc", OperatorKind::kAllocation},
    {"aten::to", OperatorKind::kCopy},
    {"aten::_to_copy", OperatorKind::kCopy},
    {"aten::copy_", OperatorKind::kCopy},
    {"aten::contiguous", OperatorKind::kCopy},
    {"aten::clone", OperatorKind::kCopy},
    {"aten::item", OperatorKind::kCopy},
    {"aten::_local_scalar_dense", OperatorKind::kCopy},
    {"aten::pin_memory", OperatorKind::kCopy},
    {"aten::_pin_memory", OperatorKind::kCopy},
    {"memcpy", OperatorKind::kCopy},
    {"Iterator::", OperatorKind::kInput},
    {"IteratorGetNext", OperatorKind::kInput},
    {"RemoteCall", OperatorKind::kInput},
    {"DataLoader", OperatorKind::kInput},
    {"OptionalGetValue", OperatorKind::kInput},
};

OperatorKind KindOf(std::string_view name) {
  for (const KindRule& rule : kKindRules)
    if (name.find(rule.part) != name.npos) return rule.kind;
  return OperatorKind::kCompute;
}

std::string_view SentenceOf(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::kCommunication:
      return "The host prepares communication while the device has nothing "
             "to do.";
    case OperatorKind::kAllocation:
      return "The host allocates memory while the device has nothing to do.";
    case OperatorKind::kCopy:
      return "The host copies or converts data while the device has nothing "
             "to do.";
    case OperatorKind::kInput:
      return "The input pipeline runs while the device has nothing to do.";
    case OperatorKind::kCompute:
      break;
  }
  return "Operators run on the CPU while the device has nothing to do.";
}

std::vector<std::string> RemediesOf(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::kCommunication:
      return {
          "gradients that are views of the buckets "
          "(gradient_as_bucket_view=True), so that nothing is split up "
          "or joined",
          "fewer, larger buckets; buffers that need no broadcast "
          "(broadcast_buffers=False)"};
    case OperatorKind::kAllocation:
      return {"allocating once, before the loop, and using it again",
              "recording later: the first allocations of a size are the slow "
              "ones"};
    case OperatorKind::kCopy:
      return {"making the data on the device, or in the right type, at once",
              "copies from pinned memory that do not block, issued before "
              "they are needed"};
    case OperatorKind::kInput:
      return {
          "reading ahead (prefetch), so that batches are made while the "
          "step runs",
          "more parallel calls in the pipeline; caching what is the same "
          "in every epoch"};
    case OperatorKind::kCompute:
      break;
  }
  return {
      "an implementation of the operator for the device (sparse and "
      "string operators often have none)",
      "moving the operator out of the step, or to the data loader"};
}

// Compiling, tuning, loading code: it happens once, and is no operator's work.
bool IsSettingUp(const AdviceInput& input, Row row) {
  const Trace& trace = input.trace();
  for (Row at = row; at != kNoRow; at = input.tree.parent(at))
    if (IsSetUp(trace.str(trace.name()[at]))) return true;
  const Interval range{trace.start_ns()[row], input.tree.end_ns(row)};
  const int64_t setting_up =
      SetUpTime(input.tree, input.tree.thread_of(row), range);
  return setting_up > trace.dur_ns()[row] / 2;
}

}  // namespace

void FindHostOperators(const AdviceInput& input, Advice& advice) {
  constexpr size_t kLookedAt = 16;
  if (!input.TrustsIdleTime()) return;
  const Trace& trace = input.trace();
  const HostOperator* worst = nullptr;
  OperatorKind kind = OperatorKind::kCompute;
  std::vector<const HostOperator*> alike;
  size_t looked_at = 0;
  for (const HostOperator& op : input.summary.idle.host_operators) {
    if (++looked_at > kLookedAt) break;
    if (IsSettingUp(input, op.example)) continue;
    const OperatorKind of_op = KindOf(trace.str(op.name));
    if (worst == nullptr) {
      worst = &op;
      kind = of_op;
    }
    if (of_op == kind) alike.push_back(&op);
  }
  if (worst == nullptr || !input.IsWorthSaying(worst->idle_ns)) return;
  const std::string name(trace.str(worst->name));
  Finding finding;
  finding.id = "cpu_operator";
  finding.finding = SentenceOf(kind);
  finding.change = "op:" + name + "=0";
  finding.saving_ns = input.OfAStep(worst->idle_ns);
  finding.saving_basis = Quoted(name) + " takes no time; an upper bound";
  if (alike.size() > kMostExamples) alike.resize(kMostExamples);
  for (const HostOperator* op : alike) {
    const std::string of_op(trace.str(op->name));
    finding.evidence.push_back(
        {CountText(op->calls, "call") + " of " + Quoted(of_op) +
             " launched nothing and held the device up for " +
             Milliseconds(op->idle_ns) + " in all.",
         of_op, op->example, op->calls, op->idle_ns});
  }
  finding.to_try = RemediesOf(kind);
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
