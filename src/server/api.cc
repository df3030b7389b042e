// SPDX-License-Identifier: Apache-2.0
#include "server/api.h"

#include <new>

#include "base/json_writer.h"
#include "report/table_options.h"
#include "server/http/assets.h"
#include "server/http/response_headers.h"

namespace stepscope::server {
namespace {

constexpr std::string_view kPrefix = "/api/v1/";

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kUnsupported:
    case ErrorCode::kCancelled:
      return 409;
    case ErrorCode::kIo:
    case ErrorCode::kCorrupt:
      break;
  }
  return 500;
}

// SQL has the shares of peaks that the page has.
SqlLimits SqlLimitsOf(const PeakWords& peaks) {
  SqlLimits limits;
  if (const auto stated = StatedPeaksOf("", peaks.compute, peaks.memory))
    limits.peaks = *stated;
  return limits;
}

}  // namespace

void AnswerAbout(Response& response, Result<std::string> text,
                 std::string_view type) {
  if (text) {
    AnswerText(response, *std::move(text), type);
  } else {
    AnswerError(response, text.error());
  }
}

void AnswerText(Response& response, std::string text, std::string_view type) {
  response.status = 200;
  response.body = std::move(text);
  response.set_header("Content-Type", std::string(type));
  response.set_header("Cache-Control", std::string(kNoStore));
}

void AnswerError(Response& response, int status, std::string_view why) {
  JsonWriter json;
  json.BeginObject().Field("error", why).EndObject();
  AnswerText(response, json.Take() + "\n");
  response.status = status;
  if (status == 401)
    response.set_header("WWW-Authenticate", "Bearer realm=\"stepscope\"");
}

void AnswerError(Response& response, const Error& error) {
  AnswerError(response, StatusOf(error.code), error.message);
}

Api::Api(const RequestGuard& guard, Folder& folder, Sessions& sessions,
         TraceReader& reader, DroppedFiles& dropped, std::string page_policy,
         PeakWords peaks)
    : guard_(guard),
      page_policy_(std::move(page_policy)),
      folder_(folder),
      sessions_(sessions),
      reader_(reader),
      jobs_(reader),
      dropped_(dropped),
      peaks_(std::move(peaks)),
      sql_(SqlLimitsOf(peaks_)) {
  AddRuns();
  AddTimeline();
  AddEvents();
  AddDocuments();
  AddJobs();
  AddServing();
  AddSql();
}

void Api::Add(std::string_view method, std::string_view path, Handler handler) {
  handlers_[{std::string(method), std::string(path)}] = std::move(handler);
}

void Api::AddOnTrace(std::string_view path, OnTrace answer,
                     std::string_view type) {
  Add("GET", path,
      [this, answer = std::move(answer), type](const Parameters& parameters,
                                               Response& response) {
        const std::shared_ptr<const OpenTrace> open =
            sessions_.Find(parameters.Text("t"));
        if (open == nullptr) {
          const bool preview =
              sessions_.FindPreview(parameters.Text("t")) != nullptr;
          AnswerError(response, 409,
                      preview ? "only a preview is there yet; wait until the "
                                "trace is open"
                              : "this trace is not open; open it first");
          return;
        }
        AnswerAbout(response, answer(*open, parameters), type);
      });
}

Api::OnTrace Api::OfAllEvents(OnTrace answer) {
  return [answer = std::move(answer)](const OpenTrace& open,
                                      const Parameters& parameters) {
    Result<std::string> text = answer(open, parameters);
    open.GiveBackMemory();
    return text;
  };
}

void Api::AddOnTraceOrPreview(std::string_view path, OnTrace answer,
                              OnPreview preview_answer, std::string_view type) {
  AddOnTrace(path, std::move(answer), type);
  Handler& handler = handlers_[{"GET", std::string(path)}];
  handler = [this, exact = std::move(handler),
             preview_answer = std::move(preview_answer),
             type](const Parameters& parameters, Response& response) {
    if (!parameters.has("preview")) {
      exact(parameters, response);
      return;
    }
    const std::shared_ptr<const PreviewTrace> preview =
        sessions_.FindPreview(parameters.Text("t"));
    if (preview == nullptr) {
      AnswerError(response, 409,
                  "this trace has no preview; wait until it is open");
      return;
    }
    AnswerAbout(response, preview_answer(*preview, parameters), type);
  };
}

void Api::Handle(const Request& request, Response& response) const {
  const std::string_view path = request.path;
  const bool api = path.starts_with(kPrefix);
  const Objection objection =
      api ? guard_.CheckApi(request) : guard_.CheckShell(request);
  if (objection.status != 0) {
    AnswerError(response, objection.status, objection.why);
    return;
  }
  if (!api) {
    const Asset* const asset = FindAsset(path);
    if (asset == nullptr) {
      AnswerError(response, 404, "there is no such page");
    } else if (request.method != "GET" && request.method != "HEAD") {
      AnswerError(response, 405, "pages can only be read");
    } else {
      AnswerText(response, std::string(asset->bytes), asset->type);
      if (asset == FindAsset("/")) {
        response.headers.erase(kPolicyHeader);
        response.set_header(kPolicyHeader, page_policy_);
      }
      if (asset->immutable) {
        response.headers.erase("Cache-Control");
        response.set_header("Cache-Control", std::string(kImmutable));
      }
    }
    return;
  }
  const std::string name(path.substr(kPrefix.size()));
  const auto handler = handlers_.find({request.method, name});
  if (handler == handlers_.end()) {
    const bool other =
        handlers_.contains({"GET", name}) || handlers_.contains({"POST", name});
    AnswerError(
        response, other ? 405 : 404,
        other ? "this request has another method" : "there is no such request");
    return;
  }
  try {
    handler->second(Parameters(request), response);
  } catch (const std::bad_alloc&) {
    AnswerError(response, 500, "not enough memory for this answer");
  }
}

}  // namespace stepscope::server
