// SPDX-License-Identifier: Apache-2.0
//
// The options of one question, by name, with the spellings of the CLI.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/step_choice.h"
#include "base/result.h"
#include "report/table_options.h"

namespace stepscope {

// Each accessor marks its option as known; Finish() fails if one is left.
class ReadRequest {
 public:
  // Name, value, name, value, ..., null.
  explicit ReadRequest(const char* const* options);

  // Nothing if it was not given.
  std::optional<std::string> Text(const std::string& name);
  // Every value of an option that may be given several times.
  std::vector<std::string> List(const std::string& name);
  // A whole number of at least 0.
  Result<size_t> Count(const std::string& name, size_t otherwise);
  Result<int64_t> Nanoseconds(const std::string& name, int64_t otherwise);
  Result<bool> Flag(const std::string& name);
  Result<std::optional<StepChoice>> Steps();
  Result<std::optional<int64_t>> Unprofiled();
  // One of `choices`; the first if it was not given.
  Result<std::string> Choice(const std::string& name,
                             const std::vector<std::string>& choices);

  // What all tables take: steps, unprofiled, sort, thread_sep, flops,
  // op_detail.
  Status ReadSummary(SummaryOptions& options);
  // unit, top.
  Status ReadStyle(TableOptions& options);

  Status Finish() const;

 private:
  std::multimap<std::string, std::string> given_;
  std::set<std::string> known_;
};

}  // namespace stepscope
