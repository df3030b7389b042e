// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_report.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/summary_notes.h"
#include "analysis/tables/all_tables.h"
#include "base/sha256.h"
#include "base/text.h"
#include "report/html/advice_html.h"
#include "report/html/charts.h"
#include "report/html/figures.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/page_style.h"
#include "report/html/redactor.h"
#include "report/html/timeline_part.h"

namespace stepscope {
namespace html {
namespace {

// The tables of a report, in its order, under the names that people use. Left
// out are columns that a page has no room for, and moments that mean something
// on a timeline only.
struct ShownTable {
  std::string_view key;
  std::string_view title;
  bool nested = true;
  std::vector<std::string_view> without = {};
};

const std::vector<ShownTable>& ShownTables() {
  static const auto* const tables = new std::vector<ShownTable>{
      {"ranks", "Ranks"},
      {"stragglers", "Ranks that come late"},
      {"collectives", "Collectives", false},
      {"kernel", "Kernels", false, {"gpu.min_ns", "gpu.p90_ns", "gpu.p95_ns"}},
      {"operator",
       "Operators",
       false,
       {"nested_calls", "cpu.max_ns", "cpu.min_ns", "cpu.p90_ns", "cpu.p95_ns",
        "gpu.max_ns", "gpu.min_ns", "gpu.p50_ns", "gpu.p90_ns", "gpu.p95_ns",
        "gpu.p99_ns"}},
      {"user_defined",
       "User ranges",
       false,
       {"cpu.p90_ns", "cpu.p95_ns", "gpu.p50_ns", "gpu.p90_ns", "gpu.p95_ns",
        "gpu.p99_ns"}},
      {"python", "Python functions", false},
      {"memory", "Memory", true, {"peak_at_ns"}},
      {"memory_manipulation", "Copies and sets, by name"},
      {"distribution", "Computation and communication"},
      {"overview", "Events by type"},
      {"idle", "Why a device is idle", true, {"longest_at_ns"}},
      {"device", "Devices"},
      {"step_time", "Step time"},
      {"outliers", "Steps that stand out"},
      {"steps",
       "Steps",
       true,
       {"start_ns", "device_start_ns", "device_end_ns"}}};
  return *tables;
}

std::string Card(std::string_view title, std::string_view about,
                 const std::string& body, std::string_view id = {}) {
  if (body.empty()) return "";
  return "<section class=\"card\"" +
         (id.empty() ? std::string() : " id=\"" + std::string(id) + "\"") +
         "><h2>" + Escape(title) + " <small>" + Escape(about) +
         "</small></h2>\n" + body + "</section>\n";
}

std::string LedgerText(const Trace& trace) {
  uint64_t repaired = 0;
  uint64_t rejected = 0;
  for (const auto& [reason, bin] : trace.ledger().repaired())
    repaired += bin.count;
  for (const auto& [reason, bin] : trace.ledger().rejected())
    rejected += bin.count;
  const auto count = [](uint64_t n) { return CountText(n); };
  const std::string seen = count(trace.ledger().seen()) + " records read: ";
  if (repaired == 0 && rejected == 0) return seen + "none lost, none repaired";
  return seen + count(rejected) + " rejected, " + count(repaired) + " repaired";
}

std::string Below(const Trace& whole, const Summary& summary) {
  const auto steps = static_cast<int64_t>(summary.step_time.steps);
  std::string text = steps == 0 ? "No steps were recorded"
                                : CountText(steps, "step") + ", median " +
                                      Time(summary.step_time.p50_ns);
  const auto workers = static_cast<int64_t>(summary.waterfall.processes);
  if (workers > 1) text += " \u00b7 " + CountText(workers) + " workers";
  return text + " \u00b7 " + LedgerText(whole);
}

// That a table is not there makes no other number doubtful: it is said where
// the tables are.
bool IsAboutTables(const std::string& note) {
  return note.starts_with(kNothingRecorded);
}

std::string Notes(const Summary& summary, const Redactor& redactor) {
  std::string lines;
  const auto add = [&](const std::string& note) {
    lines += "<p>" + Prose(redactor.Sentence(note)) + "</p>\n";
  };
  for (const std::string& note : summary.notes)
    if (!IsAboutTables(note)) add(note);
  if (!summary.advice.findings.empty()) {
    for (const std::string& doubt : summary.advice.doubts)
      if (std::find(summary.notes.begin(), summary.notes.end(), doubt) ==
          summary.notes.end())
        add(doubt);
  }
  if (lines.empty()) return "";
  return "<section class=\"card warn\">"
         "<h2>Before you trust the numbers</h2>\n" +
         lines + "</section>\n";
}

std::string AboutTables(const Summary& summary) {
  for (const std::string& note : summary.notes)
    if (IsAboutTables(note))
      return "<p class=\"sub\">" + Escape(note) + "</p>\n";
  return "";
}

std::string Footer(const Trace& trace, const Redactor& redactor) {
  std::string out = "<footer><p>";
  for (const Source& source : trace.sources()) {
    out += Escape(redactor.Name(source.path)) + " (" + Escape(source.format) +
           ")<br>\n";
  }
  for (const Process& process : trace.processes()) {
    out += "process " + std::to_string(process.pid);
    if (process.rank >= 0) out += ", rank " + std::to_string(process.rank);
    for (const StringId id : {process.name, process.host}) {
      const std::string text = redactor.Name(trace.str(id));
      if (!text.empty()) out += ", " + Escape(text);
    }
    out += "<br>\n";
  }
  out += "</p>\n";
  if (redactor.hides()) {
    out +=
        "<p>Names, hosts and paths are hidden: x- and ten digits stand for "
        "one of them, the same everywhere in this file.</p>\n";
  }
  return out +
         "<p>Made by stepscope report. This file needs no network and no "
         "other file.</p></footer>\n";
}

// The cards of the tables, and links to them.
std::pair<std::string, std::string> Tables(const Summary& summary, size_t top,
                                           const Redactor& redactor) {
  std::string cards;
  std::string links;
  const auto add = [&](const TableSchema& table, std::string_view title,
                       const TableStyle& how) {
    const std::string card = TableCard(table, summary, title, how, redactor);
    if (card.empty()) return;
    cards += card;
    links += "<a href=\"#t-" + std::string(table.key) + "\">" + Escape(title) +
             "</a>";
  };
  for (const ShownTable& shown : ShownTables())
    add(*FindTable(shown.key), shown.title,
        {.top = top, .nested = shown.nested, .without = shown.without});
  // A table that nobody speaks of by name is shown as it is.
  for (const TableSchema& table : AllTables())
    if (!(table.view & kNamedViews)) add(table, table.title, {.top = top});
  return {cards, links};
}

std::string Head(std::string_view title) {
  const std::string style = PageStyle();
  const auto hash = [](std::string_view text) {
    return "'sha256-" + Sha256Base64(text) + "'";
  };
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\""
         "default-src 'none'; style-src " +
         hash(style) + "; script-src " + hash(kPageScript) +
         "; base-uri 'none'; form-action 'none'; "
         "require-trusted-types-for 'script'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n"
         "<meta name=\"referrer\" content=\"no-referrer\">\n<title>" +
         Escape(title) + "</title>\n<style>" + style + "</style>\n</head>\n";
}

}  // namespace
}  // namespace html

Result<std::string> RenderHtmlReport(const Trace& trace,
                                     const HtmlReportOptions& options) {
  using namespace html;  // NOLINT: the functions above
  SummaryOptions what;
  what.views = kUsualViews;
  what.steps = options.steps;
  what.unprofiled_ns = options.unprofiled_ns;
  STEPSCOPE_TRY_ASSIGN(const Summary summary,
                       ComputeSummaryOfSteps(trace, what));
  const Redactor redactor =
      options.redact ? Redactor(trace, options.salt) : Redactor();
  STEPSCOPE_TRY_ASSIGN(const TimelinePart timeline,
                       DrawTimelinePart(trace, summary, options, redactor));
  const std::string headline = Headline(summary, redactor);
  const auto [tables, links] = Tables(summary, options.top, redactor);
  std::string out = Head("stepscope: " + headline);
  out += "<body>\n<main>\n<h1>" + Escape(headline) +
         "</h1>\n<p class=\"sub\">" + Escape(Below(trace, summary)) + "</p>\n";
  out += FiguresHtml(FiveFigures(summary, redactor));
  out += Notes(summary, redactor);
  out += "<div class=\"two\"><div>\n";
  out += Card(summary.has_steps ? "Where a step goes" : "Where the time goes",
              "adds up, to the nanosecond",
              WaterfallHtml(summary) + StepBarsHtml(summary), "waterfall");
  out += "</div><div>\n";
  out += Card("Stages", summary.has_steps ? "per step" : "",
              StagesHtml(summary), "stages");
  out += Card("Memory", "over time", MemoryCurveHtml(summary, redactor),
              "memory-curve");
  out += "</div></div>\n";
  out += Card("What to fix first", AdviceAbout(summary),
              AdviceHtml(summary, redactor), "advice");
  out += Card("Timeline", timeline.about, timeline.html, "timeline");
  out += "<nav aria-label=\"Tables\">" + links + "</nav>\n";
  out += AboutTables(summary) + tables;
  out += Footer(trace, redactor) + "</main>\n<script>" +
         std::string(kPageScript) + "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace stepscope
