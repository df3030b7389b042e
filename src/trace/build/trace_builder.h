// SPDX-License-Identifier: Apache-2.0
//
// TraceBuilder: the one way to make a Trace. An importer adds processes,
// tracks, events and side tables in any order, several importers may add to
// one builder, and Finish() groups, sorts and freezes.
//
// Until Finish() an event is named by the row at which it was added. Finish()
// may move rows; everything that was added under the old row moves with it.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/build/row_order.h"
#include "trace/build/row_stage.h"
#include "trace/job/clock_placement.h"
#include "trace/trace.h"

namespace stepscope {

// One event as an importer hands it over.
struct EventSpec {
  uint32_t track = 0;
  int64_t start_ns = 0;
  int64_t dur_ns = 0;  // not negative
  StringId name;
  uint16_t type = 0;   // stepscope_event_type
  uint16_t flags = 0;  // EventFlag
};

class TraceBuilder {
 public:
  TraceBuilder();
  ~TraceBuilder();
  TraceBuilder(TraceBuilder&&) noexcept;
  TraceBuilder(const TraceBuilder&) = delete;
  TraceBuilder& operator=(const TraceBuilder&) = delete;

  StringPool& strings() { return trace_->strings_; }
  StringId Intern(std::string_view text) { return strings().Intern(text); }

  // Both return the index that tracks and events refer to. The rows and the
  // lane of a track are Finish()'s to set. The references are for filling in
  // what a file says later; they last until the next Add.
  uint32_t AddProcess(Process process);
  uint32_t AddTrack(Track track);
  Process& process(uint32_t index);
  Track& track(uint32_t index);
  uint32_t process_count() const;
  uint32_t track_count() const;

  // Adds one event and returns its row. Memory refused or too many events:
  // kNoRow, and Finish() fails.
  Row AddEvent(const EventSpec& event) {
    Trace& t = *trace_;
    const Row row = t.size();
    if (row >= room_ && !MakeRoom()) [[unlikely]]
      return kNoRow;
    t.start_ns_.AppendReserved(event.start_ns);
    t.dur_ns_.AppendReserved(event.dur_ns);
    t.name_.AppendReserved(event.name);
    t.track_.AppendReserved(event.track);
    t.type_.AppendReserved(event.type);
    t.flags_.AppendReserved(event.flags);
    return row;
  }
  Row event_count() const { return trace_->size(); }

  // The same for events of many tracks in any mixture, which Finish() then
  // need not take apart. Rows so named are for arguments and links alone until
  // PlaceStaged() gives them others, and no event is added otherwise before.
  Row StageEvent(const EventSpec& event) {
    const Row slot = stage_.Add(
        event.track,
        {event.start_ns, event.dur_ns, event.name, event.type, event.flags});
    if (slot >= kNoRow - event_count()) [[unlikely]] {
      failed_ = true;
      return kNoRow;
    }
    return event_count() + slot;
  }
  void ReserveStaged(uint64_t events);
  // Makes rows of what was staged. `at_once` calls what it is given on any
  // number of threads and returns when all have returned; empty: on this one.
  // Merge() and Finish() do it where it was forgotten.
  using Work = std::function<void()>;
  using AtOnce = std::function<void(const Work& work)>;
  void PlaceStaged(const AtOnce& at_once = {});

  // Fast path: events written in place. ReserveRows makes room for `count`
  // rows after event_count(); the pointers are to the first of them and last
  // until the next ReserveRows or AddEvent. CommitRows adopts the first
  // `count`, of which every column has been written but `track`, `type` and
  // `flags` (zero unless written). Rows that are already grouped by track,
  // ordered and nested are not moved by Finish().
  struct Rows {
    Row first = 0;
    int64_t* start_ns = nullptr;
    int64_t* dur_ns = nullptr;
    StringId* name = nullptr;
    uint32_t* track = nullptr;
    uint16_t* type = nullptr;
    uint16_t* flags = nullptr;
  };
  Status ReserveRows(uint64_t count);
  Rows rows();
  void CommitRows(uint64_t count);
  // For who checked the order of rows while they were in the cache: if these
  // turn out to be all of the track's, Finish() does not check them again.
  void SetOrdered(const OrderedRows& rows);
  // Columns of the rows added so far, for ends and flags that come late.
  int64_t start_ns(Row row) const { return trace_->start_ns_[row]; }
  int64_t dur_ns(Row row) const { return trace_->dur_ns_[row]; }
  uint32_t track_of(Row row) const { return trace_->track_[row]; }
  uint16_t type_of(Row row) const;
  StringId name_of(Row row) const;
  void SetStart(Row row, int64_t start_ns);
  void SetDuration(Row row, int64_t dur_ns);
  void AddFlags(Row row, uint16_t flags);
  void ClearFlags(Row row, uint16_t flags);
  void SetType(Row row, uint16_t type);

  // Room for so many more arguments and links; a guess is good enough. Memory
  // is not touched before it is used.
  void ReserveSide(uint64_t args, uint64_t links);
  // Arguments. `arg.row` is the event; list_first and list_count are set here.
  // NewArg: to be filled in where it lies, before the next is made.
  Arg& NewArg(Row row, StringId key) {
    Arg* arg = trace_->args_.AppendZero();
    if (arg == nullptr) [[unlikely]] {
      failed_ = true;
      arg = &refused_;
    }
    arg->row = row;
    arg->key = key;
    return *arg;
  }
  // The same for many, which any thread may fill in. They stay where they are
  // as long as there is room for more. REQUIRES: they get rows in ascending
  // order, none below that of an argument that is here. Fewer than `count` if
  // memory is refused.
  std::span<Arg> NewArgs(size_t count);
  bool HasRoomForArgs(size_t count) const {
    return trace_->args_.capacity() - trace_->args_.size() >= count;
  }
  std::span<Link> NewLinks(size_t count);
  void AddArg(const Arg& arg) { failed_ |= !trace_->args_.Append(arg); }
  void AddListArg(Arg arg, std::span<const int64_t> values);
  void AddInt(Row row, std::string_view key, int64_t value);
  void AddDouble(Row row, std::string_view key, double value);
  void AddText(Row row, std::string_view key, std::string_view value);
  // Members of a JSON object that no typed argument holds; see
  // Trace::raw_args. Once for an event.
  void AddRawArgs(Row row, std::string_view members);
  // The same in parts; ", " comes between them.
  void AddRawArgs(Row row, std::span<const std::string_view> members);
  RawArgs& raw_args();
  // The same for a text that is in raw_args() already.
  void SetRawRef(Row row, RawRef ref);

  void AddFlow(const Flow& flow);
  void AddLink(const Link& link) {
    if (!trace_->links_.Append(link)) [[unlikely]]
      failed_ = true;
  }
  // Takes off a process that no track is of any more. Those behind it move up;
  // its links go to the process of their row's track.
  void RemoveProcess(uint32_t index);
  // Makes every link one of the process that its row's track belongs to, for
  // formats that say late which process that is.
  void GiveLinksToTracks();
  void AddCounter(const CounterSample& sample);
  // `owner`, where it is not stated, is set by Finish().
  void AddMemory(const MemoryEvent& event);
  const MemoryTable& memory() const { return trace_->memory_; }
  // For what a file says late; owners are rows as they were added.
  Column<StoredMemoryEvent>& stored_memory() {
    return trace_->memory_.events();
  }
  void AddThread(ThreadReport report);

  // Times handed over are relative to the builder's epoch. The first caller
  // sets it to its own and gets 0; a later one gets what it must add to its
  // times. `known`: epoch_ns is UTC. Unknown epochs are not aligned: 0.
  // It is also noted as the epoch of the source.
  int64_t AlignEpoch(int64_t epoch_ns, bool known);
  // The epoch of the trace alone, for who maps times to it.
  void SetEpoch(const Epoch& epoch);

  void AddWindow(int64_t begin_ns, int64_t end_ns);  // widens the window
  // Processes add up; the machine's use is the highest stated.
  void MergeCpuUsage(const CpuUsage& usage);

  // The file that is being read. A builder has one from the beginning, and
  // AddSource names it, at any time. A further AddSource begins another. What
  // is said about a file (ledger, clock, notes, completeness) goes to the last
  // one. References last until the next AddSource, Merge, Add or Finish.
  void AddSource(std::string_view format, std::string_view path);
  Source& source();
  uint32_t source_index();
  Ledger& ledger() { return source().ledger; }
  // Adds anchors, keeps the worst error; source and rate are the first's.
  void MergeClock(const ClockInfo& clock);
  void SetIncomplete();
  void AddNote(std::string note);
  // A note that concerns the trace and not one file.
  void AddTraceNote(std::string note);

  // For who was refused memory for what it would have added: Finish() fails
  // rather than leave something out.
  void SetOutOfMemory() { failed_ = true; }

  // Adds all that another builder holds, its times brought to this one's
  // epoch where both are known. The other is empty afterwards.
  void Merge(TraceBuilder&& other);
  // Adds a trace behind what is here, its times mapped by `clock` to those of
  // this builder, whose epoch the caller sets. See TraceSet.
  void Add(const Trace& trace, const ClockMap& clock);

  // To read several parts of one file at once. A fork knows the strings,
  // processes and tracks of this builder under the same ids, and holds nothing
  // else. Join() adds what it holds behind what is here; what it made since
  // becomes one with what an earlier fork made, if both are the same process
  // or track. Forks that are joined in the order of the file give what one
  // builder would have.
  TraceBuilder Fork() const;
  void Join(TraceBuilder&& fork);

  // Groups rows by track; orders them by (start, -duration, as added); lays
  // siblings that overlap without nesting onto further lanes, each a Track of
  // its own right behind the first; sorts the side tables; finds the owners
  // of memory events. Without a window, it is the span of the events. The
  // builder is empty afterwards.
  Result<std::shared_ptr<const Trace>> Finish();

 private:
  struct Moves;  // of one builder's ids to another's
  struct Base {  // what a fork shares with where it came from
    uint32_t strings = 0;
    uint32_t processes = 0;
    uint32_t tracks = 0;
  };

  bool IsEmpty() const;
  ClockMap PlaceEpoch(const Epoch& epoch);
  static bool AddCaptureScopes(Trace& trace);
  static void SumUpSources(Trace& trace, std::vector<std::string> notes);
  Moves MovesFor(const Trace& from, const ClockMap& clock, bool finished);
  void Append(const Trace& from, const Moves& moves);
  // Says which tracks of a finished trace need not be looked at again.
  void KeepOrder(const Trace& from, const Moves& moves, Row first_row);
  void AddSourcesOf(const Trace& from, const ClockMap& clock);
  void AddWindowOf(const Trace& from, const ClockMap& clock);
  std::vector<StringId> MergeStrings(const StringPool& from, uint32_t same);

  // For `count` more rows, and as many again as there are, so that adding a
  // little often costs little. False, and Finish() fails: there is none.
  bool MakeRoom(uint64_t count = 1);

  std::unique_ptr<Trace> trace_;
  RowStage stage_;
  Row room_ = 0;            // rows that fit into what every column has
  size_t args_by_row_ = 0;  // arguments that are known to be in order
  Arg refused_;             // takes what is written when there is no memory
  Base base_;
  bool epoch_set_ = false;
  bool window_set_ = false;
  bool failed_ = false;  // an AddEvent was refused
  std::vector<OrderedRows> ordered_;
  std::vector<std::string> trace_notes_;
  // For Merge(): an id above those of all arrows it has seen, and their number.
  uint64_t next_flow_ = 0;
  size_t flows_seen_ = 0;
};

}  // namespace stepscope
