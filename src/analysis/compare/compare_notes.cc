// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare_notes.h"

#include <utility>

#include "base/text.h"

namespace stepscope {
namespace {

// printf knows no uint64_t that is the same type everywhere.
unsigned long long Number(uint64_t number) { return number; }

class NoteWriter {
 public:
  explicit NoteWriter(Comparison& result) : result_(result) {}

  void AddSide(const char* name, const StepProfile& profile,
               const StepChoice& choice) {
    if (!profile.has_steps) {
      Add(std::string(name) +
          " has no steps: its recorded window is taken as one.");
    } else if (choice.kind == StepChoice::Kind::kRange) {
      Add(Format("Only steps %s of %s are compared: %llu of %llu.",
                 StepChoiceText(choice).c_str(), name, Number(profile.steps),
                 Number(profile.recorded)));
    } else if (profile.warmup > 0) {
      Add(Format("%llu of %llu steps of %s %s left out as warm-up; --steps "
                 "all includes %s.",
                 Number(profile.warmup), Number(profile.recorded), name,
                 profile.warmup == 1 ? "is" : "are",
                 profile.warmup == 1 ? "it" : "them"));
    }
    if (profile.processes > 1) {
      Add(Format("%s has %llu processes: of their steps of one number, the "
                 "median counts.",
                 name, Number(profile.processes)));
    }
    if (profile.outside > 0) {
      const bool one = profile.outside == 1;
      Add(Format("%llu event%s of %s %s in no step and %s not compared.",
                 Number(profile.outside), one ? "" : "s", name,
                 one ? "lies" : "lie", one ? "is" : "are"));
    }
  }

  void AddCounts(const StepProfile& a, const StepProfile& b) {
    if (a.steps == b.steps || !a.has_steps || !b.has_steps) return;
    Add(Format("A has %llu steps, B %llu: all figures are medians of a step.",
               Number(a.steps), Number(b.steps)));
  }

  void AddCorrelation(const StepChange& change) {
    const auto side = [&](const char* name, double correlation) {
      if (correlation <= 0) return;
      Add(Format("Steps of %s are like their neighbours (correlation %.2f): "
                 "the interval is wider for it.",
                 name, correlation));
    };
    side("A", change.correlation_a);
    side("B", change.correlation_b);
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
      Add(Format("%llu row%s only in A, %llu only in B; the other side "
                 "counts as 0.",
                 Number(only_a), only_a == 1 ? " is" : "s are",
                 Number(only_b)));
    }
    if (by_mean) {
      Add("Rows with ~ are in fewer than half of the steps: they show means, "
          "not medians.");
    }
  }

  void Add(std::string text) { result_.notes.push_back(std::move(text)); }

 private:
  Comparison& result_;
};

}  // namespace

void AddNotes(const CompareSide& a, const CompareSide& b,
              const StepChoice& choice, Comparison& result) {
  NoteWriter writer(result);
  writer.AddCounts(a.profile, b.profile);
  writer.AddSide("A", a.profile, choice);
  writer.AddSide("B", b.profile, choice);
  writer.AddCorrelation(result.change);
  if (a.has_shapes != b.has_shapes) {
    writer.Add("Only one of the two has shapes: operators are matched by "
               "name.");
  }
  writer.AddMissing();
}

}  // namespace stepscope
