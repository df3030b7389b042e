// SPDX-License-Identifier: Apache-2.0
#include "exporters/paddle_facts.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace stepscope {

std::vector<std::pair<std::string_view, std::string>> PaddleCpuUsage(
    const Trace& trace) {
  std::vector<std::pair<std::string_view, std::string>> entries;
  std::string missing;
  const auto add = [&](std::string_view key, double value) {
    entries.emplace_back(key, Format("%f", std::max(value, 0.0)));
    if (value >= 0) return;
    if (!missing.empty()) missing += ", ";
    missing += key;
  };
  add(kSystemUtilization, trace.cpu_usage().system);
  add(kProcessUtilization, trace.cpu_usage().process);
  if (!trace.memory().empty() && !HasStatedPeaks(trace)) {
    if (!missing.empty()) missing += ", ";
    missing += kPeakMemory;
  }
  if (!missing.empty()) entries.emplace_back(kNotMeasured, missing);
  return entries;
}

int SpanIndexOf(const Trace& trace, const ExportOptions& options) {
  if (options.span_index != 0 || trace.processes().empty())
    return options.span_index;
  int index = 0;
  for (const auto& [key, value] : trace.processes()[0].metadata) {
    const std::string_view name = trace.str(key);
    if (name != "span_indx" && name != "span_index") continue;
    const std::string_view text = trace.str(value);
    int number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number > 0)
      index = number;
  }
  return index;
}

bool HasStatedPeaks(const Trace& trace) {
  return std::any_of(trace.memory().begin(), trace.memory().end(),
                     [](const MemoryEvent& event) {
                       return event.peak_allocated > 0 ||
                              event.peak_reserved > 0;
                     });
}

}  // namespace stepscope
