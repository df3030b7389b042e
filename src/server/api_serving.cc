// SPDX-License-Identifier: Apache-2.0
//
// Requests about iterations and requests of an inference server.
#include <algorithm>

#include "server/api.h"
#include "server/serving/serving_json.h"

namespace stepscope::server {
namespace {

// No longer than the trace: that is what its pixels are of.
Result<Stretch> ReadWindow(const OpenTrace& open,
                           const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(Stretch window, ReadStretch(parameters));
  window.end = std::max(window.begin, std::min(window.end, open.span_ns() + 1));
  return window;
}

// A number below `limit`; nothing: not asked for.
Result<std::optional<uint32_t>> ReadNumber(const Parameters& parameters,
                                           const char* name, size_t limit) {
  if (!parameters.has(name)) return std::optional<uint32_t>();
  STEPSCOPE_TRY_ASSIGN(const int64_t number,
                       parameters.Integer(name, std::nullopt, 0,
                                          static_cast<int64_t>(limit) - 1));
  return std::optional(static_cast<uint32_t>(number));
}

Result<uint32_t> ReadIndex(const Parameters& parameters, size_t limit) {
  STEPSCOPE_TRY_ASSIGN(const int64_t number,
                       parameters.Integer("index", std::nullopt, 0,
                                          static_cast<int64_t>(limit) - 1));
  return static_cast<uint32_t>(number);
}

// Absent: by tokens.
Result<BillRule> ReadBill(const Parameters& parameters) {
  if (!parameters.has("bill")) return BillRule::kTokens;
  const std::string text = parameters.Text("bill");
  if (const auto rule = BillRuleByName(text)) return *rule;
  return Fail(ErrorCode::kInvalidArgument,
              "bill: unknown rule \"" + text +
                  "\"; use tokens, requests or decode-first");
}

Result<std::string> AnswerIterations(const OpenTrace& open,
                                     const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const Stretch window, ReadWindow(open, parameters));
  STEPSCOPE_TRY_ASSIGN(
      const std::optional<uint32_t> group,
      ReadNumber(parameters, "group", open.view().groups.size()));
  STEPSCOPE_TRY_ASSIGN(
      const std::optional<uint32_t> request,
      ReadNumber(parameters, "request", open.serving()->request_count()));
  return IterationsJson(open, window, group, request);
}

Result<std::string> AnswerIteration(const OpenTrace& open,
                                    const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(
      const uint32_t index,
      ReadIndex(parameters, open.serving()->iterations().list.size()));
  STEPSCOPE_TRY_ASSIGN(const BillRule bill, ReadBill(parameters));
  return IterationJson(open, index, bill);
}

Result<std::string> AnswerRequest(const OpenTrace& open,
                                  const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const uint32_t index,
                       ReadIndex(parameters, open.serving()->request_count()));
  STEPSCOPE_TRY_ASSIGN(const BillRule bill, ReadBill(parameters));
  return RequestJson(open, index, bill);
}

Result<std::string> AnswerIterationWork(const OpenTrace& open,
                                        const Parameters& parameters) {
  const Serving& serving = *open.serving();
  STEPSCOPE_TRY_ASSIGN(const Stretch window, ReadWindow(open, parameters));
  STEPSCOPE_TRY_ASSIGN(
      const std::optional<uint32_t> request,
      ReadNumber(parameters, "request", serving.request_count()));
  STEPSCOPE_TRY_ASSIGN(
      const std::optional<uint32_t> iteration,
      ReadNumber(parameters, "iteration", serving.iterations().list.size()));
  if (request.has_value() == iteration.has_value())
    return Fail(ErrorCode::kInvalidArgument,
                "expected a request or an iteration");
  if (request)
    return IterationWorkJson(open, IterationsOfRequest(serving, *request),
                             window);
  std::vector<bool> chosen(serving.iterations().list.size());
  chosen[*iteration] = true;
  return IterationWorkJson(open, chosen, window);
}

}  // namespace

void Api::AddServing() {
  // Of any trace; takes its time where there are millions of marks.
  AddOnTrace("serves",
             OfAllEvents([](const OpenTrace& open,
                            const Parameters&) -> Result<std::string> {
               return ServesJson(open);
             }));
  const auto add = [this](std::string_view path, OnTrace answer) {
    AddOnTrace(
        path,
        OfAllEvents([answer = std::move(answer)](
                        const OpenTrace& open,
                        const Parameters& parameters) -> Result<std::string> {
          if (open.serving() == nullptr)
            return Fail(ErrorCode::kNotFound,
                        "this trace has no iterations and no requests "
                        "of a server");
          return answer(open, parameters);
        }));
  };
  add("serving",
      [](const OpenTrace& open, const Parameters&) -> Result<std::string> {
        STEPSCOPE_TRY_ASSIGN(
            const std::shared_ptr<const std::string> text,
            open.Document("serving", [&]() -> Result<std::string> {
              return ServingJson(open);
            }));
        return *text;
      });
  add("iterations", AnswerIterations);
  add("iteration", AnswerIteration);
  add("requests",
      [](const OpenTrace& open,
         const Parameters& parameters) -> Result<std::string> {
        STEPSCOPE_TRY_ASSIGN(const BillRule bill, ReadBill(parameters));
        return RequestsJson(open, bill);
      });
  add("request", AnswerRequest);
  add("iteration_work", AnswerIterationWork);
}

}  // namespace stepscope::server
