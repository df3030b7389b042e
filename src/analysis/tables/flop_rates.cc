// SPDX-License-Identifier: Apache-2.0
//
// MFU table: the arithmetic of a step beside the peak of the device. Peaks are
// what the user states, else what the trace does.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include "analysis/counters/roofline.h"
#include "analysis/kinds.h"
#include "analysis/schema.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "analysis/tables/flops.h"
#include "base/text.h"

namespace stepscope {
namespace {

// Of a plane of XLA, and of a device in a capture: what it can do. Bandwidth is
// bytes per second where its name has no unit.
struct PeakKey {
  std::string_view ending;
  double StatedPeaks::*peak;
  double unit;
};
constexpr PeakKey kPeakKeys[] = {
    {" peak_teraflops_per_second", &StatedPeaks::tflops, 1},
    {" peak_hbm_bw_gigabytes_per_second", &StatedPeaks::gbs, 1},
    {" memory_bandwidth", &StatedPeaks::gbs, 1e-9},
    {".memory bandwidth KB/s", &StatedPeaks::gbs, 1e-6},
};

bool Above(const std::optional<double>& share) { return share && *share > 1; }

}  // namespace

double StepFlops::tflops_per_s() const {
  if (time_ns <= 0) return 0;
  return static_cast<double>(flops) / static_cast<double>(time_ns) / 1e3 /
         static_cast<double>(std::max<uint64_t>(devices, 1));
}

std::optional<double> FlopsRow::measured_intensity() const {
  // Bytes are of all calls.
  if (measured == nullptr || counted_calls < calls || !IsDramTrusted(*measured))
    return std::nullopt;
  return measured->intensity();
}

std::optional<double> StepFlops::counted_ratio() const {
  if (all_gpu_ns <= 0) return std::nullopt;
  return Ratio(counted_gpu_ns, all_gpu_ns);
}

void TimeFlops(const std::vector<StepRow>& steps, int64_t total_ns,
               StepFlops& step) {
  IntervalCollector settled;
  step.steps = 0;
  for (const StepRow& row : steps) {
    if (row.warmup) continue;
    settled.Add(row.start_ns, SaturatingAdd(row.start_ns, row.dur_ns));
    ++step.steps;
  }
  step.time_ns = TotalLength(settled.Finish());
  if (step.time_ns > 0) return;
  step.steps = steps.size();
  step.time_ns = total_ns;
}

uint64_t CountDevices(const EventTree& tree) {
  std::set<std::tuple<uint32_t, uint32_t, int64_t>> devices;
  const std::vector<Track>& tracks = tree.trace().tracks();
  for (uint32_t i = 0; i < tracks.size(); ++i)
    if (tracks[i].kind == TrackKind::kStream &&
        (tree.census().types(i) & kDeviceWorkTypes) != 0)
      devices.emplace(tracks[i].process, tracks[i].device_type.v,
                      tracks[i].device);
  return devices.size();
}

StatedPeaks KnownPeaks(const Trace& trace, const StatedPeaks& stated) {
  StatedPeaks peaks = stated;
  for (const Process& process : trace.processes())
    for (const auto& [key, value] : process.metadata)
      for (const PeakKey& one : kPeakKeys) {
        if (stated.*one.peak > 0 || !trace.str(key).ends_with(one.ending))
          continue;
        const std::string text(trace.str(value));
        const double peak = std::strtod(text.c_str(), nullptr) * one.unit;
        if (peak > 0 && peak < 1e9)
          peaks.*one.peak = std::max(peaks.*one.peak, peak);
      }
  return peaks;
}

void ComparePeaks(const StatedPeaks& peaks, FlopsTable& flops) {
  flops.note.clear();
  flops.step.peaks = peaks;
  flops.step.mfu.reset();
  uint64_t faster = 0;
  for (FlopsRow& row : flops.rows) {
    row.peak_ratio.reset();
    row.roof_ratio.reset();
    if (!row.on_device()) continue;
    const double rate = row.tflops_per_s();
    if (peaks.tflops > 0) row.peak_ratio = rate / peaks.tflops;
    if (Above(row.peak_ratio)) {
      row.peak_ratio.reset();
      ++faster;
      continue;
    }
    const std::optional<double> measured = row.measured_intensity();
    const std::optional<double> intensity =
        measured ? measured : row.intensity();
    if (peaks.gbs <= 0 || !intensity) continue;
    double roof = *intensity * peaks.gbs / 1e3;
    if (peaks.tflops > 0) roof = std::min(roof, peaks.tflops);
    row.roof_ratio = rate / roof;
    // What was in a cache is not read from memory.
    if (Above(row.roof_ratio)) row.roof_ratio.reset();
  }
  if (faster > 0) {
    flops.note = CountText(faster, "operator") +
                 Format(
                     " %s faster than the stated peak of %g TFLOP/s, which "
                     "is not that of their device or type.",
                     faster == 1 ? "is" : "are", peaks.tflops);
  }
  if (peaks.tflops <= 0 || flops.step.devices == 0 || faster > 0) return;
  flops.step.mfu = flops.step.tflops_per_s() / peaks.tflops;
  if (Above(flops.step.mfu)) flops.step.mfu.reset();
}

TableSchema DeclareMfuTable() {
  const auto known = [](double peak) {
    return peak > 0 ? std::optional(peak) : std::nullopt;
  };
  ColumnsOf<StepFlops> columns;
  columns.Count("steps", "settled steps; without such, all; 0: none recorded",
                &StepFlops::steps);
  columns.Count("flops",
                "floating-point operations of outermost operators with known "
                "shapes, in these steps",
                &StepFlops::flops);
  columns
      .Time("time_ns", Adds::kUnion,
            "these steps together; without steps, the recorded window",
            &StepFlops::time_ns)
      .As("Time of the steps");
  columns.Count("devices", "devices that had work", &StepFlops::devices);
  columns
      .Number("tflops_per_s", "TFLOP/s",
              "flops / time, of one device; of the host where there is none",
              &StepFlops::tflops_per_s)
      .As("TFLOP/s");
  columns
      .Ratio("mfu",
             "share of the peak of a device (model FLOPs utilisation), where "
             "that is stated",
             &StepFlops::mfu)
      .As("MFU");
  columns
      .Number("peak_tflops_per_s", "TFLOP/s",
              "peak of a device, as the user or the trace states it",
              [=](const StepFlops& of) { return known(of.peaks.tflops); })
      .As("Peak");
  columns
      .Number("peak_memory_gb_per_s", "GB/s",
              "peak of the memory of a device, as stated",
              [=](const StepFlops& of) { return known(of.peaks.gbs); })
      .As("Peak of memory");
  columns
      .Ratio("counted_ratio",
             "device work inside the counted operators, as a share of all: "
             "the rest has no FLOPs here",
             &StepFlops::counted_ratio)
      .As("Device work counted");
  return {.key = "mfu",
          .title = "FLOP/s of a step",
          .meaning = "how much of the device's arithmetic does a step use?",
          .view = kMfuView,
          .json_views = kMfuView,
          .shape = TableShape::kOne,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::One(s.flops.step); },
          .nothing = [](const Summary& s) { return s.flops.rows.empty(); }};
}

}  // namespace stepscope
