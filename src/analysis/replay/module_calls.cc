// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/module_calls.h"

#include <algorithm>
#include <string>

#include "analysis/kinds.h"
#include "analysis/module_names.h"
#include "analysis/stats.h"
#include "base/glob.h"

namespace stepscope {
namespace {

// "Linear" of "Linear_0".
std::string_view ClassOf(std::string_view module) {
  size_t end = module.size();
  while (end > 0 && module[end - 1] >= '0' && module[end - 1] <= '9') --end;
  return end > 1 && end < module.size() && module[end - 1] == '_'
             ? module.substr(0, end - 1)
             : module;
}

bool IsCalled(std::string_view name, std::string_view text) {
  const std::string_view module = ModuleIn(text);
  if (module.empty()) return MatchesGlob(name, text);
  return MatchesGlob(name, module) || MatchesGlob(name, ClassOf(module));
}

}  // namespace

ModuleCalls::ModuleCalls(const EventTree& tree, std::string_view name)
    : tree_(tree) {
  const Trace& trace = tree.trace();
  const ModuleNames modules(tree);
  std::vector<uint8_t> matches(trace.strings().size(), 2);  // 2: not asked
  const auto is_call = [&](Row row) {
    if ((trace.flags()[row] & kEventInstant) != 0 ||
        !(modules.Has(row) || IsUserDefined(trace.type()[row])))
      return false;
    uint8_t& answer = matches[trace.name()[row].v];
    if (answer == 2) answer = IsCalled(name, trace.str(trace.name()[row]));
    return answer != 0;
  };
  for (uint32_t thread = 0; thread < tree.threads().size(); ++thread) {
    OpenSpan open;
    tree.ForEachNested(thread, [&](Row row, const Interval& span) {
      if (!is_call(row) || !open.Enter(span.begin, span.end)) return;
      of_thread_[thread].push_back(static_cast<uint32_t>(calls_.size()));
      calls_.push_back({row,
                        tree.threads()[thread].process,
                        {trace.start_ns()[row], tree.end_ns(row)}});
    });
  }
}

uint32_t ModuleCalls::FindOn(uint32_t thread, int64_t time_ns) const {
  const auto found = of_thread_.find(thread);
  if (found == of_thread_.end()) return kNone;
  const auto after =
      std::upper_bound(found->second.begin(), found->second.end(), time_ns,
                       [&](int64_t time, uint32_t call) {
                         return time < calls_[call].when.begin;
                       });
  if (after == found->second.begin() || time_ns >= calls_[after[-1]].when.end)
    return kNone;
  return after[-1];
}

uint32_t ModuleCalls::CallOf(const MemoryEvent& event) const {
  const Trace& trace = tree_.trace();
  const bool is_operator = event.owner != kNoRow &&
                           (trace.flags()[event.owner] & kEventInstant) == 0;
  if (is_operator) return FindOn(tree_.thread_of(event.owner), event.time_ns);
  const uint32_t process = trace.tracks()[event.track].process;
  for (const auto& [thread, calls] : of_thread_) {
    if (tree_.threads()[thread].process != process) continue;
    const uint32_t call = FindOn(thread, event.time_ns);
    if (call != kNone) return call;
  }
  return kNone;
}

}  // namespace stepscope
