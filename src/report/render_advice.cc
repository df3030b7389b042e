// SPDX-License-Identifier: Apache-2.0
#include "report/render_advice.h"

#include "analysis/headline.h"
#include "analysis/machine_load.h"
#include "analysis/tables/all_tables.h"
#include "base/json_writer.h"
#include "base/markdown.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/advice_text.h"
#include "report/ledger_json.h"
#include "report/table_json.h"

namespace stepscope {
namespace {

constexpr const char* kDoubtsTitle =
    "Before you act on this, the trace may not be typical:";

std::string Visible(const std::string& text) {
  return EscapeMarkdown(VisibleText(text));
}

// Doubts about nothing help nobody. `said`: one that comes before all figures.
bool ShowsDoubts(const Advice& advice, const std::string& said) {
  return advice.doubts.size() > (said.empty() ? 0 : 1) &&
         (!advice.findings.empty() || advice.nothing.empty());
}

// `text` between backticks; those inside it would end the code.
std::string Code(std::string text) {
  for (char& c : text)
    if (c == '`') c = '\'';
  return "`" + text + "`";
}

void AddFindingText(const Summary& summary, const Finding& finding,
                    std::string& out) {
  out += "   Saves " + SavingText(summary, finding);
  const std::string range = RangeText(finding);
  if (!range.empty()) out += ", " + range + " expected";
  out += ": " + VisibleText(finding.saving_basis) + ".\n";
  const std::string overlap = OverlapText(summary, finding);
  if (!overlap.empty()) out += "   " + overlap + "\n";
  for (const Evidence& evidence : finding.evidence)
    out += "   - " + EvidenceText(summary, evidence) + "\n";
  out += "   Try:\n";
  for (const std::string& text : finding.to_try) out += "   > " + text + "\n";
  const std::string check = CheckCommand(summary, finding);
  if (!check.empty()) out += "   Check: " + check + "\n";
}

void AddFindingMarkdown(const Summary& summary, const Finding& finding,
                        std::string& out) {
  const std::string overlap = OverlapText(summary, finding);
  if (!overlap.empty()) out += Visible(overlap) + "\n\n";
  for (const Evidence& evidence : finding.evidence)
    out += "* " + EscapeMarkdown(EvidenceText(summary, evidence)) + "\n";
  out += "\nTry:\n\n";
  for (const std::string& text : finding.to_try)
    out += "* " + EscapeMarkdown(text) + "\n";
  const std::string check = CheckCommand(summary, finding);
  if (!check.empty()) out += "\nCheck: " + Code(check) + "\n";
}

}  // namespace

std::string RenderAdviceText(const Summary& summary) {
  const Advice& advice = summary.advice;
  const std::string crowding = CrowdingText(*summary.trace);
  std::string out = crowding.empty() ? "" : crowding + "\n\n";
  out += AdviceHeading(summary) + ".\n";
  for (const std::string& fact : AdviceFacts(summary)) out += fact + "\n";
  if (ShowsDoubts(advice, crowding)) {
    out += std::string("\n") + kDoubtsTitle + "\n";
    for (const std::string& doubt : advice.doubts)
      if (doubt != crowding) out += "  * " + doubt + "\n";
  }
  int number = 0;
  for (const Finding& finding : advice.findings) {
    out += Format("\n%d. ", ++number) + VisibleText(finding.finding) + "\n";
    AddFindingText(summary, finding, out);
  }
  const std::vector<std::string> closing = AdviceClosing(summary);
  if (!closing.empty()) out += "\n";
  for (const std::string& line : closing) out += VisibleText(line) + "\n";
  return out;
}

std::string RenderAdviceMarkdown(const Summary& summary) {
  const Advice& advice = summary.advice;
  const std::string crowding = CrowdingText(*summary.trace);
  std::string out = crowding.empty() ? "" : Visible(crowding) + "\n\n";
  out += "## " + Visible(AdviceHeading(summary)) + "\n\n";
  for (const std::string& fact : AdviceFacts(summary))
    out += Visible(fact) + "\n";
  if (ShowsDoubts(advice, crowding)) {
    out += std::string("\n") + kDoubtsTitle + "\n\n";
    for (const std::string& doubt : advice.doubts)
      if (doubt != crowding) out += "* " + Visible(doubt) + "\n";
  }
  if (!advice.findings.empty()) {
    out +=
        "\n| | finding | saves | expected | what for |\n"
        "|---|---|---|---|---|\n";
  }
  int number = 0;
  for (const Finding& finding : advice.findings) {
    out += Format("| %d | ", ++number) + Visible(finding.finding) + " | " +
           SavingText(summary, finding) + " | " + RangeText(finding) + " | " +
           Visible(finding.saving_basis) + " |\n";
  }
  number = 0;
  for (const Finding& finding : advice.findings) {
    out += Format("\n### %d. ", ++number) + Visible(finding.finding) + "\n\n";
    AddFindingMarkdown(summary, finding, out);
  }
  for (const std::string& line : AdviceClosing(summary))
    out += "\n" + Visible(line) + "\n";
  return out;
}

std::string RenderAdviceJson(const Summary& summary) {
  const Advice& advice = summary.advice;
  JsonWriter json;
  json.BeginObject();
  WriteSource(json, *summary.trace);
  json.Field("representative",
             advice.doubts.empty() && summary.trace->size() > 0);
  json.Key("doubts").BeginArray();
  for (const std::string& doubt : advice.doubts) json.String(doubt);
  json.EndArray();
  json.Key("notes").BeginArray();
  for (const std::string& note : summary.step_notes) json.String(note);
  json.EndArray();
  json.Key("nothing").BeginArray();
  for (const std::string& text : advice.nothing) json.String(text);
  json.EndArray();
  json.Field("steps", advice.steps);
  json.Field("recorded_step_ns", advice.recorded_step_ns);
  json.Field("step_ns", advice.step_ns);
  if (advice.unprofiled_step_ns)
    json.Field("unprofiled_step_ns", *advice.unprofiled_step_ns);
  else
    json.Key("unprofiled_step_ns").Null();
  if (advice.device_busy >= 0)
    json.Field("device_busy", advice.device_busy);
  else
    json.Key("device_busy").Null();
  if (advice.replay) {
    json.Key("replay").BeginObject();
    json.Field("step_ns", advice.replay->step_ns);
    json.Field("error", advice.replay->error);
    json.Field("unexplained_ns", advice.replay->unexplained_ns);
    json.EndObject();
  } else {
    json.Key("replay").Null();
  }
  if (advice.together_ns)
    json.Field("together_ns", *advice.together_ns);
  else
    json.Key("together_ns").Null();
  json.Key("headline").BeginArray();
  for (const std::string& sentence : HeadlineOf(summary)) json.String(sentence);
  json.EndArray();
  const TableSchema& table = *FindTable("advice");
  WriteTable(json.Key(table.key), table, table.rows(summary));
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace stepscope
