// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/path_marks.h"

#include <algorithm>
#include <new>
#include <optional>

#include "analysis/kinds.h"
#include "analysis/replay/graph.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

class Marker {
 public:
  Marker(const Trace& trace, const CriticalPath& path)
      : trace_(trace), path_(path) {}

  Result<std::shared_ptr<const Trace>> Run() {
    builder_.SetEpoch({trace_.epoch_ns(), trace_.clock().epoch_known});
    builder_.Add(trace_, ClockMap());
    size_t notes = 0;
    for (const Source& source : trace_.sources()) notes += source.notes.size();
    for (; notes < trace_.notes().size(); ++notes)
      builder_.AddTraceNote(trace_.notes()[notes]);
    for (const Flow& flow : trace_.flows())
      next_flow_ = std::max(next_flow_, flow.id + 1);
    tracks_.resize(trace_.processes().size());
    arrow_ = builder_.Intern(kPathTrackName);
    for (const PathStep& step : path_.steps) AddStep(step);
    return builder_.Finish();
  }

 private:
  uint32_t TrackOf(uint32_t process) {
    std::optional<uint32_t>& track = tracks_[process];
    if (!track) {
      Track made;
      made.process = process;
      made.kind = TrackKind::kAsync;  // of no thread: no table counts it
      made.name = arrow_;
      for (const Track& other : trace_.tracks())
        if (other.process == process && other.kind == TrackKind::kAsync)
          made.id = std::max(made.id, other.id + 1);
      track = builder_.AddTrack(made);
    }
    return *track;
  }

  void AddStep(const PathStep& step) {
    const uint32_t track = TrackOf(step.process);
    const PathPiece* from = nullptr;
    for (size_t i = step.first; i < step.last; ++i) {
      const PathPiece& piece = path_.pieces[i];
      AddMark(track, piece);
      if (piece.row == kNoRow) continue;
      if (from != nullptr && IsArrow(from->row, piece.row))
        AddArrow(*from, piece);
      from = &piece;
    }
  }

  // Pieces follow each other. Where the replay is off they might overlap.
  void AddMark(uint32_t track, const PathPiece& piece) {
    std::vector<int64_t>& drawn = drawn_;
    if (drawn.size() <= track) drawn.resize(track + 1, INT64_MIN);
    const int64_t end = SaturatingAdd(piece.at_ns, piece.dur_ns);
    const int64_t begin = std::max(piece.at_ns, drawn[track]);
    if (begin >= end) return;
    drawn[track] = end;
    EventSpec event;
    event.track = track;
    event.start_ns = begin;
    event.dur_ns = end - begin;
    event.name = builder_.Intern(NameOf(piece, trace_));
    event.type = STEPSCOPE_USER_DEFINED;
    event.flags = kEventInferred;
    const Row row = builder_.AddEvent(event);
    if (row == kNoRow) return;
    builder_.AddText(row, "category", PathCategoryName(piece.category));
  }

  // Within a thread the order is plain to see.
  bool IsArrow(Row from, Row to) const {
    if (from == to) return false;
    const uint32_t track = trace_.track()[from];
    const bool is_stream = trace_.tracks()[track].kind == TrackKind::kStream;
    return is_stream || !IsSameThread(track, trace_.track()[to]);
  }
  bool IsSameThread(uint32_t a, uint32_t b) const {
    const Track& x = trace_.tracks()[a];
    const Track& y = trace_.tracks()[b];
    return x.process == y.process && x.kind == y.kind && x.id == y.id &&
           x.device == y.device;
  }

  // Between two moments that lie inside the two events, so that viewers tie
  // the arrow to these.
  void AddArrow(const PathPiece& from, const PathPiece& to) {
    const int64_t first = trace_.start_ns()[from.row];
    const int64_t end = SaturatingAdd(from.at_ns, from.dur_ns) - 1;
    const int64_t last = trace_.end_ns(from.row) - 1;
    const int64_t begin = std::max(first, std::min({end, last, to.at_ns}));
    if (begin > to.at_ns) return;  // clocks disagree
    const uint64_t id = next_flow_++;
    builder_.AddFlow(
        {begin, id, arrow_, trace_.track()[from.row], FlowPhase::kBegin});
    builder_.AddFlow(
        {to.at_ns, id, arrow_, trace_.track()[to.row], FlowPhase::kEnd});
  }

  const Trace& trace_;
  const CriticalPath& path_;
  TraceBuilder builder_;
  std::vector<std::optional<uint32_t>> tracks_;  // by process
  std::vector<int64_t> drawn_;                   // by track: until when
  StringId arrow_;
  uint64_t next_flow_ = 1;
};

}  // namespace

Result<std::shared_ptr<const Trace>> AddPathMarks(const Trace& trace,
                                                  const CriticalPath& path) {
  return Marker(trace, path).Run();
}

Result<std::shared_ptr<const Trace>> AddCriticalPath(const Trace& trace,
                                                     const StepChoice& choice) {
  const EventTree tree(trace);
  const StepTable steps(tree);
  NameClasses names(trace.strings());
  const ReplayGraph graph = BuildReplayGraph(tree, steps, names);
  return AddPathMarks(trace, FindCriticalPath(tree, graph, names, choice));
}

}  // namespace stepscope
