// SPDX-License-Identifier: Apache-2.0
#include "analysis/summary_notes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/tables/all_tables.h"
#include "base/text.h"

namespace stepscope {
namespace {

// "1 event was", "2 events were"
std::string Count(uint64_t count, std::string_view one,
                  std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

// Names of the views that were asked for and have nothing to show.
std::string EmptyViews(const Summary& summary, uint32_t views) {
  std::string list;
  for (const TableSchema& table : AllTables()) {
    if ((views & table.view) == 0 || !table.nothing) continue;
    if (!table.nothing(summary)) continue;
    if (!list.empty()) list += ", ";
    list += table.title;
  }
  return list;
}

void AddLosses(const Trace& trace, std::vector<std::string>& notes) {
  uint64_t dropped = 0;
  uint64_t open = 0;
  for (const ThreadReport& thread : trace.threads()) {
    for (const auto& [reason, count] : thread.dropped) dropped += count;
    open += thread.open_scopes.size();
  }
  if (!trace.complete()) {
    notes.push_back(
        "The recording was cut short: the process was killed or is still "
        "running.");
  }
  if (open > 0) {
    notes.push_back(
        Count(open, "event was", "events were") +
        " still open at the end; the time of such runs to the end of the "
        "recording.");
  }
  if (dropped > 0) {
    notes.push_back(
        Count(dropped, "event was", "events were") +
        " dropped while recording, in no table; stepscope info says why.");
  }
  uint64_t rejected = 0;
  for (const auto& [reason, bin] : trace.ledger().rejected()) {
    rejected += bin.count;
  }
  if (rejected > 0) {
    notes.push_back(
        Count(rejected, "record", "records") + " of " +
        std::to_string(trace.ledger().seen()) +
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

void AddOddNumbers(const Summary& summary, std::vector<std::string>& notes) {
  const auto any_above_one = [](const auto& rows, auto ratio) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const auto& row) { return ratio(row) > 1; });
  };
  const auto busy = [](const OverviewRow& row) { return row.ratio; };
  const auto cpu = [](const ModelRow& row) { return row.cpu.ratio; };
  if (any_above_one(summary.overview.cpu, busy) ||
      any_above_one(summary.overview.gpu, busy) ||
      any_above_one(summary.model, cpu)) {
    notes.push_back(
        "A ratio above 100% counts time outside the steps, or of several "
        "threads at once.");
  }
  for (const ModelRow& row : summary.model) {
    if (row.name != kOthersName) continue;
    if (row.cpu.total_ns < 0 || row.gpu.total_ns < 0) {
      notes.push_back(
          "Others is negative: stages of several threads overlap, or lie "
          "outside the steps, so that together they exceed the steps.");
    }
  }
}

}  // namespace

std::vector<std::string> SummaryNotes(const Summary& summary,
                                      const SummaryOptions& options) {
  const Trace& trace = *summary.trace;
  std::vector<std::string> notes;
  if (trace.size() == 0 && trace.memory().empty()) {
    notes.push_back("The trace has no events.");
  } else if (!summary.has_steps) {
    notes.push_back(
        Format("No ProfileStep was recorded: ratios are of the recorded "
               "window, %.2f ms.",
               static_cast<double>(summary.total_ns) / 1e6));
  }
  if (summary.no_launch > 0) {
    notes.push_back(
        Count(summary.no_launch, "device event has", "device events have") +
        " no recorded launch: the row (no launch) of the Operator table.");
  }
  if (!summary.critical_path.note.empty()) {
    notes.push_back(summary.critical_path.note);
  }
  AddAbsences(summary, notes);
  AddLosses(trace, notes);
  AddOddNumbers(summary, notes);
  const std::string empty = EmptyViews(summary, options.chosen_views());
  if (!empty.empty()) {
    notes.push_back("Nothing was recorded for: " + empty + ".");
  }
  return notes;
}

}  // namespace stepscope
