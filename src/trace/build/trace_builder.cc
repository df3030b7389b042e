// SPDX-License-Identifier: Apache-2.0
#include "trace/build/trace_builder.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "trace/build/arg_order.h"
#include "trace/build/capture_scopes.h"
#include "trace/build/link_order.h"
#include "trace/memory_owner.h"

namespace stepscope {

namespace {

bool MoveRawRefs(Column<RawRef>& refs, const Column<Row>& new_row) {
  if (refs.empty()) return true;
  Column<RawRef> moved;
  if (!moved.Resize(new_row.size())) return false;
  for (size_t row = 0; row < refs.size(); ++row)
    moved[new_row[row]] = refs[row];
  refs.swap(moved);
  return true;
}

// Arguments as a rule come in the order of their events. Then they follow the
// rows without being compared.
bool MoveArgs(Column<Arg>& args, size_t by_row, const Column<Row>& new_row) {
  const std::span<const Arg> all = args.view();
  if (all.empty() || !AreByRow(all, by_row) ||
      all.back().row >= new_row.size() || all.size() > UINT32_MAX)
    return false;
  // By new row: how many arguments, then where the first of them goes.
  Column<uint32_t> place;
  if (!place.Resize(new_row.size() + 1)) return false;
  for (const Arg& arg : all) ++place[new_row[arg.row] + 1];
  for (size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
  Column<Arg> moved;
  if (!moved.Resize(all.size())) return false;
  for (const Arg& arg : all) {
    Arg& target = moved[place[new_row[arg.row]]++];
    target = arg;
    target.row = new_row[arg.row];
  }
  args.swap(moved);
  return true;
}

}  // namespace

TraceBuilder::TraceBuilder() : trace_(new Trace) {}
TraceBuilder::~TraceBuilder() = default;
TraceBuilder::TraceBuilder(TraceBuilder&&) noexcept = default;

uint32_t TraceBuilder::AddProcess(Process process) {
  trace_->processes_.push_back(std::move(process));
  return process_count() - 1;
}

uint32_t TraceBuilder::AddTrack(Track track) {
  trace_->tracks_.push_back(track);
  return track_count() - 1;
}

Process& TraceBuilder::process(uint32_t index) {
  return trace_->processes_[index];
}
Track& TraceBuilder::track(uint32_t index) { return trace_->tracks_[index]; }

uint32_t TraceBuilder::process_count() const {
  return static_cast<uint32_t>(trace_->processes_.size());
}
uint32_t TraceBuilder::track_count() const {
  return static_cast<uint32_t>(trace_->tracks_.size());
}

Status TraceBuilder::ReserveRows(uint64_t count) {
  Trace& t = *trace_;
  if (count >= kNoRow - event_count())
    return Fail(ErrorCode::kUnsupported,
                "more than 4,294,967,294 events in one trace");
  const size_t want = event_count() + static_cast<size_t>(count);
  if (!t.start_ns_.Reserve(want) || !t.dur_ns_.Reserve(want) ||
      !t.name_.Reserve(want) || !t.track_.Reserve(want) ||
      !t.type_.Reserve(want) || !t.flags_.Reserve(want))
    return Fail(ErrorCode::kIo, "not enough memory for the events");
  room_ = std::max(room_, static_cast<Row>(want));
  return Ok();
}

bool TraceBuilder::MakeRoom(uint64_t count) {
  constexpr uint64_t kFirst = 1024;
  if (failed_) return false;  // the trace is lost; asking again takes long
  if (room_ >= event_count() && count <= room_ - event_count()) return true;
  // Doubles, up to the number of rows that there can be.
  const uint64_t more = std::max<uint64_t>(event_count(), kFirst);
  const uint64_t most = kNoRow - 1 - event_count();
  if (most >= count && ReserveRows(std::max(count, std::min(more, most))))
    return true;
  failed_ = true;
  return false;
}

TraceBuilder::Rows TraceBuilder::rows() {
  Trace& t = *trace_;
  const Row n = event_count();
  if (t.start_ns_.data() == nullptr) return {};
  return {n,
          t.start_ns_.data() + n,
          t.dur_ns_.data() + n,
          t.name_.data() + n,
          t.track_.data() + n,
          t.type_.data() + n,
          t.flags_.data() + n};
}

void TraceBuilder::CommitRows(uint64_t count) {
  Trace& t = *trace_;
  const size_t size = event_count() + static_cast<size_t>(count);
  // Within what was reserved, so that nothing is allocated or refused.
  failed_ |= !t.start_ns_.Resize(size) || !t.dur_ns_.Resize(size) ||
             !t.name_.Resize(size) || !t.track_.Resize(size) ||
             !t.type_.Resize(size) || !t.flags_.Resize(size);
}

void TraceBuilder::SetOrdered(const OrderedRows& rows) {
  ordered_.push_back(rows);
}

uint16_t TraceBuilder::type_of(Row row) const { return trace_->type_[row]; }
StringId TraceBuilder::name_of(Row row) const { return trace_->name_[row]; }
void TraceBuilder::SetType(Row row, uint16_t type) {
  trace_->type_[row] = type;
}
void TraceBuilder::SetStart(Row row, int64_t start_ns) {
  ordered_.clear();
  trace_->start_ns_[row] = start_ns;
}
void TraceBuilder::SetDuration(Row row, int64_t dur_ns) {
  ordered_.clear();
  trace_->dur_ns_[row] = dur_ns;
}
void TraceBuilder::AddFlags(Row row, uint16_t flags) {
  trace_->flags_[row] = static_cast<uint16_t>(trace_->flags_[row] | flags);
}
void TraceBuilder::ClearFlags(Row row, uint16_t flags) {
  trace_->flags_[row] = static_cast<uint16_t>(trace_->flags_[row] & ~flags);
}

void TraceBuilder::ReserveSide(uint64_t args, uint64_t links) {
  // Refused memory is found out when it is used.
  const auto grow = [](auto& table, uint64_t more) {
    static_cast<void>(table.ReserveMore(static_cast<size_t>(more)));
  };
  grow(trace_->args_, args);
  grow(trace_->links_, links);
}

std::span<Arg> TraceBuilder::NewArgs(size_t count) {
  const size_t before = trace_->args_.size();
  // By doubling at least, so that adding some often costs little.
  if (!trace_->args_.ReserveMore(count) ||
      !trace_->args_.Resize(before + count))
    failed_ = true;
  if (args_by_row_ == before) args_by_row_ = trace_->args_.size();
  return trace_->args_.span().subspan(before);
}

std::span<Link> TraceBuilder::NewLinks(size_t count) {
  const size_t before = trace_->links_.size();
  if (!trace_->links_.Resize(before + count)) failed_ = true;
  return trace_->links_.span().subspan(before);
}

void TraceBuilder::AddListArg(Arg arg, std::span<const int64_t> values) {
  Column<int64_t>& ints = trace_->arg_ints_;
  arg.kind = ArgKind::kIntList;
  arg.list_first = static_cast<uint32_t>(ints.size());
  arg.list_count = static_cast<uint32_t>(values.size());
  failed_ |= !ints.AppendAll(values);
  AddArg(arg);
}

void TraceBuilder::AddInt(Row row, std::string_view key, int64_t value) {
  NewArg(row, Intern(key)).int_value = value;
}

void TraceBuilder::AddDouble(Row row, std::string_view key, double value) {
  Arg& arg = NewArg(row, Intern(key));
  arg.kind = ArgKind::kDouble;
  arg.double_value = value;
}

void TraceBuilder::AddText(Row row, std::string_view key,
                           std::string_view value) {
  Arg& arg = NewArg(row, Intern(key));
  arg.kind = ArgKind::kText;
  arg.text = Intern(value);
}

RawArgs& TraceBuilder::raw_args() { return trace_->raw_args_; }

void TraceBuilder::AddRawArgs(Row row, std::string_view members) {
  if (!members.empty()) AddRawArgs(row, {&members, 1});
}

void TraceBuilder::AddRawArgs(Row row,
                              std::span<const std::string_view> members) {
  if (members.empty() || row >= trace_->size()) return;
  SetRawRef(row, trace_->raw_args_.Add(members));
}

void TraceBuilder::SetRawRef(Row row, RawRef ref) {
  Trace& t = *trace_;
  if (row >= t.size()) return;
  if (t.raw_refs_.size() <= row &&
      (!t.raw_refs_.Reserve(t.start_ns_.capacity()) ||
       !t.raw_refs_.Resize(size_t{row} + 1))) {
    failed_ = true;
    return;
  }
  t.raw_refs_[row] = ref;
}

void TraceBuilder::AddFlow(const Flow& flow) { trace_->flows_.push_back(flow); }
void TraceBuilder::RemoveProcess(uint32_t index) {
  trace_->processes_.erase(trace_->processes_.begin() + index);
  for (Track& track : trace_->tracks_)
    if (track.process > index) --track.process;
  for (Link& link : trace_->links_.span()) {
    if (link.process == index && link.row < event_count())
      link.process = trace_->tracks_[track_of(link.row)].process;
    else if (link.process > index)
      --link.process;
  }
}
void TraceBuilder::GiveLinksToTracks() {
  for (Link& link : trace_->links_.span())
    if (link.row < event_count())
      link.process = trace_->tracks_[track_of(link.row)].process;
}
void TraceBuilder::AddCounter(const CounterSample& sample) {
  trace_->counters_.push_back(sample);
}
void TraceBuilder::AddMemory(const MemoryEvent& event) {
  failed_ |= !trace_->memory_.Add(event);
}
void TraceBuilder::AddThread(ThreadReport report) {
  trace_->threads_.push_back(std::move(report));
}

void TraceBuilder::AddWindow(int64_t begin_ns, int64_t end_ns) {
  Trace& t = *trace_;
  t.begin_ns_ = window_set_ ? std::min(t.begin_ns_, begin_ns) : begin_ns;
  t.end_ns_ = window_set_ ? std::max(t.end_ns_, end_ns) : end_ns;
  window_set_ = true;
}

void TraceBuilder::MergeCpuUsage(const CpuUsage& usage) {
  CpuUsage& mine = trace_->cpu_usage_;
  if (usage.process >= 0)
    mine.process = std::max(mine.process, 0.0) + usage.process;
  mine.system = std::max(mine.system, usage.system);
}

bool TraceBuilder::AddCaptureScopes(Trace& trace) {
  try {
    for (const Arg& arg : FindCaptureScopes(trace, trace.strings_))
      if (!trace.args_.Append(arg)) return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

Result<std::shared_ptr<const Trace>> TraceBuilder::Finish() {
  PlaceStaged();
  std::unique_ptr<Trace> done(new Trace);
  done.swap(trace_);
  room_ = 0;
  Trace& t = *done;
  const bool failed = std::exchange(failed_, false);
  const std::vector<OrderedRows> ordered = std::exchange(ordered_, {});
  size_t args_by_row = std::exchange(args_by_row_, 0);
  const bool window_set = std::exchange(window_set_, false);
  epoch_set_ = false;
  next_flow_ = flows_seen_ = 0;
  SumUpSources(t, std::exchange(trace_notes_, {}));
  t.raw_args_.Seal();
  if (failed)
    return Fail(ErrorCode::kIo,
                "not enough memory for the trace, or more than 4,294,967,294 "
                "events");

  STEPSCOPE_TRY_ASSIGN(
      const RowMoves moves,
      OrderRows({t.start_ns_, t.dur_ns_, t.name_, t.track_, t.type_, t.flags_},
                t.tracks_, ordered));
  bool args_in_order = false;
  if (!moves.row.empty()) {
    const auto move = [&](Row& row) {
      if (row < moves.row.size()) row = moves.row[row];
    };
    args_in_order = MoveArgs(t.args_, args_by_row, moves.row);
    args_by_row = 0;
    if (!args_in_order)
      for (Arg& arg : t.args_.span()) move(arg.row);
    for (Link& link : t.links_.span()) move(link.row);
    for (StoredMemoryEvent& event : t.memory_.events().span())
      move(event.owner);
    if (!MoveRawRefs(t.raw_refs_, moves.row))
      return Fail(ErrorCode::kIo, "not enough memory to order the arguments");
    for (ThreadReport& thread : t.threads_)
      for (Row& row : thread.open_scopes) move(row);
  }
  if (!moves.track.empty()) {
    const auto move = [&](uint32_t& track) {
      if (track < moves.track.size()) track = moves.track[track];
    };
    for (Flow& flow : t.flows_) move(flow.track);
    for (CounterSample& sample : t.counters_) move(sample.track);
    for (StoredMemoryEvent& event : t.memory_.events().span())
      move(event.track);
    for (ThreadReport& thread : t.threads_) move(thread.track);
  }

  const auto sort_by = [](auto& table, auto key) {
    const auto less = [key](const auto& a, const auto& b) {
      return key(a) < key(b);
    };
    if (!std::is_sorted(table.begin(), table.end(), less))
      std::stable_sort(table.begin(), table.end(), less);
  };
  SortLinks(t.links_);
  if (args_in_order) args_by_row = t.args_.size();
  if (!AddCaptureScopes(t))
    return Fail(ErrorCode::kIo, "not enough memory for the nodes of graphs");
  SortArgs(t.args_, t.size(), args_by_row);
  sort_by(t.flows_, [](const Flow& f) { return f.time_ns; });
  sort_by(t.counters_,
          [](const CounterSample& c) { return std::pair(c.track, c.time_ns); });
  if (!t.memory_.Sort())
    return Fail(ErrorCode::kIo, "not enough memory to order memory events");
  AssignMemoryOwners(t.start_ns_.view(), t.dur_ns_.view(), t.tracks_,
                     t.memory_.events().span());

  if (!window_set && t.size() > 0) {
    t.begin_ns_ = t.start_ns_[0];
    t.end_ns_ = t.start_ns_[0];
    for (Row row = 0; row < t.size(); ++row) {
      t.begin_ns_ = std::min(t.begin_ns_, t.start_ns_[row]);
      t.end_ns_ = std::max(t.end_ns_, t.end_ns(row));
    }
  }
  return std::shared_ptr<const Trace>(std::move(done));
}

}  // namespace stepscope
