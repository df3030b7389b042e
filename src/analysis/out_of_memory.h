// SPDX-License-Identifier: Apache-2.0
//
// Events that say that a device had no more memory for a program.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

inline constexpr std::string_view kOutOfMemoryName = "out of memory";

// By row.
inline std::vector<Row> OutOfMemoryEvents(const Trace& trace) {
  std::vector<Row> rows;
  const StringId name = trace.strings().Find(kOutOfMemoryName);
  if (name == StringId()) return rows;
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.name()[row] == name && (trace.flags()[row] & kEventInstant) != 0)
      rows.push_back(row);
  return rows;
}

// The bytes that were asked for.
inline int64_t AskedBytes(const Trace& trace, Row row) {
  for (const Arg& arg : trace.args_of(row))
    if (arg.kind == ArgKind::kInt && trace.str(arg.key) == "bytes")
      return arg.int_value;
  return 0;
}

}  // namespace stepscope
