// SPDX-License-Identifier: Apache-2.0
//
// Requests about the traces of the folder as a list, and about jobs of several
// ranks, which are read trace by trace: none of them has to be open.
#include "server/api.h"
#include "server/jobs/job_json.h"

namespace stepscope::server {

void Api::AddJobs() {
  Add("GET", "traces", [this](const Parameters&, Response& response) {
    AnswerText(response, TracesJson(folder_, reader_, jobs_));
  });
  Add("POST", "read", [this](const Parameters& parameters, Response& response) {
    const std::optional<Target> target = folder_.Find(parameters.Text("t"));
    if (!target) {
      AnswerError(response, 404, "this trace is no longer in the folder");
      return;
    }
    reader_.Want(target->windows);
    AnswerText(response, TracesJson(folder_, reader_, jobs_));
  });
  const auto add = [this](std::string_view path, auto answer) {
    Add("GET", path,
        [this, answer](const Parameters& parameters, Response& response) {
          AnswerAbout(response, [&]() -> Result<std::string> {
            STEPSCOPE_TRY_ASSIGN(
                const ChosenJob chosen,
                ChooseJob(folder_, reader_, jobs_, parameters.Text("t")));
            return answer(chosen, parameters);
          }());
        });
  };
  add("job", [](const ChosenJob& chosen, const Parameters& parameters) {
    return JobJson(chosen, parameters);
  });
  add("job_steps", [](const ChosenJob& chosen, const Parameters& parameters) {
    return JobStepsJson(chosen, parameters);
  });
  add("heat", [](const ChosenJob& chosen, const Parameters& parameters) {
    return HeatJson(chosen, parameters);
  });
}

}  // namespace stepscope::server
