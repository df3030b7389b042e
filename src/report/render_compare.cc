// SPDX-License-Identifier: Apache-2.0
#include "report/render_compare.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "analysis/looks.h"
#include "base/csv.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/compare_columns.h"
#include "report/grid.h"

namespace stepscope {
namespace {

constexpr size_t kLongestComparedName = 60;
constexpr size_t kLongestShape = 40;
// Text shows what changed most; JSON and CSV have all.
constexpr size_t kRowsOfTable = 15;

std::string_view VerdictName(Verdict verdict) {
  constexpr std::string_view kNames[] = {"same", "faster", "slower", "unknown"};
  return kNames[static_cast<size_t>(verdict)];
}

std::string_view GateName(GateAnswer::Kind kind) {
  constexpr std::string_view kNames[] = {"slower", "not_slower", "unresolved"};
  return kNames[static_cast<size_t>(kind)];
}

std::string Milli(double ns) { return Format("%.3f", ns / 1e6); }

std::string Value(const CompareRow& row, double value) {
  return row.key.table == CompareTable::kMemory
             ? GroupDigits(Format("%.0f", value))
             : Milli(value);
}

std::string ChangeText(const CompareRow& row) {
  if (!row.in_a) return "only in B";
  if (!row.in_b) return "only in A";
  if (!(row.a() > 0) && row.b() > 0) return "from 0";
  return Format("%+.2f %%", row.ratio() * 100);
}

std::string Noise(const CompareRow& row) {
  if (!row.p) return "-";
  const std::string noise =
      row.noise ? "+-" + Value(row, *row.noise) : std::string("~");
  return noise + (row.beyond_noise ? " *" : "");
}

// 0.0312, or that it is very small.
std::string Chance(double p) {
  return p < 0.0001 ? "p < 0.0001" : Format("p = %.4f", p);
}

// `device`: whether one was recorded, which the parts of a step are said
// beside.
std::string_view TitleOf(const CompareRow& row, bool device) {
  if (row.key.table == CompareTable::kWaterfall)
    for (size_t i = 0; i < kStepParts; ++i)
      if (kStepPartLooks[i].name == row.key.name)
        return StepPartTitle(static_cast<StepPart>(i), device);
  return row.key.name;
}

bool HasDevice(const Comparison& comparison) {
  return std::any_of(comparison.rows.begin(), comparison.rows.end(),
                     [](const CompareRow& row) {
                       return row.key.table == CompareTable::kKernel;
                     });
}

std::vector<std::string> Line(const CompareRow& row, bool device,
                              size_t width) {
  const std::string_view what = TitleOf(row, device);
  std::string name = Shorten(VisibleText(what), kLongestComparedName);
  if (!row.key.shape.empty())
    name += " " + Shorten(VisibleText(row.key.shape), kLongestShape);
  return {width > 0 ? Shorten(name, LongestNameIn(width)) : name,
          CountText(row.calls_a),
          CountText(row.calls_b),
          Value(row, row.a()),
          Value(row, row.b()),
          Value(row, row.difference()),
          ChangeText(row),
          Noise(row)};
}

// "median of 20 steps", or of 20 and 18.
std::string StepsText(const StepChange& change) {
  const size_t a = change.periods_a.size();
  const size_t b = change.periods_b.size();
  return a == b ? CountText(a, change.sample) + " each"
                : CountText(a) + " and " + CountText(b, change.sample);
}

std::string Sentence(const Comparison& comparison) {
  const StepChange& change = comparison.change;
  std::string text = "A" + change.one().substr(1) + " takes " +
                     Milli(static_cast<double>(change.median_a_ns)) +
                     " ms in " + comparison.name_a + " and " +
                     Milli(static_cast<double>(change.median_b_ns)) +
                     " ms in " + comparison.name_b + " (medians of " +
                     StepsText(change) + "): ";
  const std::string interval = Format("95 %% interval %+.2f to %+.2f %%",
                                      change.low * 100, change.high * 100);
  switch (comparison.verdict()) {
    case Verdict::kUnknown:
      if (std::min(change.periods_a.size(), change.periods_b.size()) >=
          StepChange::kFewestSteps) {
        return text + "the " + change.samples() + " of " + comparison.name_a +
               " take no time, so nothing can be concluded.";
      }
      return text + "nothing can be concluded from so few " + change.samples() +
             Format(", %zu on each side are needed at least.",
                    StepChange::kFewestSteps);
    case Verdict::kSame:
      return text + "no difference beyond noise" +
             (change.crowding_a + change.crowding_b > 0
                  ? " and what other programs on the machine may have cost"
                  : "") +
             Format(" (%+.2f %%, ", change.ratio * 100) + interval + ", " +
             Chance(change.p) + ").";
    case Verdict::kSlower:
      text += comparison.name_b + " is slower by ";
      break;
    case Verdict::kFaster:
      text += comparison.name_b + " is faster by ";
      break;
  }
  return text + Milli(std::abs(comparison.step.difference())) +
         Format(" ms (%.2f %%), ", std::abs(change.ratio) * 100) + interval +
         ", one-sided " +
         Chance(change.ratio > 0 ? change.p_slower : change.p_faster) + ".";
}

// What comes below the sentence: the gate's answer, then the notes.
std::vector<std::string> Remarks(const Comparison& comparison) {
  std::vector<std::string> remarks;
  if (comparison.gate) {
    remarks.push_back("Gate: " + comparison.gate->text + ".");
  } else if (comparison.verdict() == Verdict::kSame) {
    const StepChange& change = comparison.change;
    std::string text =
        Format("A change of %.2f %% is resolvable", change.resolvable() * 100);
    const std::optional<uint64_t> needed = comparison.steps_needed();
    if (needed &&
        *needed > std::min(change.periods_a.size(), change.periods_b.size())) {
      text += Format("; one of %.2f %% needs ", std::abs(change.ratio) * 100) +
              CountText(*needed, change.sample) + " on each side";
    }
    remarks.push_back(text + ".");
  }
  remarks.insert(remarks.end(), comparison.notes.begin(),
                 comparison.notes.end());
  return remarks;
}

// At most `most` rows of each table; names for lines of `width`.
std::vector<Grid> Grids(const Comparison& comparison, size_t most,
                        size_t width = 0) {
  std::vector<Grid> grids;
  const bool device = HasDevice(comparison);
  size_t left_out = 0;
  const auto close = [&] {
    if (left_out > 0)
      grids.back().notes.push_back(CountText(left_out,
                                             "row that changed less is",
                                             "rows that changed less are") +
                                   " left out.");
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
    if (grids.back().rows.size() < most)
      grids.back().rows.push_back(Line(row, device, width));
    else
      ++left_out;
  }
  if (!grids.empty()) close();
  return grids;
}

std::string Legend(const StepChange& change) {
  return "A, B: median of " + change.one() +
         ". Noise: half of the 95 % interval over the " + change.samples() +
         "; * marks a change beyond it that a rank test confirms (p <= 0.05).";
}

std::string CompareText(const Comparison& comparison, size_t most,
                        size_t width) {
  std::string out = Wrapped(Sentence(comparison), width) + "\n";
  for (const std::string& line : Remarks(comparison))
    out += Wrapped("* " + line, width) + "\n";
  out += "\n";
  for (const Grid& grid : Grids(comparison, most, width))
    PrintGrid(grid, out, width);
  return out + Wrapped(Legend(comparison.change), width) + "\n";
}

std::string CompareMarkdown(const Comparison& comparison, size_t most) {
  std::string out = Sentence(comparison) + "\n\n";
  for (const std::string& line : Remarks(comparison)) out += "* " + line + "\n";
  for (const Grid& grid : Grids(comparison, most)) {
    out += "\n## " + grid.title + (grid.has_times ? " (ms)" : "") + "\n\n";
    PrintMarkdown(grid, out);
  }
  return out + "\n" + Legend(comparison.change) + "\n";
}

template <typename T>
void WriteOr(JsonWriter& json, const std::string& key,
             const std::optional<T>& value) {
  json.Key(key);
  if (!value)
    json.Null();
  else if constexpr (std::is_same_v<T, double>)
    json.Number(*value);
  else
    json.Int(static_cast<int64_t>(*value));
}

void WriteCompareRow(JsonWriter& json, const CompareRow& row) {
  const bool bytes = row.key.table == CompareTable::kMemory;
  const auto key = [&](const char* stem) {
    return std::string(stem) + (bytes ? "_bytes" : "_ns");
  };
  json.BeginObject().Field("table", CompareTableName(row.key.table));
  json.Field("name", row.key.name).Field("shape", row.key.shape);
  json.Field("calls_a", row.calls_a).Field("calls_b", row.calls_b);
  json.Field("in_a", row.in_a).Field("in_b", row.in_b);
  json.Field(key("a"), Rounded(row.a())).Field(key("b"), Rounded(row.b()));
  json.Field(key("median_a"), row.median_a);
  json.Field(key("median_b"), row.median_b);
  json.Field(key("mean_a"), Rounded(row.mean_a));
  json.Field(key("mean_b"), Rounded(row.mean_b));
  json.Field(key("difference"), Rounded(row.difference()));
  WriteOr(json, "ratio",
          row.a() > 0 ? std::optional(row.ratio()) : std::nullopt);
  WriteOr(json, key("noise"),
          row.noise ? std::optional(Rounded(*row.noise)) : std::nullopt);
  WriteOr(json, "p", row.p);
  json.Field("beyond_noise", row.beyond_noise).EndObject();
}

// Null without an interval.
std::optional<double> IfKnown(const StepChange& change, double value) {
  return change.has_interval ? std::optional(value) : std::nullopt;
}

void WriteGate(JsonWriter& json, const std::optional<GateAnswer>& gate) {
  json.Key("gate");
  if (!gate) {
    json.Null();
    return;
  }
  json.BeginObject().Field("asked", gate->asked);
  json.Field("answer", GateName(gate->kind)).Field("text", gate->text);
  json.EndObject();
}

std::string CompareJson(const Comparison& comparison) {
  const StepChange& change = comparison.change;
  JsonWriter json;
  json.BeginObject();
  json.Field("verdict", VerdictName(comparison.verdict()));
  json.Field("summary", Sentence(comparison));
  json.Field("sample", comparison.sample());
  json.Field("name_a", comparison.name_a).Field("name_b", comparison.name_b);
  json.Field("conclusive", comparison.conclusive());
  json.Field("median_a_ns", change.median_a_ns);
  json.Field("median_b_ns", change.median_b_ns);
  WriteOr(json, "ratio",
          change.median_a_ns > 0 ? std::optional(change.ratio) : std::nullopt);
  WriteOr(json, "low", IfKnown(change, change.low));
  WriteOr(json, "high", IfKnown(change, change.high));
  WriteOr(json, "p", IfKnown(change, change.p));
  WriteOr(json, "p_slower", IfKnown(change, change.p_slower));
  WriteOr(json, "resolvable", IfKnown(change, change.resolvable()));
  WriteOr(json, "steps_needed", comparison.steps_needed());
  WriteGate(json, comparison.gate);
  json.Field("steps_a", comparison.steps_a);
  json.Field("steps_b", comparison.steps_b);
  json.Field("warmup_a", comparison.warmup_a);
  json.Field("warmup_b", comparison.warmup_b).Key("step");
  WriteCompareRow(json, comparison.step);
  json.Key("rows").BeginArray();
  for (const CompareRow& row : comparison.rows) WriteCompareRow(json, row);
  json.EndArray().Key("notes").BeginArray();
  for (const std::string& note : comparison.notes) json.String(note);
  json.EndArray().EndObject();
  return json.Take() + "\n";
}

void AddCsv(const CompareRow& row, std::string& out) {
  // A number as a name stays text.
  out += std::string(CompareTableName(row.key.table)) + "," +
         CsvQuotedText(row.key.name) + "," + CsvQuotedText(row.key.shape);
  out += Format(",%llu,%llu,%.0f,%.0f,%.0f,",
                static_cast<unsigned long long>(row.calls_a),
                static_cast<unsigned long long>(row.calls_b), row.a(), row.b(),
                row.difference());
  if (row.a() > 0) out += Format("%.6f", row.ratio());
  out += ",";
  if (row.noise) out += Format("%.0f", *row.noise);
  out += row.beyond_noise ? ",1" : ",0";
  out += Format(",%lld,%lld,%.0f,%.0f,", static_cast<long long>(row.median_a),
                static_cast<long long>(row.median_b), row.mean_a, row.mean_b);
  if (row.p) out += Format("%.6g", *row.p);
}

// What only the step has; empty for the other rows.
std::string StepCells(const Comparison& comparison) {
  const StepChange& change = comparison.change;
  std::string out = ",,,,";
  if (change.has_interval) {
    out = Format(",%.6f,%.6f,%.6f,", change.low, change.high,
                 change.resolvable());
    if (const auto needed = comparison.steps_needed())
      out += std::to_string(*needed);
  }
  return out + (comparison.conclusive() ? ",1" : ",0");
}

std::string CompareCsv(const Comparison& comparison) {
  std::string out =
      "table,name,shape,calls_a,calls_b,a,b,difference,ratio,noise,"
      "beyond_noise,median_a,median_b,mean_a,mean_b,p,low,high,resolvable,"
      "steps_needed,conclusive\n";
  AddCsv(comparison.step, out);
  out += StepCells(comparison) + "\n";
  for (const CompareRow& row : comparison.rows) {
    AddCsv(row, out);
    out += ",,,,,\n";
  }
  return out;
}

}  // namespace

std::string RenderComparison(const Comparison& comparison,
                             const TableOptions& options) {
  const size_t most = options.style.top > 0 ? options.style.top : kRowsOfTable;
  switch (options.format) {
    case TableFormat::kJson:
      return CompareJson(comparison);
    case TableFormat::kCsv:
      return CompareCsv(comparison);
    case TableFormat::kMarkdown:
      return CompareMarkdown(comparison, most);
    case TableFormat::kText:
      break;
  }
  return CompareText(comparison, most, options.style.width);
}

}  // namespace stepscope
