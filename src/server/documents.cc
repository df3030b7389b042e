// SPDX-License-Identifier: Apache-2.0
#include "server/documents.h"

#include <optional>

#include "analysis/compare/compare.h"
#include "analysis/moments.h"
#include "analysis/replay/change.h"
#include "analysis/replay/whatif.h"
#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "base/json_writer.h"
#include "report/compare_columns.h"
#include "report/html/html_report.h"
#include "report/render_advice.h"
#include "report/render_compare.h"
#include "report/render_whatif.h"
#include "report/summary.h"
#include "report/table_json.h"
#include "report/view_table_json.h"

namespace stepscope::server {
namespace {

void WriteDeclaration(JsonWriter& json, const TableSchema& table) {
  json.Field("key", table.key).Field("title", table.title);
  json.Field("meaning", table.meaning);
  json.Field("shape", table.shape == TableShape::kRows  ? "rows"
                      : table.shape == TableShape::kOne ? "one"
                                                        : "groups");
  WriteColumnDeclarations(json, table.columns);
}

}  // namespace

Result<std::string> SummaryDocument(const OpenTrace& open,
                                    const SummaryWords& words) {
  TableOptions options;
  options.format = TableFormat::kJson;
  STEPSCOPE_TRY(ReadWords(words, options));
  return RenderSummaryOfSteps(open.trace(), options);
}

Result<std::string> ReportDocument(const OpenTrace& open,
                                   const std::string& steps) {
  HtmlReportOptions options;
  STEPSCOPE_TRY_ASSIGN(options.steps, StepsOf(steps, options.steps));
  return RenderHtmlReport(open.trace(), options);
}

Result<std::string> AdviseDocument(const OpenTrace& open,
                                   const std::string& steps) {
  SummaryOptions options;
  options.views = kAdviceView;
  STEPSCOPE_TRY_ASSIGN(options.steps, StepsOf(steps, StepChoice::Settled()));
  STEPSCOPE_TRY_ASSIGN(const Summary summary,
                       ComputeSummaryOfSteps(open.trace(), options));
  return RenderAdviceJson(summary);
}

Result<std::string> WhatifDocument(const OpenTrace& open,
                                   const std::vector<std::string>& changes,
                                   const std::string& steps) {
  WhatifOptions options;
  for (const std::string& text : changes) {
    STEPSCOPE_TRY_ASSIGN(Change change, ParseChange(text));
    options.changes.push_back(std::move(change));
  }
  STEPSCOPE_TRY_ASSIGN(const std::optional<StepChoice> choice,
                       StepsOf(steps, StepChoice::Settled()));
  options.steps = *choice;
  STEPSCOPE_TRY_ASSIGN(const Whatif whatif,
                       ComputeWhatif(open.trace(), options));
  return RenderWhatifJson(whatif);
}

Result<std::string> CompareDocument(const OpenTrace& a, const OpenTrace& b,
                                    const std::string& steps,
                                    const std::string& name_a,
                                    const std::string& name_b) {
  CompareOptions options;
  options.name_a = name_a;
  options.name_b = name_b;
  STEPSCOPE_TRY_ASSIGN(const std::optional<StepChoice> choice,
                       StepsOf(steps, StepChoice::Settled()));
  options.steps = *choice;
  STEPSCOPE_TRY_ASSIGN(const Comparison comparison,
                       CompareTraces(a.trace(), b.trace(), options));
  TableOptions table;
  table.format = TableFormat::kJson;
  return RenderComparison(comparison, table);
}

std::string TablesJson() {
  JsonWriter json;
  json.BeginObject().Key("tables").BeginArray();
  for (const TableSchema& table : AllTables()) {
    json.BeginObject();
    WriteDeclaration(json, table);
    json.EndObject();
  }
  // What `compare` answers: rows of several kinds, in one list.
  for (const bool bytes : {false, true}) {
    json.BeginObject().Field("key", bytes ? "compare_memory" : "compare");
    json.Field("title", "Comparison");
    json.Field("meaning", "what differs between two traces, and is it noise?");
    json.Field("shape", "rows");
    WriteColumnDeclarations(json, CompareColumns(bytes));
    json.EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

Result<std::string> TableJson(const OpenTrace& open, const std::string& key,
                              const SummaryWords& words) {
  const TableSchema* const table = FindTable(key);
  if (table == nullptr)
    return Fail(ErrorCode::kNotFound, "there is no table \"" + key + "\"");
  SummaryOptions options;
  options.views = table->view;
  options.flops = true;
  STEPSCOPE_TRY(ReadWords(words, options));
  STEPSCOPE_TRY_ASSIGN(const Summary summary,
                       ComputeSummaryOfSteps(open.trace(), options));
  JsonWriter json;
  json.BeginObject();
  WriteDeclaration(json, *table);
  json.Key("rows").BeginArray();
  const RowList rows = table->rows(summary);
  const std::vector<TableColumn> columns =
      WithMomentsFrom(open.origin_ns(), table->columns);
  for (size_t i = 0; i < rows.size(); ++i) {
    json.BeginArray();
    for (const TableColumn& column : columns)
      WriteCell(json, column, column.cell(rows[i]));
    json.EndArray();
  }
  json.EndArray().Key("notes").BeginArray();
  for (const std::string& note : summary.notes) json.String(note);
  json.EndArray().EndObject();
  return json.Take();
}

Result<std::string> ViewTableDocument(const OpenTrace& open,
                                      const std::string& key,
                                      const ViewQuery& query,
                                      const std::string& steps,
                                      KeptTexts& kept) {
  STEPSCOPE_TRY_ASSIGN(const std::optional<StepChoice> choice, StepsOf(steps));
  // Under everything that it depends on; the process and the place are text of
  // whoever asks, so they come last.
  std::string id = std::to_string(open.serial()) + "\n" + key + "\n" +
                   (choice ? StepChoiceText(*choice) : "") + "\n";
  if (query.range)
    id += std::to_string(query.range->begin) + " " +
          std::to_string(query.range->end);
  id += "\n" + std::to_string(query.process.size()) + "\n" +
        std::string(query.process) + std::string(query.place);
  STEPSCOPE_TRY_ASSIGN(const KeptTexts::Text text, kept.Get(id, [&] {
    return ViewTableJson(open.tree(), open.steps(), open.origin_ns(), key,
                         query, choice);
  }));
  return *text;
}

std::string ChangesJson() {
  JsonWriter json;
  json.BeginObject().Key("changes").BeginArray();
  for (const ChangeForm& form : ChangeForms()) {
    json.BeginObject().Field("form", form.form);
    json.Field("meaning", form.meaning).EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
