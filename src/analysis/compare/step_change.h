// SPDX-License-Identifier: Apache-2.0
//
// StepChange: whether the steps of B take longer than those of A, by how much,
// and how sure one may be of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stepscope {

// Same: no difference beyond noise. Unknown: too few steps to say anything.
enum class Verdict : uint8_t { kSame, kFaster, kSlower, kUnknown };

struct StepChange {
  // With fewer steps on a side nothing is concluded.
  static constexpr size_t kFewestSteps = 3;
  // What a rank test must be below, for either direction by itself.
  static constexpr double kSignificance = 0.05;

  std::string sample = "step";     // or what else the periods are of
  std::vector<int64_t> periods_a;  // in the order of the steps
  std::vector<int64_t> periods_b;
  int64_t median_a_ns = 0;
  int64_t median_b_ns = 0;
  double ratio = 0;  // median_b / median_a - 1; 0 if that is undefined
  // The rest is there with enough steps only.
  bool has_interval = false;
  double low = 0;  // the 95 % interval of the ratio
  double high = 0;
  double p = 1;         // rank test, two-sided
  double p_slower = 1;  // one-sided: B slower than A
  double p_faster = 1;
  // How alike steps and their neighbours are; 0 unless that is plain.
  double correlation_a = 0;
  double correlation_b = 0;
  // The share of a full machine that other programs had; see MachineLoad.
  double crowding_a = 0;
  double crowding_b = 0;

  // The smallest change that so many steps of this spread show.
  double resolvable() const { return has_interval ? (high - low) / 2 : 0; }
  // Settled steps that either side needs for a change of `share` to be
  // resolvable: n (resolvable / share)^2, with n the harmonic mean of the
  // steps of both sides. None without an interval, for a share of 0 where
  // steps differ, and on a crowded machine, where more steps do not help.
  std::optional<uint64_t> StepsNeeded(double share) const;
  Verdict verdict() const;
  // "a step", "steps", and what counts of them: "settled step".
  std::string one() const {
    return (sample.find_first_of("aeiou") == 0 ? "an " : "a ") + sample;
  }
  std::string samples() const { return sample + "s"; }
  std::string counted() const {
    return sample == "step" ? "settled step" : sample;
  }
  // Whether B is slower than A by more than `share`, beyond doubt: the
  // interval lies above, and the rank test against steps of A that are longer
  // by `share` is significant.
  bool IsSlowerBy(double share) const;
};

// The periods of the steps, in their order, or of what else is a sample.
StepChange CompareSteps(std::vector<int64_t> a, std::vector<int64_t> b,
                        std::string sample = "step");

// Takes into account that other programs used the machines. Who shares the
// processors may wait for one as long as others have it: alone, a side would
// have taken no more, and at the least the share that others left of its time.
// The interval becomes as wide as that.
void AllowForCrowding(double crowding_a, double crowding_b, StepChange& change);

// The gate: is B slower than A by more than `asked`?
struct GateAnswer {
  enum class Kind : uint8_t {
    kSlower,      // beyond doubt
    kNotSlower,   // beyond doubt
    kUnresolved,  // the samples cannot tell
  };
  Kind kind = Kind::kUnresolved;
  double asked = 0;                      // as a share
  std::optional<uint64_t> steps_needed;  // on either side
  std::string text;                      // a sentence, without a full stop
};
GateAnswer AskGate(const StepChange& change, double asked);

}  // namespace stepscope
