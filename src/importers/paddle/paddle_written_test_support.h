// SPDX-License-Identifier: Apache-2.0
//
// Files as Paddle 2.6 and 3.3 write them, for tests.
#pragma once

#include <cstdint>
#include <string>

#include "base/text.h"

namespace stepscope::json {

inline constexpr int64_t kPaddleEpochUs = 1794782521000000;

struct PaddleNode {
  std::string name;
  int64_t start_ns = 0;
  int64_t dur_ns = 0;
  std::string type = "Operator";
};

// What Paddle writes of an event, with its numbers of single precision.
inline std::string PaddleWritten(const PaddleNode& node, int64_t first_ns) {
  const auto micros = [](int64_t ns) {
    const auto value = static_cast<float>(static_cast<double>(ns) / 1000);
    return Format("%.3f", static_cast<double>(value));
  };
  const int64_t from = node.start_ns - first_ns;
  return R"({"name": ")" + node.name + "[" + micros(node.dur_ns) +
         R"J( us]", "pid": 5, "tid": "6(C++)", "ts": )J" +
         std::to_string(kPaddleEpochUs + node.start_ns / 1000) +
         R"(, "dur": )" + micros(node.dur_ns) + R"(, "ph": "X", "cat": ")" +
         node.type + R"(", "args": {"start_time": ")" + micros(from) +
         R"( us", "end_time": ")" + micros(from + node.dur_ns) + " us\"}},\n";
}

inline std::string PaddleDocument(
    const std::string& events,
    const std::string& head = R"("span_index": "0",)",
    const std::string& tail = "") {
  return R"({"displayTimeUnit": "ms", "schemaVersion": "1.0.2",
)" + head +
         R"( "traceEvents": [)" + events + "{}]" + tail + "}";
}

}  // namespace stepscope::json
