// SPDX-License-Identifier: Apache-2.0
#include "trace/build/sources_builder.h"

#include <algorithm>

namespace stepscope {

Source& SourcesBuilder::source() {
  if (sources_.empty()) sources_.emplace_back();
  return sources_.back();
}

void SourcesBuilder::AddSource(std::string_view format, std::string_view path) {
  if (source().IsNamed()) sources_.emplace_back();
  source().format = format;
  source().path = path;
}

void SourcesBuilder::AddWindow(int64_t begin_ns, int64_t end_ns) {
  if (!window_) window_ = {begin_ns, end_ns};
  window_->begin_ns = std::min(window_->begin_ns, begin_ns);
  window_->end_ns = std::max(window_->end_ns, end_ns);
}

void SourcesBuilder::MergeCpuUsage(const CpuUsage& usage) {
  if (usage.process >= 0)
    cpu_usage_.process = std::max(cpu_usage_.process, 0.0) + usage.process;
  cpu_usage_.system = std::max(cpu_usage_.system, usage.system);
}

ClockMap SourcesBuilder::PlaceEpoch(const Epoch& epoch) {
  if (epoch_) return MapBetween(epoch, *epoch_);
  epoch_ = epoch;
  return {};
}

int64_t SourcesBuilder::AlignEpoch(int64_t epoch_ns, bool known) {
  const ClockMap map = PlaceEpoch({epoch_ns, known});
  source().epoch_ns = epoch_ns;
  source().clock.epoch_known = known;
  source().to_trace = map;
  return map.shift_ns();
}

}  // namespace stepscope
