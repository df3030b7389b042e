// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "trace/trace_builder.h"

namespace stepscope {
namespace {

// Tracks by what tells them apart.
class TrackIndex {
 public:
  explicit TrackIndex(const std::vector<Track>& tracks) {
    for (uint32_t i = 0; i < tracks.size(); ++i)
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

// The index of the process that `other` is a further part of; their number if
// there is none. What is known by its name alone is the same in every file, as
// a device of which several files hold a step each.
uint32_t FindNamed(const std::vector<Process>& processes,
                   const Process& other) {
  const auto count = static_cast<uint32_t>(processes.size());
  if (other.pid >= 0 || other.name.v == 0) return count;
  for (uint32_t i = 0; i < count; ++i) {
    const Process& mine = processes[i];
    if (mine.pid == other.pid && mine.name == other.name &&
        mine.host == other.host && mine.rank == other.rank)
      return i;
  }
  return count;
}

}  // namespace

bool TraceBuilder::IsEmpty() const {
  const Trace& t = *trace_;
  return t.size() == 0 && t.processes_.empty() && t.tracks_.empty() &&
         t.files_.empty() && t.notes_.empty() && t.strings_.size() == 1 &&
         t.ledger_.seen() == 0 && !epoch_set_ && !window_set_;
}

// The ids here of all strings there.
std::vector<StringId> TraceBuilder::MergeStrings(const StringPool& from) {
  std::vector<StringId> ids(from.size());
  for (uint32_t i = 0; i < from.size(); ++i)
    ids[i] = Intern(from.view(StringId{i}));
  return ids;
}

void TraceBuilder::Merge(TraceBuilder&& other) {
  if (IsEmpty()) {
    std::swap(trace_, other.trace_);
    std::swap(epoch_set_, other.epoch_set_);
    std::swap(window_set_, other.window_set_);
    std::swap(failed_, other.failed_);
    return;
  }
  const std::unique_ptr<Trace> from =
      std::exchange(other.trace_, std::unique_ptr<Trace>(new Trace));
  Trace& t = *trace_;
  Trace& o = *from;
  failed_ |= std::exchange(other.failed_, false);
  const bool other_epoch = std::exchange(other.epoch_set_, false);
  const bool other_window = std::exchange(other.window_set_, false);
  const int64_t shift =
      other_epoch ? AlignEpoch(o.epoch_ns_, o.clock_.epoch_known) : 0;
  const std::vector<StringId> ids = MergeStrings(o.strings_);
  const Row first_row = event_count();
  const auto move_row = [&](Row& row) {
    if (row != kNoRow) row += first_row;
  };
  // Wraps rather than overflows: OrderRows refuses what is out of range.
  const auto move_time = [&](int64_t& time) {
    time = static_cast<int64_t>(static_cast<uint64_t>(time) +
                                static_cast<uint64_t>(shift));
  };

  // Where the processes and tracks of the other come to lie.
  std::vector<uint32_t> process_of;
  std::vector<bool> known;
  for (Process& process : o.processes_) {
    process.name = ids[process.name.v];
    process.host = ids[process.host.v];
    process.source = ids[process.source.v];
    move_time(process.start_ns);
    for (auto& [key, value] : process.metadata) {
      key = ids[key.v];
      value = ids[value.v];
    }
    const uint32_t same = FindNamed(t.processes_, process);
    known.push_back(same < process_count());
    process_of.push_back(same);
    if (!known.back()) t.processes_.push_back(std::move(process));
  }
  // What refers to nothing goes on doing so; Finish() refuses it.
  const auto at = [](const std::vector<uint32_t>& moved, uint32_t index) {
    return index < moved.size() ? moved[index] : UINT32_MAX;
  };
  std::vector<uint32_t> track_of;
  const TrackIndex here(t.tracks_);
  for (Track& track : o.tracks_) {
    const bool may_be_known =
        track.process < known.size() && known[track.process];
    track.process = at(process_of, track.process);
    track.name = ids[track.name.v];
    track.device_type = ids[track.device_type.v];
    const uint32_t same = may_be_known ? here.Find(track) : track_count();
    track_of.push_back(std::min(same, track_count()));
    if (track_of.back() == track_count()) t.tracks_.push_back(track);
  }

  const Row count = o.size();
  if (const Status room = ReserveRows(count); !room) {
    failed_ = true;
    return;
  }
  Rows into = rows();
  for (Row row = 0; row < count; ++row) {
    into.start_ns[row] = o.start_ns_[row];
    move_time(into.start_ns[row]);
    into.dur_ns[row] = o.dur_ns_[row];
    into.name[row] = ids[o.name_[row].v];
    into.track[row] = at(track_of, o.track_[row]);
    into.type[row] = o.type_[row];
    into.flags[row] = o.flags_[row];
  }
  CommitRows(count);

  const auto first_int = static_cast<uint32_t>(t.arg_ints_.size());
  failed_ |= !t.arg_ints_.AppendAll(o.arg_ints_.view());
  for (Arg arg : o.args_.view()) {
    move_row(arg.row);
    arg.key = ids[arg.key.v];
    if (arg.has_text()) arg.text = ids[arg.text.v];
    if (arg.kind == ArgKind::kIntList) arg.list_first += first_int;
    AddArg(arg);
  }
  const RawRef grown = t.raw_args_.Append(std::move(o.raw_args_));
  if (!o.raw_refs_.empty()) {
    while (t.raw_refs_.size() < first_row)
      if (!t.raw_refs_.Append(0)) failed_ = true;
    for (const RawRef ref : o.raw_refs_.view())
      if (!t.raw_refs_.Append(ref == 0 ? 0 : ref + grown)) failed_ = true;
  }
  // Ids of arrows are unique within a file only.
  uint64_t first_flow = 0;
  for (const Flow& flow : t.flows_)
    first_flow = std::max(first_flow, flow.id + 1);
  for (Flow flow : o.flows_) {
    flow.id += first_flow;
    move_time(flow.time_ns);
    flow.name = ids[flow.name.v];
    flow.track = at(track_of, flow.track);
    t.flows_.push_back(flow);
  }
  for (Link link : o.links_.view()) {
    link.process = at(process_of, link.process);
    move_row(link.row);
    AddLink(link);
  }
  for (CounterSample sample : o.counters_) {
    move_time(sample.time_ns);
    sample.track = at(track_of, sample.track);
    t.counters_.push_back(sample);
  }
  for (MemoryEvent event : o.memory_) {
    move_time(event.time_ns);
    event.place = ids[event.place.v];
    event.track = at(track_of, event.track);
    t.memory_.push_back(event);
  }
  for (ThreadReport& report : o.threads_) {
    report.track = at(track_of, report.track);
    for (Row& row : report.open_scopes) move_row(row);
    t.threads_.push_back(std::move(report));
  }

  if (other_window) {
    int64_t begin = o.begin_ns_;
    int64_t end = o.end_ns_;
    move_time(begin);
    move_time(end);
    AddWindow(begin, end);
  }
  MergeClock(o.clock_);
  MergeCpuUsage(o.cpu_usage_);
  t.ledger_.Merge(o.ledger_);
  t.complete_ &= o.complete_;
  const size_t before = t.files_.size();
  AddSource(o.format_, "");
  t.files_.resize(before);
  for (std::string& file : o.files_) t.files_.push_back(std::move(file));
  for (std::string& note : o.notes_) t.notes_.push_back(std::move(note));
}

}  // namespace stepscope
