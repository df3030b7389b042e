// SPDX-License-Identifier: Apache-2.0
//
// "Nothing was found" is an answer only where there was something to look at.
// Else: what was recorded, why that gives no advice, and what to do.
#include "analysis/advice/rules.h"
#include "analysis/kinds.h"
#include "analysis/memory_script.h"
#include "base/text.h"

namespace stepscope {
namespace {

// "12 events on 2 threads", where nothing else is in the trace.
std::string EventsText(const AdviceInput& input) {
  const Trace& trace = input.trace();
  uint64_t threads = 0;
  uint64_t on_threads = 0;
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i) {
    const Thread& thread = input.tree.threads()[i];
    uint64_t events = 0;
    for (uint32_t t = thread.first_track; t < thread.last_track; ++t) {
      const Track& track = trace.tracks()[t];
      if (track.kind == TrackKind::kThread) events += track.last - track.first;
    }
    threads += events > 0 ? 1 : 0;
    on_threads += events;
  }
  const std::string all = CountText(trace.size(), "event");
  if (on_threads == 0) return all + " on no thread";
  if (on_threads == trace.size())
    return all + " on " + CountText(threads, "thread");
  return all + ", " + CountText(on_threads) + " of them on " +
         CountText(threads, "thread") + ",";
}

// Why the file has none.
void ExplainEmpty(const Trace& trace, std::vector<std::string>& text) {
  uint64_t seen = 0;
  uint64_t rejected = 0;
  std::string reason;
  for (const Source& source : trace.sources()) {
    seen += source.ledger.seen();
    for (const auto& [why, bin] : source.ledger.rejected()) {
      rejected += bin.count;
      if (reason.empty()) reason = why;
    }
  }
  if (rejected > 0) {
    text.push_back("Nothing can be advised: of " + CountText(seen, "record") +
                   " none could be kept (" + reason +
                   "); stepscope info lists why.");
  } else if (!trace.complete()) {
    text.push_back(
        "Nothing can be advised: the recording was cut short "
        "before its first event.");
  } else {
    text.push_back(
        "Nothing can be advised: the trace has no events. The "
        "recorder was not running while the program worked, or "
        "the chosen steps never came.");
  }
}

}  // namespace

void ExplainNothing(const AdviceInput& input, Advice& advice) {
  const Trace& trace = input.trace();
  std::vector<std::string>& text = advice.nothing;
  if (trace.size() == 0) {
    ExplainEmpty(trace, text);
    text.push_back(
        "stepscope doctor says what can be recorded on this "
        "machine.");
    return;
  }
  if (IsOfMemoryAlone(trace)) {
    if (!advice.findings.empty()) return;
    text.push_back(
        "The trace is of memory alone: it does not run out, and what is held "
        "does not grow.");
    text.push_back(
        "stepscope summary --views memory_peak shows what holds it, stepscope "
        "whatif --memory what would fit.");
    return;
  }
  if (input.has_devices() || !input.tree.work().empty()) return;
  const std::string recorded =
      EventsText(input) + " over " +
      Milliseconds(SaturatingSubtract(trace.end_ns(), trace.begin_ns()));
  if (input.summary.has_steps) return;
  // A server has iterations in the place of steps.
  if (!input.summary.iterations.list.empty()) {
    text.push_back("The trace has " + recorded + ", but no device work.");
    text.push_back(
        "If the server uses a GPU, stepscope doctor says why its work was not "
        "recorded.");
    text.push_back(
        "stepscope summary --views iterations,requests shows where the time "
        "goes.");
    return;
  }
  text.push_back("The trace has " + recorded +
                 ", but no step and no device work.");
  if (advice.findings.empty())
    text.push_back(
        "Advice is about steps and about what a device waits for, "
        "so there is none here.");
  text.push_back(
      "Mark the steps (stepscope.step() at the start of each, "
      "Profiler.step(), or events of type ProfileStep); if the "
      "program uses a GPU, stepscope doctor says why its work "
      "was not recorded.");
  text.push_back("stepscope summary shows where the time goes.");
}

}  // namespace stepscope
