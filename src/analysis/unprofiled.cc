// SPDX-License-Identifier: Apache-2.0
#include "analysis/unprofiled.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/order_statistics.h"
#include "analysis/warmup.h"
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

// Fewer say nothing: one of them may be anything.
constexpr size_t kFewestTimed = 3;
// What a median of steps may be off by without it showing in their spread, and
// the spread at which it says nothing any more.
constexpr double kLeastNoise = 0.02;
constexpr double kMostNoise = 0.15;
// So many errors of a median to either side are its noise.
constexpr double kErrors = 2;
// An error of a median over that of a mean.
constexpr double kMedianError = 1.2533;
// A file may say any number.
constexpr int64_t kMostTimed = 1000;

// "12 15 13"; anything else in it ends the list.
std::vector<int64_t> TimesInText(std::string_view text) {
  std::vector<int64_t> numbers;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const int64_t number = PositiveNumber(text.substr(0, end));
    if (number == 0) break;
    numbers.push_back(number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

// What recorders say of steps that were not recorded.
struct UnrecordedSteps {
  std::vector<int64_t> settled_ns;  // of processes with enough of these
  // If none has: those of the one with the most.
  size_t most_settled = 0;
  bool any = false;        // a process says something
  bool uncounted = false;  // a median without a number

  void Add(std::span<const int64_t> settled) {
    any = true;
    most_settled = std::max(most_settled, settled.size());
    if (settled.size() < kFewestTimed) return;
    settled_ns.insert(settled_ns.end(), settled.begin(), settled.end());
  }
  // In order, one loop.
  void AddTimes(std::string_view text) {
    if (text.empty()) return;
    const std::vector<int64_t> times = TimesInText(text);
    const size_t warmup = CountWarmup(times, [](size_t) { return 0; });
    Add(std::span(times).subspan(warmup));
  }
  // Earlier recorders said only the median and how many steps it was of.
  void AddMedian(std::string_view median, std::string_view count) {
    const int64_t ns = PositiveNumber(median);
    if (ns == 0) return;
    uncounted |= count.empty();
    const int64_t steps = count.empty()
                              ? int64_t{kFewestTimed}
                              : std::min(PositiveNumber(count), kMostTimed);
    Add(std::vector<int64_t>(static_cast<size_t>(steps), ns));
  }
};

UnrecordedSteps FindUnrecordedSteps(const Trace& trace) {
  UnrecordedSteps found;
  for (const Process& process : trace.processes()) {
    found.AddTimes(ValueOf(trace, process, "unprofiled_times_ns"));
    found.AddMedian(ValueOf(trace, process, "unprofiled_step_ns"),
                    ValueOf(trace, process, "unprofiled_steps"));
    const std::string_view json = ValueOf(trace, process, "stepscope");
    ForEachText(json, "unprofiled_times_ns",
                [&](std::string_view text) { found.AddTimes(text); });
    std::vector<std::string_view> counts;
    ForEachText(json, "unprofiled_steps",
                [&](std::string_view text) { counts.push_back(text); });
    size_t i = 0;
    ForEachText(json, "unprofiled_step_ns", [&](std::string_view text) {
      found.AddMedian(text, i < counts.size() ? counts[i] : "");
      ++i;
    });
  }
  return found;
}

// How far the median may be from the true one, as a share of it.
double NoiseOfMedian(std::span<const int64_t> values, int64_t median) {
  const auto deviation = static_cast<double>(MedianDeviation(values, median));
  return kErrors * kMedianError * kDeviationScale * deviation /
         (static_cast<double>(std::max<int64_t>(median, 1)) *
          std::sqrt(static_cast<double>(std::max<size_t>(values.size(), 1))));
}

UnprofiledStep MedianStep(const UnrecordedSteps& found) {
  return {Median(found.settled_ns),
          found.uncounted ? 0 : found.settled_ns.size(),
          UnprofiledStep::Source::kRecorder};
}

std::string TooFewText(size_t steps, const char* were_what) {
  return Format("only %zu settled step%s %s, and %zu are needed.", steps,
                steps == 1 ? " was" : "s were", were_what, kFewestTimed);
}

}  // namespace

std::optional<UnprofiledStep> FindUnprofiledStep(const Trace& trace) {
  const UnrecordedSteps found = FindUnrecordedSteps(trace);
  if (found.settled_ns.empty()) return std::nullopt;
  return MedianStep(found);
}

bool TimedUnrecordedSteps(const Trace& trace) {
  return FindUnrecordedSteps(trace).any;
}

UnprofiledJudgement JudgeUnprofiledStep(const Trace& trace,
                                        std::span<const int64_t> recorded_ns,
                                        std::optional<int64_t> stated_ns) {
  if (stated_ns && *stated_ns > 0)
    return {UnprofiledStep{*stated_ns, 0, UnprofiledStep::Source::kUser}, ""};
  const UnrecordedSteps found = FindUnrecordedSteps(trace);
  if (!found.any || recorded_ns.empty()) return {};
  if (found.settled_ns.empty()) {
    return {std::nullopt,
            TooFewText(found.most_settled, "timed beside the recording")};
  }
  if (recorded_ns.size() < kFewestTimed)
    return {std::nullopt, TooFewText(recorded_ns.size(), "recorded")};
  UnprofiledStep step = MedianStep(found);
  const int64_t recorded = Median(recorded_ns);
  const double noise =
      std::max(kLeastNoise, std::hypot(NoiseOfMedian(found.settled_ns, step.ns),
                                       NoiseOfMedian(recorded_ns, recorded)));
  if (noise > kMostNoise) {
    return {std::nullopt,
            Format("steps differ so much from one another that it would be "
                   "off by %.0f %%.",
                   noise * 100)};
  }
  if (static_cast<double>(recorded) <
      static_cast<double>(step.ns) * (1 - noise)) {
    return {std::nullopt,
            "the steps that were timed beside the recording took longer than "
            "the recorded ones (" +
                ShortTime(step.ns) + ")."};
  }
  step.ns = std::min(step.ns, recorded);
  return {step, ""};
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
    return Format("Recorded steps took %.2f x the unrecorded ones (%s).", ratio,
                  time.c_str());
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
