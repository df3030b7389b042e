// SPDX-License-Identifier: Apache-2.0
#include "analysis/unprofiled.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/order_statistics.h"
#include "base/text.h"

namespace stepscope {
namespace {

// 0 if it is no such number.
int64_t PositiveNumber(std::string_view text) {
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

// Our own timelines have what the recorder said as one JSON object. Calls
// `visit` with every `"wanted": "text"` in it.
template <typename Visit>
void ForEachText(std::string_view json, std::string_view wanted, Visit visit) {
  const std::string key = "\"" + std::string(wanted) + "\": \"";
  size_t at = json.find(key);
  for (; at != json.npos; at = json.find(key, at)) {
    at += key.size();
    visit(json.substr(at, json.find('"', at) - at));
  }
}

std::string ShortTime(int64_t ns) {
  const auto time = static_cast<double>(ns);
  return ns < 1'000'000 ? Format("%.1f us", time / 1e3)
                        : Format("%.2f ms", time / 1e6);
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
    const auto add_step = [&](std::string_view text) {
      if (const int64_t ns = PositiveNumber(text); ns > 0) steps.push_back(ns);
    };
    const auto add_count = [&](std::string_view text) {
      count += static_cast<uint64_t>(PositiveNumber(text));
    };
    add_step(ValueOf(trace, process, "unprofiled_step_ns"));
    add_count(ValueOf(trace, process, "unprofiled_steps"));
    const std::string_view json = ValueOf(trace, process, "stepscope");
    ForEachText(json, "unprofiled_step_ns", add_step);
    ForEachText(json, "unprofiled_steps", add_count);
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
  const std::string time = ShortTime(unprofiled.ns);
  if (unprofiled.source == UnprofiledStep::Source::kUser) {
    return Format(
        "Recorded steps took %.2f x the unprofiled step that was stated "
        "(%s).",
        ratio, time.c_str());
  }
  if (unprofiled.count == 0) {
    return Format("Recorded steps took %.2f x the unrecorded ones (%s).",
                  ratio, time.c_str());
  }
  return Format(
      "Recorded steps took %.2f x the unrecorded ones (%s, median of %llu).",
      ratio, time.c_str(), static_cast<unsigned long long>(unprofiled.count));
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
  std::string settings = CostlySettings(trace);
  if (settings.empty()) return "";
  settings[0] = static_cast<char>(settings[0] - 'a' + 'A');
  return settings +
         " were recorded too, which makes steps longer; --unprofiled DUR "
         "states how long a step takes without the recorder.";
}

}  // namespace stepscope
