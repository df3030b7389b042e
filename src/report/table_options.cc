// SPDX-License-Identifier: Apache-2.0
#include "report/table_options.h"

#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/duration.h"

namespace stepscope {
namespace {

template <typename T, size_t kCount>
std::optional<T> Lookup(std::string_view text,
                        const std::pair<std::string_view, T> (&table)[kCount]) {
  for (const auto& [name, value] : table)
    if (text == name) return value;
  return std::nullopt;
}

constexpr std::pair<std::string_view, TimeUnit> kUnits[] = {
    {"s", TimeUnit::kS},   {"ms", TimeUnit::kMs},     {"us", TimeUnit::kUs},
    {"ns", TimeUnit::kNs}, {"auto", TimeUnit::kAuto},
};

constexpr std::pair<std::string_view, TableFormat> kFormats[] = {
    {"text", TableFormat::kText},         {"json", TableFormat::kJson},
    {"csv", TableFormat::kCsv},           {"md", TableFormat::kMarkdown},
    {"markdown", TableFormat::kMarkdown},
};

constexpr std::pair<std::string_view, TextLayout> kLayouts[] = {
    {"screen", TextLayout::kScreen},
    {"tables", TextLayout::kTables},
    {"paddle", TextLayout::kPaddle},
};

// `list` by comma, each as `name` has it.
template <typename List, typename Name>
std::string Joined(const List& list, Name name) {
  std::string text;
  for (const auto& entry : list) {
    if (!text.empty()) text += ", ";
    text += name(entry);
  }
  return text;
}

// `expected`: what the text is to be.
Result<double> PeakOf(std::string_view prefix, std::string_view option,
                      std::string_view text, std::string_view expected) {
  double peak = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), peak);
  if (error == std::errc() && end == text.data() + text.size() &&
      std::isfinite(peak) && peak > 0)
    return peak;
  return Fail(ErrorCode::kInvalidArgument,
              std::string(prefix) + std::string(option) + ": \"" +
                  std::string(text) + "\" is not " + std::string(expected));
}

}  // namespace

std::optional<TimeUnit> ParseTimeUnit(std::string_view text) {
  return Lookup<TimeUnit>(CanonicalName(text), kUnits);
}

std::optional<TableFormat> ParseTableFormat(std::string_view text) {
  return Lookup<TableFormat>(CanonicalName(text), kFormats);
}

std::optional<TextLayout> ParseTextLayout(std::string_view text) {
  return Lookup<TextLayout>(CanonicalName(text), kLayouts);
}

Status ReadWords(const SummaryWords& words, SummaryOptions& options) {
  const std::string prefix(words.prefix);
  std::stringstream views(words.views);
  for (std::string text; std::getline(views, text, ',');) {
    STEPSCOPE_TRY_ASSIGN(
        const ViewSet view,
        Chosen(prefix + "views", text, ParseView(text), ViewChoices()));
    options.views |= view;
  }
  STEPSCOPE_TRY_ASSIGN(options.steps, StepsOf(words.steps, options.steps));
  if (!words.unprofiled.empty()) {
    STEPSCOPE_TRY_ASSIGN(options.unprofiled_ns,
                         UnprofiledOf(words.prefix, words.unprofiled));
  }
  if (!words.link_peak.empty()) {
    STEPSCOPE_TRY_ASSIGN(options.link_peak_gbs,
                         LinkPeakOf(words.prefix, words.link_peak));
  }
  if (!words.compute_peak.empty() || !words.memory_peak.empty()) {
    STEPSCOPE_TRY_ASSIGN(
        options.device_peaks,
        StatedPeaksOf(words.prefix, words.compute_peak, words.memory_peak));
  }
  if (!words.sort.empty()) {
    STEPSCOPE_TRY_ASSIGN(options.sort,
                         Chosen(prefix + "sort", words.sort,
                                ParseSortKey(words.sort), SortKeyChoices()));
  }
  return Ok();
}

Result<std::optional<StepChoice>> StepsOf(std::string_view text,
                                          std::optional<StepChoice> otherwise) {
  if (text.empty()) return otherwise;
  STEPSCOPE_TRY_ASSIGN(const StepChoice choice, ParseStepChoice(text));
  return std::optional(choice);
}

Result<double> LinkPeakOf(std::string_view prefix, std::string_view text) {
  return PeakOf(prefix, "link-peak", text, "a bandwidth in GB/s, such as 450");
}

Result<StatedPeaks> StatedPeaksOf(std::string_view prefix,
                                  std::string_view compute,
                                  std::string_view memory) {
  StatedPeaks peaks;
  if (!compute.empty()) {
    STEPSCOPE_TRY_ASSIGN(peaks.tflops,
                         PeakOf(prefix, "compute-peak", compute,
                                "a number of TFLOP/s, such as 989"));
  }
  if (!memory.empty()) {
    STEPSCOPE_TRY_ASSIGN(peaks.gbs,
                         PeakOf(prefix, "memory-peak", memory,
                                "a bandwidth in GB/s, such as 4800"));
  }
  return peaks;
}

Result<std::optional<int64_t>> UnprofiledOf(std::string_view prefix,
                                            std::string_view text) {
  if (text.empty()) return std::optional<int64_t>();
  const Result<int64_t> parsed = ParseDuration(text);
  if (parsed) return std::optional(*parsed);
  return Fail(parsed.error().code,
              std::string(prefix) + "unprofiled: " + parsed.error().message);
}

std::string_view TimeUnitName(TimeUnit unit) {
  return kUnits[static_cast<size_t>(unit)].first;
}

double NanosecondsIn(TimeUnit unit) {
  constexpr double kNanoseconds[] = {1e9, 1e6, 1e3, 1, 1e6};
  return kNanoseconds[static_cast<size_t>(unit)];
}

std::string ViewChoices() {
  return Joined(ViewNames(), [](const ViewName& view) { return view.name; });
}

std::string SortKeyChoices() {
  return Joined(SortKeyNames(),
                [](const SortKeyName& key) { return key.name; });
}

std::string TimeUnitChoices() {
  return Joined(kUnits, [](const auto& unit) { return unit.first; });
}

std::string TextLayoutChoices() {
  return Joined(kLayouts, [](const auto& layout) { return layout.first; });
}

std::string TableFormatChoices() { return "text, json, csv, md"; }

}  // namespace stepscope
