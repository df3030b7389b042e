// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/python.h"

#include <stepscope/c.h>

#include <algorithm>
#include <charconv>

#include "analysis/module_names.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/by_name.h"
#include "analysis/tables/common_columns.h"
#include "analysis/tables/self_times.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

std::optional<int64_t> ParseLine(std::string_view text) {
  int64_t line = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, line);
  if (text.empty() || error != std::errc() || stop != end) return {};
  return line;
}

// "f (a.py:1)"
std::optional<PythonName> ParseOurs(std::string_view name) {
  const size_t open = name.find(" (");  // no function has it
  const size_t colon = name.rfind(':');
  if (!name.ends_with(')') || open == name.npos || colon == name.npos ||
      colon < open)
    return {};
  const auto line = ParseLine(name.substr(colon + 1, name.size() - colon - 2));
  if (!line) return {};
  return PythonName{name.substr(0, open),
                    name.substr(open + 2, colon - open - 2), line};
}

// "a.py(1): f", of torch
std::optional<PythonName> ParseTorch(std::string_view name) {
  const size_t close = name.find("): ");
  const size_t open = name.rfind('(', close);
  if (close == name.npos || open == name.npos) return {};
  const auto line = ParseLine(name.substr(open + 1, close - open - 1));
  if (!line) return {};
  return PythonName{name.substr(close + 3), name.substr(0, open), line};
}

// "$a.py:1 f", of TensorFlow and JAX
std::optional<PythonName> ParseXplane(std::string_view name) {
  const size_t blank = name.find(' ');
  const size_t colon = name.rfind(':', blank);
  if (!name.starts_with('$') || blank == name.npos || colon == name.npos)
    return {};
  const auto line = ParseLine(name.substr(colon + 1, blank - colon - 1));
  if (!line) return {};
  return PythonName{name.substr(blank + 1), name.substr(1, colon - 1), line};
}

}  // namespace

PythonName ParsePythonName(std::string_view name) {
  if (const auto parsed = ParseXplane(name)) return *parsed;
  if (const auto parsed = ParseOurs(name)) return *parsed;
  if (const auto parsed = ParseTorch(name)) return *parsed;
  return {name, {}, {}};
}

std::vector<PythonRow> ComputePython(const EventTree& tree,
                                     const StepTable& steps, SortKey sort) {
  const Trace& trace = tree.trace();
  ByName functions(tree, /*per_thread=*/false);
  const ModuleNames modules(tree);  // they have a table of their own
  StepShares shares(tree, steps);
  std::vector<int64_t> self_ns;
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    if (!tree.Has(i, SetOf(STEPSCOPE_PYTHON_FUNCTION))) continue;
    SelfTimes self(self_ns);
    tree.ForEachNested(i, [&](Row row, const Interval& span) {
      if (trace.type()[row] != STEPSCOPE_PYTHON_FUNCTION || modules.Has(row))
        return;
      const uint32_t slot = functions.Add(row, i, span) & ~ByName::kNested;
      shares.Add(slot, row, i);
      self.Add(slot, {trace.start_ns()[row], tree.end_ns(row)}, span);
    });
  }
  std::vector<PythonRow> rows;
  for (const uint32_t slot : functions.Order()) {
    const NameStats& stats = functions.stats()[slot];
    rows.push_back(
        {ParsePythonName(trace.str(stats.name)),
         stats.calls,
         stats.nested_calls,
         TimeColumn::Of(stats.cpu, shares.share(slot), steps.window_ns()),
         {},
         self_ns[slot],
         shares.share(slot),
         trace.str(stats.name)});
  }
  StableSort(rows.begin(), rows.end(),
             [&](const PythonRow& a, const PythonRow& b) {
               return ComesBefore(a, b, sort);
             });
  return rows;
}

TableSchema DeclarePythonTable() {
  const auto calls = [](const PythonRow& row) { return row.calls; };
  ColumnsOf<PythonRow> columns;
  columns.Text("name", "name of the function, with its class",
               [](const PythonRow& row) { return row.name.function; });
  columns.Count("calls", "calls of the function, outermost ones", calls);
  columns.Count("nested_calls",
                "calls inside one of the same function, which are part of it",
                &PythonRow::nested_calls);
  columns.Time("self_ns", Adds::kSum,
               "time of all calls without that of other Python functions",
               &PythonRow::self_cpu_ns);
  AddTimes(
      columns, "cpu",
      {"time of the calls",
       "the steps of its threads, as far as it lies in them"},
      [](const PythonRow& row) { return row.cpu; }, calls);
  columns.Text("file", "file that the function is in",
               [](const PythonRow& row) -> std::optional<std::string_view> {
                 if (row.name.file.empty()) return std::nullopt;
                 return row.name.file;
               });
  columns.Count("line", "line in which the function begins",
                [](const PythonRow& row) { return row.name.line; });
  return {.key = "python",
          .title = "Python functions",
          .meaning = "which Python functions take the time?",
          .view = kPythonView,
          .json_views = kPythonView,
          .ranked = true,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.python); }};
}

}  // namespace stepscope
