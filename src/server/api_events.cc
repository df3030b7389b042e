// SPDX-License-Identifier: Apache-2.0
//
// Requests about single events and about what a reader has marked.
#include "server/api.h"
#include "server/event_json.h"
#include "server/find.h"
#include "server/same_name.h"

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
  STEPSCOPE_TRY_ASSIGN(request.from,
                       parameters.Integer("from", 0, 0, open.span_ns()));
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
  return LocateJson(open, parameters.Text("name"));
}

}  // namespace

void Api::AddEvents() {
  AddOnTrace("find", AnswerFind);
  AddOnTrace("locate", AnswerLocate);
  AddOnTrace("event", AnswerEvent);
  AddOnTrace("same", AnswerSame);
}

}  // namespace stepscope::server
