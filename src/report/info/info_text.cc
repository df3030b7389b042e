// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "analysis/ranks/hang.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/info/human.h"
#include "report/info/info.h"
#include "report/info/job_info.h"
#include "report/info/notes.h"
#include "report/info/recording_cost.h"
#include "report/info/thread_info.h"
#include "trace/job/process_ending.h"
#include "trace/overlap.h"
#include "trace/write_loss.h"

namespace stepscope {
namespace {

// Threads that are listed one by one; those with loss or open scopes first.
constexpr size_t kThreadsShown = 40;
constexpr size_t kScopesShown = 8;
constexpr size_t kLongestName = 60;

std::string Name(const Trace& trace, StringId id) {
  return Shorten(VisibleText(trace.str(id)), kLongestName);
}

void Field(std::string& out, std::string_view name, std::string_view value) {
  out += Padded(std::string(name), 10);
  out += value;
  out += '\n';
}

// Whether the program stopped its recorder only our own captures say.
std::string_view State(std::string_view format, bool complete) {
  if (format != "capture")
    return complete ? "whole file" : "cut short: the file has no end";
  return complete ? "complete: recording was stopped by the program"
                  : "cut short: the process was killed or is still running";
}

// `stepscope run` finishes the captures of processes that did not.
bool WasFinishedForIt(const Trace& trace) {
  for (const Process& process : trace.processes())
    for (const auto& [key, value] : process.metadata)
      if (trace.str(key) == "ended") return true;
  return false;
}

std::string State(const Trace& trace) {
  if (const WriteLoss loss = FindWriteLoss(trace); loss.any()) {
    // Its end may have found no room either: a kill is in a note.
    return "incomplete: " + WriteLossText(loss) +
           (trace.complete() ? "" : "; the capture has no end");
  }
  if (IsStillRecorded(trace))
    return "still recording: this is what was recorded so far";
  if (trace.format() == "capture" && trace.complete() &&
      WasFinishedForIt(trace))
    return "complete: all that was recorded is here";
  return std::string(State(trace.format(), trace.complete()));
}

// Each of several files on a line of its own.
void AddSources(std::string& out, const Trace& trace) {
  constexpr size_t kShown = 16;
  for (size_t i = 0; i < trace.sources().size() && i < kShown; ++i) {
    const Source& source = trace.sources()[i];
    std::string text =
        VisibleText(source.path) + " (" + VisibleText(source.format) + "), " +
        CountText(source.ledger.kept()) + " of " +
        CountText(source.ledger.seen(), "record") + " kept as they are";
    if (!source.complete)
      text += ", " + std::string(State(source.format, false));
    if (!source.clock.epoch_known) text += ", no absolute time";
    Field(out, "file", text);
  }
  if (trace.sources().size() > kShown)
    Field(out, "",
          "and " + CountText(trace.sources().size() - kShown) +
              " more; --format json has them all");
}

void AddSource(std::string& out, const Trace& trace) {
  if (trace.sources().size() > 1) {
    AddSources(out, trace);
  } else {
    Field(out, "file",
          (trace.files().empty() ? "" : VisibleText(trace.files()[0])) + " (" +
              VisibleText(trace.format()) + ")");
  }
  Field(out, "state", State(trace));
  std::string when = HumanDuration(trace.end_ns() - trace.begin_ns());
  if (trace.clock().epoch_known)
    when += ", from " + HumanTime(trace.epoch_ns() + trace.begin_ns());
  Field(out, "recorded", when);
}

void AddProcesses(std::string& out, const Trace& trace) {
  constexpr size_t kShown = 16;
  for (size_t i = 0; i < trace.processes().size() && i < kShown; ++i) {
    const Process& process = trace.processes()[i];
    std::string text = Format("pid %lld", static_cast<long long>(process.pid));
    if (process.rank >= 0)
      text += Format(", rank %lld", static_cast<long long>(process.rank));
    if (!trace.str(process.name).empty())
      text += ", " + Name(trace, process.name);
    if (!trace.str(process.host).empty())
      text += ", on " + Name(trace, process.host);
    Field(out, "process", text);
  }
  if (trace.processes().size() > kShown) {
    Field(out, "",
          "and " + CountText(trace.processes().size() - kShown) + " more");
  }
}

void AddClock(std::string& out, const Trace& trace) {
  const ClockInfo& clock = trace.clock();
  if (clock.source.empty()) {
    Field(out, "clock", "not stated");
    return;
  }
  Field(out, "clock",
        VisibleText(clock.source) +
            Format(", %.6f GHz measured, ", clock.ticks_per_second / 1e9) +
            CountText(clock.anchors, "anchor") + ", error at most " +
            HumanDuration(clock.worst_error_ns));
}

std::string ClockOf(const MemberClock& member) {
  const AlignedClock& clock = member.clock;
  std::string text = member.rank >= 0 ? "rank " + std::to_string(member.rank)
                                      : VisibleText(member.file);
  text += ": ";
  switch (clock.method) {
    case ClockMethod::kReference:
      return text + "the reference clock";
    case ClockMethod::kCollectives:
      text += (clock.offset_ns < 0 ? "-" : "+") +
              HumanDuration(std::abs(clock.offset_ns)) +
              Format(", drift %.2f ppm, by ", clock.drift_ppm) +
              CountText(clock.collectives, "collective");
      break;
    case ClockMethod::kRpc:
      text += (clock.offset_ns < 0 ? "-" : "+") +
              HumanDuration(std::abs(clock.offset_ns)) + ", by " +
              CountText(clock.collectives, "request");
      break;
    case ClockMethod::kSameClock:
      text += "as recorded, by the clock of the same machine";
      break;
    case ClockMethod::kEpoch:
      return text + "as recorded, by absolute time; error not known";
    case ClockMethod::kAssumed:
      return text + "states no time; laid where the first other file begins";
    case ClockMethod::kAlone:
      return text + "as recorded; nothing to lay it beside";
  }
  text += ", error at most " + HumanDuration(clock.error_ns);
  if (clock.error_ppm > 0)
    text += Format(" and %.2f us per second further away", clock.error_ppm);
  return text;
}

// How the clocks of several files were laid beside each other.
void AddClocks(std::string& out, const SetClocks& clocks) {
  constexpr size_t kShown = 16;
  for (size_t i = 0; i < clocks.members.size() && i < kShown; ++i)
    Field(out, i == 0 ? "clocks" : "", ClockOf(clocks.members[i]));
  if (clocks.members.size() > kShown)
    Field(out, "",
          "and " + CountText(clocks.members.size() - kShown) +
              " more; --format json has them all");
}

void AddLedger(std::string& out, const Trace& trace) {
  const Ledger& ledger = trace.ledger();
  uint64_t repaired = 0;
  uint64_t rejected = 0;
  for (const auto& [reason, bin] : ledger.repaired()) repaired += bin.count;
  for (const auto& [reason, bin] : ledger.rejected()) rejected += bin.count;
  Field(out, "records",
        CountText(ledger.seen()) + " seen = " + CountText(ledger.kept()) +
            " kept + " + CountText(repaired) + " repaired + " +
            CountText(rejected) + " rejected");
  const auto list = [&](const char* what, const auto& bins) {
    for (const auto& [reason, bin] : bins) {
      std::string text =
          CountText(bin.count) + " " + what + ": " + VisibleText(reason);
      if (!bin.examples.empty()) {
        text += Format(
            " (first at byte %llu)",
            static_cast<unsigned long long>(bin.examples.front().offset));
      }
      Field(out, "", text);
    }
  };
  const uint64_t outliving = CountOutliving(trace);
  if (outliving > 0) {
    Field(out, "",
          CountText(outliving, "event outlives the event that it began in",
                    "events outlive the event that they began in") +
              ": time that both ran counts once");
  }
  list("repaired", ledger.repaired());
  list("rejected", ledger.rejected());
}

void AddOpenScopes(std::string& out, const Trace& trace,
                   const std::vector<Row>& scopes) {
  for (size_t i = 0; i < scopes.size(); ++i) {
    // Of a deep stack, the outermost and the innermost tell most.
    if (scopes.size() > kScopesShown && i == kScopesShown / 2) {
      const size_t hidden = scopes.size() - kScopesShown;
      out += "      ... " + CountText(hidden) + " more ...\n";
      i += hidden;
    }
    out += "      open " +
           Padded(HumanDuration(trace.dur_ns()[scopes[i]]), 10) + " " +
           Name(trace, trace.name()[scopes[i]]) + "\n";
  }
}

void AddThreads(std::string& out, const Trace& trace) {
  std::vector<ThreadInfo> threads = ThreadInfos(trace);
  if (threads.empty()) return;
  const auto weight = [](const ThreadInfo& thread) {
    const bool open =
        thread.report != nullptr && !thread.report->open_scopes.empty();
    return (thread.dropped > 0 ? 2 : 0) + (open ? 1 : 0);
  };
  StableSort(threads.begin(), threads.end(),
             [&](const ThreadInfo& a, const ThreadInfo& b) {
               if (weight(a) != weight(b)) return weight(a) > weight(b);
               return a.events > b.events;
             });
  // Hashes of 64 bits are ids, too.
  size_t id_width = 12;
  for (size_t i = 0; i < std::min(threads.size(), kThreadsShown); ++i)
    id_width =
        std::max(id_width, std::to_string(threads[i].track->id).size() + 2);
  out += "\n  " + Padded("thread", id_width) + Padded("events", 14) +
         Padded("dropped", 12) + "name\n";
  uint64_t hidden_events = 0;
  for (size_t i = 0; i < threads.size(); ++i) {
    const ThreadInfo& thread = threads[i];
    if (i >= kThreadsShown) {
      hidden_events += thread.events;
      continue;
    }
    out += "  " + Padded(std::to_string(thread.track->id), id_width) +
           Padded(CountText(thread.events), 14) +
           Padded(CountText(thread.dropped), 12) +
           Name(trace, thread.track->name) + "\n";
    if (thread.report == nullptr) continue;
    for (const auto& [reason, count] : thread.report->dropped) {
      if (count == 0) continue;
      out += "      dropped " + CountText(count) + ": " + VisibleText(reason) +
             "\n";
    }
    AddOpenScopes(out, trace, thread.report->open_scopes);
  }
  if (threads.size() > kThreadsShown) {
    out += "  and " + CountText(threads.size() - kThreadsShown, "thread") +
           " with " + CountText(hidden_events, "event") +
           "; --format json has them all\n";
  }
}

// ", and 12 events with others as the file has them", or nothing.
std::string RawArguments(const Trace& trace) {
  uint64_t events = 0;
  for (Row row = 0; trace.has_raw_args() && row < trace.size(); ++row)
    events += trace.raw_ref(row) != 0;
  return events == 0 ? ""
                     : ", and " + CountText(events, "event") +
                           " with others as the file has them";
}

void AddHang(std::string& out, const Trace& trace) {
  const Hang hang = FindHang(trace);
  if (!hang.found()) return;
  for (const std::string& line : DescribeHang(trace, hang))
    Field(out, "hang", VisibleText(line));
}

void AddSkipped(std::string& out, const TraceInfo& input) {
  for (const TraceFolder::Skipped& file : input.skipped)
    // Of one job, a note says what could not be read.
    if (!file.is_trace || input.jobs.size() > 1)
      Field(out, "skipped", VisibleText(file.reason));
}

}  // namespace

std::string InfoText(const TraceInfo& input) {
  const Trace& trace = *input.trace;
  std::string out;
  if (input.jobs.size() > 1) {
    Field(out, "jobs",
          CountText(input.jobs.size()) +
              " in this folder; name a file to see more of it");
    out += JobLines(input.jobs);
    AddSkipped(out, input);
    return out;
  }
  AddSource(out, trace);
  AddProcesses(out, trace);
  AddClock(out, trace);
  AddClocks(out, input.clocks);
  Field(out, "contents",
        CountText(trace.size(), "event") + ", " +
            CountText(trace.memory().size(), "memory event") + ", " +
            CountText(trace.counters().size(), "counter value") + ", " +
            CountText(trace.flows().size(), "flow point") + ", " +
            CountText(trace.args().size(), "argument") + RawArguments(trace));
  AddLedger(out, trace);
  if (const std::string cost = RecordingCostText(trace); !cost.empty())
    Field(out, "cost", cost);
  AddHang(out, trace);
  for (const std::string& note : NotesForPeople(trace))
    Field(out, "note", VisibleText(note));
  AddSkipped(out, input);
  AddThreads(out, trace);
  return out;
}

}  // namespace stepscope
