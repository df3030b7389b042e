// SPDX-License-Identifier: Apache-2.0
//
// Findings about steps that are the host's alone: the operator or function
// that takes most time by itself, operators that are too small, and time in
// which nothing was recorded.
#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "analysis/advice/host_time.h"
#include "analysis/interval_search.h"
#include "analysis/kinds.h"
#include "analysis/op_shapes.h"
#include "analysis/order_statistics.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "trace/raw_args.h"

namespace stepscope {
namespace {

// A gap that dispatching the next operator does not explain.
constexpr int64_t kLongGapNs = 100'000;

struct OwnTime {
  uint64_t calls = 0;
  int64_t time_ns = 0;
  Row longest = kNoRow;
  int64_t longest_ns = 0;
  Row last = kNoRow;

  void Add(int64_t ns, Row row) {
    time_ns = SaturatingAdd(time_ns, ns);
    calls += row != last || row == kNoRow ? 1 : 0;
    last = row;
    if (ns <= longest_ns) return;
    longest_ns = ns;
    longest = row;
  }
};

// A replay holds every piece of the time that it changes. In a long trace these
// are as large as a column of it; then what was measured is told instead.
constexpr uint64_t kMostReplayed = 1 << 15;

struct LongGap {
  OwnTime time;
  Interval longest;
};

// Time in which nothing was recorded.
struct Unrecorded {
  std::vector<int64_t> by_step;
  uint64_t pieces = 0;
  bool others_work = false;               // in gaps of the thread of the steps
  std::map<StringId, LongGap> long_gaps;  // by the event before; StringId{}:
  int64_t long_gaps_ns = 0;               // the step has just begun
  StringId step_name;                     // of one of them

  // `ns` of the piece are in nobody's event.
  void Add(const Trace& trace, size_t step, const InnermostPiece& piece,
           int64_t ns) {
    if (piece.row != kNoRow) step_name = trace.name()[piece.row];
    by_step[step] += ns;
    ++pieces;
    if (ns < kLongGapNs) return;
    long_gaps_ns = SaturatingAdd(long_gaps_ns, ns);
    LongGap& gap =
        long_gaps[piece.before == kNoRow ? StringId{}
                                         : trace.name()[piece.before]];
    if (ns > gap.time.longest_ns) gap.longest = piece.range;
    gap.time.Add(ns, kNoRow);
  }
};

struct HostUse {
  std::map<StringId, OwnTime> own;  // by name
  Unrecorded unrecorded;            // on the threads of the steps
};

// When a thread was in a call that some finding speaks of.
IntervalSet NamedAlready(const AdviceInput& input, const Advice& advice,
                         uint32_t thread) {
  const Trace& trace = input.trace();
  std::vector<bool> named(trace.strings().size());
  bool any = false;
  for (const Finding& finding : advice.findings) {
    if (finding.covers.empty()) continue;
    for (uint32_t i = 0; i < named.size(); ++i)
      if (trace.str(StringId{i}) == finding.covers) named[i] = any = true;
  }
  IntervalCollector taken;
  if (!any) return {};
  input.tree.threads().ForEachRow(thread, [&](Row row) {
    if (!named[trace.name()[row].v]) return;
    taken.Add(trace.start_ns()[row], input.tree.end_ns(row));
  });
  return taken.Finish();
}

// How much of a range other threads of the process were in any event: as in
// the waterfall, such time is not unrecorded. Holds what is in one range.
class WorkOfOthers {
 public:
  WorkOfOthers(const AdviceInput& input, uint32_t process) : input_(input) {
    const Threads& threads = input.tree.threads();
    for (uint32_t other = 0; other < threads.size(); ++other)
      if (threads[other].process == process &&
          other != input.steps.main_thread(process))
        cursors_.push_back({other});
  }

  // REQUIRES: the ranges come in order and do not overlap.
  int64_t Covers(const Interval& range) {
    for (Cursor& cursor : cursors_) AddRowsOf(cursor, range);
    work_.Finish(set_);
    return TotalLength(set_);
  }

 private:
  struct Cursor {
    uint32_t thread = 0;
    size_t next = 0;            // of the thread's rows
    int64_t until = INT64_MIN;  // those before it end by then
  };

  void AddRowsOf(Cursor& cursor, const Interval& range) {
    const Trace& trace = input_.trace();
    const Thread& thread = input_.tree.threads()[cursor.thread];
    const Track& track = trace.tracks()[thread.first_track];
    const std::span<const Row> merged =
        thread.has_lanes() ? input_.tree.threads().merged(cursor.thread)
                           : std::span<const Row>();
    const size_t count =
        thread.has_lanes() ? merged.size() : track.last - track.first;
    work_.Add(range.begin, std::min(cursor.until, range.end));
    for (; cursor.next < count; ++cursor.next) {
      const Row row = thread.has_lanes()
                          ? merged[cursor.next]
                          : track.first + static_cast<Row>(cursor.next);
      if (trace.start_ns()[row] >= range.end) return;
      if (trace.type()[row] == STEPSCOPE_PROFILE_STEP) continue;
      const int64_t end = input_.tree.end_ns(row);
      cursor.until = std::max(cursor.until, end);
      work_.Add(std::max(trace.start_ns()[row], range.begin),
                std::min(end, range.end));
    }
  }

  const AdviceInput& input_;
  std::vector<Cursor> cursors_;
  IntervalCollector work_;
  IntervalSet set_;
};

// Calls `visit(step, piece, process)`, with a number among all steps, for what
// no other finding speaks of.
template <typename Visit>
void ForEachOwnPiece(const AdviceInput& input, const Advice& advice,
                     Visit visit) {
  for (uint32_t i = 0; i < input.trace().processes().size(); ++i) {
    const uint32_t thread = input.steps.main_thread(i);
    if (thread == kNoThread) continue;
    const IntervalSet loader = StagesOf(input, thread).loader;
    const IntervalSet& exchange = input.communication.by_thread()[thread];
    const IntervalSet taken = NamedAlready(input, advice, thread);
    const std::vector<Interval> steps = StepsOf(input, i);
    const size_t first = FirstStepOf(input, i);
    ForEachPieceInSteps(input, i, steps,
                        [&](size_t step, const InnermostPiece& piece) {
                          if (Contains(loader, piece.range.begin) ||
                              Contains(exchange, piece.range.begin) ||
                              Contains(taken, piece.range.begin))
                            return;
                          visit(first + step, piece, i);
                        });
  }
}

HostUse FindHostUse(const AdviceInput& input, const Advice& advice) {
  const Trace& trace = input.trace();
  HostUse use;
  use.unrecorded.by_step.resize(input.step_count());
  ForEachOwnPiece(input, advice,
                  [&](size_t step, const InnermostPiece& piece, uint32_t) {
                    const int64_t ns = piece.range.end - piece.range.begin;
                    if (IsUnrecorded(trace, piece))
                      use.unrecorded.Add(trace, step, piece, ns);
                    else
                      use.own[trace.name()[piece.row]].Add(ns, piece.row);
                  });
  return use;
}

// On no thread at all.
Unrecorded FindUnrecorded(const AdviceInput& input, const Advice& advice) {
  const Trace& trace = input.trace();
  Unrecorded found;
  found.by_step.resize(input.step_count());
  std::vector<WorkOfOthers> others;
  for (uint32_t i = 0; i < trace.processes().size(); ++i)
    others.emplace_back(input, i);
  ForEachOwnPiece(
      input, advice,
      [&](size_t step, const InnermostPiece& piece, uint32_t process) {
        if (!IsUnrecorded(trace, piece)) return;
        const int64_t covered = others[process].Covers(piece.range);
        found.others_work |= covered > 0;
        found.Add(trace, step, piece,
                  piece.range.end - piece.range.begin - covered);
      });
  return found;
}

// What takes most time by itself in the median step; a name that takes much in
// few steps is none of the usual step.
struct LargestOwn {
  StringId name;
  OwnTime own;
  std::vector<int64_t> by_step;
};

LargestOwn FindLargestOwn(const AdviceInput& input, const Advice& advice,
                          const HostUse& use) {
  constexpr size_t kLookedAt = 8;
  std::vector<LargestOwn> candidates;
  for (const auto& [name, own] : use.own) candidates.push_back({name, own, {}});
  StableSort(candidates.begin(), candidates.end(),
             [](const LargestOwn& a, const LargestOwn& b) {
               return a.own.time_ns > b.own.time_ns;
             });
  if (candidates.size() > kLookedAt) candidates.resize(kLookedAt);
  std::map<StringId, LargestOwn*> by_name;
  for (LargestOwn& one : candidates) {
    one.by_step.resize(input.step_count());
    by_name[one.name] = &one;
  }
  const Trace& trace = input.trace();
  ForEachOwnPiece(
      input, advice, [&](size_t step, const InnermostPiece& piece, uint32_t) {
        if (IsUnrecorded(trace, piece)) return;
        const auto at = by_name.find(trace.name()[piece.row]);
        if (at == by_name.end()) return;
        at->second->by_step[step] += piece.range.end - piece.range.begin;
      });
  const auto largest =
      std::max_element(candidates.begin(), candidates.end(),
                       [](const LargestOwn& a, const LargestOwn& b) {
                         return Median(a.by_step) < Median(b.by_step);
                       });
  return largest == candidates.end() ? LargestOwn{} : std::move(*largest);
}

// Who calls events of a name, by time.
std::string CallersOf(const AdviceInput& input, StringId name) {
  const Trace& trace = input.trace();
  std::map<StringId, std::pair<int64_t, uint64_t>> callers;
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i) {
    if (input.steps.main_thread(input.tree.threads()[i].process) != i) continue;
    input.tree.threads().ForEachRow(i, [&](Row row) {
      if (trace.name()[row] != name) return;
      const Row parent = input.tree.parent(row);
      if (parent == kNoRow || trace.type()[parent] == STEPSCOPE_PROFILE_STEP ||
          IsConcludedPass(trace, parent))
        return;
      auto& [time, calls] = callers[trace.name()[parent]];
      time = SaturatingAdd(time, trace.dur_ns()[row]);
      ++calls;
    });
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [caller, sum] : callers) {
    sorted.push_back({-sum.first, Quoted(trace.str(caller)) + " (" +
                                      CountText(sum.second, "call") + ")"});
  }
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (size_t i = 0; i < std::min(sorted.size(), kMostExamples); ++i)
    text += (i == 0 ? "" : ", ") + sorted[i].second;
  return text;
}

// The shapes that took most of it, as evidence; none where none is recorded.
void AddShapes(const AdviceInput& input, StringId name, Finding& finding) {
  struct OfShape {
    uint64_t calls = 0;
    int64_t time_ns = 0;
    Row longest = kNoRow;
  };
  constexpr size_t kMostShapes = 2;
  const Trace& trace = input.trace();
  std::map<std::string, OfShape> shapes;
  RawArgReader raw(trace);
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i) {
    if (input.steps.main_thread(input.tree.threads()[i].process) != i) continue;
    input.tree.threads().ForEachRow(i, [&](Row row) {
      if (trace.name()[row] != name) return;
      const OpShapes known = ShapesOf(trace, row, raw.Get(row));
      if (!known.known()) return;
      OfShape& shape = shapes[known.text];
      ++shape.calls;
      shape.time_ns = SaturatingAdd(shape.time_ns, trace.dur_ns()[row]);
      if (shape.longest == kNoRow ||
          trace.dur_ns()[row] > trace.dur_ns()[shape.longest])
        shape.longest = row;
    });
  }
  std::vector<std::pair<std::string, OfShape>> sorted(shapes.begin(),
                                                      shapes.end());
  StableSort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.time_ns > b.second.time_ns;
  });
  if (sorted.size() > kMostShapes) sorted.resize(kMostShapes);
  for (const auto& [text, shape] : sorted) {
    finding.evidence.push_back(
        {"Shapes " + text + ": " + CountText(shape.calls, "call") + " of " +
             Milliseconds(AverageNs(shape.time_ns, shape.calls)) +
             " on average.",
         std::string(trace.str(name)), shape.longest, shape.calls,
         shape.time_ns});
  }
}

std::vector<std::string> RemediesOfOwnTime(uint16_t type,
                                           std::string_view name) {
  if (type == STEPSCOPE_PYTHON_FUNCTION) {
    return {"operators on whole tensors instead of loops in Python",
            "doing it once before the loop, or on another thread",
            "a range of your own around parts of it, to see which takes the "
            "time"};
  }
  if (type != STEPSCOPE_OPERATOR && type != STEPSCOPE_OPERATOR_INNER) {
    return {"ranges inside it, to see what takes the time",
            "doing it ahead of time or on another thread"};
  }
  for (const std::string_view product :
       {"mm", "conv", "linear", "matmul", "einsum", "attention"}) {
    if (name.find(product) == name.npos) continue;
    return {"bfloat16, if the processor has instructions for it",
            "smaller sizes, or a library for this processor (oneDNN, MKL)"};
  }
  return {"compiling the model, which fuses operators like this one",
          "calling it less often, or on less data"};
}

void FindLargestOwnTime(const AdviceInput& input, const HostUse& use,
                        Advice& advice) {
  const Trace& trace = input.trace();
  const LargestOwn largest = FindLargestOwn(input, advice, use);
  const OwnTime& own = largest.own;
  const int64_t usual = Median(largest.by_step);
  if (usual == 0 || !input.IsWorthSaying(own.time_ns)) return;
  const StringId name_id = largest.name;
  const std::string name(trace.str(name_id));
  Finding finding;
  finding.id = "own_time";
  finding.finding = Quoted(name) + " takes " +
                    input.PerMedianStep(largest.by_step) + " by itself.";
  if (own.calls <= kMostReplayed) finding.change = "self:" + name + "=0.5";
  finding.saving_ns = finding.measured_ns = usual / 2;
  finding.saving_basis = "it takes half of that time";
  finding.evidence.push_back(
      {CountText(own.calls, "call") + " in " +
           CountText(input.step_count(), "step") + ", the longest " +
           Milliseconds(own.longest_ns) + ", without the events inside.",
       name, own.longest, own.calls, own.time_ns});
  if (const std::string callers = CallersOf(input, name_id); !callers.empty()) {
    finding.evidence.push_back(
        {"It is called by " + callers + ".", "", kNoRow, 0, 0});
  }
  AddShapes(input, name_id, finding);
  if (const std::string processors = ProcessorUse(trace); !processors.empty())
    finding.evidence.push_back({processors, "", kNoRow, 0, 0});
  finding.to_try = RemediesOfOwnTime(trace.type()[own.longest], name);
  if (const std::string remedy = ThreadRemedy(input); !remedy.empty())
    finding.to_try.push_back(remedy);
  advice.findings.push_back(std::move(finding));
}

// "ProfileStep#*": all of them.
std::string PatternOfSteps(std::string_view name) {
  const size_t digits = name.find_last_not_of("0123456789");
  if (digits == name.npos) return "*";
  return digits + 1 == name.size()
             ? std::string(name)
             : std::string(name.substr(0, digits + 1)) + "*";
}

void FindUnrecordedTime(const AdviceInput& input, const HostUse& use,
                        Advice& advice) {
  constexpr double kMuch = 0.1;  // of the steps
  if (!input.IsWorthSaying(use.unrecorded.long_gaps_ns, kMuch)) return;
  const Unrecorded unrecorded = FindUnrecorded(input, advice);
  if (!input.IsWorthSaying(unrecorded.long_gaps_ns, kMuch)) return;
  const Trace& trace = input.trace();
  std::vector<std::pair<StringId, const LongGap*>> gaps;
  for (const auto& [name, gap] : unrecorded.long_gaps)
    gaps.push_back({name, &gap});
  StableSort(gaps.begin(), gaps.end(), [](const auto& a, const auto& b) {
    return a.second->time.time_ns > b.second->time.time_ns;
  });
  if (gaps.size() > kMostExamples) gaps.resize(kMostExamples);
  Finding finding;
  finding.id = "unrecorded";
  finding.finding = "Nothing was recorded for " +
                    input.PerMedianStep(unrecorded.by_step) +
                    ": code of the program that no event covers.";
  // The thread may wait for the others there, which no replay knows.
  if (unrecorded.pieces <= kMostReplayed && !unrecorded.others_work) {
    finding.change =
        "self:" + PatternOfSteps(trace.str(unrecorded.step_name)) + "=0.5";
  }
  finding.saving_ns = finding.measured_ns = Median(unrecorded.by_step) / 2;
  finding.saving_basis = "that code takes half of the time";
  for (const auto& [name, gap] : gaps) {
    if (!input.IsWorthSaying(gap->time.time_ns)) break;
    const std::string before(trace.str(name));
    finding.evidence.push_back(
        {input.PerStep(gap->time.time_ns) + " are " +
             (before.empty() ? "at the start of the step"
                             : "after " + Quoted(before)) +
             ", in " + CountText(gap->time.calls, "gap") + ", the longest of " +
             Milliseconds(gap->time.longest_ns) + ".",
         before, kNoRow, gap->time.calls, gap->time.time_ns, gap->longest});
  }
  if (finding.evidence.empty()) return;
  finding.to_try = {
      "stepscope run --python, which records the functions that run there",
      "a range of your own around that code (stepscope.RecordEvent)",
      "doing it on another thread, or every so many steps only"};
  advice.findings.push_back(std::move(finding));
}

}  // namespace

void FindHostTime(const AdviceInput& input, Advice& advice) {
  if (!input.summary.has_steps || input.HasWorkInSteps()) return;
  const HostUse use = FindHostUse(input, advice);
  FindLargestOwnTime(input, use, advice);
  FindUnrecordedTime(input, use, advice);
}

}  // namespace stepscope
