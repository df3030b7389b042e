// SPDX-License-Identifier: Apache-2.0
#include "report/table_options.h"

#include <cctype>
#include <utility>

namespace stepscope {
namespace {

// Lower case without separators, so that CPUTotal and cpu_total are one.
std::string Canonical(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '_' || c == '-' || c == '.' || c == ' ') continue;
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

template <typename T, size_t kCount>
std::optional<T> Lookup(std::string_view text,
                        const std::pair<std::string_view, T> (&table)[kCount]) {
  for (const auto& [name, value] : table) {
    if (text == name) return value;
  }
  return std::nullopt;
}

constexpr std::pair<std::string_view, SortKey> kSortKeys[] = {
    {"cputotal", SortKey::kCpuTotal}, {"cpuavg", SortKey::kCpuAvg},
    {"cpumax", SortKey::kCpuMax},     {"cpumin", SortKey::kCpuMin},
    {"gputotal", SortKey::kGpuTotal}, {"gpuavg", SortKey::kGpuAvg},
    {"gpumax", SortKey::kGpuMax},     {"gpumin", SortKey::kGpuMin},
};

constexpr std::pair<std::string_view, uint32_t> kViews[] = {
    {"device", kDeviceView},
    {"deviceview", kDeviceView},
    {"overview", kOverView},
    {"model", kModelView},
    {"modelview", kModelView},
    {"distribution", kDistributedView},
    {"distributed", kDistributedView},
    {"distributedview", kDistributedView},
    {"kernel", kKernelView},
    {"kernelview", kKernelView},
    {"operator", kOperatorView},
    {"operatorview", kOperatorView},
    {"memory", kMemoryView},
    {"memoryview", kMemoryView},
    {"memorymanipulation", kMemoryManipulationView},
    {"memorymanipulationview", kMemoryManipulationView},
    {"userdefined", kUserDefinedView},
    {"udfview", kUserDefinedView},
    {"percentile", kPercentileView},
    {"percentiles", kPercentileView},
    {"waterfall", kWaterfallView},
    {"idle", kIdleView},
    {"launch", kLaunchView},
    {"flops", kFlopsView},
    {"outliers", kOutlierView},
    {"memorylife", kMemoryLifeView},
    {"advice", kAdviceView},
    {"paddle", kPaddleViews},
    {"all", kAllViews},
};

constexpr std::pair<std::string_view, TimeUnit> kUnits[] = {
    {"s", TimeUnit::kS},
    {"ms", TimeUnit::kMs},
    {"us", TimeUnit::kUs},
    {"ns", TimeUnit::kNs},
};

constexpr std::pair<std::string_view, TableFormat> kFormats[] = {
    {"text", TableFormat::kText},    {"json", TableFormat::kJson},
    {"csv", TableFormat::kCsv},      {"md", TableFormat::kMarkdown},
    {"markdown", TableFormat::kMarkdown},
};

}  // namespace

std::optional<SortKey> ParseSortKey(std::string_view text) {
  std::string name = Canonical(text);
  // "cpu.total_ns", as in the JSON output.
  if (name.size() > 2 && name.ends_with("ns")) name.resize(name.size() - 2);
  return Lookup<SortKey>(name, kSortKeys);
}

std::optional<uint32_t> ParseView(std::string_view text) {
  return Lookup<uint32_t>(Canonical(text), kViews);
}

std::optional<TimeUnit> ParseTimeUnit(std::string_view text) {
  return Lookup<TimeUnit>(Canonical(text), kUnits);
}

std::optional<TableFormat> ParseTableFormat(std::string_view text) {
  return Lookup<TableFormat>(Canonical(text), kFormats);
}

std::string_view TimeUnitName(TimeUnit unit) {
  return kUnits[static_cast<size_t>(unit)].first;
}

double NanosecondsIn(TimeUnit unit) {
  constexpr double kNanoseconds[] = {1e9, 1e6, 1e3, 1};
  return kNanoseconds[static_cast<size_t>(unit)];
}

}  // namespace stepscope
