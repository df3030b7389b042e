// SPDX-License-Identifier: Apache-2.0
#include "read/answers.h"

#include "analysis/compare/compare.h"
#include "analysis/replay/whatif.h"
#include "base/json_writer.h"
#include "read/export.h"
#include "report/info/info.h"
#include "report/render_advice.h"
#include "report/render_compare.h"
#include "report/render_whatif.h"
#include "report/screen.h"
#include "report/summary.h"
#include "report/timeline_svg.h"

namespace stepscope {
namespace {

Result<std::string> SummaryText(const Trace& trace, ReadRequest& request) {
  TableOptions options;
  STEPSCOPE_TRY(request.ReadSummary(options));
  STEPSCOPE_TRY(request.ReadStyle(options));
  STEPSCOPE_TRY(
      ReadWords({.views = request.Text("views").value_or("")}, options));
  STEPSCOPE_TRY_ASSIGN(const std::string format,
                       request.Choice("format", {"text", "json", "csv", "md"}));
  options.format = *ParseTableFormat(format);
  options.layout = UsualLayout(options);
  if (request.Text("layout")) {
    STEPSCOPE_TRY_ASSIGN(const std::string layout,
                         request.Choice("layout", {"screen", "paddle"}));
    options.layout = *ParseTextLayout(layout);
  }
  if (options.is_screen()) {
    FillScreenStyle({.sort = request.Text("sort").has_value(),
                     .unit = request.Text("unit").has_value(),
                     .top = request.Text("top").has_value()},
                    options);
  }
  STEPSCOPE_TRY(request.Finish());
  return RenderSummaryOfSteps(trace, options);
}

Result<std::string> AdviceText(const Trace& trace, ReadRequest& request) {
  SummaryOptions options;
  options.views = kAdviceView;
  STEPSCOPE_TRY_ASSIGN(options.steps, request.Steps());
  STEPSCOPE_TRY_ASSIGN(options.unprofiled_ns, request.Unprofiled());
  STEPSCOPE_TRY_ASSIGN(const std::string format,
                       request.Choice("format", {"text", "json", "md"}));
  STEPSCOPE_TRY(request.Finish());
  STEPSCOPE_TRY_ASSIGN(const Summary summary,
                       ComputeSummaryOfSteps(trace, options));
  return format == "json" ? RenderAdviceJson(summary)
         : format == "md" ? RenderAdviceMarkdown(summary)
                          : RenderAdviceText(summary);
}

Result<std::string> WhatifText(const Trace& trace, ReadRequest& request) {
  WhatifOptions options;
  for (const std::string& text : request.List("change")) {
    STEPSCOPE_TRY_ASSIGN(Change change, ParseChange(text));
    options.changes.push_back(std::move(change));
  }
  STEPSCOPE_TRY_ASSIGN(const std::optional<StepChoice> steps, request.Steps());
  if (steps) options.steps = *steps;
  STEPSCOPE_TRY_ASSIGN(options.unprofiled_ns, request.Unprofiled());
  STEPSCOPE_TRY_ASSIGN(const std::string format,
                       request.Choice("format", {"text", "json", "md"}));
  STEPSCOPE_TRY(request.Finish());
  STEPSCOPE_TRY_ASSIGN(const Whatif whatif, ComputeWhatif(trace, options));
  return format == "json" ? RenderWhatifJson(whatif)
         : format == "md" ? RenderWhatifMarkdown(whatif)
                          : RenderWhatifText(whatif);
}

Result<std::string> CompareText(const Trace& a, const Trace* b,
                                ReadRequest& request) {
  if (b == nullptr)
    return Fail(ErrorCode::kInvalidArgument, "compare: needs two traces");
  CompareOptions compare;
  STEPSCOPE_TRY_ASSIGN(const std::optional<StepChoice> steps, request.Steps());
  if (steps) compare.steps = *steps;
  TableOptions options;
  STEPSCOPE_TRY(request.ReadStyle(options));
  STEPSCOPE_TRY_ASSIGN(const std::string format,
                       request.Choice("format", {"text", "json", "csv", "md"}));
  options.format = *ParseTableFormat(format);
  STEPSCOPE_TRY(request.Finish());
  STEPSCOPE_TRY_ASSIGN(const Comparison comparison,
                       CompareTraces(a, *b, compare));
  return RenderComparison(comparison, options);
}

Result<std::string> InfoAsJson(std::shared_ptr<const Trace> trace,
                               ReadRequest& request) {
  STEPSCOPE_TRY(request.Finish());
  TraceInfo input;
  input.trace = std::move(trace);
  return InfoJson(input);
}

Result<std::string> TimelineSvg(const Trace& trace, ReadRequest& request) {
  TimelineSvgOptions options;
  STEPSCOPE_TRY_ASSIGN(options.begin_ns,
                       request.Nanoseconds("start_ns", options.begin_ns));
  STEPSCOPE_TRY_ASSIGN(options.end_ns,
                       request.Nanoseconds("end_ns", options.end_ns));
  STEPSCOPE_TRY_ASSIGN(options.width, request.Count("width", options.width));
  STEPSCOPE_TRY_ASSIGN(options.max_tracks,
                       request.Count("max_tracks", options.max_tracks));
  STEPSCOPE_TRY_ASSIGN(options.max_depth,
                       request.Count("max_depth", options.max_depth));
  STEPSCOPE_TRY(request.Finish());
  return RenderTimelineSvg(trace, options);
}

Result<std::string> TableList(ReadRequest& request) {
  STEPSCOPE_TRY(request.Finish());
  JsonWriter json;
  json.BeginArray();
  for (const TableSchema& table : AllTables()) {
    json.BeginObject().Field("key", table.key).Field("title", table.title);
    json.Field("meaning", table.meaning).EndObject();
  }
  json.EndArray();
  return json.Take();
}

}  // namespace

Result<std::string> Answer(const std::shared_ptr<const Trace>& trace,
                           const Trace* other, std::string_view question,
                           ReadRequest& request) {
  if (question == "summary") return SummaryText(*trace, request);
  if (question == "advise") return AdviceText(*trace, request);
  if (question == "whatif") return WhatifText(*trace, request);
  if (question == "compare") return CompareText(*trace, other, request);
  if (question == "info") return InfoAsJson(trace, request);
  if (question == "export") return ExportTrace(*trace, request);
  if (question == "timeline") return TimelineSvg(*trace, request);
  if (question == "tables") return TableList(request);
  return Fail(ErrorCode::kInvalidArgument,
              "unknown question \"" + std::string(question) + "\"");
}

}  // namespace stepscope
