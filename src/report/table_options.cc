// SPDX-License-Identifier: Apache-2.0
#include "report/table_options.h"

#include <utility>

namespace stepscope {
namespace {

template <typename T, size_t kCount>
std::optional<T> Lookup(std::string_view text,
                        const std::pair<std::string_view, T> (&table)[kCount]) {
  for (const auto& [name, value] : table) {
    if (text == name) return value;
  }
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
