// SPDX-License-Identifier: Apache-2.0
#include "analysis/steps.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/kinds.h"
#include "analysis/recording_budget.h"
#include "analysis/set_up.h"
#include "analysis/stages.h"
#include "analysis/stats.h"
#include "analysis/step_pace.h"
#include "analysis/warmup.h"

namespace stepscope {
namespace {

int64_t IntArgument(const Trace& trace, Row row, std::string_view key,
                    int64_t otherwise) {
  for (const Arg& arg : trace.args_of(row))
    if (arg.kind == ArgKind::kInt && trace.str(arg.key) == key)
      return arg.int_value;
  return otherwise;
}

// n of "ProfileStep#n" (or of any name that ends so), else the argument "step",
// which runs of very many steps use, else `otherwise`.
int64_t StepIndex(const Trace& trace, Row row, int64_t otherwise) {
  const std::string_view name = trace.str(trace.name()[row]);
  const size_t hash = name.rfind('#');
  if (hash == name.npos) return IntArgument(trace, row, "step", otherwise);
  int64_t index = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] =
      std::from_chars(name.data() + hash + 1, end, index);
  return error == std::errc() && stop == end ? index : otherwise;
}

// Tracks of threads that lost events, for whatever reason.
std::vector<bool> LossyTracks(const Trace& trace) {
  std::vector<bool> lossy(trace.tracks().size(), false);
  for (const ThreadReport& thread : trace.threads())
    if (!thread.dropped.empty()) lossy[thread.track] = true;
  return lossy;
}

// Forward and backward pass inside the step of an optimizer, which calls them
// (a closure, as Lightning does it and L-BFGS needs it).
bool IsInClosure(uint16_t type, const Interval& range,
                 std::span<const StepInterval> before, uint32_t thread) {
  return (type == STEPSCOPE_FORWARD || type == STEPSCOPE_BACKWARD) &&
         !before.empty() && before.back().thread == thread &&
         before.back().type == STEPSCOPE_OPTIMIZATION &&
         range.end <= before.back().range.end;
}

void Widen(Interval& hull, bool is_first, int64_t begin, int64_t end) {
  if (is_first) hull = {begin, end};
  hull.begin = std::min(hull.begin, begin);
  hull.end = std::max(hull.end, end);
}

// Whether the user said which steps to record, and not the program's first:
// then they are what the user wants to know of.
bool WereStepsChosen(const Trace& trace, uint32_t process) {
  const auto& metadata = trace.processes()[process].metadata;
  return std::any_of(metadata.begin(), metadata.end(), [&](const auto& fact) {
    return trace.str(fact.first) == "first_chosen_step";
  });
}

// Whether the recorder saved its last steps because one of them was slow.
bool IsSavedForSlowStep(const Trace& trace, uint32_t process) {
  const auto& metadata = trace.processes()[process].metadata;
  return std::any_of(metadata.begin(), metadata.end(), [&](const auto& fact) {
    return trace.str(fact.first) == "saved" &&
           trace.str(fact.second).starts_with("slow");
  });
}

}  // namespace

StepTable::StepTable(const EventTree& tree, bool find_warmup) {
  const AutogradNames autograd(tree);
  Collect(tree, autograd);
  ChooseMainThreads(tree);
  Complete(tree, autograd);
  ComputeTotal(tree);
  AttributeWork(tree);
  AddDeviceMarks(tree);
  TimeSteps(tree, find_warmup);
  FindPartlyRecorded(tree, find_warmup);
}

void StepTable::Collect(const EventTree& tree, const AutogradNames& autograd) {
  const Trace& trace = tree.trace();
  const std::vector<bool> lossy = LossyTracks(trace);
  const Threads& threads = tree.threads();
  const auto type = trace.type();
  for (uint32_t i = 0; i < threads.size(); ++i) {
    steps_.first.push_back(steps_.spans.size());
    stages_.first.push_back(stages_.spans.size());
    OpenSpan step;
    OpenSpan stage;
    OpenSpan closure;
    int64_t count = 0;
    const auto add = [&](Row row) {
      const bool is_step = type[row] == STEPSCOPE_PROFILE_STEP;
      // Its end was lost with other events: it is no step that ended so late.
      if (is_step && (trace.flags()[row] & kEventOpenAtEnd) != 0 &&
          lossy[trace.track()[row]])
        return;
      if (!is_step && (!IsStage(type[row]) || autograd.Has(trace, row))) return;
      StepInterval span;
      span.range = {trace.start_ns()[row], tree.end_ns(row)};
      bool in_closure = false;
      if (!(is_step ? step : stage).Enter(span.range.begin, span.range.end)) {
        in_closure = !is_step &&
                     IsInClosure(type[row], span.range, stages_.spans, i) &&
                     closure.Enter(span.range.begin, span.range.end);
        if (!in_closure) return;
      }
      span.row = row;
      span.thread = i;
      span.type = type[row];
      span.inferred = (trace.flags()[row] & kEventInferred) != 0;
      if (is_step) {
        span.index = StepIndex(trace, row, count++);
        span.rested = IntArgument(trace, row, "rested", 0) != 0;
        span.samples = IntArgument(trace, row, "samples", -1);
      }
      std::vector<StepInterval>& spans = (is_step ? steps_ : stages_).spans;
      spans.push_back(span);
      if (!in_closure) return;
      // The optimizer's own work is what comes after.
      std::swap(spans.back(), spans[spans.size() - 2]);
      spans.back().range.begin = span.range.end;
    };
    if (threads[i].has_lanes()) {
      threads.ForEachRow(i, add);
    } else {
      const auto marks = tree.census().marks(threads[i].first_track);
      std::for_each(marks.begin(), marks.end(), add);
    }
  }
  steps_.first.push_back(steps_.spans.size());
  stages_.first.push_back(stages_.spans.size());
}

// The thread with the most steps, else with the most stages.
void StepTable::ChooseMainThreads(const EventTree& tree) {
  const Threads& threads = tree.threads();
  const size_t processes = tree.trace().processes().size();
  main_thread_.assign(processes, kNoThread);
  std::vector<std::pair<size_t, size_t>> most(processes, {0, 0});
  for (uint32_t i = 0; i < threads.size(); ++i) {
    const uint32_t process = threads[i].process;
    const std::pair count = {steps_.first[i + 1] - steps_.first[i],
                             stages_.first[i + 1] - stages_.first[i]};
    if (count > most[process]) {
      most[process] = count;
      main_thread_[process] = i;
    }
  }
}

void StepTable::Complete(const EventTree& tree, const AutogradNames& autograd) {
  CompleteStages(tree, autograd, steps_.spans, main_thread_, stages_.spans);
  const uint32_t threads = static_cast<uint32_t>(tree.threads().size());
  counts_stages_.assign(threads, false);
  size_t next = 0;
  for (uint32_t i = 0; i < threads; ++i) {
    stages_.first[i] = next;
    while (next < stages_.spans.size() && stages_.spans[next].thread == i)
      ++next;
    counts_stages_[i] =
        steps_.spans.empty() || steps_.first[i] < steps_.first[i + 1];
  }
  stages_.first[threads] = next;
}

void StepTable::ComputeTotal(const EventTree& tree) {
  IntervalCollector collector;
  for (const StepInterval& step : steps_.spans)
    collector.Add(step.range.begin, step.range.end);
  all_steps_ = collector.Finish();
  total_ns_ = TotalLength(all_steps_);
  CollectProcessSteps(tree);
  steps_take_time_.assign(tree.threads().size(), false);
  for (const StepInterval& step : steps_.spans)
    if (step.range.begin < step.range.end) steps_take_time_[step.thread] = true;
  const Trace& trace = tree.trace();
  window_ = {trace.begin_ns(), trace.end_ns()};
  if (total_ns_ > 0) return;
  total_ns_ = SaturatingSubtract(window_.end, window_.begin);
  all_steps_ = {window_};
  if (total_ns_ > 0 || trace.size() == 0) return;
  window_ = {INT64_MAX, INT64_MIN};
  for (Row row = 0; row < trace.size(); ++row) {
    window_.begin = std::min(window_.begin, trace.start_ns()[row]);
    window_.end = std::max(window_.end, tree.end_ns(row));
  }
  total_ns_ = SaturatingSubtract(window_.end, window_.begin);
  all_steps_ = {window_};
}

void StepTable::CollectProcessSteps(const EventTree& tree) {
  const size_t processes = tree.trace().processes().size();
  process_steps_.resize(processes);
  if (processes == 1) {
    process_steps_[0] = all_steps_;
    return;
  }
  std::vector<IntervalCollector> collectors(processes);
  for (const StepInterval& step : steps_.spans)
    collectors[tree.threads()[step.thread].process].Add(step.range.begin,
                                                        step.range.end);
  for (size_t i = 0; i < processes; ++i)
    process_steps_[i] = collectors[i].Finish();
}

int64_t StepTable::TimeInProcessSteps(uint32_t process,
                                      const Interval& range) const {
  const std::span<const Interval> own = process_steps_[process];
  const std::span<const Interval> steps =
      own.empty() ? std::span(&window_, 1) : own;
  auto step = std::partition_point(
      steps.begin(), steps.end(),
      [&](const Interval& one) { return one.end <= range.begin; });
  int64_t inside = 0;
  for (; step != steps.end() && step->begin < range.end; ++step)
    inside = SaturatingAdd(
        inside, SaturatingSubtract(std::min(range.end, step->end),
                                   std::max(range.begin, step->begin)));
  return inside;
}

int64_t StepTable::TimeInSteps(uint32_t thread, const Interval& range) const {
  if (range.end <= range.begin) return 0;
  if (!steps_take_time_[thread])
    return SaturatingSubtract(range.end, range.begin);
  const std::span<const StepInterval> steps = steps_of(thread);
  auto step = std::partition_point(steps.begin(), steps.end(),
                                   [&](const StepInterval& candidate) {
                                     return candidate.range.end <= range.begin;
                                   });
  int64_t inside = 0;
  int64_t from = range.begin;  // steps that overlap count once
  for (; step != steps.end() && step->range.begin < range.end; ++step) {
    from = std::max(from, step->range.begin);
    const int64_t to = std::min(range.end, step->range.end);
    if (to <= from) continue;
    inside = SaturatingAdd(inside, SaturatingSubtract(to, from));
    from = to;
  }
  return inside;
}

// Spans of one thread do not contain each other, so of those that began, the
// last ends last.
StepInterval* StepTable::SpanList::Search(uint32_t thread, int64_t time_ns) {
  if (thread == kNoThread) return nullptr;
  const auto begin = spans.begin() + static_cast<ptrdiff_t>(first[thread]);
  const auto end = spans.begin() + static_cast<ptrdiff_t>(first[thread + 1]);
  const auto after = std::upper_bound(
      begin, end, time_ns, [](int64_t time, const StepInterval& span) {
        return time < span.range.begin;
      });
  if (after == begin || time_ns >= after[-1].range.end) return nullptr;
  last_found = static_cast<size_t>(after - spans.begin()) - 1;
  return &after[-1];
}

void StepTable::AttributeWork(const EventTree& tree) {
  const Trace& trace = tree.trace();
  for (const DeviceWork& work : tree.work()) {
    const int64_t dur = trace.dur_ns()[work.row];
    all_gpu_ns_ = SaturatingAdd(all_gpu_ns_, dur);
    const bool no_steps = steps_.spans.empty();
    const auto count = [&](bool in_stage) {
      gpu_ns_ = SaturatingAdd(gpu_ns_, dur);
      if (in_stage) return;
      gpu_outside_stages_ns_ = SaturatingAdd(gpu_outside_stages_ns_, dur);
    };
    if (work.launch == kNoRow) {
      if (no_steps) count(false);
      continue;
    }
    const int64_t time = trace.start_ns()[work.launch];
    const uint32_t own = tree.thread_of(work.launch);
    const uint32_t main = main_thread_[tree.threads()[own].process];
    const auto add = [&](SpanList& list) -> const StepInterval* {
      StepInterval* span = list.Find(own, time);
      if (span == nullptr && own != main) span = list.Find(main, time);
      if (span == nullptr) return nullptr;
      span->gpu_ns = SaturatingAdd(span->gpu_ns, dur);
      Widen(span->device, !span->has_device(), trace.start_ns()[work.row],
            tree.end_ns(work.row));
      return span;
    };
    if (add(steps_) == nullptr && !no_steps) continue;
    const StepInterval* const stage = add(stages_);
    count(stage != nullptr && counts_stages_[stage->thread]);
  }
}

// Kineto marks a step on the streams too, by a range of the same name around
// the work that the step's own thread launched.
void StepTable::AddDeviceMarks(const EventTree& tree) {
  const Trace& trace = tree.trace();
  const TypeSet kMark = SetOf(STEPSCOPE_USER_DEFINED);
  using Key = uint64_t;  // process and name
  const auto key_of = [](uint32_t process, StringId name) {
    return (Key{process} << 32) | name.v;
  };
  std::unordered_map<Key, StepInterval*> marked;
  for (StepInterval& step : steps_.spans) {
    const StringId name = trace.name()[step.row];
    if ((tree.census().device_types(name) & kMark) == 0) continue;
    const auto [at, is_new] = marked.try_emplace(
        key_of(tree.threads()[step.thread].process, name), &step);
    // Of a name that several steps have, nobody knows whose mark it is.
    if (!is_new) at->second = nullptr;
  }
  if (marked.empty()) return;
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    // They lie over the work and are none, so they have lines beside it.
    const bool on_device =
        track.kind == TrackKind::kStream ||
        (track.kind == TrackKind::kAsync && track.device >= 0);
    if (!on_device || (tree.census().types(i) & kMark) == 0) continue;
    for (Row row = track.first; row < track.last; ++row) {
      if (trace.type()[row] != STEPSCOPE_USER_DEFINED) continue;
      const auto at = marked.find(key_of(track.process, trace.name()[row]));
      if (at == marked.end() || at->second == nullptr) continue;
      StepInterval& step = *at->second;
      Widen(step.device, !step.has_device(), trace.start_ns()[row],
            tree.end_ns(row));
    }
  }
}

void StepTable::TimeSteps(const EventTree& tree, bool find_warmup) {
  const size_t threads = tree.threads().size();
  device_paces_.assign(threads, false);
  std::vector<int64_t> periods;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    const std::span<StepInterval> steps =
        std::span(steps_.spans)
            .subspan(steps_.first[thread],
                     steps_.first[thread + 1] - steps_.first[thread]);
    if (steps.empty()) continue;
    device_paces_[thread] = SetPeriods(steps);
    if (!find_warmup) continue;
    periods.clear();
    for (const StepInterval& step : steps) periods.push_back(step.period_ns);
    const size_t warmup = CountWarmup(
        periods,
        [&](size_t i) { return SetUpTime(tree, thread, steps[i].range); },
        WereStepsChosen(tree.trace(), tree.threads()[thread].process));
    for (StepInterval& step : steps.first(warmup)) step.warmup = true;
  }
}

// Where no step was recorded in full there is nothing better to look at; and a
// slow step is looked at however it was recorded.
void StepTable::FindPartlyRecorded(const EventTree& tree, bool find_partly) {
  const Trace& trace = tree.trace();
  const std::vector<FullSteps> full = FindFullSteps(trace);
  for (uint32_t thread = 0; thread < tree.threads().size(); ++thread) {
    const uint32_t process = tree.threads()[thread].process;
    const std::span<StepInterval> steps =
        std::span(steps_.spans)
            .subspan(steps_.first[thread],
                     steps_.first[thread + 1] - steps_.first[thread]);
    const auto is_full = [&](const StepInterval& step) {
      return full[process].Has(step.range.begin);
    };
    if (full[process].of_device())
      for (StepInterval& step : steps) step.device_left_out = !is_full(step);
    if (!find_partly || std::ranges::none_of(steps, is_full) ||
        IsSavedForSlowStep(trace, process))
      continue;
    for (StepInterval& step : steps) step.partly = !is_full(step);
  }
}

}  // namespace stepscope
