// SPDX-License-Identifier: Apache-2.0
//
// Requests about single events and about what a reader has marked.
#include <algorithm>
#include <cstdint>

#include "server/api.h"
#include "server/events/event_json.h"
#include "server/events/find.h"
#include "server/events/locate.h"
#include "server/events/same_name.h"

namespace stepscope::server {
namespace {

Result<std::string> AnswerEvent(const OpenTrace& open,
                                const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const int64_t row,
                       parameters.Integer("row", std::nullopt, 0,
                                          int64_t{open.trace().size()} - 1));
  return EventJson(open, static_cast<Row>(row));
}

Result<std::string> AnswerSame(const OpenTrace& open,
                               const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(
      const int64_t name,
      parameters.Integer("name", std::nullopt, 0,
                         int64_t{open.trace().strings().size()} - 1));
  return SameNameJson(open, StringId{static_cast<uint32_t>(name)});
}

Result<std::string> AnswerFind(const OpenTrace& open,
                               const Parameters& parameters) {
  FindRequest request;
  request.text = parameters.Text("q");
  // A screen may begin before the trace or after its end.
  STEPSCOPE_TRY_ASSIGN(const int64_t from,
                       parameters.Integer("from", 0, INT64_MIN, INT64_MAX));
  request.from = std::clamp<int64_t>(from, 0, open.span_ns());
  const std::string direction = parameters.Text("dir");
  request.forwards = direction != "previous";
  if (!direction.empty() && direction != "next" && direction != "previous")
    return Fail(ErrorCode::kInvalidArgument, "dir: expected next or previous");
  if (parameters.has("row")) {
    STEPSCOPE_TRY_ASSIGN(const int64_t row,
                         parameters.Integer("row", std::nullopt, 0,
                                            int64_t{open.trace().size()} - 1));
    request.after = static_cast<Row>(row);
  }
  return FindJson(open, request);
}

Result<std::string> AnswerLocate(const OpenTrace& open,
                                 const Parameters& parameters) {
  LocateRequest request;
  request.table = parameters.Text("table");
  request.name = parameters.Text("name");
  request.steps = parameters.Text("steps");
  request.process = parameters.Text("process");
  const auto text = [&](const char* name, std::optional<std::string>& value) {
    if (parameters.has(name)) value = parameters.Text(name);
  };
  text("inside", request.inside);
  text("shapes", request.shapes);
  text("operator", request.launched_by);
  text("grid", request.grid);
  text("block", request.block);
  text("place", request.place);
  const auto number = [&](const char* name,
                          std::optional<int64_t>& value) -> Status {
    if (!parameters.has(name)) return Ok();
    STEPSCOPE_TRY_ASSIGN(value, parameters.Integer(name));
    return Ok();
  };
  STEPSCOPE_TRY(number("registers", request.registers));
  STEPSCOPE_TRY(number("shared_bytes", request.shared_bytes));
  STEPSCOPE_TRY(number("number", request.number));
  STEPSCOPE_TRY(number("rank", request.rank));
  STEPSCOPE_TRY(number("start_ns", request.start_ns));
  return LocateJson(open, request);
}

}  // namespace

void Api::AddEvents() {
  AddOnTrace("find", OfAllEvents(AnswerFind));
  AddOnTrace("hits", OfAllEvents([](const OpenTrace& open,
                                    const Parameters& parameters) {
               return HitsJson(open, parameters.Text("q"));
             }));
  AddOnTrace("locate", AnswerLocate);
  AddOnTrace("event", AnswerEvent);
  AddOnTrace("same", OfAllEvents(AnswerSame));
}

}  // namespace stepscope::server
