// SPDX-License-Identifier: Apache-2.0
#include "read/table.h"

#include <limits>

#include "analysis/tables/all_tables.h"
#include "read/arrow_json.h"
#include "read/event_table.h"
#include "report/render_text.h"
#include "report/table_arrow.h"

namespace stepscope {
namespace {

Result<ReadTable> Events(std::shared_ptr<const Trace> trace,
                         ReadRequest& request) {
  STEPSCOPE_TRY_ASSIGN(const std::optional<StepChoice> steps, request.Steps());
  request.Text("unprofiled");  // of no meaning to single events
  STEPSCOPE_TRY(request.Finish());
  if (steps) {
    STEPSCOPE_TRY_ASSIGN(const StepSelection selection,
                         SelectSteps(trace, *steps));
    trace = selection.trace;
  }
  ReadTable table;
  STEPSCOPE_TRY_ASSIGN(table.arrow, MakeEventTable(trace));
  table.trace = std::move(trace);
  return table;
}

Error NoSuchTable(std::string_view key) {
  std::string keys;
  for (const TableSchema& table : AllTables())
    keys += std::string(table.key) + ", ";
  return Fail(ErrorCode::kInvalidArgument,
              "there is no table \"" + std::string(key) + "\"; choose from " +
                  keys + "events");
}

}  // namespace

Result<ReadTable> MakeTable(std::shared_ptr<const Trace> trace,
                            std::string_view key, ReadRequest& request) {
  if (key == "events") return Events(std::move(trace), request);
  ReadTable table;
  table.schema = FindTable(key);
  if (table.schema == nullptr) return NoSuchTable(key);
  SummaryOptions options;
  STEPSCOPE_TRY(request.ReadSummary(options));
  STEPSCOPE_TRY(request.Finish());
  options.views = table.schema->view;
  STEPSCOPE_TRY_ASSIGN(Summary summary, ComputeSummaryOfSteps(*trace, options));
  table.summary = std::make_shared<const Summary>(std::move(summary));
  table.trace = std::move(trace);
  STEPSCOPE_TRY_ASSIGN(table.arrow,
                       MakeArrowTable(*table.schema, *table.summary));
  return table;
}

Result<std::string> AskTable(const ReadTable& table, std::string_view question,
                             ReadRequest& request) {
  if (question == "columns") {
    STEPSCOPE_TRY(request.Finish());
    return ColumnsAsJson(*table.arrow);
  }
  if (question == "rows") {
    constexpr size_t kAll = std::numeric_limits<int64_t>::max();
    STEPSCOPE_TRY_ASSIGN(const size_t first, request.Count("first", 0));
    STEPSCOPE_TRY_ASSIGN(const size_t count, request.Count("count", kAll));
    STEPSCOPE_TRY(request.Finish());
    return RowsAsJson(*table.arrow, static_cast<int64_t>(first),
                      static_cast<int64_t>(std::min(count, kAll)));
  }
  if (question != "text" || table.schema == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                "unknown question \"" + std::string(question) + "\"");
  }
  TableOptions options;
  options.unit = TimeUnit::kAuto;
  STEPSCOPE_TRY(request.ReadStyle(options));
  STEPSCOPE_TRY(request.Finish());
  return RenderTableText(*table.schema, *table.summary, options);
}

}  // namespace stepscope
