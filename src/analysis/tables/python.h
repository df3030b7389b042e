// SPDX-License-Identifier: Apache-2.0
//
// Python table: calls of Python functions by function, file and line. Times
// are those of Python functions among themselves: what a function does in
// native code, operators included, is its self time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/steps.h"
#include "analysis/tables/rows.h"

namespace stepscope {

// What the name of an event says of a Python function. Three recorders write
// it in three ways: "f (a.py:1)", "a.py(1): f" and "$a.py:1 f".
struct PythonName {
  std::string_view function;  // the whole name where it says no more
  std::string_view file;      // may be empty
  std::optional<int64_t> line;
};
PythonName ParsePythonName(std::string_view name);

struct PythonRow {
  PythonName name;
  uint64_t calls = 0;  // not inside another call of the same function
  uint64_t nested_calls = 0;
  TimeColumn cpu;
  TimeColumn gpu;  // not known; for ComesBefore()
  int64_t self_cpu_ns = 0;
  StepShare share;         // what cpu.ratio is made of
  std::string_view event;  // the name as it was recorded
};

std::vector<PythonRow> ComputePython(const EventTree& tree,
                                     const StepTable& steps, SortKey sort);

}  // namespace stepscope
