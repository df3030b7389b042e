// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

// Tracks by what tells them apart.
class TrackIndex {
 public:
  // From the track `first` on.
  explicit TrackIndex(const std::vector<Track>& tracks, uint32_t first = 0) {
    for (uint32_t i = first; i < tracks.size(); ++i)
      index_.try_emplace(KeyOf(tracks[i]), i);
  }
  // UINT32_MAX: there is none.
  uint32_t Find(const Track& track) const {
    const auto it = index_.find(KeyOf(track));
    return it == index_.end() ? UINT32_MAX : it->second;
  }

 private:
  using Key = std::tuple<uint32_t, TrackKind, int64_t, int64_t, StringId>;
  static Key KeyOf(const Track& track) {
    return {track.process, track.kind, track.device, track.id, track.name};
  }
  std::map<Key, uint32_t> index_;
};

// What is known by its name alone is the same in every file, as a device of
// which several files hold a step each.
bool IsKnownByName(const Process& process) {
  return process.pid < 0 && process.name.v != 0;
}

// The index of the process that `other` is a further part of; their number if
// there is none.
uint32_t FindNamed(const std::vector<Process>& processes,
                   const Process& other) {
  const auto count = static_cast<uint32_t>(processes.size());
  if (!IsKnownByName(other)) return count;
  for (uint32_t i = 0; i < count; ++i) {
    const Process& mine = processes[i];
    if (mine.pid == other.pid && mine.name == other.name &&
        mine.host == other.host && mine.rank == other.rank)
      return i;
  }
  return count;
}

bool IsLaneBehind(const Track& before, const Track& track) {
  return track.lane > 0 && before.lane + 1 == track.lane &&
         before.process == track.process && before.kind == track.kind &&
         before.id == track.id && before.device == track.device &&
         before.name == track.name;
}

// What refers to nothing goes on doing so; Finish() refuses it.
uint32_t At(const std::vector<uint32_t>& moved, uint32_t index) {
  return index < moved.size() ? moved[index] : UINT32_MAX;
}

}  // namespace

bool TraceBuilder::IsEmpty() const {
  const auto is_blank = [](const Source& source) {
    return !source.IsNamed() && source.complete && source.notes.empty() &&
           source.ledger.seen() == 0 && source.clock.source.empty();
  };
  return event_count() == 0 && process_count() == 0 && track_count() == 0 &&
         std::all_of(sources_.begin(), sources_.end(), is_blank) &&
         trace_->strings_.size() == 1 && !epoch_ && !window_;
}

// The ids here of all strings there; below `same` both have the same.
std::vector<StringId> TraceBuilder::MergeStrings(const StringPool& from,
                                                 uint32_t same) {
  std::vector<StringId> ids(from.size());
  for (uint32_t i = 0; i < from.size(); ++i)
    ids[i] = i < same ? StringId{i} : Intern(from.view(StringId{i}));
  return ids;
}

struct TraceBuilder::Moves {
  std::vector<StringId> ids;
  std::vector<uint32_t> process;
  std::vector<uint32_t> track;
  std::vector<bool> joined;  // by track: lies with what another track has
  ClockMap clock;
  uint64_t first_flow = 0;

  // Wraps rather than overflows: OrderRows refuses what is out of range.
  void Time(int64_t& time) const { time = clock(time); }
  // Of events: a duration is as long as its ends are apart.
  void Times(std::span<int64_t> start_ns, std::span<int64_t> dur_ns) const {
    if (clock.is_identity()) return;
    for (size_t i = 0; i < start_ns.size(); ++i) {
      const auto end =
          static_cast<uint64_t>(start_ns[i]) + static_cast<uint64_t>(dur_ns[i]);
      start_ns[i] = clock(start_ns[i]);
      if (!clock.is_shift())
        dur_ns[i] = static_cast<int64_t>(
            static_cast<uint64_t>(clock(static_cast<int64_t>(end))) -
            static_cast<uint64_t>(start_ns[i]));
    }
  }
};

void TraceBuilder::Append(const Trace& o, const Moves& moves) {
  Trace& t = *trace_;
  const std::vector<StringId>& ids = moves.ids;
  const Row first_row = event_count();
  const Row first_slot = stage_.slots();
  const auto move_row = [&](Row& row) {
    if (row != kNoRow) row += first_row + first_slot;
  };
  if (failed() || !MakeRoom(o.size())) return;
  failed_ |= !events_.start_ns.AppendAll(o.start_ns()) ||
             !events_.dur_ns.AppendAll(o.dur_ns()) ||
             !events_.name.AppendAll(o.name()) ||
             !events_.track.AppendAll(o.track()) ||
             !events_.type.AppendAll(o.type()) ||
             !events_.flags.AppendAll(o.flags());
  if (failed_) return;
  moves.Times(events_.start_ns.span().subspan(first_row),
              events_.dur_ns.span().subspan(first_row));
  for (StringId& name : events_.name.span().subspan(first_row))
    name = ids[name.v];
  for (uint32_t& track : events_.track.span().subspan(first_row))
    track = At(moves.track, track);

  const auto first_int = static_cast<uint32_t>(args_.ints.size());
  const size_t first_arg = args_.typed.size();
  failed_ |=
      !args_.ints.AppendAll(o.arg_ints()) || !args_.typed.AppendAll(o.args());
  if (failed_) return;
  for (Arg& arg : args_.typed.span().subspan(first_arg)) {
    move_row(arg.row);
    arg.key = ids[arg.key.v];
    if (arg.has_text()) arg.text = ids[arg.text.v];
    if (arg.kind == ArgKind::kIntList) arg.list_first += first_int;
  }
  const RawRef grown = args_.raw.Append(o.raw_args());
  if (o.has_raw_args()) {
    Column<RawRef>& refs = args_.raw_refs;
    failed_ |=
        !refs.Resize(first_row) || !refs.AppendAll(o.args_.raw_refs.view());
    if (failed_) return;
    for (RawRef& ref : refs.span().subspan(first_row))
      if (ref != 0) ref += grown;
  }
  for (Flow flow : o.flows_) {
    flow.id += moves.first_flow;
    moves.Time(flow.time_ns);
    flow.name = ids[flow.name.v];
    flow.track = At(moves.track, flow.track);
    t.flows_.push_back(flow);
  }
  const size_t first_link = t.links_.size();
  failed_ |= !t.links_.AppendAll(o.links_.view());
  if (failed_) return;
  for (Link& link : t.links_.span().subspan(first_link)) {
    link.process = At(moves.process, link.process);
    move_row(link.row);
  }
  for (CounterSample sample : o.counters_) {
    moves.Time(sample.time_ns);
    sample.track = At(moves.track, sample.track);
    t.counters_.push_back(sample);
  }
  for (MemoryEvent event : o.memory_) {
    moves.Time(event.time_ns);
    event.place = ids[event.place.v];
    event.track = At(moves.track, event.track);
    if (event.owner_stated)
      move_row(event.owner);
    else
      event.owner = kNoRow;  // found anew, among the rows that are here
    failed_ |= !t.memory_.Add(event);
  }
  for (ThreadReport report : o.facts_.threads) {
    report.track = At(moves.track, report.track);
    for (Row& row : report.open_scopes) move_row(row);
    for (auto& [reason, count] : report.dropped) {
      // A literal, or a string of a trace that may not live on.
      const StringId id = o.strings_.Find(reason);
      if (o.strings_.view(id).data() == reason.data())
        reason = t.strings_.view(ids[id.v]);
    }
    t.facts_.threads.push_back(std::move(report));
  }
}

void TraceBuilder::AddSourcesOf(const Trace& from, const ClockMap& clock) {
  // Processes refer to a source, named or not.
  if (process_count() > 0) source();
  for (Source source : from.facts_.sources) {
    source.to_trace =
        clock.is_shift() ? source.to_trace.ThenShift(clock.shift_ns()) : clock;
    sources_.push_back(std::move(source));
  }
  if (from.facts_.sources.empty()) sources_.emplace_back();
}

void TraceBuilder::AddWindowOf(const Trace& from, const ClockMap& clock) {
  if (from.size() == 0 && from.facts_.begin_ns == from.facts_.end_ns) return;
  AddWindow(clock(from.facts_.begin_ns), clock(from.facts_.end_ns));
}

// REQUIRES: the sources of `from` are the last ones here.
TraceBuilder::Moves TraceBuilder::MovesFor(const Trace& from,
                                           const ClockMap& clock,
                                           bool finished) {
  Trace& t = *trace_;
  Moves moves;
  moves.ids = MergeStrings(from.strings_, 0);
  moves.clock = clock;
  const std::vector<StringId>& ids = moves.ids;
  const auto first_source = static_cast<uint32_t>(
      sources_.size() - std::max<size_t>(1, from.facts_.sources.size()));

  std::vector<bool> known;
  for (Process process : from.facts_.processes) {
    process.name = ids[process.name.v];
    process.host = ids[process.host.v];
    process.source += first_source;
    moves.Time(process.start_ns);
    for (auto& [key, value] : process.metadata) {
      key = ids[key.v];
      value = ids[value.v];
    }
    const uint32_t same = FindNamed(t.facts_.processes, process);
    known.push_back(same < process_count());
    moves.process.push_back(same);
    if (!known.back()) t.facts_.processes.push_back(std::move(process));
  }
  // Most files bring processes of their own.
  std::optional<TrackIndex> here;
  if (std::find(known.begin(), known.end(), true) != known.end())
    here.emplace(t.tracks_);
  for (size_t i = 0; i < from.tracks_.size(); ++i) {
    Track track = from.tracks_[i];
    const bool may_be_known =
        track.process < known.size() && known[track.process];
    // Lanes of what several files may hold are laid anew over all of them.
    const bool is_lane = finished && i > 0 &&
                         IsLaneBehind(from.tracks_[i - 1], track) &&
                         track.process < from.facts_.processes.size() &&
                         IsKnownByName(from.facts_.processes[track.process]);
    track.process = At(moves.process, track.process);
    track.name = ids[track.name.v];
    track.device_type = ids[track.device_type.v];
    uint32_t same = may_be_known ? here->Find(track) : track_count();
    if (is_lane) {
      same = moves.track.back();
      moves.joined.back() = true;
    }
    same = std::min(same, track_count());
    moves.track.push_back(same);
    moves.joined.push_back(same < track_count());
    if (same == track_count()) t.tracks_.push_back(track);
  }
  // Ids of arrows are unique within a file only.
  for (; flows_seen_ < t.flows_.size(); ++flows_seen_)
    next_flow_ = std::max(next_flow_, t.flows_[flows_seen_].id + 1);
  moves.first_flow = next_flow_;
  return moves;
}

void TraceBuilder::KeepOrder(const Trace& from, const Moves& moves,
                             Row first_row) {
  // Rounding may bring events together that were apart.
  if (!moves.clock.is_shift()) return;
  for (size_t i = 0; i < from.tracks_.size(); ++i) {
    const Track& track = from.tracks_[i];
    if (moves.joined[i] || track.first == track.last) continue;
    ordered_.push_back(
        {moves.track[i], first_row + track.first, first_row + track.last});
  }
}

void TraceBuilder::Add(const Trace& trace, const ClockMap& clock) {
  PlaceStaged();
  const Row first_row = event_count();
  const bool args_by_row = args_by_row_ == args_.typed.size();
  AddSourcesOf(trace, clock);
  const Moves moves = MovesFor(trace, clock, /*finished=*/true);
  Append(trace, moves);
  if (failed_) return;
  if (args_by_row) args_by_row_ = args_.typed.size();
  KeepOrder(trace, moves, first_row);
  AddWindowOf(trace, clock);
  MergeCpuUsage(trace.facts_.cpu_usage);
}

void TraceBuilder::Merge(TraceBuilder&& other) {
  PlaceStaged();
  other.PlaceStaged();
  TraceBuilder from(std::exchange(other, TraceBuilder()));
  if (IsEmpty()) {
    *this = std::move(from);
    return;
  }
  failed_ |= from.failed();
  for (std::string& note : from.trace_notes_) AddTraceNote(std::move(note));
  const ClockMap clock = from.epoch_ ? PlaceEpoch(*from.epoch_) : ClockMap();
  const std::unique_ptr<Trace> all = from.Take();
  AddSourcesOf(*all, clock);
  Append(*all, MovesFor(*all, clock, /*finished=*/false));
  if (from.window_) AddWindowOf(*all, clock);
  MergeCpuUsage(all->facts_.cpu_usage);
}

TraceBuilder TraceBuilder::Fork() const {
  TraceBuilder fork;
  Trace& t = *fork.trace_;
  t.strings_ = trace_->strings_.Fork();
  t.facts_.processes = trace_->facts_.processes;
  t.tracks_ = trace_->tracks_;
  fork.base_ = {t.strings_.size(), process_count(), track_count()};
  fork.epoch_ = epoch_;
  return fork;
}

void TraceBuilder::Join(TraceBuilder&& fork) {
  TraceBuilder from(std::move(fork));
  const Base& base = from.base_;
  failed_ |= from.failed();
  const std::unique_ptr<Trace> all = from.Take();
  Trace& o = *all;
  Trace& t = *trace_;
  Moves moves;
  moves.ids = MergeStrings(o.strings_, base.strings);
  const std::vector<StringId>& ids = moves.ids;
  for (uint32_t i = 0; i < o.facts_.processes.size(); ++i) {
    uint32_t same = i;
    Process& process = o.facts_.processes[i];
    if (i >= base.processes) {
      process.name = ids[process.name.v];
      process.host = ids[process.host.v];
      source();
      process.source = static_cast<uint32_t>(sources_.size() - 1);
      same = base.processes;
      while (same < process_count() &&
             t.facts_.processes[same].pid != process.pid)
        ++same;
      if (same == process_count())
        t.facts_.processes.push_back(std::move(process));
    }
    moves.process.push_back(same);
  }
  const TrackIndex here(t.tracks_, base.tracks);
  for (uint32_t i = 0; i < o.tracks_.size(); ++i) {
    uint32_t same = i;
    if (i >= base.tracks) {
      Track track = o.tracks_[i];
      track.process = At(moves.process, track.process);
      track.name = ids[track.name.v];
      track.device_type = ids[track.device_type.v];
      same = std::min(here.Find(track), track_count());
      if (same == track_count()) t.tracks_.push_back(track);
    }
    moves.track.push_back(same);
  }
  Append(o, moves);
  for (const Source& part : o.facts_.sources) {
    source().ledger.Merge(part.ledger);
    source().complete &= part.complete;
    for (const std::string& note : part.notes) AddNote(note);
  }
  // Where the fork made no names, they are those of this builder.
  const bool same_names = o.strings_.size() == base.strings;
  failed_ |= !stage_.Append(std::move(from.stage_),
                            same_names ? std::span<const StringId>() : ids,
                            moves.track);
}

}  // namespace stepscope
