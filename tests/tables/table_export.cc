// SPDX-License-Identifier: Apache-2.0
//
// The tables of a trace for tables_test.py, which loads this by ctypes.
#include <memory>
#include <string>
#include <vector>

#include "analysis/tables/all_tables.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "report/render_csv.h"
#include "report/render_markdown.h"
#include "report/table_arrow.h"
#include "report/table_json.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

struct Loaded {
  std::shared_ptr<const Trace> trace;
  Summary summary;
};

std::string& Answer() {
  static std::string text;
  return text;
}

}  // namespace

extern "C" {

// A trace drawn as text; null if it cannot be read.
__attribute__((visibility("default"))) void* tables_load(const char* path) {
  const Result<std::string> text = ReadFile(path);
  if (!text) return nullptr;
  auto loaded = std::make_unique<Loaded>();
  loaded->trace = TraceFromText(*text);
  SummaryOptions options;
  options.views = kAllViews;
  loaded->summary = ComputeSummary(*loaded->trace, options);
  return loaded.release();
}

__attribute__((visibility("default"))) void tables_free(void* handle) {
  delete static_cast<Loaded*>(handle);
}

// Keys by comma. Valid until the next call, as all text here.
__attribute__((visibility("default"))) const char* tables_keys() {
  Answer().clear();
  for (const TableSchema& table : AllTables()) {
    if (!Answer().empty()) Answer() += ',';
    Answer() += table.key;
  }
  return Answer().c_str();
}

// "json", "csv" or "md".
__attribute__((visibility("default"))) const char* tables_render(
    void* handle, const char* key, const char* format) {
  const Summary& summary = static_cast<Loaded*>(handle)->summary;
  const TableSchema* const table = FindTable(key);
  const std::string name = format;
  if (name == "json") {
    JsonWriter json;
    WriteTable(json, *table, table->rows(summary));
    Answer() = json.Take();
  } else if (name == "csv") {
    Answer() = RenderCsv(summary, std::vector{table}, {});
  } else {
    TableOptions options;
    options.format = TableFormat::kMarkdown;
    options.unit = TimeUnit::kNs;
    Answer() = RenderTableMarkdown(*table, summary, options);
  }
  return Answer().c_str();
}

__attribute__((visibility("default"))) int tables_arrow(void* handle,
                                                        const char* key,
                                                        ArrowArrayStream* out) {
  const Summary& summary = static_cast<Loaded*>(handle)->summary;
  const auto table = MakeArrowTable(*FindTable(key), summary);
  if (table) ShareStream(*table, out);
  return table ? 0 : 1;
}

}  // extern "C"

}  // namespace stepscope
