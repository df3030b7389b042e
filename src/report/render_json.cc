// SPDX-License-Identifier: Apache-2.0
#include "report/render_json.h"

#include "analysis/tables/all_tables.h"
#include "base/json_writer.h"
#include "report/ledger_json.h"
#include "report/shown_rows.h"
#include "report/table_json.h"

namespace stepscope {

std::string RenderJson(const Summary& summary, const TableOptions& options) {
  const ViewSet views = options.chosen_views();
  JsonWriter json;
  json.BeginObject();
  WriteSource(json, *summary.trace);
  WriteLedger(json, *summary.trace,
              {summary.no_launch, summary.outlives_parent});
  std::vector<std::string> notes = summary.notes;
  for (const TableSchema& table : AllTables()) {
    if (!table.json_views) continue;
    json.Key(table.key);
    if (!(views & table.json_views)) {
      WriteTable(json, table, {});
      continue;
    }
    const ShownRows shown = RowsToShow(table, summary, options.style.top);
    WriteTable(json, table, shown.rows);
    if (shown.left_out > 0) {
      notes.push_back(std::string(table.title) + ": " +
                      MoreRows(shown.left_out, options.style));
    }
  }
  json.Key("notes").BeginArray();
  for (const std::string& note : notes) json.String(note);
  json.EndArray().EndObject();
  return json.Take() + "\n";
}

}  // namespace stepscope
