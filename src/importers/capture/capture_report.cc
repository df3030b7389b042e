// SPDX-License-Identifier: Apache-2.0
//
// The part of CaptureReader that tells what was lost, left open or damaged,
// and on which clock.
#include <algorithm>

#include "base/text.h"
#include "importers/capture/capture_reader.h"
#include "importers/capture/write_scan.h"
#include "trace/job/process_ending.h"

namespace stepscope::capture {
namespace {

using format::ThreadEntry;

constexpr std::string_view kReasons[STEPSCOPE_DROP_REASONS] = {
    "pool",       "reentrant", "threads",  kDroppedByWrite,
    "file_limit", "exited",    "reason_6", "reason_7"};

std::string_view ClockName(format::ClockKind kind) {
  switch (kind) {
    case format::ClockKind::kTsc:
      return "tsc";
    case format::ClockKind::kCntvct:
      return "cntvct";
    case format::ClockKind::kMonotonic:
      return "monotonic";
  }
  return "";
}

std::vector<std::pair<std::string_view, uint64_t>> Losses(
    const ThreadEntry& entry) {
  std::vector<std::pair<std::string_view, uint64_t>> losses;
  for (size_t i = 0; i < STEPSCOPE_DROP_REASONS; ++i) {
    uint64_t lost = entry.dropped[i];
    // The same reason before and after hand-over to the writer.
    if (i == STEPSCOPE_DROP_IO) lost += entry.lost_io;
    if (i == STEPSCOPE_DROP_FILE_LIMIT) lost += entry.lost_file_limit;
    if (lost > 0) losses.emplace_back(kReasons[i], lost);
  }
  return losses;
}

// Use of the processors between the first and the last sample.
CpuUsage UsageOf(const std::vector<format::UsageSample>& samples,
                 const ClockMap& clock) {
  CpuUsage usage;
  if (samples.size() < 2) return usage;
  const auto earlier = [](const auto& a, const auto& b) {
    return a.tick < b.tick;
  };
  const auto [first, last] =
      std::minmax_element(samples.begin(), samples.end(), earlier);
  const auto since = [](int64_t from, int64_t to) {
    return static_cast<double>(to) - static_cast<double>(from);
  };
  const double wall = since(clock.ToNs(first->tick), clock.ToNs(last->tick));
  const double used = since(first->process_user_ns, last->process_user_ns) +
                      since(first->process_system_ns, last->process_system_ns);
  const double busy = since(first->machine_busy_ns, last->machine_busy_ns);
  const double idle = since(first->machine_idle_ns, last->machine_idle_ns);
  if (wall > 0 && used >= 0) usage.process = used / wall;
  if (busy >= 0 && idle >= 0 && busy + idle > 0)
    usage.system = busy / (busy + idle);
  return usage;
}

std::string Plural(uint64_t n, const char* what) {
  return Format("%llu %s%s", static_cast<unsigned long long>(n), what,
                n == 1 ? "" : "s");
}

}  // namespace

void CaptureReader::Report(EventDecoder& decoder, int64_t offset_ns) {
  int64_t end_ns = 0;
  if (tables_.end) {
    end_ns = clock_.ToNs(tables_.end->stop_tick) + offset_ns;
    if (const auto ended = tables_.Find("ended")) {
      end_ns = std::max(end_ns, decoder.LatestNs());
      const ProcessEnding ending = DescribeEnding(*ended);
      if (ending.cut_short) builder_.SetIncomplete();
      // Not "all events are here" where some could not be written.
      const bool lost = WriteLossOf(tables_).any();
      AddProcessNote(lost ? ending.text.substr(0, ending.text.find(';'))
                          : ending.text);
    }
  } else {
    end_ns = decoder.LatestNs();
    if (live_ && live_->heartbeat != 0)
      end_ns = std::max(end_ns, clock_.ToNs(live_->heartbeat) + offset_ns);
    builder_.SetIncomplete();
    if (recording_) {
      AddProcessNote("is still recording; this is what it has recorded so far");
    } else if (live_) {
      AddProcessNote("process was killed or is still recording: " +
                     Plural(live_events_, "event") +
                     " joined from the live file");
    } else {
      // A pipe has no neighbours.
      std::string note =
          "capture was not ended and its live file was not found: what was "
          "still in memory is missing";
      if (path_.empty())
        note =
            "capture was not ended, and this input has no live file beside "
            "it: what was still in memory is missing; give the capture by its "
            "path, decompressed";
      else if (options_.confined)
        note +=
            ". Files outside the folder are not read here. If the live file is "
            "in /dev/shm, this makes one file of both: stepscope convert " +
            file_.path() + " -o whole.sscap";
      else if (const auto stated = tables_.Find("live_path");
               stated && !stated->starts_with("/dev/shm/") &&
               !stated->ends_with(path_.substr(path_.rfind('/') + 1) + ".live"))
        note += ". It was " + std::string(*stated) +
                "; if it is still there, set STEPSCOPE_LIVE_DIR to its folder";
      AddProcessNote(note);
    }
  }
  ReportFlight();
  const int64_t begin_ns =
      clock_.anchors().empty() ? std::min<int64_t>(end_ns, 0) : offset_ns;
  builder_.AddWindow(begin_ns, std::max(begin_ns, end_ns));
  ReportThreads(decoder.CloseOpenEvents(end_ns));
  ReportWrites();
  ReportClock();
  ReportDamage();
  ReportDevices();
  builder_.MergeCpuUsage(UsageOf(tables_.usage, clock_));
  builder_.AddSource("capture", file_.path());
}

// Why the capture does not begin with the program.
void CaptureReader::ReportFlight() {
  if (const auto saved = tables_.Find("saved"); saved && !saved->empty())
    AddProcessNote("window saved by the flight recorder: " +
                   std::string(*saved));
  else if (const auto steps = tables_.FindInt("flight_steps"))
    AddProcessNote("the flight recorder kept the last " +
                   Plural(static_cast<uint64_t>(*steps), "step"));
}

// A run has captures of several processes; alone, a capture speaks of its own.
void CaptureReader::AddProcessNote(const std::string& text) {
  const auto command = tables_.Find("command");
  const auto pid = tables_.FindInt("pid");
  builder_.AddNote(command && pid ? NameProcess(*pid, *command) + ": " + text
                                  : text);
}

void CaptureReader::ReportClock() {
  ClockInfo info;
  info.source = ClockName(tables_.clock_kind);
  info.anchors = clock_.anchors().size();
  for (const format::Anchor& anchor : clock_.anchors())
    info.worst_error_ns = std::max(
        info.worst_error_ns,
        static_cast<int64_t>(std::min<uint64_t>(anchor.error_ns, INT64_MAX)));
  info.ticks_per_second = clock_.ticks_per_second();
  builder_.MergeClock(info);
  if (!clock_.anchors().empty() && !clock_.rate_known())
    builder_.AddNote("clock rate unknown: one tick taken as one nanosecond");
  if (clock_.anchors_left_out() > 0)
    builder_.AddNote(Plural(clock_.anchors_left_out(), "clock anchor") +
                     " left out: not in order");
}

void CaptureReader::ReportThreads(const std::vector<Row>& open) {
  std::map<uint32_t, std::vector<Row>> open_by_track;
  for (const Row row : open)
    open_by_track[builder_.track_of(row)].push_back(row);
  for (const auto& [uid, track] : tracks_) {
    ThreadReport report;
    report.track = track;
    report.recorded = recorded_[uid].events;
    report.side_recorded = recorded_[uid].side_records;
    if (const auto it = open_by_track.find(track); it != open_by_track.end())
      report.open_scopes = it->second;
    if (const auto it = tables_.threads.find(uid);
        it != tables_.threads.end()) {
      report.dropped = Losses(it->second);
      report.side_dropped = it->second.side_dropped + it->second.lost_side;
      report.exited = it->second.state ==
                      static_cast<uint32_t>(format::ThreadState::kExited);
    }
    builder_.AddThread(std::move(report));
  }
}

// A file that could not be written has its end all the same where there was
// room for that, and is complete as a file.
void CaptureReader::ReportWrites() {
  WriteLoss loss = WriteLossOf(tables_);
  for (const auto& [uid, records] : recorded_) loss.recorded += records.events;
  if (!loss.any()) return;
  AddProcessNote(WriteLossText(loss));
}

// Why device data is absent or partial. That a machine has no such device is no
// news; it is in the metadata.
void CaptureReader::ReportDevices() {
  constexpr std::string_view kState = "device.";
  std::map<std::string_view, std::string_view> last;
  for (const auto& [key, value] : tables_.process)
    if (key.starts_with(kState))
      last[std::string_view(key).substr(kState.size())] = value;
  for (const auto& [device, state] : last)
    if (state.starts_with("refused") || state.starts_with("partial"))
      AddProcessNote(std::string(device) + ": " + std::string(state));
  for (const std::string_view why : {"io", "file_limit"}) {
    const auto lost = tables_.FindInt("device_lost." + std::string(why));
    if (lost && *lost > 0)
      builder_.ledger().Reject("device records lost: " + std::string(why), 0,
                               {}, static_cast<uint64_t>(*lost));
  }
}

void CaptureReader::ReportDamage() {
  if (list_.skipped_bytes > 0)
    builder_.AddNote(At(
        list_.first_skipped,
        Plural(list_.skipped_bytes, "byte") + " skipped up to the next block"));
  if (damaged_blocks_ > 0)
    builder_.AddNote(At(first_damage_.value_or(0),
                        Plural(damaged_blocks_, "damaged block")));
  if (unknown_blocks_ > 0)
    builder_.AddNote(Plural(unknown_blocks_, "block") +
                     " of a later version skipped");
  if (!list_.header) builder_.AddNote(At(0, "damaged file header"));
  const uint64_t refused = tables_.end ? tables_.end->names_refused
                           : live_     ? live_->names_refused
                                       : 0;
  if (refused > 0)
    builder_.AddNote(Plural(refused, "name") +
                     " beyond the recorder's bound recorded without a name");
}

}  // namespace stepscope::capture
