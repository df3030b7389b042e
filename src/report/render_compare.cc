// SPDX-License-Identifier: Apache-2.0
#include "report/render_compare.h"

#include <cmath>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/grid.h"

namespace stepscope {
namespace {

constexpr size_t kLongestName = 60;
constexpr size_t kLongestShape = 40;
// Text shows what changed most; JSON and CSV have all.
constexpr size_t kRowsOfTable = 15;

std::string_view VerdictName(Verdict verdict) {
  constexpr std::string_view kNames[] = {"same", "faster", "slower"};
  return kNames[static_cast<size_t>(verdict)];
}

std::string Milli(double ns) { return Format("%.3f", ns / 1e6); }

std::string Value(const CompareRow& row, double value) {
  return row.key.table == CompareTable::kMemory ? Format("%.0f", value)
                                                : Milli(value);
}

std::string Change(const CompareRow& row) {
  if (!row.in_a) return "only in B";
  if (!row.in_b) return "only in A";
  return Format("%+.2f %%", row.ratio() * 100);
}

std::string Noise(const CompareRow& row) {
  if (!row.change.has_interval) return "-";
  return "+-" + Value(row, row.change.half_width) +
         (row.change.BeyondNoise() ? " *" : "");
}

std::vector<std::string> Line(const CompareRow& row) {
  std::string name = Shorten(VisibleText(row.key.name), kLongestName);
  if (!row.key.shape.empty()) {
    name += " " + Shorten(VisibleText(row.key.shape), kLongestShape);
  }
  return {name,
          std::to_string(row.calls_a),
          std::to_string(row.calls_b),
          Value(row, row.mean_a),
          Value(row, row.mean_b),
          Value(row, row.change.difference),
          Change(row),
          Noise(row)};
}

std::string Sentence(const Comparison& comparison) {
  const CompareRow& step = comparison.step;
  std::string text = "A step takes " + Milli(step.mean_a) + " ms in A and " +
                     Milli(step.mean_b) + " ms in B: ";
  switch (comparison.verdict()) {
    case Verdict::kSlower:
      text += "B is slower by ";
      break;
    case Verdict::kFaster:
      text += "B is faster by ";
      break;
    case Verdict::kSame:
      return text + (step.change.has_interval
                         ? "no difference beyond noise (" +
                               Format("%+.2f %%, noise floor %.2f %%)",
                                      step.ratio() * 100,
                                      step.mean_a > 0
                                          ? step.change.half_width /
                                                step.mean_a * 100
                                          : 0)
                         : "no difference") + ".";
  }
  text += Milli(std::abs(step.change.difference)) +
          Format(" ms (%.2f %%)", std::abs(step.ratio()) * 100);
  if (!step.change.has_interval) {
    return text + "; too few steps to say whether that is noise.";
  }
  return text + ", 95 % interval " +
         Milli(step.change.difference - step.change.half_width) + " to " +
         Milli(step.change.difference + step.change.half_width) + " ms.";
}

// At most `most` rows of each table.
std::vector<Grid> Grids(const Comparison& comparison, size_t most) {
  std::vector<Grid> grids;
  size_t left_out = 0;
  const auto close = [&] {
    if (left_out > 0) {
      grids.back().notes.push_back(std::to_string(left_out) +
                                   " rows that changed less are left out.");
    }
    left_out = 0;
  };
  for (const CompareRow& row : comparison.rows) {
    const std::string title(CompareTableName(row.key.table));
    if (grids.empty() || grids.back().title != title) {
      close();
      Grid grid;
      grid.title = title;
      grid.has_times = row.key.table != CompareTable::kMemory;
      grid.heads = {"Name", "Calls A", "Calls B", "A",
                    "B",    "B - A",   "Change",  "Noise"};
      grids.push_back(std::move(grid));
    }
    if (grids.back().rows.size() < most) {
      grids.back().rows.push_back(Line(row));
    } else {
      ++left_out;
    }
  }
  if (!grids.empty()) close();
  return grids;
}

constexpr std::string_view kLegend =
    "A, B: mean of a step. Noise: half of the 95 % interval over the steps; "
    "* marks a change beyond it.";

std::string RenderText(const Comparison& comparison, size_t most) {
  std::string out = Sentence(comparison) + "\n";
  for (const std::string& note : comparison.notes) out += "* " + note + "\n";
  out += "\n";
  for (const Grid& grid : Grids(comparison, most)) {
    PrintGrid(grid, out);
  }
  return out + std::string(kLegend) + "\n";
}

std::string RenderMarkdown(const Comparison& comparison, size_t most) {
  std::string out = Sentence(comparison) + "\n\n";
  for (const std::string& note : comparison.notes) out += "* " + note + "\n";
  for (const Grid& grid : Grids(comparison, most)) {
    out += "\n## " + grid.title + (grid.has_times ? " (ms)" : "") + "\n\n";
    PrintMarkdown(grid, out);
  }
  return out + "\n" + std::string(kLegend) + "\n";
}

void WriteRow(JsonWriter& json, const CompareRow& row) {
  const auto rounded = [](double value) {
    return static_cast<int64_t>(std::llround(value));
  };
  const bool bytes = row.key.table == CompareTable::kMemory;
  const auto key = [&](const char* stem) {
    return std::string(stem) + (bytes ? "_bytes" : "_ns");
  };
  json.BeginObject().Field("table", CompareTableName(row.key.table));
  json.Field("name", row.key.name).Field("shape", row.key.shape);
  json.Field("calls_a", row.calls_a).Field("calls_b", row.calls_b);
  json.Field("in_a", row.in_a).Field("in_b", row.in_b);
  json.Field(key("a"), rounded(row.mean_a));
  json.Field(key("b"), rounded(row.mean_b));
  json.Field(key("difference"), rounded(row.change.difference));
  json.Key("ratio");
  if (row.mean_a > 0) {
    json.Number(row.ratio());
  } else {
    json.Null();
  }
  json.Key(key("noise"));
  if (row.change.has_interval) {
    json.Int(rounded(row.change.half_width));
  } else {
    json.Null();
  }
  json.Field("beyond_noise", row.change.BeyondNoise()).EndObject();
}

std::string RenderJson(const Comparison& comparison) {
  JsonWriter json;
  json.BeginObject();
  json.Field("verdict", VerdictName(comparison.verdict()));
  json.Field("summary", Sentence(comparison));
  json.Field("steps_a", comparison.steps_a);
  json.Field("steps_b", comparison.steps_b).Key("step");
  WriteRow(json, comparison.step);
  json.Key("rows").BeginArray();
  for (const CompareRow& row : comparison.rows) WriteRow(json, row);
  json.EndArray().Key("notes").BeginArray();
  for (const std::string& note : comparison.notes) json.String(note);
  json.EndArray().EndObject();
  return json.Take() + "\n";
}

// Always between quotes, so that a number as a name stays text.
std::string Quoted(std::string_view text) {
  std::string result(1, '"');
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

void AddCsv(const CompareRow& row, std::string& out) {
  out += std::string(CompareTableName(row.key.table)) + "," +
         Quoted(row.key.name) + "," + Quoted(row.key.shape);
  out += Format(",%llu,%llu,%.0f,%.0f,%.0f,",
                static_cast<unsigned long long>(row.calls_a),
                static_cast<unsigned long long>(row.calls_b), row.mean_a,
                row.mean_b, row.change.difference);
  if (row.mean_a > 0) out += Format("%.6f", row.ratio());
  out += ",";
  if (row.change.has_interval) out += Format("%.0f", row.change.half_width);
  out += row.change.BeyondNoise() ? ",1\n" : ",0\n";
}

std::string RenderCsv(const Comparison& comparison) {
  std::string out =
      "table,name,shape,calls_a,calls_b,a,b,difference,ratio,noise,"
      "beyond_noise\n";
  AddCsv(comparison.step, out);
  for (const CompareRow& row : comparison.rows) AddCsv(row, out);
  return out;
}

}  // namespace

std::string RenderComparison(const Comparison& comparison,
                             const TableOptions& options) {
  const size_t most = options.style.top > 0 ? options.style.top : kRowsOfTable;
  switch (options.format) {
    case TableFormat::kJson:
      return RenderJson(comparison);
    case TableFormat::kCsv:
      return RenderCsv(comparison);
    case TableFormat::kMarkdown:
      return RenderMarkdown(comparison, most);
    case TableFormat::kText:
      break;
  }
  return RenderText(comparison, most);
}

}  // namespace stepscope
