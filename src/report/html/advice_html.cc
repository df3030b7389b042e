// SPDX-License-Identifier: Apache-2.0
#include "report/html/advice_html.h"

#include "base/text.h"
#include "report/advice_text.h"
#include "report/html/html_text.h"

namespace stepscope::html {
namespace {

// Of redacted evidence that names events only its figures remain: how a
// sentence shortens a name is not ours to know.
std::string EvidenceLine(const Summary& summary, const Evidence& evidence,
                         const Redactor& redactor) {
  if (!redactor.hides()) return EvidenceText(summary, evidence);
  if (evidence.name.empty()) return redactor.Sentence(evidence.what);
  std::string text = redactor.Name(evidence.name);
  if (evidence.calls > 0) {
    text += ": " + CountText(evidence.calls) +
            (evidence.calls == 1 ? " event" : " events");
  }
  if (evidence.time_ns > 0) text += ", " + Time(evidence.time_ns);
  return text;
}

std::string FindingHtml(const Summary& summary, const Finding& finding,
                        const Redactor& redactor) {
  std::string out = "<li><div class=\"head\"><span class=\"what\">" +
                    Prose(redactor.Sentence(finding.finding)) +
                    "</span><span class=\"saves\">";
  if (finding.saving_ns > 0) {
    out += (finding.replayed ? "\u2212" : "up to \u2212") +
           Time(finding.saving_ns) + "<small>" + Share(finding.saving_ratio) +
           (summary.has_steps ? " of a step" : " of the time") + "</small>";
  } else {
    out += finding.saving_bytes > 0 ? "\u2212" + Bytes(finding.saving_bytes)
                                    : "<small>no time of its own</small>";
  }
  out += "</span></div>\n<ul>\n";
  std::string basis = redactor.Sentence(finding.saving_basis);
  const std::string range = RangeText(finding);
  if (!range.empty()) basis += "; " + range + " expected";
  const std::string_view how = finding.saving_ns <= 0 ? ""
                               : finding.replayed     ? "Replayed: "
                                                      : "Estimated: ";
  out += "<li>" + Prose(std::string(how) + basis) + ".</li>\n";
  const std::string overlap = OverlapText(summary, finding);
  if (!overlap.empty()) out += "<li>" + Prose(overlap) + "</li>\n";
  for (const Evidence& evidence : finding.evidence) {
    out += "<li>" +
           Prose(EvidenceLine(summary, evidence, redactor), evidence.name) +
           "</li>\n";
  }
  out += "</ul>\n<ul class=\"try\">\n";
  for (const std::string& text : finding.to_try)
    out += "<li>Try " + Prose(redactor.Sentence(text)) + "</li>\n";
  out += "</ul>\n";
  // The command names the file, and it may name a kernel.
  const std::string check =
      redactor.hides() ? "" : CheckCommand(summary, finding);
  if (!check.empty()) out += "<code>" + Escape(check) + "</code>\n";
  return out + "</li>\n";
}

}  // namespace

std::string AdviceAbout(const Summary& summary) {
  if (summary.advice.findings.size() < 2) return "";
  if (!summary.advice.together_ns) return "savings overlap: they do not add up";
  return "savings overlap: all replayed changes together save " +
         Time(*summary.advice.together_ns);
}

std::string AdviceHtml(const Summary& summary, const Redactor& redactor) {
  std::string out;
  if (!summary.advice.findings.empty()) {
    out = "<ol class=\"advice\">\n";
    for (const Finding& finding : summary.advice.findings)
      out += FindingHtml(summary, finding, redactor);
    return out + "</ol>\n";
  }
  for (const std::string& line : AdviceClosing(summary))
    out += "<p>" + Prose(redactor.Sentence(line)) + "</p>\n";
  return out;
}

}  // namespace stepscope::html
