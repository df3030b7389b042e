// SPDX-License-Identifier: Apache-2.0
//
// Api: the table of requests, docs/formats/http.md as code. What is not in it
// does not exist. Every answer is an object of JSON unless stated otherwise;
// an error is {"error": "one line"}. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/files/dropped_files.h"
#include "server/files/folder.h"
#include "server/files/open_trace.h"
#include "server/files/sessions.h"
#include "server/http/http.h"
#include "server/http/parameters.h"
#include "server/http/request_guard.h"
#include "server/http/response_headers.h"
#include "server/jobs/job_tables.h"
#include "server/jobs/trace_reader.h"
#include "server/kept_texts.h"
#include "server/live/live_answer.h"
#include "server/peak_words.h"
#include "server/sql/sql_answers.h"

namespace stepscope::server {

class Api {
 public:
  // `page_policy`: the Content-Security-Policy of the page itself, which
  // others may be allowed to frame.
  Api(const RequestGuard& guard, Folder& folder, Sessions& sessions,
      TraceReader& reader, DroppedFiles& dropped,
      std::string page_policy = PolicyFramedBy("'none'"), PeakWords peaks = {});

  // Answers whatever request.
  void Handle(const Request& request, Response& response) const;
  // Answers that wait give up soon after.
  void Stop() {
    stopping_ = true;
    sql_.StopAll();
  }

 private:
  using Handler =
      std::function<void(const Parameters& parameters, Response& response)>;
  // Of requests about a trace that is open: the text of the answer.
  using OnTrace = std::function<Result<std::string>(const OpenTrace& open,
                                                    const Parameters&)>;

  // Each file api_*.cc adds its own.
  void AddRuns();
  void AddTimeline();
  void AddEvents();
  void AddDocuments();
  void AddJobs();
  void AddServing();
  void AddSql();

  void Add(std::string_view method, std::string_view path, Handler handler);
  void AddOnTrace(std::string_view path, OnTrace answer,
                  std::string_view type = "application/json");
  // For an answer that looks at all events. Afterwards the system gets back
  // what that took.
  static OnTrace OfAllEvents(OnTrace answer);
  // The same of the preview of a trace, for requests with `preview=1`.
  using OnPreview = std::function<Result<std::string>(
      const PreviewTrace& preview, const Parameters&)>;
  void AddOnTraceOrPreview(std::string_view path, OnTrace answer,
                           OnPreview preview_answer,
                           std::string_view type = "application/json");
  void StreamProgress(const std::string& id, Response& response) const;

  const RequestGuard& guard_;
  const std::string page_policy_;
  Folder& folder_;
  Sessions& sessions_;
  TraceReader& reader_;
  JobTables jobs_;
  DroppedFiles& dropped_;
  const PeakWords peaks_;
  std::map<std::pair<std::string, std::string>, Handler> handlers_;
  // Tables of views, of all open traces. Their keys have the traces' serials,
  // so those of a closed trace are never asked for and go first.
  mutable KeptTexts view_tables_{size_t{64} << 20};
  LiveAnswers live_answers_;
  mutable SqlAnswers sql_;
  std::atomic<bool> stopping_{false};
};

void AnswerText(Response& response, std::string text,
                std::string_view type = "application/json");
// An answer about a trace, or why there is none.
void AnswerAbout(Response& response, Result<std::string> text,
                 std::string_view type = "application/json");
void AnswerError(Response& response, int status, std::string_view why);
// By the kind of the error.
void AnswerError(Response& response, const Error& error);

}  // namespace stepscope::server
