// SPDX-License-Identifier: Apache-2.0
#include "analysis/unprofiled.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "analysis/order_statistics.h"
#include "base/text.h"

namespace stepscope {
namespace {

// 0 if it is no such number.
int64_t NumberOf(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number > 0 ? number : 0;
}

std::string_view ValueOf(const Trace& trace, const Process& process,
                         std::string_view wanted) {
  // The last one counts: it was measured over the most steps.
  for (size_t i = process.metadata.size(); i-- > 0;) {
    const auto& [key, value] = process.metadata[i];
    if (trace.str(key) == wanted) return trace.str(value);
  }
  return {};
}

struct Setting {
  std::string_view key;
  std::string_view name;
};
// As torch.profiler writes them into its file.
constexpr Setting kSettings[] = {{"record_shapes", "shapes"},
                                 {"with_stack", "call stacks"},
                                 {"profile_memory", "memory"},
                                 {"with_modules", "modules"}};

}  // namespace

std::optional<UnprofiledStep> FindUnprofiledStep(const Trace& trace) {
  std::vector<int64_t> steps;
  uint64_t count = 0;
  for (const Process& process : trace.processes()) {
    const int64_t ns =
        NumberOf(ValueOf(trace, process, "unprofiled_step_ns"));
    if (ns == 0) continue;
    steps.push_back(ns);
    count += static_cast<uint64_t>(
        NumberOf(ValueOf(trace, process, "unprofiled_steps")));
  }
  if (steps.empty()) return std::nullopt;
  return UnprofiledStep{Median(steps), count,
                        UnprofiledStep::Source::kRecorder};
}

std::optional<UnprofiledStep> FindUnprofiledStep(
    const Trace& trace, std::optional<int64_t> stated_ns) {
  if (!stated_ns || *stated_ns <= 0) return FindUnprofiledStep(trace);
  return UnprofiledStep{*stated_ns, 0, UnprofiledStep::Source::kUser};
}

std::string SlowDownText(const UnprofiledStep& unprofiled, int64_t step_ns) {
  const double ratio = static_cast<double>(step_ns) /
                       static_cast<double>(std::max<int64_t>(unprofiled.ns, 1));
  const double ms = static_cast<double>(unprofiled.ns) / 1e6;
  if (unprofiled.source == UnprofiledStep::Source::kUser) {
    return Format(
        "Recorded steps took %.2f x the unprofiled step that was stated "
        "(%.2f ms).",
        ratio, ms);
  }
  if (unprofiled.count == 0) {
    return Format("Recorded steps took %.2f x the unrecorded ones (%.2f ms).",
                  ratio, ms);
  }
  return Format(
      "Recorded steps took %.2f x the unrecorded ones (%.2f ms, median of "
      "%llu).",
      ratio, ms, static_cast<unsigned long long>(unprofiled.count));
}

std::string CostlySettings(const Trace& trace) {
  std::vector<std::string_view> names;
  for (const Setting& setting : kSettings) {
    for (const Process& process : trace.processes()) {
      const std::string_view value = ValueOf(trace, process, setting.key);
      if (value.empty() || value == "0" || value == "false") continue;
      names.push_back(setting.name);
      break;
    }
  }
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " and " : ", ";
    list += names[i];
  }
  return list;
}

std::string CostlySettingsText(const Trace& trace) {
  const std::string settings = CostlySettings(trace);
  if (settings.empty()) return "";
  return "The recorder also recorded " + settings +
         ", which makes steps longer than they are without it; --unprofiled "
         "states how long a step takes then.";
}

}  // namespace stepscope
