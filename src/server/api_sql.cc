// SPDX-License-Identifier: Apache-2.0
//
// Requests of SQL over an open trace.
#include "base/json_writer.h"
#include "server/api.h"

namespace stepscope::server {

void Api::AddSql() {
  Add("GET", "sql_schema", [](const Parameters&, Response& response) {
    AnswerText(response, SqlSchema());
  });
  AddOnTrace(
      "sql",
      OfAllEvents([this](const OpenTrace& open, const Parameters& parameters) {
        return sql_.Ask(open, parameters.Text("q"), parameters.Text("id"));
      }));
  Add("POST", "sql_stop",
      [this](const Parameters& parameters, Response& response) {
        JsonWriter json;
        json.BeginObject();
        json.Field("stopped", sql_.Stop(parameters.Text("id"))).EndObject();
        AnswerText(response, json.Take());
      });
}

}  // namespace stepscope::server
