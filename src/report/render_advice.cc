// SPDX-License-Identifier: Apache-2.0
#include "report/render_advice.h"

#include "analysis/advice/rules.h"
#include "analysis/tables/all_tables.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/ledger_json.h"
#include "report/table_json.h"

namespace stepscope {
namespace {

constexpr size_t kLongestLine = 160;

// Where an event is, so that it can be found on a timeline.
std::string PlaceOf(const Trace& trace, Row row) {
  const Track& track = trace.tracks()[trace.track()[row]];
  const char* const kind = track.kind == TrackKind::kStream ? "stream"
                                                            : "thread";
  const int64_t since =
      SaturatingSubtract(trace.start_ns()[row], trace.begin_ns());
  return Format("e.g. %.6f s after the start, %s %lld",
                static_cast<double>(since) / 1e9, kind,
                static_cast<long long>(track.id));
}

std::string Heading(const Summary& summary) {
  const Waterfall& waterfall = summary.waterfall;
  const size_t count = summary.advice.findings.size();
  std::string text = count == 0   ? "No finding"
                     : count == 1 ? "1 finding"
                                  : std::to_string(count) + " findings";
  const size_t steps = waterfall.steps.size();
  const std::string average =
      Milliseconds(AverageNs(waterfall.step_ns, steps));
  if (!summary.has_steps) return text + " in a window of " + average + ".\n";
  text += " in " + std::to_string(steps) + (steps == 1 ? " step" : " steps");
  return text + " of " + average + (steps == 1 ? ".\n" : " on average.\n");
}

}  // namespace

std::string RenderAdviceText(const Summary& summary) {
  const Advice& advice = summary.advice;
  std::string out = Heading(summary);
  for (const std::string& note : summary.step_notes) out += note + "\n";
  if (!advice.doubts.empty()) {
    out += "\nBefore you act on this, the trace may not be typical:\n";
    for (const std::string& doubt : advice.doubts) out += "  * " + doubt + "\n";
  }
  int number = 0;
  for (const Finding& finding : advice.findings) {
    out += Format("\n%d. %s\n", ++number, finding.finding.c_str());
    if (finding.saving_ns > 0) {
      const size_t steps = summary.waterfall.steps.size();
      out += "   Could save up to " +
             Milliseconds(AverageNs(finding.saving_ns, steps)) + " (" +
             Percent(finding.saving_ratio) + ") of " +
             (summary.has_steps ? "a step" : "the window") + ": ";
    } else {
      out += "   Saves ";
    }
    out += finding.saving_basis + ".\n";
    for (const Evidence& evidence : finding.evidence) {
      out += "   - " + Shorten(VisibleText(evidence.what), kLongestLine);
      if (evidence.example != kNoRow) {
        out += " (" + PlaceOf(*summary.trace, evidence.example) + ")";
      }
      out += "\n";
    }
    out += "   Try:\n";
    for (const std::string& text : finding.to_try) out += "   > " + text + "\n";
  }
  if (advice.findings.size() > 1) {
    out += "\nSavings overlap: they do not add up.\n";
  }
  if (advice.findings.empty()) {
    out += "\nNothing that was looked for takes 3 % of a step or more; "
           "stepscope summary shows where the time goes.\n";
  }
  return out;
}

std::string RenderAdviceJson(const Summary& summary) {
  JsonWriter json;
  json.BeginObject();
  WriteSource(json, *summary.trace);
  json.Field("representative", summary.advice.doubts.empty());
  json.Key("doubts").BeginArray();
  for (const std::string& doubt : summary.advice.doubts) json.String(doubt);
  json.EndArray();
  json.Key("notes").BeginArray();
  for (const std::string& note : summary.step_notes) json.String(note);
  json.EndArray();
  json.Field("steps", summary.has_steps ? summary.waterfall.steps.size() : 0);
  json.Field("step_ns", summary.waterfall.step_ns);
  const TableSchema& table = *FindTable("advice");
  WriteTable(json.Key(table.key), table, table.rows(summary));
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace stepscope
