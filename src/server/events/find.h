// SPDX-License-Identifier: Apache-2.0
//
// Searching events by name, in the order of time over all tracks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/files/open_trace.h"

namespace stepscope::server {

struct FindRequest {
  std::string text;  // part of a name in any case, or /extended regex/
  int64_t from = 0;  // from the origin: where to begin
  bool forwards = true;
  Row after = kNoRow;  // begin behind (or before) this event instead
};

// Which names match, by id. Fails where a pattern makes no sense, or would
// take too long.
Result<std::vector<bool>> MatchNames(const Trace& trace,
                                     const std::string& text);

Result<std::string> FindJson(const OpenTrace& open, const FindRequest& request);
// All that match, as a list; the first 5,000 by time.
Result<std::string> HitsJson(const OpenTrace& open, const std::string& text);

}  // namespace stepscope::server
