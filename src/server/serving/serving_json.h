// SPDX-License-Identifier: Apache-2.0
//
// What the page asks of a server's iterations and requests. No answer grows
// with the trace: windows are put together by pixel, lists are cut and say how
// much there is. `bill`: how requests share device time. REQUIRES:
// OpenTrace::serving(), unless stated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "server/files/open_trace.h"
#include "server/http/parameters.h"

namespace stepscope::server {

// Requests of one answer, by arrival; iterations of one request; requests of
// one iteration; of these, those that stand beside an event.
inline constexpr size_t kMostRequests = 100'000;
inline constexpr size_t kMostIterationsOfRequest = 5'000;
inline constexpr size_t kMostMembers = 2'000;
inline constexpr size_t kMostMembersOfEvent = 20;

// Kinds of iterations, and how long things took.
std::string ServingJson(const OpenTrace& open);
// The iterations of a window, of one group of tracks or of all ranks that do
// not repeat another; those that share a pixel are one. `request`: whose
// iterations are marked.
std::string IterationsJson(const OpenTrace& open, const Stretch& window,
                           std::optional<uint32_t> group,
                           std::optional<uint32_t> request);
std::string RequestsJson(const OpenTrace& open, BillRule bill,
                         size_t most = kMostRequests);
// REQUIRES: there is one of that number.
std::string IterationJson(const OpenTrace& open, uint32_t index, BillRule bill);
std::string RequestJson(const OpenTrace& open, uint32_t index, BillRule bill);
// Where the device works for some iterations: by track, what shares a pixel as
// one. REQUIRES: `chosen` has an entry per iteration.
std::string IterationWorkJson(const OpenTrace& open,
                              const std::vector<bool>& chosen,
                              const Stretch& window);
// By iteration, whether it is one of a request.
std::vector<bool> IterationsOfRequest(const Serving& serving, uint32_t request);
// Of tracks, that its thread is shown in; nothing: it is not shown.
std::optional<uint32_t> GroupOf(const OpenTrace& open, const IterationRow& one);

// How many iterations and requests a trace has, and where; of any trace.
std::string ServesJson(const OpenTrace& open);
// "iteration": that of an event of any trace, with the first of its requests;
// or null.
void WriteIterationOf(JsonWriter& json, const OpenTrace& open, Row row);

}  // namespace stepscope::server
