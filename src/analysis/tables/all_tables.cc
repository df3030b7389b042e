// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/all_tables.h"

#include <array>
#include <cctype>
#include <vector>

#include "analysis/summary_options.h"

namespace stepscope {

// For a test, which has a table more.
#ifndef STEPSCOPE_MORE_TABLES
#define STEPSCOPE_MORE_TABLES(TABLE)
#endif

// A new table is one line here.
#define STEPSCOPE_TABLES(TABLE) \
  TABLE(Steps)                  \
  TABLE(StepTime)               \
  TABLE(Device)                 \
  TABLE(Overview)               \
  TABLE(Model)                  \
  TABLE(Distribution)           \
  TABLE(Operator)               \
  TABLE(Kernel)                 \
  TABLE(MemoryManipulation)     \
  TABLE(UserDefined)            \
  TABLE(Python)                 \
  TABLE(Modules)                \
  TABLE(Memory)                 \
  TABLE(Percentiles)            \
  TABLE(Benchmark)              \
  TABLE(Waterfall)              \
  TABLE(Idle)                   \
  TABLE(Launch)                 \
  TABLE(Iterations)             \
  TABLE(Requests)               \
  TABLE(Outliers)               \
  TABLE(Flops)                  \
  TABLE(Mfu)                    \
  TABLE(Roofline)               \
  TABLE(Energy)                 \
  TABLE(MemoryLife)             \
  TABLE(MemoryPeak)             \
  TABLE(MemoryProcesses)        \
  TABLE(MemoryLifetimes)        \
  TABLE(MemoryGrowth)           \
  TABLE(MemorySegments)         \
  TABLE(CriticalPath)           \
  TABLE(Ranks)                  \
  TABLE(Stragglers)             \
  TABLE(Collectives)            \
  TABLE(RankSteps)              \
  TABLE(Advice)                 \
  STEPSCOPE_MORE_TABLES(TABLE)

#define STEPSCOPE_DECLARATION(name) TableSchema Declare##name##Table();
STEPSCOPE_TABLES(STEPSCOPE_DECLARATION)
#undef STEPSCOPE_DECLARATION

std::span<const TableSchema> AllTables() {
#define STEPSCOPE_ENTRY(name) Declare##name##Table(),
  static const std::vector<TableSchema>* const tables = [] {
    auto* const list =
        new std::vector<TableSchema>{STEPSCOPE_TABLES(STEPSCOPE_ENTRY)};
    size_t free = kFirstFreeView;
    for (TableSchema& table : *list)
      if (!table.view) table.view = table.json_views = ViewSet::One(free++);
    return list;
  }();
#undef STEPSCOPE_ENTRY
  return *tables;
}

const TableSchema* FindTable(std::string_view key) {
  for (const TableSchema& table : AllTables())
    if (table.key == key) return &table;
  return nullptr;
}

std::span<const ViewName> ViewNames() {
  static const std::vector<ViewName>* const names = [] {
    auto* list = new std::vector<ViewName>;
    for (const TableSchema& table : AllTables())
      list->push_back(
          {table.key, table.paddle_name, table.meaning, table.view});
    list->push_back(
        {"paddle", "", "the nine tables that Paddle has", kPaddleViews});
    list->push_back({"all", "", "every table", kAllViews});
    return list;
  }();
  return *names;
}

std::optional<ViewSet> ParseView(std::string_view text) {
  const std::string name = CanonicalName(text);
  for (const ViewName& view : ViewNames()) {
    if (name == CanonicalName(view.name)) return view.views;
    const std::string paddle = CanonicalName(view.paddle);
    if (paddle.empty()) continue;
    // Paddle's name without "View" is understood as well.
    if (name == paddle || name + "view" == paddle) return view.views;
  }
  return std::nullopt;
}

std::span<const SortKeyName> SortKeyNames() {
  static constexpr std::array<SortKeyName, 10> kNames = {{
      {"CPUTotal", "cpu.total_ns", SortKey::kCpuTotal},
      {"CPUAvg", "cpu.avg_ns", SortKey::kCpuAvg},
      {"CPUMax", "cpu.max_ns", SortKey::kCpuMax},
      {"CPUMin", "cpu.min_ns", SortKey::kCpuMin},
      {"GPUTotal", "gpu.total_ns", SortKey::kGpuTotal},
      {"GPUAvg", "gpu.avg_ns", SortKey::kGpuAvg},
      {"GPUMax", "gpu.max_ns", SortKey::kGpuMax},
      {"GPUMin", "gpu.min_ns", SortKey::kGpuMin},
      {"calls", "calls", SortKey::kCalls},
      {"self", "self_cpu_ns", SortKey::kSelf},
  }};
  return kNames;
}

std::optional<SortKey> ParseSortKey(std::string_view text) {
  const std::string name = CanonicalName(text);
  for (const SortKeyName& key : SortKeyNames())
    if (name == CanonicalName(key.name) || name == CanonicalName(key.column))
      return key.key;
  return std::nullopt;
}

std::string CanonicalName(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '_' || c == '-' || c == '.' || c == ' ') continue;
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

}  // namespace stepscope
