// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/launch_details.h"

#include <algorithm>

namespace stepscope::capture {
namespace {

constexpr int64_t kWarp = 32;

int64_t RoundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Sizes that a damaged file could state must not overflow below.
bool Plausible(int64_t value) {
  return value >= 0 && value <= (int64_t{1} << 31);
}

double Product(const int64_t (&sizes)[3]) {
  return static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) *
         static_cast<double>(sizes[2]);
}

}  // namespace

int64_t ResidentBlocks(const BlockLimits& limits, int64_t threads,
                       int64_t registers_per_thread, int64_t shared_bytes) {
  if (limits.warps <= 0 || limits.blocks <= 0 || threads <= 0 ||
      !Plausible(threads) || !Plausible(registers_per_thread) ||
      !Plausible(shared_bytes))
    return 0;
  const int64_t warps = RoundUp(threads, kWarp) / kWarp;
  int64_t resident = std::min(limits.blocks, limits.warps / warps);
  if (registers_per_thread > 0 && limits.registers > 0) {
    const int64_t per_warp = RoundUp(registers_per_thread * kWarp, 256);
    resident = std::min(resident, limits.registers / per_warp / warps);
  }
  const int64_t shared =
      RoundUp(shared_bytes + (limits.capability >= 8 ? 1024 : 0), 128);
  if (shared > 0 && limits.shared_bytes > 0)
    resident = std::min(resident, limits.shared_bytes / shared);
  return resident;
}

void LaunchDetails::SetDevice(uint32_t device,
                              std::vector<NamedNumber> properties) {
  devices_[device] = std::move(properties);
}

void LaunchDetails::SetDetails(uint32_t id, std::vector<NamedNumber> values) {
  shape_of_id_[id] = static_cast<uint32_t>(shapes_.size());
  shapes_.push_back(std::move(values));
}

void LaunchDetails::Use(uint32_t id, uint32_t device, Row row) {
  const auto shape = shape_of_id_.find(id);
  if (shape != shape_of_id_.end())
    launches_.push_back({row, shape->second, device});
}

int64_t LaunchDetails::Find(const std::vector<NamedNumber>& numbers,
                            std::string_view name, int64_t otherwise) {
  for (const NamedNumber& number : numbers)
    if (number.first == name) return number.second;
  return otherwise;
}

void LaunchDetails::AddArgs(TraceBuilder& builder) const {
  for (const Launch& launch : launches_) {
    AddShape(launch, builder);
    AddOccupancy(launch, builder);
  }
}

void LaunchDetails::AddShape(const Launch& launch,
                             TraceBuilder& builder) const {
  const std::vector<NamedNumber>& values = shapes_[launch.shape];
  const Row row = launch.row;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& key = values[i].first;
    if (i + 2 < values.size() && key.ends_with(" x") &&
        values[i + 1].first.ends_with(" y") &&
        values[i + 2].first.ends_with(" z")) {
      Arg arg;
      arg.row = row;
      arg.key = builder.Intern(std::string_view(key).substr(0, key.size() - 2));
      arg.kind = ArgKind::kIntList;
      const int64_t sizes[] = {values[i].second, values[i + 1].second,
                               values[i + 2].second};
      builder.AddListArg(arg, sizes);
      i += 2;
    } else {
      builder.AddInt(row, key, values[i].second);
    }
  }
}

void LaunchDetails::AddOccupancy(const Launch& launch,
                                 TraceBuilder& builder) const {
  const auto properties = devices_.find(launch.device);
  if (properties == devices_.end()) return;
  const std::vector<NamedNumber>& values = shapes_[launch.shape];
  const Row row = launch.row;
  const std::vector<NamedNumber>& limits = properties->second;
  const int64_t multiprocessors = Find(limits, "multiprocessors", 0);
  const int64_t grid[] = {Find(values, "grid x", 0), Find(values, "grid y", 0),
                          Find(values, "grid z", 0)};
  const int64_t block[] = {Find(values, "block x", 0),
                           Find(values, "block y", 0),
                           Find(values, "block z", 0)};
  const double threads = Product(block);
  if (multiprocessors <= 0 || threads < 1 || threads > 1e6) return;
  const double blocks = Product(grid) / static_cast<double>(multiprocessors);
  const int64_t warps = RoundUp(static_cast<int64_t>(threads), kWarp) / kWarp;
  builder.AddDouble(row, "blocks per SM", blocks);
  builder.AddDouble(row, "warps per SM", blocks * static_cast<double>(warps));
  const BlockLimits can = {Find(limits, "max warps per multiprocessor", 0),
                           Find(limits, "max blocks per multiprocessor", 0),
                           Find(limits, "registers per multiprocessor", 0),
                           Find(limits, "shared memory per multiprocessor", 0),
                           Find(limits, "compute capability major", 0)};
  const int64_t resident =
      ResidentBlocks(can, static_cast<int64_t>(threads),
                     Find(values, "registers per thread", 0),
                     Find(values, "static shared memory", 0) +
                         Find(values, "dynamic shared memory", 0));
  if (resident <= 0) return;
  const double filled = std::min(blocks, static_cast<double>(resident)) *
                        static_cast<double>(warps) /
                        static_cast<double>(can.warps);
  builder.AddDouble(row, "est. achieved occupancy %",
                    100.0 * std::min(filled, 1.0));
}

}  // namespace stepscope::capture
