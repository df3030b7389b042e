// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/kind_profile.h"

#include <map>
#include <utility>
#include <vector>

#include "analysis/kinds.h"
#include "analysis/serving/requests.h"

namespace stepscope {
namespace {

constexpr std::string_view kRequestKind = "request";

std::optional<IterationKind> IterationKindByName(std::string_view name) {
  for (size_t i = 0; i < kIterationKinds; ++i)
    if (NameOf(static_cast<IterationKind>(i)) == name)
      return static_cast<IterationKind>(i);
  return std::nullopt;
}

// Values by item; a sample without one counts as 0.
class Items {
 public:
  void Add(CompareTable table, std::string_view name, int64_t value,
           uint64_t calls = 1) {
    Item& item = items_[{table, std::string(name), ""}];
    item.values.push_back(value);
    item.calls += calls;
  }
  std::map<CompareKey, CompareItem> Finish(uint64_t samples) {
    std::map<CompareKey, CompareItem> finished;
    for (auto& [key, item] : items_) {
      finished[key] = {item.calls,
                       StepSample::Of(std::move(item.values), samples)};
    }
    return finished;
  }

 private:
  struct Item {
    uint64_t calls = 0;
    std::vector<int64_t> values;
  };
  std::map<CompareKey, Item> items_;
};

Error NothingOf(std::string_view kind, const char* side) {
  std::string text = "--kind ";
  text += kind;
  text += ": ";
  text += side;
  text += kind == kRequestKind ? " has no request that arrived and ended"
                               : " has no such iteration";
  text +=
      "; stepscope summary TRACE --views iterations,requests shows what "
      "it has";
  return {ErrorCode::kInvalidArgument, std::move(text)};
}

StepProfile OfIterations(const EventTree& tree, const IterationTable& table,
                         IterationKind kind) {
  const Trace& trace = tree.trace();
  StepProfile profile;
  Items items;
  std::vector<bool> counts(table.list.size());
  for (size_t i = 0; i < table.list.size(); ++i) {
    const IterationRow& one = table.list[i];
    if (one.mark.kind != kind || !one.period_ns || one.repeats_another_rank)
      continue;
    counts[i] = true;
    profile.periods.push_back(*one.period_ns);
    items.Add(CompareTable::kServing, "host, inside the mark", one.host_ns);
    if (table.total_busy_ns == 0) continue;
    items.Add(CompareTable::kServing, "GPU busy", one.gpu_busy_ns);
    items.Add(CompareTable::kServing, "GPU waits for host, inside",
              one.idle.host_inside);
    items.Add(CompareTable::kServing, "GPU waits for host, between",
              one.idle.host_between);
    items.Add(CompareTable::kServing, "GPU waits, queued", one.idle.queued);
    if (one.idle.in_graph > 0)
      items.Add(CompareTable::kServing, "GPU waits inside a graph",
                one.idle.in_graph);
  }
  // Of one iteration and kernel, together.
  std::map<std::pair<uint32_t, StringId>, std::pair<int64_t, uint64_t>> sums;
  for (size_t i = 0; i < tree.work().size(); ++i) {
    const Row row = tree.work()[i].row;
    const uint32_t owner = table.owners[i];
    if (trace.type()[row] != STEPSCOPE_KERNEL || owner >= counts.size() ||
        !counts[owner])
      continue;
    auto& [time, calls] = sums[{owner, trace.name()[row]}];
    time = SaturatingAdd(time, trace.dur_ns()[row]);
    ++calls;
  }
  for (const auto& [key, sum] : sums)
    items.Add(CompareTable::kKernel, trace.str(key.second), sum.first,
              sum.second);
  profile.items = items.Finish(profile.periods.size());
  return profile;
}

StepProfile OfRequests(const RequestTable& table) {
  StepProfile profile;
  Items items;
  const auto add = [&](std::string_view name, std::optional<int64_t> value) {
    if (value) items.Add(CompareTable::kServing, name, *value);
  };
  for (const RequestRow& one : table.list) {
    const std::optional<Interval> whole = one.whole();
    if (!whole) continue;
    profile.periods.push_back(SaturatingSubtract(whole->end, whole->begin));
    add("queue", one.queue_ns());
    add("time to first token", one.ttft_ns());
    add("time per output token", one.tpot_ns());
    if (table.total_busy_ns == 0) continue;
    add("GPU, prefill", one.gpu_prefill_ns);
    add("GPU, decode", one.gpu_decode_ns);
  }
  profile.items = items.Finish(profile.periods.size());
  return profile;
}

}  // namespace

std::string CompareKindChoices() {
  std::string text;
  for (size_t i = 0; i < kIterationKinds; ++i) {
    text += NameOf(static_cast<IterationKind>(i));
    text += ", ";
  }
  text += kRequestKind;
  return text;
}

bool IsRequestKind(std::string_view kind) { return kind == kRequestKind; }

bool IsCompareKind(std::string_view kind) {
  return IsRequestKind(kind) || IterationKindByName(kind).has_value();
}

std::string SampleOfKind(std::string_view kind) {
  std::string text(kind);
  if (kind != kRequestKind) text += " iteration";
  return text;
}

Result<StepProfile> MakeKindProfile(const Trace& trace, std::string_view kind,
                                    BillRule bill, const char* side) {
  const EventTree tree(trace);
  const IterationTable table = ComputeIterations(tree);
  StepProfile profile =
      IsRequestKind(kind)
          ? OfRequests(ComputeRequests(table, bill))
          : OfIterations(
                tree, table,
                IterationKindByName(kind).value_or(IterationKind::kUnknown));
  if (profile.periods.empty()) return NothingOf(kind, side);
  profile.steps = profile.recorded = profile.periods.size();
  profile.has_steps = true;
  profile.processes = 1;
  profile.last_index = static_cast<int64_t>(profile.steps) - 1;
  return profile;
}

}  // namespace stepscope
