// SPDX-License-Identifier: Apache-2.0
#include "trace/build/trace_part.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/column.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

bool IsNextLane(const Track& before, const Track& track) {
  return track.lane > 0 && before.process == track.process &&
         before.kind == track.kind && before.id == track.id &&
         before.device == track.device;
}

class PartCopier {
 public:
  PartCopier(const Trace& trace, const TracePart& part)
      : trace_(trace), part_(part) {}

  Result<std::shared_ptr<const Trace>> Run() {
    CopyFrame();
    STEPSCOPE_TRY(CopyEvents());
    CopyArgs();
    for (const Link& link : trace_.links()) {
      if (!IsPart(link.row)) continue;
      builder_.AddLink({link.process, link.space, link.id, moved(link.row)});
    }
    CopyFlows();
    CopySamples();
    for (ThreadReport report : trace_.threads()) {
      report.track = new_track_[report.track];
      std::erase_if(report.open_scopes, [&](Row row) { return !IsPart(row); });
      for (Row& row : report.open_scopes) row = moved(row);
      for (auto& [reason, count] : report.dropped) {
        // It may lie in a trace that does not live on.
        reason = builder_.strings().view(builder_.Intern(reason));
      }
      builder_.AddThread(std::move(report));
    }
    builder_.AddWindow(part_.begin_ns, part_.end_ns);
    builder_.MergeCpuUsage(trace_.cpu_usage());
    return builder_.Finish();
  }

 private:
  bool IsPart(Row row) const { return row < trace_.size() && part_.rows[row]; }
  Row moved(Row row) const { return new_row_[row]; }
  bool IsAt(uint32_t track, int64_t time_ns) const {
    return part_.at(trace_.tracks()[track].process, time_ns);
  }

  // Strings, sources and processes, under the ids that they have, and tracks.
  void CopyFrame() {
    for (uint32_t i = 1; i < trace_.strings().size(); ++i) {
      builder_.Intern(trace_.str(StringId{i}));
    }
    size_t notes = 0;
    for (const Source& source : trace_.sources()) {
      builder_.AddSource(source.format, source.path);
      builder_.source() = source;
      notes += source.notes.size();
    }
    for (; notes < trace_.notes().size(); ++notes) {
      builder_.AddTraceNote(trace_.notes()[notes]);
    }
    builder_.SetEpoch({trace_.epoch_ns(), trace_.clock().epoch_known});
    for (const Process& process : trace_.processes()) {
      builder_.AddProcess(process);
    }
    CopyTracks();
  }

  // Lanes of which nothing is left go: a trace has no empty ones.
  void CopyTracks() {
    const std::vector<Track>& tracks = trace_.tracks();
    uint32_t lane = 0;
    for (size_t i = 0; i < tracks.size(); ++i) {
      Track track = tracks[i];
      const bool is_lane = i > 0 && IsNextLane(tracks[i - 1], track);
      const auto begin = part_.rows.begin();
      const bool is_empty = std::find(begin + track.first, begin + track.last,
                                      true) == begin + track.last;
      if (is_lane && is_empty) {
        new_track_.push_back(new_track_.back());
        continue;
      }
      if (is_lane && is_hollow_) {  // takes the place of the first
        new_track_.push_back(new_track_.back());
        is_hollow_ = false;
        continue;
      }
      lane = is_lane ? lane + 1 : track.lane;
      track.lane = lane;
      is_hollow_ = is_empty;
      new_track_.push_back(builder_.AddTrack(track));
    }
  }

  Status CopyEvents() {
    const auto count = static_cast<uint64_t>(
        std::count(part_.rows.begin(), part_.rows.end(), true));
    if (!new_row_.Resize(trace_.size())) {
      return Fail(ErrorCode::kIo, "not enough memory for the chosen steps");
    }
    STEPSCOPE_TRY(builder_.ReserveRows(count));
    const TraceBuilder::Rows to = builder_.rows();
    Row next = 0;
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      const Row first = next;
      for (Row row = track.first; row < track.last; ++row) {
        if (!part_.rows[row]) continue;
        to.start_ns[next] = trace_.start_ns()[row];
        to.dur_ns[next] = trace_.dur_ns()[row];
        to.name[next] = trace_.name()[row];
        to.track[next] = new_track_[t];
        to.type[next] = trace_.type()[row];
        to.flags[next] = trace_.flags()[row];
        new_row_[row] = next++;
      }
      // What is left out of a track leaves the rest ordered and nested.
      if (next > first) ordered_.push_back({new_track_[t], first, next});
    }
    builder_.CommitRows(next);
    for (const OrderedRows& rows : ordered_) builder_.SetOrdered(rows);
    return Ok();
  }

  void CopyArgs() {
    for (const Arg& arg : trace_.args()) {
      if (!IsPart(arg.row)) continue;
      Arg copy = arg;
      copy.row = moved(arg.row);
      if (arg.kind == ArgKind::kIntList) {
        builder_.AddListArg(
            copy, trace_.arg_ints().subspan(arg.list_first, arg.list_count));
      } else {
        builder_.AddArg(copy);
      }
    }
    if (!trace_.has_raw_args()) return;
    const RawRef grown = builder_.raw_args().Append(trace_.raw_args());
    for (Row row = 0; row < trace_.size(); ++row) {
      const RawRef ref = IsPart(row) ? trace_.raw_ref(row) : 0;
      if (ref != 0) builder_.SetRawRef(moved(row), ref + grown);
    }
  }

  void CopyFlows() {
    std::vector<uint64_t> ids;
    for (const Flow& flow : trace_.flows()) {
      if (trace_.tracks()[flow.track].kind == TrackKind::kThread &&
          IsAt(flow.track, flow.time_ns)) {
        ids.push_back(flow.id);
      }
    }
    std::sort(ids.begin(), ids.end());
    for (const Flow& flow : trace_.flows()) {
      if (std::binary_search(ids.begin(), ids.end(), flow.id)) {
        Flow copy = flow;
        copy.track = new_track_[flow.track];
        builder_.AddFlow(copy);
      }
    }
  }

  void CopySamples() {
    for (CounterSample sample : trace_.counters()) {
      if (!IsAt(sample.track, sample.time_ns)) continue;
      sample.track = new_track_[sample.track];
      builder_.AddCounter(sample);
    }
    MemorySums sums;
    for (MemoryEvent event : trace_.memory()) {
      const uint32_t process = trace_.tracks()[event.track].process;
      const bool is_part = IsAt(event.track, event.time_ns);
      sums[{process, event.place.v}].Follow(event, is_part);
      if (!is_part) continue;
      event.track = new_track_[event.track];
      event.owner = IsPart(event.owner) ? moved(event.owner) : kNoRow;
      builder_.AddMemory(event);
    }
  }

  // What a process has at a place. Where the allocator did not state it, a
  // part that begins later must: what was allocated before would be forgotten.
  struct MemorySum {
    int64_t allocated = 0;
    int64_t reserved = 0;
    bool stated = false;
    bool lacks_some = false;

    void Follow(MemoryEvent& event, bool is_part) {
      const bool reserves = event.kind == MemoryKind::kReservedAllocate ||
                            event.kind == MemoryKind::kReservedFree;
      int64_t& sum = reserves ? reserved : allocated;
      // A file that lies makes it wrap, no more.
      sum = static_cast<int64_t>(static_cast<uint64_t>(sum) +
                                 static_cast<uint64_t>(event.bytes));
      stated |= event.total_allocated > 0 || event.total_reserved > 0;
      lacks_some |= !is_part;
      if (stated || !lacks_some) return;
      event.total_allocated =
          static_cast<uint64_t>(std::max<int64_t>(0, allocated));
      event.total_reserved =
          static_cast<uint64_t>(std::max<int64_t>(0, reserved));
    }
  };
  using MemorySums = std::map<std::pair<uint32_t, uint32_t>, MemorySum>;

  const Trace& trace_;
  const TracePart& part_;
  TraceBuilder builder_;
  std::vector<uint32_t> new_track_;  // by track
  bool is_hollow_ = false;  // of the track in hand, the first lane is empty
  Column<Row> new_row_;     // by row; only of those that are part
  std::vector<OrderedRows> ordered_;
};

}  // namespace

Result<std::shared_ptr<const Trace>> CopyPart(const Trace& trace,
                                              const TracePart& part) {
  return PartCopier(trace, part).Run();
}

}  // namespace stepscope
