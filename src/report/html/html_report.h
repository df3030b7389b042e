// SPDX-License-Identifier: Apache-2.0
//
// A report as one file of HTML that needs nothing else: the answer, figures,
// charts, advice, tables and a timeline. It opens from disk; its security
// policy allows no script and no style but its own, and no request at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/summary.h"
#include "base/result.h"

namespace stepscope {

struct HtmlReportOptions {
  // Which steps the report is about; none: everything recorded.
  std::optional<StepChoice> steps = StepChoice::Settled();
  std::optional<int64_t> unprofiled_ns;
  // What the timeline shows, from the begin of the recording. Neither: a
  // settled step of usual length, or all steps of a chosen range.
  std::optional<int64_t> from_ns;
  std::optional<int64_t> to_ns;
  size_t top = 30;      // rows of a table; 0: all
  bool redact = false;  // hide names, hosts and paths
  std::string salt;     // of the hashes: a secret of this report
};

// Fails where there are no such steps, or nothing in the part to draw.
Result<std::string> RenderHtmlReport(const Trace& trace,
                                     const HtmlReportOptions& options);

}  // namespace stepscope
