// SPDX-License-Identifier: Apache-2.0
#include "report/view_table_json.h"

#include <algorithm>
#include <memory>

#include "analysis/moments.h"
#include "report/table_json.h"

namespace stepscope {
std::string FlatTableJson(const std::vector<TableColumn>& columns,
                          const ViewRows& view) {
  JsonWriter json;
  json.BeginObject();
  WriteFlatTable(json, columns, view.rows);
  if (!view.facts.empty()) {
    json.Key("facts").BeginObject();
    for (const ViewFact& fact : view.facts) json.Field(fact.key, fact.value);
    json.EndObject();
  }
  json.EndObject();
  return json.Take();
}

void WriteFlatTable(JsonWriter& json, const std::vector<TableColumn>& columns,
                    const RowList& rows, size_t most) {
  WriteColumnDeclarations(json, columns);
  json.Key("rows").BeginArray();
  for (size_t i = 0; i < std::min(rows.size(), most); ++i) {
    json.BeginArray();
    for (const TableColumn& column : columns)
      WriteCell(json, column, column.cell(rows[i]));
    json.EndArray();
  }
  json.EndArray();
}

void WriteColumnDeclarations(JsonWriter& json,
                             const std::vector<TableColumn>& columns) {
  json.Key("columns").BeginArray();
  for (const TableColumn& column : columns) {
    json.BeginObject();
    json.Field("key", column.name).Field("title", column.title);
    json.Field("type", TypeText(column.type));
    json.Field("unit", UnitText(column));
    json.Field("adds", AddsText(column.adds));
    json.Field("meaning", column.meaning);
    if (column.type == CellType::kRows || column.type == CellType::kList)
      WriteColumnDeclarations(json, column.columns);
    json.EndObject();
  }
  json.EndArray();
}

Result<std::string> ViewTableJson(const EventTree& tree, const StepTable& all,
                                  int64_t origin_ns, std::string_view key,
                                  const ViewQuery& query,
                                  const std::optional<StepChoice>& steps) {
  const ViewTable& table = *FindViewTable(key);
  const auto rows_of = [&](const EventTree& part, const StepTable& of_part) {
    return FlatTableJson(WithMomentsFrom(origin_ns, table.columns),
                         table.rows({part, of_part, query}));
  };
  if (!steps || steps->kind == StepChoice::Kind::kAll)
    return rows_of(tree, all);
  const Result<StepSelection> chosen = SelectSteps(tree, all, *steps);
  if (!chosen) return chosen.error();
  if (!chosen->trace) return rows_of(tree, all);
  const EventTree part(*chosen->trace);
  const StepTable part_steps(part, /*find_warmup=*/false);
  return rows_of(part, part_steps);
}

}  // namespace stepscope
