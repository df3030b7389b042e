// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/idle_parts.h"

#include <algorithm>
#include <array>

#include "analysis/communication.h"
#include "analysis/interval.h"
#include "analysis/name_class.h"
#include "analysis/step_sweep.h"
#include "base/json_writer.h"

namespace stepscope::server {
namespace {

constexpr auto kFirstCause = static_cast<size_t>(StepPart::kCommunication);
constexpr size_t kCauses = kStepParts - kFirstCause;

void AddParts(const IntervalSet& set, size_t cause,
              std::vector<IdlePart>& parts) {
  for (const Interval& piece : set)
    parts.push_back(
        {piece.begin, piece.end, static_cast<StepPart>(kFirstCause + cause)});
}

}  // namespace

const IdleDeviceParts* IdleParts::Of(const Trace& trace,
                                     uint32_t stream) const {
  const Track& track = trace.tracks()[stream];
  const std::string_view type = trace.str(track.device_type);
  const std::string name = (type.empty() ? "GPU" : std::string(type)) +
                           std::to_string(std::max<int64_t>(track.device, 0));
  for (const IdleDeviceParts& device : devices)
    if (device.process == track.process && device.name == name) return &device;
  return nullptr;
}

IdleParts FindIdleParts(const EventTree& tree, const StepTable& steps) {
  NameClasses names(tree.trace().strings());
  const Communication communication(tree, names);
  const StepSweep sweep(tree, steps, names, communication);
  IdleParts result;
  for (const SweepDevice& device : sweep.devices())
    result.devices.push_back({device.process, device.name, {}});
  Remainder remainder;
  IntervalSet taken;
  sweep.Run([&](const StepWindow& window) {
    for (size_t i = 0; i < window.idle.size(); ++i) {
      std::vector<IdlePart>& parts =
          result.devices[window.first_device + i].parts;
      remainder.Reset(window.idle[i]);
      for (size_t cause = 0; cause < window.causes.size(); ++cause) {
        remainder.Take(window.causes[cause], taken);
        AddParts(taken, cause, parts);
      }
      AddParts(remainder.rest(), kCauses - 1, parts);
    }
  });
  for (IdleDeviceParts& device : result.devices)
    std::sort(device.parts.begin(), device.parts.end(),
              [](const IdlePart& a, const IdlePart& b) {
                return a.begin_ns < b.begin_ns;
              });
  return result;
}

std::string IdleJson(const IdleDeviceParts& device, int64_t origin_ns,
                     int64_t begin_ns, int64_t end_ns, uint32_t pixels) {
  const double pixel_ns = std::max(
      1.0, static_cast<double>(end_ns - begin_ns) / std::max(pixels, 1u));
  auto part = std::partition_point(
      device.parts.begin(), device.parts.end(),
      [&](const IdlePart& p) { return p.end_ns <= begin_ns; });
  JsonWriter json;
  json.BeginObject().Key("parts").BeginArray();
  while (part != device.parts.end() && part->begin_ns < end_ns) {
    const int64_t start = part->begin_ns;
    int64_t last = start;
    std::array<int64_t, kCauses> time{};
    const auto limit =
        static_cast<int64_t>(static_cast<double>(start) + pixel_ns);
    // At least one; more as long as they fit into the pixel.
    do {
      time[static_cast<size_t>(part->cause) - kFirstCause] +=
          part->end_ns - part->begin_ns;
      last = part->end_ns;
      ++part;
    } while (part != device.parts.end() && part->end_ns <= limit &&
             part->begin_ns < end_ns);
    const auto most = std::max_element(time.begin(), time.end());
    json.BeginArray().Int(start - origin_ns).Int(last - start);
    json.Int(most - time.begin()).EndArray();
  }
  json.EndArray().EndObject();
  return json.Take();
}

std::vector<std::string_view> IdleCauseNames() {
  std::vector<std::string_view> names;
  for (size_t i = kFirstCause; i < kStepParts; ++i)
    names.push_back(StepPartName(static_cast<StepPart>(i)));
  return names;
}

}  // namespace stepscope::server
