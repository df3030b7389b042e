// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/step_change.h"

#include <algorithm>
#include <cmath>

#include "analysis/compare/bootstrap.h"
#include "analysis/compare/rank_test.h"
#include "analysis/order_statistics.h"
#include "base/text.h"

namespace stepscope {
namespace {

// More than anybody records, and far from what a double holds.
constexpr double kMostNeededSteps = 1e12;

StepSample SampleOf(const std::vector<int64_t>& periods) {
  return StepSample::Of(periods, periods.size());
}

// How many times fewer steps say as much where neighbours are alike.
double Inflation(const StepChange& change) {
  const auto n = static_cast<double>(change.periods_a.size());
  const auto m = static_cast<double>(change.periods_b.size());
  const auto of = [](double correlation) {
    return (1 + correlation) / (1 - correlation);
  };
  return (n * of(change.correlation_a) + m * of(change.correlation_b)) /
         (n + m);
}

double HarmonicMean(size_t n, size_t m) {
  const auto x = static_cast<double>(n);
  const auto y = static_cast<double>(m);
  return 2 * x * y / (x + y);
}

// What was asked is printed as it was given, what was found with the digits
// that mean something.
std::string Asked(double share) { return Format("%g %%", share * 100); }
std::string Found(double share) {
  const double percent = std::abs(share * 100);
  return Format("%.*f %%",
                percent >= 10  ? 0
                : percent >= 1 ? 1
                               : 2,
                share * 100);
}

std::string UnresolvedText(const StepChange& change, double asked,
                           std::optional<uint64_t> needed) {
  const size_t fewer =
      std::min(change.periods_a.size(), change.periods_b.size());
  if (!change.has_interval) {
    if (fewer >= StepChange::kFewestSteps)
      return "the " + change.samples() +
             " of A take no time: nothing to compare with";
    return Asked(asked) + " asked, but nothing can be concluded from so few " +
           change.samples() + ": record at least " +
           CountText(StepChange::kFewestSteps, change.counted()) +
           " on each side (A has " + CountText(change.periods_a.size()) +
           ", B has " + CountText(change.periods_b.size()) + ")";
  }
  std::string text =
      Asked(asked) + " asked, " + Found(change.resolvable()) + " resolvable: ";
  if (change.crowding_a + change.crowding_b > 0) {
    return text +
           "other programs used the machine; record again on a free "
           "one";
  }
  if (!needed)
    return text + "no number of " + change.samples() + " resolves so little";
  if (*needed > fewer) {
    return text + "record " +
           CountText(*needed - fewer, "more " + change.sample) + " (" +
           CountText(*needed, change.counted()) + " on each side)";
  }
  return text + Format(
                    "the change is %+.2f %% (95 %% interval %.2f to "
                    "%.2f %%), too close to %s to tell",
                    change.ratio * 100, change.low * 100, change.high * 100,
                    Asked(asked).c_str());
}

}  // namespace

StepChange CompareSteps(std::vector<int64_t> a, std::vector<int64_t> b,
                        std::string sample) {
  StepChange change;
  change.sample = std::move(sample);
  change.median_a_ns = Median(a);
  change.median_b_ns = Median(b);
  if (change.median_a_ns > 0) {
    change.ratio = static_cast<double>(change.median_b_ns) /
                       static_cast<double>(change.median_a_ns) -
                   1;
  }
  change.periods_a = std::move(a);
  change.periods_b = std::move(b);
  if (std::min(change.periods_a.size(), change.periods_b.size()) <
          StepChange::kFewestSteps ||
      change.median_a_ns <= 0)
    return change;
  change.has_interval = true;
  change.correlation_a = NeighbourCorrelation(change.periods_a);
  change.correlation_b = NeighbourCorrelation(change.periods_b);
  const RatioInterval interval = BootstrapRatio(
      change.periods_a,
      BlockLength(change.periods_a.size(), change.correlation_a),
      change.periods_b,
      BlockLength(change.periods_b.size(), change.correlation_b));
  change.low = interval.low;
  change.high = interval.high;
  const RankResult ranks =
      RankTest().Compare(SampleOf(change.periods_a), SampleOf(change.periods_b),
                         Inflation(change));
  change.p = ranks.p;
  change.p_slower = ranks.p_above;
  change.p_faster = ranks.p_below;
  return change;
}

void AllowForCrowding(double crowding_a, double crowding_b,
                      StepChange& change) {
  // A machine that the job had nothing of says nothing at all.
  constexpr double kMost = 0.99;
  change.crowding_a = std::clamp(crowding_a, 0.0, kMost);
  change.crowding_b = std::clamp(crowding_b, 0.0, kMost);
  if (!change.has_interval) return;
  change.low = (1 + change.low) * (1 - change.crowding_b) - 1;
  change.high = (1 + change.high) / (1 - change.crowding_a) - 1;
}

std::optional<uint64_t> StepChange::StepsNeeded(double share) const {
  if (!has_interval || crowding_a + crowding_b > 0) return std::nullopt;
  if (resolvable() <= 0) return kFewestSteps;
  if (!(share > 0)) return std::nullopt;
  const double times = resolvable() / share;
  const double needed =
      HarmonicMean(periods_a.size(), periods_b.size()) * times * times;
  if (!(needed < kMostNeededSteps)) return std::nullopt;
  return std::max<uint64_t>(kFewestSteps,
                            static_cast<uint64_t>(std::ceil(needed)));
}

Verdict StepChange::verdict() const {
  if (!has_interval) return Verdict::kUnknown;
  if (IsSlowerBy(0)) return Verdict::kSlower;
  if (high < 0 && p_faster <= kSignificance) return Verdict::kFaster;
  return Verdict::kSame;
}

bool StepChange::IsSlowerBy(double share) const {
  if (!has_interval || !(low > share)) return false;
  if (share <= 0) return p_slower <= kSignificance;
  std::vector<int64_t> longer = periods_a;
  for (int64_t& period : longer) {
    const double scaled = static_cast<double>(period) * (1 + share);
    period = scaled < 9e18 ? std::llround(scaled) : INT64_MAX;
  }
  return RankTest()
             .Compare(SampleOf(longer), SampleOf(periods_b), Inflation(*this))
             .p_above <= kSignificance;
}

GateAnswer AskGate(const StepChange& change, double asked) {
  GateAnswer answer;
  answer.asked = asked;
  answer.steps_needed = change.StepsNeeded(asked);
  if (change.IsSlowerBy(asked)) {
    answer.kind = GateAnswer::Kind::kSlower;
    answer.text =
        Format("B is slower than A by %.2f %%, which is more than %g %%",
               change.ratio * 100, asked * 100);
  } else if (change.has_interval && change.high <= asked) {
    answer.kind = GateAnswer::Kind::kNotSlower;
    answer.text =
        Format("B is not slower than A by more than %g %%", asked * 100);
  } else {
    answer.text = UnresolvedText(change, asked, answer.steps_needed);
  }
  return answer;
}

}  // namespace stepscope
