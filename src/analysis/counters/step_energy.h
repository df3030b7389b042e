// SPDX-License-Identifier: Apache-2.0
//
// Energy by device, of steps and of what lies outside of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/counters/energy.h"
#include "analysis/stats.h"
#include "analysis/step_choice.h"
#include "analysis/steps.h"

namespace stepscope {

constexpr double Joules(int64_t mj) { return static_cast<double>(mj) / 1e3; }

struct EnergyRow {
  std::string device;   // "GPU0"; of several processes, with whose it is
  EnergyPart all;       // that was measured
  EnergyPart in_steps;  // of all steps of the thread that steps
  // Steps that count, and were measured from begin to end.
  uint64_t steps = 0;
  int64_t samples = 0;  // that these worked on; -1: one of them does not say
  bool shared = false;  // one of these is a share of a window
  EnergyPart of_steps;  // these together

  int64_t outside_mj() const { return all.mj - in_steps.mj; }
  std::optional<double> watts() const {
    if (all.measured_ns <= 0) return std::nullopt;
    return static_cast<double>(all.mj) * 1e6 /
           static_cast<double>(all.measured_ns);
  }
  std::optional<double> joules_per_step() const { return PerStep(of_steps.mj); }
  std::optional<double> error_per_step() const {
    return PerStep(of_steps.error_mj);
  }
  std::optional<double> joules_per_sample() const {
    return PerSample(of_steps.mj);
  }
  std::optional<double> error_per_sample() const {
    return PerSample(of_steps.error_mj);
  }

 private:
  std::optional<double> PerStep(int64_t mj) const {
    if (steps == 0) return std::nullopt;
    return Joules(mj) / static_cast<double>(steps);
  }
  std::optional<double> PerSample(int64_t mj) const {
    if (samples <= 0) return std::nullopt;
    return Joules(mj) / static_cast<double>(samples);
  }
};

// One step, on all devices of its process.
struct EnergyOfStep {
  EnergyPart part;
  int64_t ns = 0;  // of all devices, whether measured or not

  double measured_ratio() const { return Ratio(part.measured_ns, ns); }
};

struct StepEnergy {
  std::vector<EnergyRow> devices;
  // By index of StepTable::steps(); nothing where none was measured. Empty
  // where no device was.
  std::vector<std::optional<EnergyOfStep>> steps;
};

// `choice`: the steps that count.
StepEnergy ComputeEnergy(const EventTree& tree, const StepTable& steps,
                         const StepChoice& choice);

}  // namespace stepscope
