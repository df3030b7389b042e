// SPDX-License-Identifier: Apache-2.0
#include "cli/dataset/query_output.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/json_text.h"
#include "base/name_display.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "query/arrow_stream.h"
#include "query/result_text.h"

namespace stepscope {
namespace {

constexpr size_t kBlockBytes = 1 << 16;

// Text for a sink, handed over in blocks.
class Writer {
 public:
  explicit Writer(Sink& sink) : sink_(sink) {}

  std::string& text() { return text_; }
  Status Flush(size_t at_least = 0) {
    if (text_.empty() || text_.size() < at_least) return Ok();
    Block block(text_.size());
    text_.copy(block.data.get(), text_.size());
    block.size = text_.size();
    text_.clear();
    return sink_.Write(block);
  }

 private:
  Sink& sink_;
  std::string text_;
};

// Calls `write(row)` for the first `limit` rows; true: there were more.
template <typename Write>
Result<bool> ForEachRow(QueryResult& rows, uint64_t limit, Writer& writer,
                        Write write) {
  uint64_t left = limit == 0 ? std::numeric_limits<uint64_t>::max() : limit;
  while (rows.NextChunk()) {
    for (size_t row = 0; row < rows.rows(); ++row) {
      if (left-- == 0) return true;
      write(row);
      STEPSCOPE_TRY(writer.Flush(kBlockBytes));
    }
  }
  return false;
}

Status WriteCsv(QueryResult& rows, uint64_t limit, Writer& writer) {
  for (size_t i = 0; i < rows.columns(); ++i)
    writer.text() += (i > 0 ? "," : "") + CsvText(rows.name(i));
  writer.text() += '\n';
  STEPSCOPE_TRY(ForEachRow(rows, limit, writer, [&](size_t row) {
    for (size_t i = 0; i < rows.columns(); ++i) {
      if (i > 0) writer.text() += ',';
      const std::string text = CellText(rows, i, row);
      writer.text() += IsNumeric(rows.type(i)) ? CsvValue(text) : CsvText(text);
    }
    writer.text() += '\n';
  }));
  return Ok();
}

Status WriteJson(QueryResult& rows, uint64_t limit, Writer& writer) {
  std::vector<std::string> keys(rows.columns());
  for (size_t i = 0; i < keys.size(); ++i) {
    AppendJsonString(keys[i], rows.name(i));
    keys[i] = (i > 0 ? "," : "{") + keys[i] + ":";
  }
  const char* before = "[";
  STEPSCOPE_TRY(ForEachRow(rows, limit, writer, [&](size_t row) {
    writer.text() += std::exchange(before, ",\n ");
    for (size_t i = 0; i < keys.size(); ++i) {
      writer.text() += keys[i];
      AppendCellJson(writer.text(), rows, i, row);
    }
    writer.text() += '}';
  }));
  writer.text() += std::string_view(before) == "[" ? "[]\n" : "]\n";
  return Ok();
}

Status WriteArrow(QueryResult& rows, uint64_t limit, Writer& writer) {
  ArrowStream stream(rows);
  writer.text() += stream.Head();
  Status added = Ok();
  STEPSCOPE_TRY(ForEachRow(rows, limit, writer, [&](size_t row) {
    if (added) added = stream.Add(row);
    if (stream.full()) writer.text() += stream.TakeBatch();
  }));
  STEPSCOPE_TRY(added);
  writer.text() += stream.TakeBatch() + ArrowStream::Tail();
  return Ok();
}

// As many digits as a reader takes in.
std::string ShortNumber(double value) {
  const double size = std::fabs(value);
  if (size >= 1e15) return Format("%.6g", value);
  return Format(size >= 100 ? "%.1f" : size >= 1 ? "%.3f" : "%.4f", value);
}

std::string TableCell(const QueryResult& rows, size_t column, size_t row) {
  const duckdb::TypeId type = rows.type(column);
  if (type != duckdb::TypeId::kDouble && type != duckdb::TypeId::kFloat)
    return VisibleText(CellText(rows, column, row));
  const double value = rows.Double(column, row);
  if (rows.IsNull(column, row) || !std::isfinite(value)) return "";
  return ShortNumber(value);
}

// How wide columns may be, so that a line fits: the widest texts give way, to
// kNarrowest at least.
constexpr size_t kNarrowest = 16;
void FitWidths(const QueryResult& rows, size_t width,
               std::vector<size_t>& widths) {
  if (width == 0) return;
  size_t total = 2 * (widths.size() - std::min<size_t>(1, widths.size()));
  for (const size_t one : widths) total += one;
  while (total > width) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i)
      if (!IsNumeric(rows.type(i)) && widths[i] > kNarrowest &&
          (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == widths.size()) return;
    --widths[widest];
    --total;
  }
}

std::string Aligned(const std::string& text, size_t width, bool right) {
  const std::string blanks(width - std::min(width, DisplayWidth(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::string WithoutTrailingBlanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

Status WriteTextTable(QueryResult& rows, const RowStyle& style,
                      Writer& writer) {
  const uint64_t limit = style.limit;
  std::vector<std::vector<std::string>> lines(1);
  for (size_t i = 0; i < rows.columns(); ++i)
    lines[0].push_back(VisibleText(rows.name(i)));
  STEPSCOPE_TRY_ASSIGN(const bool more,
                       ForEachRow(rows, limit, writer, [&](size_t row) {
                         std::vector<std::string>& line = lines.emplace_back();
                         for (size_t i = 0; i < rows.columns(); ++i)
                           line.push_back(TableCell(rows, i, row));
                       }));
  std::vector<size_t> widths(rows.columns());
  for (const std::vector<std::string>& line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], DisplayWidth(line[i]));
  FitWidths(rows, style.width, widths);
  const auto print = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i)
      line += (i > 0 ? "  " : "") + Aligned(ShortenName(cells[i], widths[i]),
                                            widths[i], IsNumeric(rows.type(i)));
    writer.text() += WithoutTrailingBlanks(std::move(line)) + "\n";
  };
  print(lines[0]);
  std::vector<std::string> rule;
  for (const size_t width : widths) rule.emplace_back(width, '-');
  print(rule);
  for (size_t i = 1; i < lines.size(); ++i) print(lines[i]);
  if (lines.size() == 1) writer.text() += "(no rows)\n";
  if (more)
    writer.text() +=
        "More rows than " + std::to_string(limit) + "; --limit 0 prints all.\n";
  return Ok();
}

}  // namespace

Status WriteRows(QueryResult& rows, const RowStyle& style, Sink& sink) {
  Writer writer(sink);
  switch (style.format) {
    case RowFormat::kTable:
      STEPSCOPE_TRY(WriteTextTable(rows, style, writer));
      break;
    case RowFormat::kCsv:
      STEPSCOPE_TRY(WriteCsv(rows, style.limit, writer));
      break;
    case RowFormat::kJson:
      STEPSCOPE_TRY(WriteJson(rows, style.limit, writer));
      break;
    case RowFormat::kArrow:
      STEPSCOPE_TRY(WriteArrow(rows, style.limit, writer));
      break;
  }
  STEPSCOPE_TRY(writer.Flush());
  return sink.Close();
}

}  // namespace stepscope
