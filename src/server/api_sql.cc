// SPDX-License-Identifier: Apache-2.0
//
// Requests of SQL over an open trace, or over the dataset that is shown.
#include "base/json_writer.h"
#include "server/api.h"

namespace stepscope::server {

void Api::AddSql() {
  Add("GET", "sql_schema",
      [this](const Parameters& parameters, Response& response) {
        const bool of_dataset =
            !folder_.FindDataset(parameters.Text("t")).empty();
        AnswerText(response, SqlSchema(of_dataset));
      });
  AddOnTrace(
      "sql",
      OfAllEvents([this](const OpenTrace& open, const Parameters& parameters) {
        return sql_.Ask({&open}, parameters.Text("q"), parameters.Text("id"));
      }));
  Handler& handler = handlers_[{"GET", "sql"}];
  handler = [this, of_trace = std::move(handler)](const Parameters& parameters,
                                                  Response& response) {
    const std::string dataset = folder_.FindDataset(parameters.Text("t"));
    if (dataset.empty())
      of_trace(parameters, response);
    else
      AnswerAbout(response, sql_.Ask({.dataset = dataset}, parameters.Text("q"),
                                     parameters.Text("id")));
  };
  Add("POST", "sql_stop",
      [this](const Parameters& parameters, Response& response) {
        JsonWriter json;
        json.BeginObject();
        json.Field("stopped", sql_.Stop(parameters.Text("id"))).EndObject();
        AnswerText(response, json.Take());
      });
}

}  // namespace stepscope::server
