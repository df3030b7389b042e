// SPDX-License-Identifier: Apache-2.0
//
// What a request asks for, checked. A parameter that is absent has its
// fallback; one that makes no sense is an error that names it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/http/http.h"

namespace stepscope::server {

// A whole number in [least, most].
Result<int64_t> ParseInteger(std::string_view name, std::string_view text,
                             int64_t least, int64_t most);
// "0-9,40": numbers below `limit`, in that order, at most `most` of them.
Result<std::vector<uint32_t>> ParseRanges(std::string_view name,
                                          std::string_view text, uint32_t limit,
                                          size_t most);

class Parameters {
 public:
  explicit Parameters(const Request& request) : request_(request) {}

  bool has(const char* name) const { return request_.has_param(name); }
  // Empty: absent.
  std::string Text(const char* name) const {
    return has(name) ? request_.get_param_value(name) : std::string();
  }
  std::vector<std::string> Texts(const char* name) const;
  // Of the one request that has one.
  std::string_view body() const { return request_.body; }
  // Absent and without a fallback: an error.
  Result<int64_t> Integer(
      const char* name, std::optional<int64_t> fallback = std::nullopt,
      int64_t least = 0,
      int64_t most = std::numeric_limits<int64_t>::max()) const;

 private:
  const Request& request_;
};

// A stretch of time, from the trace's origin, and how many pixels it has on the
// screen: "t0", "t1" and "px".
struct Stretch {
  int64_t begin = 0;
  int64_t end = 0;
  uint32_t pixels = 0;
};
Result<Stretch> ReadStretch(const Parameters& parameters);

}  // namespace stepscope::server
