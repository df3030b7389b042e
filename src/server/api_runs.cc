// SPDX-License-Identifier: Apache-2.0
//
// Requests about what can be opened, and about opening it.
#include <algorithm>
#include <chrono>

#include "base/json_writer.h"
#include "server/api.h"
#include "server/http/response_headers.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostSkipped = 100;
constexpr auto kLongestWait = std::chrono::seconds(25);
constexpr auto kNewsEvery = std::chrono::milliseconds(500);

void WriteProgress(JsonWriter& json, const OpenProgress& progress) {
  json.Field("state", OpenStateName(progress.state));
  json.Field("done", progress.done).Field("total", progress.total);
  json.Field("stage", progress.stage).Field("error", progress.error);
  json.Field("preview", progress.preview);
  if (!progress.jobs.empty()) {
    json.Key("jobs").BeginArray();
    for (const std::string& job : progress.jobs) json.String(job);
    json.EndArray();
  }
}

std::string ProgressJson(const OpenProgress& progress) {
  JsonWriter json;
  json.BeginObject();
  WriteProgress(json, progress);
  json.EndObject();
  return json.Take() + "\n";
}

void WriteWindow(JsonWriter& json, const Window& window, Sessions& sessions) {
  const OpenProgress progress = sessions.ProgressOf(window.id);
  json.BeginObject().Field("t", window.id).Field("name", window.name);
  json.Field("file", window.file).Field("format", window.format);
  json.Field("bytes", window.identity.bytes);
  json.Field("modified_ns", std::to_string(window.identity.changed_ns));
  json.Field("state", OpenStateName(progress.state));
  json.Field("error", progress.error);
  json.Field("recording", window.recording);
  json.Field("changed", sessions.IsOutdated(window)).EndObject();
}

void WriteRun(JsonWriter& json, const Run& run, Sessions& sessions) {
  json.BeginObject().Field("id", run.id).Field("name", run.name);
  json.Key("workers").BeginArray();
  for (const Worker& worker : run.workers) {
    json.BeginObject().Field("id", worker.id).Field("name", worker.name);
    json.Key("rank");
    if (worker.rank)
      json.Int(*worker.rank);
    else
      json.Null();
    json.Key("windows").BeginArray();
    for (const Window& window : worker.windows)
      WriteWindow(json, window, sessions);
    json.EndArray().EndObject();
  }
  json.EndArray().Key("all");
  if (run.all.empty()) {
    json.Null();
  } else {
    const OpenProgress progress = sessions.ProgressOf(run.all);
    json.BeginObject().Field("t", run.all).Field("name", "All workers");
    json.Field("state", OpenStateName(progress.state));
    json.Field("error", progress.error).EndObject();
  }
  json.EndObject();
}

std::string RunsJson(const Listing& listing, Sessions& sessions) {
  JsonWriter json;
  json.BeginObject().Field("stepscope", STEPSCOPE_VERSION);
  json.Field("folder", listing.name);
  json.Field("generation", listing.generation);
  json.Field("problem", listing.problem).Field("one_file", listing.one_file);
  json.Field("dataset", listing.dataset);
  json.Key("runs").BeginArray();
  for (const Run& run : listing.runs) WriteRun(json, run, sessions);
  json.EndArray().Field("skipped_count", uint64_t{listing.skipped.size()});
  json.Key("skipped").BeginArray();
  for (size_t i = 0; i < std::min(listing.skipped.size(), kMostSkipped); ++i) {
    json.BeginObject().Field("file", listing.skipped[i].file);
    json.Field("why", listing.skipped[i].why).EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

// A part of a file that was dropped on the page. With the last one comes what
// it is called now, or why it cannot be shown.
Result<std::string> AnswerDrop(const Parameters& parameters, Folder& folder,
                               DroppedFiles& dropped) {
  DroppedPart part;
  part.id = parameters.Text("id");
  part.name = parameters.Text("name");
  part.bytes = parameters.body();
  STEPSCOPE_TRY_ASSIGN(const int64_t total, parameters.Integer("bytes"));
  STEPSCOPE_TRY_ASSIGN(const int64_t at, parameters.Integer("at", 0));
  part.total = static_cast<uint64_t>(total);
  part.at = static_cast<uint64_t>(at);
  STEPSCOPE_TRY_ASSIGN(const DroppedSoFar so_far, dropped.Add(part));
  std::string id;
  std::string why;
  if (!so_far.path.empty()) {
    folder.ShowDropped(dropped.folder());
    folder.LookNow();
    id = folder.IdOfPath(so_far.path);
    if (id.empty()) {
      why = "it is not a trace that stepscope can read";
      dropped.Remove(so_far.path);
      folder.LookNow();
    }
  }
  JsonWriter json;
  json.BeginObject().Field("id", so_far.id).Field("bytes", so_far.bytes);
  json.Field("t", id).Field("why", why).EndObject();
  return json.Take();
}

}  // namespace

void Api::AddRuns() {
  Add("GET", "runs", [this](const Parameters&, Response& response) {
    AnswerText(response, RunsJson(*folder_.List(), sessions_));
  });
  Add("GET", "changes",
      [this](const Parameters& parameters, Response& response) {
        const Result<int64_t> known = parameters.Integer("generation", 0);
        if (!known) {
          AnswerError(response, known.error());
          return;
        }
        const uint64_t generation =
            folder_.WaitForChange(static_cast<uint64_t>(*known), kLongestWait);
        JsonWriter json;
        json.BeginObject().Field("generation", generation).EndObject();
        AnswerText(response, json.Take());
      });
  Add("GET", "live", [this](const Parameters& parameters, Response& response) {
    const std::optional<Target> target = folder_.Find(parameters.Text("t"));
    if (!target || target->windows.size() != 1)
      AnswerError(response, 404, "there is no such trace");
    else
      AnswerAbout(response, live_answers_.Answer(target->windows[0]));
  });
  Add("POST", "open", [this](const Parameters& parameters, Response& response) {
    const Result<OpenProgress> progress = sessions_.Open(parameters.Text("t"));
    if (progress)
      AnswerText(response, ProgressJson(*progress));
    else
      AnswerError(response, progress.error());
  });
  Add("POST", "cancel",
      [this](const Parameters& parameters, Response& response) {
        const std::string id = parameters.Text("t");
        sessions_.Cancel(id);
        AnswerText(response, ProgressJson(sessions_.ProgressOf(id)));
      });
  Add("POST", "drop", [this](const Parameters& parameters, Response& response) {
    AnswerAbout(response, AnswerDrop(parameters, folder_, dropped_));
  });
  Add("GET", "progress",
      [this](const Parameters& parameters, Response& response) {
        StreamProgress(parameters.Text("t"), response);
      });
}

// A line at each change and at least twice a second, until it is over.
void Api::StreamProgress(const std::string& id, Response& response) const {
  response.status = 200;
  response.set_header("Cache-Control", std::string(kNoStore));
  struct Last {
    bool first = true;
    uint64_t change = 0;
    std::chrono::steady_clock::time_point sent{};
  };
  response.set_chunked_content_provider(
      "application/x-ndjson", [this, id, last = std::make_shared<Last>()](
                                  size_t, httplib::DataSink& sink) {
        OpenProgress progress =
            last->first ? sessions_.ProgressOf(id)
                        : sessions_.WaitForNews(id, last->change, kNewsEvery);
        // Files report progress more often than anybody can see.
        const auto now = std::chrono::steady_clock::now();
        if (!last->first && progress.state == OpenState::kLoading &&
            now - last->sent < std::chrono::milliseconds(50)) {
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          progress = sessions_.ProgressOf(id);
        }
        last->first = false;
        last->change = progress.change;
        last->sent = now;
        const std::string line = ProgressJson(progress);
        if (!sink.write(line.data(), line.size())) return false;
        if (progress.state != OpenState::kLoading || stopping_) sink.done();
        return true;
      });
}

}  // namespace stepscope::server
