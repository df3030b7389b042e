// SPDX-License-Identifier: Apache-2.0
#include "analysis/counters/step_energy.h"

#include "analysis/process_name.h"
#include "analysis/step_sweep.h"

namespace stepscope {
namespace {

// Energies of times, one after another. Those that touch are one time, of which
// the error is known better than of its parts.
class Joined {
 public:
  explicit Joined(const DeviceEnergy& device) : device_(device) {}

  void Add(const Interval& time) {
    if (time.begin != time_.end) Take();
    if (time_.begin == time_.end) time_.begin = time.begin;
    time_.end = time.end;
  }
  const EnergyPart& Finish() {
    Take();
    return sum_;
  }

 private:
  void Take() {
    sum_.Add(device_.Of(time_));
    time_ = {};
  }

  const DeviceEnergy& device_;
  Interval time_;  // not taken yet
  EnergyPart sum_;
};

std::string NameOf(const Trace& trace, const DeviceEnergy& device) {
  std::string name = NameAmongSeveral(trace, device.process());
  if (!name.empty()) name += ' ';
  return name + "GPU" + std::to_string(device.device());
}

EnergyRow RowOf(const DeviceEnergy& device, const StepTable& table,
                const StepChoice& choice, StepEnergy& energy) {
  EnergyRow row;
  row.all = device.All();
  Joined in_steps(device);
  Joined of_steps(device);
  for (const auto& [step, range] : RangesOfSteps(table, device.process())) {
    if (range.begin >= range.end) continue;
    const EnergyPart part = device.Of(range);
    in_steps.Add(range);
    const int64_t ns = SaturatingSubtract(range.end, range.begin);
    auto& all = energy.steps[static_cast<size_t>(step - table.steps().data())];
    if (!all) all.emplace();
    all->part.Add(part);
    all->ns = SaturatingAdd(all->ns, ns);
    if (!choice.Includes(*step) || part.measured_ns != ns) continue;
    of_steps.Add(range);
    ++row.steps;
    row.samples = row.samples < 0 || step->samples < 0
                      ? -1
                      : SaturatingAdd(row.samples, step->samples);
    row.shared |= part.shared;
  }
  row.in_steps = in_steps.Finish();
  row.of_steps = of_steps.Finish();
  return row;
}

}  // namespace

StepEnergy ComputeEnergy(const EventTree& tree, const StepTable& steps,
                         const StepChoice& choice) {
  StepEnergy energy;
  const std::vector<DeviceEnergy> devices = FindDeviceEnergy(tree.trace());
  if (devices.empty()) return energy;
  energy.steps.resize(steps.steps().size());
  for (const DeviceEnergy& device : devices) {
    energy.devices.push_back(RowOf(device, steps, choice, energy));
    energy.devices.back().device = NameOf(tree.trace(), device);
  }
  for (auto& step : energy.steps)
    if (step && step->part.measured_ns == 0) step.reset();
  return energy;
}

}  // namespace stepscope
