// SPDX-License-Identifier: Apache-2.0
//
// OperatorsAt: whose event was open at a time, on one thread or on any. Times
// must not go back.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trace/build/trace_builder.h"

namespace stepscope::capture {

class OperatorsAt {
 public:
  // Looks at the rows [first, last).
  OperatorsAt(const TraceBuilder& builder, Row first, Row last);

  // The innermost event of a track; kNoRow: none.
  Row OnTrack(uint32_t track, int64_t time_ns);
  // The innermost operator of all tracks. kNoRow where several tracks have one:
  // which of them it was is not known.
  Row OnAny(int64_t time_ns);

 private:
  struct Sweep {
    std::vector<Row> rows;  // by start, the outer one first
    size_t next = 0;
    std::vector<Row> open;
  };

  Row At(Sweep& sweep, int64_t time_ns);
  bool IsOperator(Row row) const;

  const TraceBuilder& builder_;
  std::map<uint32_t, Sweep> sweeps_;  // by track
};

}  // namespace stepscope::capture
