// SPDX-License-Identifier: Apache-2.0
//
// Ids that depend on nothing but what they are of, so that the same recording
// read again, by another program or while it still grows, gives equal ids.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/otlp/spans.h"
#include "trace/trace.h"

namespace stepscope::otlp {

// What tells a process from all others: its machine since it was started, its
// number and its start there. Of a trace that does not say, what it says.
std::string IdentityOf(const Trace& trace, uint32_t process);

// 16 and 8 bytes of a hash; never all zeros.
TraceId TraceIdOf(std::string_view what);
SpanId SpanIdOf(std::string_view what);

// Numbers things of one name, in the order in which they are asked for: ids of
// requests may be used again.
class Ordinals {
 public:
  uint64_t Next(uint32_t process, std::string_view name) {
    return next_[{process, name}]++;
  }

 private:
  std::map<std::pair<uint32_t, std::string_view>, uint64_t> next_;
};

}  // namespace stepscope::otlp
