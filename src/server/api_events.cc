// SPDX-License-Identifier: Apache-2.0
//
// Requests about single events and about what a reader has marked.
#include "server/api.h"
#include "server/event_json.h"
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

}  // namespace

void Api::AddEvents() {
  AddOnTrace("event", AnswerEvent);
  AddOnTrace("same", AnswerSame);
}

}  // namespace stepscope::server
