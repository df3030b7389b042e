// SPDX-License-Identifier: Apache-2.0
#include "report/advice_text.h"

#include <algorithm>
#include <cmath>

#include "analysis/advice/rules.h"
#include "analysis/memory_script.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "base/visible_text.h"

namespace stepscope {
namespace {

constexpr size_t kLongestLine = 160;

// Where an event is, so that it can be found on a timeline.
std::string PlaceOf(const Summary& summary, Row row) {
  const Trace& trace = *summary.trace;
  const Track& track = trace.tracks()[trace.track()[row]];
  const char* const kind =
      track.kind == TrackKind::kStream ? "stream" : "thread";
  const int64_t since =
      SaturatingSubtract(trace.start_ns()[row], summary.origin_ns);
  return Format("e.g. %.6f s after the start, %s %lld",
                static_cast<double>(since) / 1e9, kind,
                static_cast<long long>(track.id));
}

std::string_view OfWhat(const Summary& summary) {
  return summary.has_steps ? "a step" : "the window";
}

// The file; of several files, the deepest folder that has them all.
std::string TraceWord(const Summary& summary) {
  const auto& sources = summary.trace->sources();
  if (sources.empty() || sources[0].path.empty()) return "TRACE";
  std::string path = sources[0].path;
  for (const Source& source : sources) {
    while (source.path != path && !source.path.starts_with(path + "/")) {
      const size_t slash = path.rfind('/');
      if (slash == path.npos) return ".";
      path.resize(slash);
      if (path.empty()) return "/";
    }
  }
  return ShellWord(VisibleText(path));
}

}  // namespace

std::string AdviceHeading(const Summary& summary) {
  const Advice& advice = summary.advice;
  if (summary.trace->size() == 0) return "No advice: nothing was recorded";
  const size_t count = advice.findings.size();
  std::string text = count == 0   ? "No finding"
                     : count == 1 ? "1 finding"
                                  : std::to_string(count) + " findings";
  if (IsOfMemoryAlone(*summary.trace)) return text + " in a snapshot of memory";
  const std::string step = Milliseconds(advice.recorded_step_ns);
  if (!summary.has_steps) return text + " in a window of " + step;
  text += " in " + CountText(advice.steps, "step") + " of " + step;
  return text + (advice.steps == 1 ? "" : " (median)");
}

std::vector<std::string> AdviceFacts(const Summary& summary) {
  const Advice& advice = summary.advice;
  std::vector<std::string> facts;
  if (IsOfMemoryAlone(*summary.trace)) return facts;
  if (summary.has_steps && summary.trace->size() > 0 &&
      summary.idle.devices.empty()) {
    facts.push_back(
        "No device work was recorded, so this is about the host. "
        "If the program uses a GPU, stepscope doctor says why.");
  }
  for (const std::string& note : summary.step_notes) facts.push_back(note);
  if (advice.device_busy >= 0) {
    facts.push_back(std::string(summary.idle.devices.size() == 1
                                    ? "The device is"
                                    : "The busiest device is") +
                    " busy for " + Percent(advice.device_busy) + " of " +
                    std::string(OfWhat(summary)) + ".");
  }
  if (advice.unprofiled_step_ns)
    facts.push_back("Savings refer to the step without the recorder.");
  const bool any_replayed =
      std::any_of(advice.findings.begin(), advice.findings.end(),
                  [](const Finding& finding) { return finding.replayed; });
  if (advice.replay && any_replayed) {
    facts.push_back(
        "Savings are from a replay; replaying the unchanged steps "
        "reproduces the recorded time within " +
        Percent(std::abs(advice.replay->error)) + ".");
  }
  return facts;
}

std::string ShortSavingText(const Finding& finding) {
  if (finding.saving_ns <= 0)
    return finding.saving_bytes > 0
               ? BytesText(finding.saving_bytes) + " of memory"
               : "no time";
  return (finding.replayed ? "" : "up to ") + Milliseconds(finding.saving_ns) +
         " (" + Percent(finding.saving_ratio) + ")";
}

std::string SavingText(const Summary& summary, const Finding& finding) {
  const std::string text = ShortSavingText(finding);
  if (finding.saving_ns <= 0) return text;
  return text + " of " + std::string(OfWhat(summary)) +
         (finding.average ? " on average" : "");
}

std::string RangeText(const Finding& finding) {
  if (!finding.replayed) return "";
  const std::string low = Milliseconds(finding.low_ns);
  const std::string high = Milliseconds(finding.high_ns);
  return low == high ? "" : low + " to " + high;
}

std::string CheckCommand(const Summary& summary, const Finding& finding) {
  if (!finding.replayed || finding.change.empty()) return "";
  std::string command = "stepscope whatif " + TraceWord(summary) +
                        " --change " + ShellWord(VisibleText(finding.change));
  if (const auto& step = summary.advice.unprofiled_step_ns)
    command += Format(" --unprofiled %.6gms", static_cast<double>(*step) / 1e6);
  return command;
}

std::string OverlapText(const Summary& summary, const Finding& finding) {
  std::string text;
  for (const Overlap& overlap : finding.overlaps) {
    const auto& all = summary.advice.findings;
    const auto other = std::find_if(
        all.begin(), all.end(),
        [&](const Finding& candidate) { return candidate.id == overlap.id; });
    if (other == all.end()) continue;  // not shown
    text += (text.empty() ? "Overlaps with finding " : " Overlaps with ") +
            std::to_string(other - all.begin() + 1) + " (" +
            std::string(overlap.id) + "); both together save " +
            Milliseconds(overlap.together_ns) + ".";
  }
  return text;
}

std::string EvidenceText(const Summary& summary, const Evidence& evidence) {
  std::string text = Shorten(VisibleText(evidence.what), kLongestLine);
  if (evidence.example != kNoRow)
    text += " (" + PlaceOf(summary, evidence.example) + ")";
  return text;
}

std::vector<std::string> AdviceClosing(const Summary& summary) {
  const Advice& advice = summary.advice;
  std::vector<std::string> lines = advice.nothing;
  if (advice.together_ns && advice.step_ns > 0) {
    lines.push_back("All replayed changes together save " +
                    Milliseconds(*advice.together_ns) + " (" +
                    Percent(Ratio(*advice.together_ns, advice.step_ns)) +
                    ") of " + std::string(OfWhat(summary)) + ".");
  }
  if (advice.findings.empty() && advice.nothing.empty()) {
    lines.push_back("Nothing that was looked for saves 3 % of " +
                    std::string(OfWhat(summary)) +
                    " or more; stepscope summary shows where the time goes.");
  }
  return lines;
}

}  // namespace stepscope
