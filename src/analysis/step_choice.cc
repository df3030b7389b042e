// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_choice.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <vector>

#include "analysis/interval_search.h"
#include "analysis/kinds.h"
#include "analysis/order_statistics.h"
#include "analysis/recording_budget.h"
#include "base/text.h"
#include "trace/build/trace_part.h"

namespace stepscope {
namespace {

// An end of a range: a number or nothing.
bool ParseEnd(std::string_view text, int64_t& number) {
  if (text.empty()) return true;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number >= 0;
}

std::string NumbersText(int64_t first, int64_t last) {
  if (first == last) return "step " + std::to_string(first);
  return "steps " + std::to_string(first) + "-" + std::to_string(last);
}

// Times of a process that belong to chosen steps.
class Extents {
 public:
  void Add(int64_t begin, int64_t end) { collector_.Add(begin, end); }
  void Finish() { set_ = collector_.Finish(); }

  bool Has(int64_t time_ns) const { return Contains(set_, time_ns); }
  // Calls `visit(row)` for the rows of a track that began within.
  template <typename Visit>
  void ForEachRow(const Trace& trace, const Track& track, Visit visit) const {
    const auto start = trace.start_ns();
    Row row = track.first;
    for (const Interval& part : set_) {
      row = static_cast<Row>(std::lower_bound(start.begin() + row,
                                              start.begin() + track.last,
                                              part.begin) -
                             start.begin());
      for (; row < track.last && start[row] < part.end; ++row) visit(row);
    }
  }
  bool empty() const { return set_.empty(); }
  const IntervalSet& set() const { return set_; }

 private:
  IntervalCollector collector_;
  IntervalSet set_;
};

class Selector {
 public:
  Selector(const EventTree& tree, const StepTable& steps,
           const StepChoice& choice)
      : tree_(tree),
        trace_(tree.trace()),
        steps_(steps),
        choice_(choice),
        full_(FindFullSteps(trace_)),
        host_(trace_.processes().size()),
        device_(trace_.processes().size()) {}

  Result<StepSelection> Run() {
    Choose();
    if (selection_.total == 0) {
      if (choice_.kind != StepChoice::Kind::kRange) return selection_;
      return Fail(ErrorCode::kInvalidArgument,
                  "--steps " + StepChoiceText(choice_) +
                      ": the trace has no steps; leave --steps out");
    }
    if (selection_.chosen == 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  "--steps " + StepChoiceText(choice_) +
                      ": no such step was recorded; the trace has " +
                      NumbersText(lowest_, highest_));
    }
    if (selection_.is_everything()) return selection_;
    selection_.note = Note();
    TracePart part = Part();
    STEPSCOPE_TRY_ASSIGN(selection_.trace, CopyPart(trace_, part));
    selection_.rows = std::move(part.rows);
    return selection_;
  }

 private:
  void Choose() {
    for (uint32_t p = 0; p < host_.size(); ++p) {
      const uint32_t thread = steps_.main_thread(p);
      if (thread != kNoThread) ChooseOf(p, steps_.steps_of(thread));
    }
  }

  void ChooseOf(uint32_t process, std::span<const StepInterval> steps) {
    uint64_t warmup = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      const StepInterval& step = steps[i];
      ++selection_.total;
      lowest_ = std::min(lowest_, step.index);
      highest_ = std::max(highest_, step.index);
      if (!choice_.Includes(step)) {
        if (choice_.kind == StepChoice::Kind::kSettled) {
          if (step.warmup) {
            ++warmup;
            NoteWarmup(step);
          } else {
            ++partly_;
          }
        }
        continue;
      }
      ++selection_.chosen;
      first_ = std::min(first_, step.index);
      last_ = std::max(last_, step.index);
      const bool until_next = i + 1 < steps.size() && !steps[i + 1].rested;
      const int64_t end =
          until_next ? steps[i + 1].range.begin : step.last_end();
      // Before a step begins the recorder says whether it records it in full.
      const int64_t said = full_[process].SaidAt(step.range.begin);
      const bool of_this = i == 0 || said > steps[i - 1].range.begin;
      // What starts at the very end of the last step is still of it.
      host_[process].Add(of_this ? said : step.range.begin,
                         SaturatingAdd(end, until_next ? 0 : 1));
      if (step.has_device()) {
        device_[process].Add(step.device.begin,
                             SaturatingAdd(step.device.end, 1));
      }
      host_begin_ = std::min(host_begin_, step.range.begin);
      // Where the device paces the loop, its turn comes later: until then it
      // works on steps that may have been left out.
      window_.begin = std::min(
          window_.begin, steps_.device_paces(step.thread)
                             ? std::max(step.period_begin_ns, step.range.begin)
                             : step.range.begin);
      window_.end = std::max(window_.end, step.last_end());
    }
    if (warmup == 0) return;
    selection_.warmup += warmup;
    ++processes_warming_;
    std::vector<int64_t> settled;
    for (const StepInterval& step : steps)
      if (!step.warmup) settled.push_back(step.period_ns);
    if (const int64_t median = Median(settled); median > 0) {
      first_ratio_ =
          std::max(first_ratio_, static_cast<double>(steps[0].period_ns) /
                                     static_cast<double>(median));
    }
  }

  void NoteWarmup(const StepInterval& step) {
    warm_first_ = std::min(warm_first_, step.index);
    warm_last_ = std::max(warm_last_, step.index);
  }

  std::string Note() const {
    if (choice_.kind == StepChoice::Kind::kRange) {
      return Format("only %s of %llu recorded %s counted",
                    NumbersText(first_, last_).c_str(),
                    static_cast<unsigned long long>(selection_.total),
                    selection_.chosen == 1 ? "is" : "are");
    }
    const bool one = warmup_steps() + partly_ == 1;
    std::string note;
    if (warmup_steps() > 0) {
      note = NumbersText(warm_first_, warm_last_) + " left out as warm-up";
      if (processes_warming_ > 1) {
        note += Format(" in %llu processes",
                       static_cast<unsigned long long>(processes_warming_));
      }
      if (first_ratio_ > 0)
        note += Format(" (the first took %.1f x the median)", first_ratio_);
    }
    if (partly_ > 0) {
      note += (note.empty() ? "" : ", and ") + CountText(partly_, "step") +
              (note.empty() ? " left out" : "") +
              " because their operators were not recorded (--budget)";
    }
    return note + "; --steps all includes " + (one ? "it" : "them");
  }

  uint64_t warmup_steps() const {
    return warm_last_ < warm_first_
               ? 0
               : static_cast<uint64_t>(warm_last_ - warm_first_) + 1;
  }

  TracePart Part() {
    Extents any;
    any.Add(host_begin_, SaturatingAdd(window_.end, 1));
    for (uint32_t p = 0; p < host_.size(); ++p) {
      host_[p].Finish();
      device_[p].Finish();
      // A process that does not step is chosen by time alone.
      const uint32_t thread = steps_.main_thread(p);
      if (thread != kNoThread && !steps_.steps_of(thread).empty()) continue;
      host_[p] = device_[p] = any;
      host_[p].Finish();
      device_[p].Finish();
    }
    TracePart part;
    part.begin_ns = window_.begin;
    part.end_ns = window_.end;
    part.rows.assign(trace_.size(), false);
    for (const Track& track : trace_.tracks()) {
      // Marks and waits of a device have lines beside its streams.
      const bool on_device =
          (track.kind == TrackKind::kStream ||
           (track.kind == TrackKind::kAsync && track.device >= 0)) &&
          !device_[track.process].empty();
      const auto& extents = on_device ? device_ : host_;
      extents[track.process].ForEachRow(
          trace_, track, [&](Row row) { part.rows[row] = true; });
    }
    // Work goes with its launch, whenever it ran.
    for (const DeviceWork& work : tree_.work())
      if (work.launch != kNoRow) part.rows[work.row] = part.rows[work.launch];
    part.at = [this](uint32_t process, int64_t time_ns) {
      return host_[process].Has(time_ns);
    };
    return part;
  }

  const EventTree& tree_;
  const Trace& trace_;
  const StepTable& steps_;
  const StepChoice& choice_;
  StepSelection selection_;
  const std::vector<FullSteps> full_;  // by process
  std::vector<Extents> host_;          // by process
  std::vector<Extents> device_;        // by process
  Interval window_{INT64_MAX, INT64_MIN};
  int64_t host_begin_ = INT64_MAX;
  int64_t lowest_ = INT64_MAX;  // of all steps
  int64_t highest_ = INT64_MIN;
  int64_t first_ = INT64_MAX;  // of the chosen
  int64_t last_ = INT64_MIN;
  int64_t warm_first_ = INT64_MAX;
  int64_t warm_last_ = INT64_MIN;
  uint64_t processes_warming_ = 0;
  uint64_t partly_ = 0;     // left out because their operators are missing
  double first_ratio_ = 0;  // the highest of the processes
};

}  // namespace

Result<StepChoice> ParseStepChoice(std::string_view text) {
  if (text == "all") return StepChoice::All();
  if (text == "settled") return StepChoice::Settled();
  StepChoice choice{.kind = StepChoice::Kind::kRange};
  const size_t colon = text.find(':');
  if (colon == text.npos || text.size() == 1 ||
      !ParseEnd(text.substr(0, colon), choice.begin) ||
      !ParseEnd(text.substr(colon + 1), choice.end)) {
    return Fail(ErrorCode::kInvalidArgument,
                "--steps: unknown value \"" + std::string(text) +
                    "\"; use all, settled or A:B, such as 3:8 for steps 3 to "
                    "7");
  }
  if (choice.begin >= choice.end) {
    return Fail(ErrorCode::kInvalidArgument,
                "--steps " + std::string(text) +
                    ": no steps lie between; the end is not included");
  }
  return choice;
}

std::string StepChoiceText(const StepChoice& choice) {
  if (choice.kind == StepChoice::Kind::kAll) return "all";
  if (choice.kind == StepChoice::Kind::kSettled) return "settled";
  std::string text;
  if (choice.begin != INT64_MIN) text += std::to_string(choice.begin);
  text += ':';
  if (choice.end != INT64_MAX) text += std::to_string(choice.end);
  return text;
}

Result<StepSelection> SelectSteps(const EventTree& tree, const StepTable& steps,
                                  const StepChoice& choice) {
  return Selector(tree, steps, choice).Run();
}

Result<StepSelection> SelectSteps(std::shared_ptr<const Trace> trace,
                                  const StepChoice& choice) {
  if (choice == StepChoice::All()) {
    StepSelection everything;
    everything.trace = std::move(trace);
    return everything;
  }
  const EventTree tree(*trace);
  const StepTable steps(tree);
  STEPSCOPE_TRY_ASSIGN(StepSelection selection,
                       SelectSteps(tree, steps, choice));
  if (selection.trace == nullptr) selection.trace = std::move(trace);
  return selection;
}

}  // namespace stepscope
