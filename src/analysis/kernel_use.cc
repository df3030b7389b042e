// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel_use.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "analysis/raw_member.h"

namespace stepscope {
namespace {

constexpr std::string_view kTorchOccupancy = "est. achieved occupancy %";
constexpr std::string_view kPaddleOccupancy =
    "theoretical achieved occupancy %";
constexpr std::string_view kBlocks = "blocks per SM";

}  // namespace

void KernelUse::Add(const KernelUseSample& sample, int64_t dur_ns) {
  const auto weight = static_cast<double>(dur_ns);
  const auto add = [&](Weighted& mean, double value) {
    mean.sum += weight * value;
    mean.weight += weight;
  };
  if (sample.occupancy) add(occupancy_, *sample.occupancy);
  if (sample.blocks_per_sm)
    add(unfilled_, 1 - std::min(1.0, *sample.blocks_per_sm));
}

void KernelUse::Add(const KernelUse& other) {
  occupancy_.Add(other.occupancy_);
  unfilled_.Add(other.unfilled_);
}

KernelUse KernelUse::FromParts(const Parts& parts) {
  KernelUse use;
  use.occupancy_ = {parts[0], parts[1]};
  use.unfilled_ = {parts[2], parts[3]};
  return use;
}

KernelUseReader::KernelUseReader(const Trace& trace)
    : trace_(trace), raw_(trace), any_(trace.has_raw_args()) {
  const StringId none = trace.strings().Find("");
  for (const std::string_view key :
       {kTorchOccupancy, kPaddleOccupancy, kBlocks})
    any_ = any_ || trace.strings().Find(key) != none;
}

void KernelUseReader::Take(std::string_view key, double value,
                           KernelUseSample& sample) const {
  if (!std::isfinite(value) || value < 0) return;
  if (key == kBlocks) {
    sample.blocks_per_sm = value;
  } else if (value > 0 && (key == kTorchOccupancy || key == kPaddleOccupancy)) {
    // Recorders write 0 where they could not tell: that is no occupancy.
    sample.occupancy = value / 100;
  }
}

KernelUseSample KernelUseReader::Read(Row row) {
  KernelUseSample sample;
  for (const Arg& arg : trace_.args_of(row))
    if (arg.kind == ArgKind::kInt)
      Take(trace_.str(arg.key), static_cast<double>(arg.int_value), sample);
    else if (arg.kind == ArgKind::kDouble)
      Take(trace_.str(arg.key), arg.double_value, sample);
  const std::string_view raw = raw_.Get(row);
  if (raw.empty()) return sample;
  for (const std::string_view key :
       {kTorchOccupancy, kPaddleOccupancy, kBlocks}) {
    const std::string_view text = RawMember(raw, key);
    double value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && error == std::errc()) Take(key, value, sample);
  }
  return sample;
}

}  // namespace stepscope
