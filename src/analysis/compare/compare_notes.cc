// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare_notes.h"

#include <cmath>
#include <optional>
#include <utility>

#include "analysis/machine_load.h"
#include "analysis/order_statistics.h"
#include "analysis/unprofiled.h"
#include "base/text.h"

namespace stepscope {
namespace {

// Slow-downs that differ by less say nothing about the change.
constexpr double kSlowDownsDiffer = 0.03;

// REQUIRES: `whole` is above 0.
double Share(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

class NoteWriter {
 public:
  explicit NoteWriter(Comparison& result) : result_(result) {}

  void AddSide(const std::string& name, const StepProfile& profile,
               const StepChoice& choice) {
    if (!profile.has_steps) {
      Add(name + " has no steps: its recorded window is taken as one.");
    } else if (choice.kind == StepChoice::Kind::kRange) {
      Add("Only steps " + StepChoiceText(choice) + " of " + name +
          " are compared: " + CountText(profile.steps) + " of " +
          CountText(profile.recorded) + ".");
    } else if (profile.warmup > 0) {
      AddWarmup(name, profile);
    }
    if (profile.processes > 1) {
      Add(name + " has " + CountText(profile.processes) +
          " processes: steps with the same number are merged by their "
          "median.");
    }
    if (profile.outside > 0) {
      const bool one = profile.outside == 1;
      Add(CountText(profile.outside, "event") + " of " + name +
          (one ? " lies in no step and is not compared."
               : " lie in no step and are not compared."));
    }
  }

  void AddCrowding(const Trace& a, const Trace& b) {
    const auto side = [&](const std::string& name, const Trace& trace) {
      const std::string text = CrowdingText(trace);
      if (text.empty()) return;
      Add(name + ": " + text + " The interval is wider by what that may cost.");
    };
    side(result_.name_a, a);
    side(result_.name_b, b);
  }

  void AddCounts(const StepProfile& a, const StepProfile& b) {
    if (a.steps == b.steps || !a.has_steps || !b.has_steps) return;
    Add(result_.name_a + " has " + CountText(a.steps, result_.sample()) + ", " +
        result_.name_b + " " + CountText(b.steps) +
        ": all figures are medians of " + result_.change.one() + ".");
  }

  void AddCorrelation(const StepChange& change) {
    const auto side = [&](const std::string& name, double correlation) {
      if (correlation <= 0) return;
      Add((result_.of_steps() ? "Steps" : "The " + result_.change.samples()) +
          " of " + name +
          Format(" are like their neighbours (correlation %.2f): the interval "
                 "is wider for it.",
                 correlation));
    };
    side(result_.name_a, change.correlation_a);
    side(result_.name_b, change.correlation_b);
  }

  void AddCostOfRecording(const CompareSide& a, const CompareSide& b) {
    const auto bare = [](const CompareSide& side) {
      return JudgeUnprofiledStep(side.trace, side.profile.periods, {}).step;
    };
    // What a recorder timed are steps, whatever is compared.
    const bool steps = result_.of_steps();
    const std::optional<UnprofiledStep> bare_a = steps ? bare(a) : std::nullopt;
    const std::optional<UnprofiledStep> bare_b = steps ? bare(b) : std::nullopt;
    const StepChange& change = result_.change;
    if (bare_a && bare_b) {
      const double slow_a = Share(change.median_a_ns, bare_a->ns);
      const double slow_b = Share(change.median_b_ns, bare_b->ns);
      if (std::abs(slow_a - slow_b) < kSlowDownsDiffer) return;
      Add("Recording made the steps of " + result_.name_a +
          Format(" %.2f x as long, those of ", slow_a) + result_.name_b +
          Format(" %.2f x: part of the change is its cost. Unrecorded, a step "
                 "takes %.3f ms in ",
                 slow_b, static_cast<double>(bare_a->ns) / 1e6) +
          result_.name_a +
          Format(" and %.3f ms in ", static_cast<double>(bare_b->ns) / 1e6) +
          result_.name_b +
          Format(" (%+.2f %%).", (Share(bare_b->ns, bare_a->ns) - 1) * 100));
      return;
    }
    const std::string costly_a = CostlySettings(a.trace);
    const std::string costly_b = CostlySettings(b.trace);
    if (costly_a == costly_b) return;
    const auto what = [](const std::string& costly) {
      return costly.empty() ? std::string("neither shapes nor call stacks")
                            : costly;
    };
    Add(result_.name_a + " was recorded with " + what(costly_a) + ", " +
        result_.name_b + " with " + what(costly_b) +
        ": part of the change may be the cost of recording.");
  }

  void AddMissing() {
    uint64_t only_a = 0;
    uint64_t only_b = 0;
    bool by_mean = false;
    for (const CompareRow& row : result_.rows) {
      only_a += row.in_a && !row.in_b;
      only_b += row.in_b && !row.in_a;
      by_mean |= row.by_mean;
    }
    if (only_a + only_b > 0) {
      Add(CountText(only_a, "row is", "rows are") + " only in " +
          result_.name_a + ", " + CountText(only_b) + " only in " +
          result_.name_b + "; the other side counts as 0.");
    }
    if (by_mean) {
      Add("Rows with ~ are in fewer than half of the " +
          result_.change.samples() + ": they show means, not medians.");
    }
  }

  void AddWarmup(const std::string& name, const StepProfile& profile) {
    const bool one = profile.warmup_first == profile.warmup_last;
    std::string text = name + (one ? ": step " : ": steps ") +
                       std::to_string(profile.warmup_first);
    if (!one) text += "-" + std::to_string(profile.warmup_last);
    text += " left out as warm-up";
    if (const int64_t median = Median(profile.periods); median > 0) {
      text += Format(" (%.1f x the median%s)",
                     static_cast<double>(profile.warmup_period_ns) /
                         static_cast<double>(median),
                     one ? "" : " at most");
    }
    Add(text + "; --steps all includes " + (one ? "it." : "them."));
  }

  void Add(std::string text) { result_.notes.push_back(std::move(text)); }

 private:
  Comparison& result_;
};

}  // namespace

void AddNotes(const CompareSide& a, const CompareSide& b,
              const StepChoice& choice, Comparison& result) {
  NoteWriter writer(result);
  writer.AddCrowding(a.trace, b.trace);
  writer.AddCounts(a.profile, b.profile);
  writer.AddSide(result.name_a, a.profile, choice);
  writer.AddSide(result.name_b, b.profile, choice);
  writer.AddCorrelation(result.change);
  if (a.has_shapes != b.has_shapes) {
    writer.Add(
        "Only one of the two has shapes: operators are matched by "
        "name.");
  }
  writer.AddMissing();
  writer.AddCostOfRecording(a, b);
}

}  // namespace stepscope
