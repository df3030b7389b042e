// SPDX-License-Identifier: Apache-2.0
#include "trace/build/trace_builder.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "trace/build/arg_order.h"
#include "trace/build/capture_scopes.h"
#include "trace/build/link_order.h"
#include "trace/build/row_layout.h"
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

bool AddCaptureScopes(const Trace& trace, StringPool& strings,
                      Column<Arg>& args) {
  try {
    return args.AppendAll(FindCaptureScopes(trace, strings));
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// "a+b" and "b": "a+b".
void AddFormat(std::string& all, const std::string& format) {
  const auto enclosed = [](const std::string& text) {
    return "+" + text + "+";
  };
  if (enclosed(all).find(enclosed(format)) != std::string::npos) return;
  if (!all.empty()) all += '+';
  all += format;
}

}  // namespace

TraceBuilder::TraceBuilder() : trace_(new Trace) {}
TraceBuilder::~TraceBuilder() = default;
TraceBuilder::TraceBuilder(TraceBuilder&&) noexcept = default;
TraceBuilder& TraceBuilder::operator=(TraceBuilder&&) noexcept = default;

uint32_t TraceBuilder::AddProcess(Process process) {
  trace_->facts_.processes.push_back(std::move(process));
  return process_count() - 1;
}

uint32_t TraceBuilder::AddTrack(const Track& track) {
  trace_->tracks_.push_back(track);
  return track_count() - 1;
}

void TraceBuilder::RemoveProcess(uint32_t index) {
  trace_->facts_.processes.erase(trace_->facts_.processes.begin() + index);
  for (Track& track : trace_->tracks_)
    if (track.process > index) --track.process;
  for (Link& link : trace_->links_.span()) {
    if (link.process == index && link.row < event_count())
      link.process = trace_->tracks_[track_of(link.row)].process;
    else if (link.process > index)
      --link.process;
  }
}

void TraceBuilder::PlaceStaged(const AtOnce& at_once) {
  if (stage_.empty()) return;
  const Row first = event_count();
  RowLayout layout(stage_, first);
  if (!ReserveRows(layout.rows())) {
    failed_ = true;
    return;
  }
  CommitRows(layout.rows());
  const auto work = [&] {
    while (layout.PlaceTrack(events_)) {
    }
  };
  if (at_once) {
    at_once(work);
  } else {
    work();
  }
  for (const OrderedRows& rows : layout.ordered()) SetOrdered(rows);
  const auto move = [&](Row& row) {
    if (row >= first && row != kNoRow) row = layout.RowOf(row - first);
  };
  for (Arg& arg : args_.typed.span()) move(arg.row);
  for (Link& link : trace_->links_.span()) move(link.row);
  for (StoredMemoryEvent& event : stored_memory().span()) move(event.owner);
}

void TraceBuilder::ReserveSide(uint64_t args, uint64_t links) {
  // Refused memory is found out when it is used.
  static_cast<void>(args_.typed.ReserveMore(static_cast<size_t>(args)));
  static_cast<void>(trace_->links_.ReserveMore(static_cast<size_t>(links)));
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

std::span<Link> TraceBuilder::NewLinks(size_t count) {
  const size_t before = trace_->links_.size();
  failed_ |= !trace_->links_.Resize(before + count);
  return trace_->links_.span().subspan(before);
}

void TraceBuilder::GiveLinksToTracks() {
  for (Link& link : trace_->links_.span())
    if (link.row < event_count())
      link.process = trace_->tracks_[track_of(link.row)].process;
}

// The totals over all sources, once they are complete.
void TraceBuilder::SumUpSources(Trace& t, std::vector<std::string> notes) {
  if (t.facts_.sources.empty() && !t.facts_.processes.empty())
    t.facts_.sources.emplace_back();
  for (const Source& source : t.facts_.sources) {
    t.facts_.clock.Merge(source.clock);
    t.facts_.ledger.Merge(source.ledger);
    t.facts_.complete &= source.complete;
    t.facts_.notes.insert(t.facts_.notes.end(), source.notes.begin(),
                          source.notes.end());
    if (!source.IsNamed()) continue;
    AddFormat(t.facts_.format, source.format);
    t.facts_.files.push_back(source.path);
  }
  for (std::string& note : notes) t.facts_.notes.push_back(std::move(note));
  for (Process& process : t.facts_.processes)
    if (process.source >= t.facts_.sources.size()) process.source = 0;
}

std::unique_ptr<Trace> TraceBuilder::Take() {
  Trace& t = *trace_;
  t.events_ = std::move(events_);
  t.args_ = std::move(args_);
  t.args_.raw.Seal();
  t.facts_.sources = std::move(sources_);
  t.facts_.cpu_usage = cpu_usage_;
  if (epoch_) {
    t.facts_.epoch_ns = epoch_->ns;
    t.facts_.clock.epoch_known = epoch_->known;
  }
  if (window_) {
    t.facts_.begin_ns = window_->begin_ns;
    t.facts_.end_ns = window_->end_ns;
  }
  return std::move(trace_);
}

Result<std::shared_ptr<const Trace>> TraceBuilder::Finish() {
  PlaceStaged();
  TraceBuilder all(std::exchange(*this, TraceBuilder()));
  const bool failed = all.failed();
  size_t args_by_row = all.args_by_row_;
  std::unique_ptr<Trace> done = all.Take();
  Trace& t = *done;
  Column<Arg>& args = t.args_.typed;
  SumUpSources(t, std::move(all.trace_notes_));
  if (failed)
    return Fail(ErrorCode::kIo,
                "not enough memory for the trace, or more than 4,294,967,294 "
                "events");

  STEPSCOPE_TRY_ASSIGN(const RowMoves moves,
                       OrderRows(t.events_, t.tracks_, all.ordered_));
  bool args_in_order = false;
  if (!moves.row.empty()) {
    const auto move = [&](Row& row) {
      if (row < moves.row.size()) row = moves.row[row];
    };
    args_in_order = PlaceArgs(args, t.size(), moves.row.view());
    args_by_row = 0;
    if (!args_in_order)
      for (Arg& arg : args.span()) move(arg.row);
    for (Link& link : t.links_.span()) move(link.row);
    for (StoredMemoryEvent& event : t.memory_.events().span())
      move(event.owner);
    if (!MoveRawRefs(t.args_.raw_refs, moves.row))
      return Fail(ErrorCode::kIo, "not enough memory to order the arguments");
    for (ThreadReport& thread : t.facts_.threads)
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
    for (ThreadReport& thread : t.facts_.threads) move(thread.track);
  }

  const auto sort_by = [](auto& table, auto key) {
    const auto less = [key](const auto& a, const auto& b) {
      return key(a) < key(b);
    };
    if (!std::is_sorted(table.begin(), table.end(), less))
      std::stable_sort(table.begin(), table.end(), less);
  };
  SortLinks(t.links_);
  if (args_in_order) args_by_row = args.size();
  if (!AddCaptureScopes(t, t.strings_, args))
    return Fail(ErrorCode::kIo, "not enough memory for the nodes of graphs");
  SortArgs(args, t.size(), args_by_row);
  sort_by(t.flows_, [](const Flow& f) { return f.time_ns; });
  sort_by(t.counters_,
          [](const CounterSample& c) { return std::pair(c.track, c.time_ns); });
  if (!t.memory_.Sort())
    return Fail(ErrorCode::kIo, "not enough memory to order memory events");
  AssignMemoryOwners(t.start_ns(), t.dur_ns(), t.tracks_,
                     t.memory_.events().span());

  if (!all.window_ && t.size() > 0) {
    t.facts_.begin_ns = t.start_ns()[0];
    t.facts_.end_ns = t.start_ns()[0];
    for (Row row = 0; row < t.size(); ++row) {
      t.facts_.begin_ns = std::min(t.facts_.begin_ns, t.start_ns()[row]);
      t.facts_.end_ns = std::max(t.facts_.end_ns, t.end_ns(row));
    }
  }
  return std::shared_ptr<const Trace>(std::move(done));
}

}  // namespace stepscope
