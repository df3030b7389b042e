// SPDX-License-Identifier: Apache-2.0
#include "analysis/summary_notes.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <utility>

#include "analysis/machine_load.h"
#include "analysis/recording_budget.h"
#include "analysis/source_notes.h"
#include "analysis/tables/all_tables.h"
#include "base/text.h"
#include "trace/job/process_ending.h"

namespace stepscope {
namespace {

// "1 event was", "2 events were"
// Names of the views that were asked for and have nothing to show.
std::string EmptyViews(const Summary& summary, ViewSet views) {
  std::string list;
  for (const TableSchema& table : AllTables()) {
    if (!(views & table.view) || !table.nothing) continue;
    if (!table.nothing(summary)) continue;
    if (!list.empty()) list += ", ";
    list += table.title;
  }
  return list;
}

// " (rank 3: 900, rank 5: 100)" of a job of several files; else "".
std::string WhoDropped(const Summary& summary) {
  constexpr size_t kShown = 8;
  if (summary.trace->sources().size() < 2) return "";
  std::string list;
  size_t shown = 0;
  for (const auto& [source, count] : summary.events.dropped_of) {
    if (source >= summary.trace->sources().size()) continue;
    if (shown++ == kShown) {
      list += ", and others";
      break;
    }
    list += (list.empty() ? "" : ", ") + NameOfSource(*summary.trace, source) +
            ": " + std::to_string(count);
  }
  return list.empty() ? "" : " (" + list + ")";
}

void AddLosses(const Summary& summary, std::vector<std::string>& notes) {
  const Trace& trace = *summary.trace;
  const uint64_t dropped = summary.events.dropped;
  const uint64_t open = summary.events.open;
  if (!trace.complete()) {
    notes.push_back(
        IsStillRecorded(trace)
            ? "The recording goes on: this is what was recorded so far."
            : "The recording was cut short: the process was killed or is "
              "still running.");
  }
  if (open > 0) {
    notes.push_back(
        CountText(open, "event was", "events were") +
        " still open at the end; the time of such runs to the end of the "
        "recording.");
  }
  if (dropped > 0) {
    notes.push_back(CountText(dropped, "event was", "events were") +
                    " dropped while recording" + WhoDropped(summary) +
                    ", in no table; stepscope info says why.");
  }
  uint64_t rejected = 0;
  for (const auto& [reason, bin] : trace.ledger().rejected())
    rejected += bin.count;
  if (rejected > 0) {
    notes.push_back(CountText(rejected, "record", "records") + " of " +
                    CountText(trace.ledger().seen()) +
                    " could not be read; stepscope info says why.");
  }
}

// What `stepscope run` wrote into a capture about things it could not record.
void AddAbsences(const Summary& summary, std::vector<std::string>& notes) {
  const Trace& trace = *summary.trace;
  const auto add = [&](std::string_view what, StringId why) {
    std::string note = std::string(what) + std::string(trace.str(why)) + ".";
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(std::move(note));
  };
  for (const Process& process : trace.processes()) {
    for (const auto& [key, why] : process.metadata) {
      if (trace.str(key) == "absent_operators" && summary.operators.empty())
        add("Operators were not recorded: ", why);
      if (trace.str(key) == "absent_gpu" && summary.kernel.empty())
        add("The GPU was not recorded: ", why);
    }
  }
}

// Ranges that begin on one thread and end on another, and all that a program
// marks as asynchronous, are on rows of their own: no table has them.
void AddAsynchronous(const Summary& summary, std::vector<std::string>& notes) {
  constexpr uint64_t kShare = 10;  // fewer than a tenth are an aside
  const Trace& trace = *summary.trace;
  uint64_t count = 0;
  for (const Track& track : trace.tracks()) {
    if (track.kind == TrackKind::kStream && track.first < track.last) return;
    if (track.kind == TrackKind::kAsync) count += track.last - track.first;
  }
  if (count == 0 || count < trace.size() / kShare) return;
  notes.push_back(CountText(count) + " of " + CountText(trace.size(), "event") +
                  (count == 1 ? " is" : " are") +
                  " on no thread (asynchronous): the timeline and SQL have " +
                  (count == 1 ? "it" : "them") + ", tables do not.");
}

// "step 4" or "steps 4-7", of those that are warm-up.
std::string WarmupNumbers(const Summary& summary) {
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  for (const StepRow& step : summary.steps) {
    if (!step.warmup) continue;
    first = std::min(first, step.index);
    last = std::max(last, step.index);
  }
  if (first == last) return "Step " + std::to_string(first) + " is";
  return "Steps " + std::to_string(first) + "-" + std::to_string(last) + " are";
}

void AddWorkAfterSteps(const Summary& summary,
                       std::vector<std::string>& notes) {
  constexpr int64_t kShare = 100;  // less than a hundredth says nothing
  const DeviceRow* most = nullptr;
  size_t more = 0;
  for (const DeviceRow& row : summary.device) {
    if (row.after_ns.value_or(0) == 0) continue;
    if (*row.after_ns < *row.busy_ns / kShare) continue;
    ++more;
    if (most == nullptr || row.after_ns > most->after_ns) most = &row;
  }
  if (most == nullptr) return;
  std::string note =
      Format("%s worked for %.2f ms after the last step had ended on the host",
             most->name.c_str(), static_cast<double>(*most->after_ns) / 1e6);
  if (more > 1) {
    note +=
        Format(", and %s less",
               CountText(more - 1, "other device", "other devices").c_str());
  }
  notes.push_back(note + ".");
}

}  // namespace

std::vector<std::string> StepNotes(const Summary& summary,
                                   const SummaryOptions& options) {
  std::vector<std::string> notes;
  const StepTime& time = summary.step_time;
  const auto ms = [](int64_t ns) { return static_cast<double>(ns) / 1e6; };
  if (!summary.left_out.empty()) {
    std::string note = summary.left_out;
    note[0] =
        static_cast<char>(std::toupper(static_cast<unsigned char>(note[0])));
    notes.push_back(note + ".");
  }
  if (!options.steps && time.warmup > 0 && time.p50_ns > 0) {
    notes.push_back(
        WarmupNumbers(summary) +
        Format(" warm-up (the first took %.1f x the median); the tables "
               "include warm-up, --steps settled leaves it out.",
               ms(time.first_warmup_ns) / ms(time.p50_ns)));
  }
  if (time.device_paced) {
    notes.push_back(
        Format("The host runs ahead of the device, which needs %.2f ms for a "
               "step (median).",
               ms(time.p50_ns)));
  }
  if (const auto budget = FindRecordingBudget(*summary.trace)) {
    std::string note = RecordingBudgetText(*budget);
    note[0] = 'O';
    notes.push_back(note + ".");
  } else if (time.slow_down()) {
    notes.push_back(SlowDownText(*time.unprofiled, time.p50_ns));
  } else if (!time.unprofiled_doubt.empty()) {
    notes.push_back("The cost of recording is not known: " +
                    time.unprofiled_doubt);
  } else if (std::string text = CostlySettingsText(*summary.trace);
             !text.empty() && summary.has_steps) {
    notes.push_back(std::move(text));
  }
  return notes;
}

std::vector<std::string> SummaryNotes(const Summary& summary,
                                      const SummaryOptions& options) {
  std::vector<std::string> notes;
  // Before all else: it is why figures of two recordings differ.
  if (std::string text = CrowdingText(*summary.trace); !text.empty())
    notes.push_back(std::move(text));
  notes.insert(notes.end(), summary.step_notes.begin(),
               summary.step_notes.end());
  if (!summary.events.any) {
    notes.push_back("The trace has no events.");
  } else if (!summary.has_steps) {
    notes.push_back(std::string(kNoStepsRecorded) +
                    Format("ratios are of the recorded window, %.2f ms.",
                           static_cast<double>(summary.total_ns) / 1e6));
  }
  if (summary.no_launch > 0) {
    notes.push_back(
        CountText(summary.no_launch, "device event has", "device events have") +
        " no recorded launch: the row (no launch) of the Operator table.");
  }
  if (!summary.critical_path.note.empty())
    notes.push_back(summary.critical_path.note);
  AddWorkAfterSteps(summary, notes);
  AddAsynchronous(summary, notes);
  AddAbsences(summary, notes);
  AddLosses(summary, notes);
  for (std::string& note : NotesOfSources(*summary.trace))
    notes.push_back(std::move(note));
  const std::string empty = EmptyViews(summary, options.chosen_views());
  if (!empty.empty())
    notes.push_back(std::string(kNothingRecorded) + empty + ".");
  for (const std::string& note : summary.ranks.notes) notes.push_back(note);
  if (!summary.flops.note.empty()) notes.push_back(summary.flops.note);
  return notes;
}

}  // namespace stepscope
