// SPDX-License-Identifier: Apache-2.0
//
// TraceBuilder: the one way to make a Trace. An importer adds processes,
// tracks, events and side tables in any order, several importers may add to
// one builder, and Finish() groups, sorts and freezes. What there is most of
// has a part of its own that keeps it: events, arguments, sources. The parts
// are bases, so that who fills a trace says AddEvent and AddInt of one thing.
//
// Until Finish() an event is named by the row at which it was added. Finish()
// may move rows; everything that was added under the old row moves with it.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "trace/build/args_builder.h"
#include "trace/build/events_builder.h"
#include "trace/build/sources_builder.h"
#include "trace/trace.h"

namespace stepscope {

class TraceBuilder : public EventsBuilder,
                     public ArgsBuilder,
                     public SourcesBuilder {
 public:
  TraceBuilder();
  ~TraceBuilder();
  TraceBuilder(TraceBuilder&&) noexcept;
  TraceBuilder& operator=(TraceBuilder&&) noexcept;

  StringPool& strings() { return trace_->strings_; }
  StringId Intern(std::string_view text) { return strings().Intern(text); }

  // Both return the index that tracks and events refer to. The rows and the
  // lane of a track are Finish()'s to set. The references are for filling in
  // what a file says later; they last until the next Add.
  uint32_t AddProcess(Process process);
  uint32_t AddTrack(const Track& track);
  Process& process(uint32_t index) { return trace_->facts_.processes[index]; }
  Track& track(uint32_t index) { return trace_->tracks_[index]; }
  uint32_t process_count() const {
    return static_cast<uint32_t>(trace_->facts_.processes.size());
  }
  uint32_t track_count() const {
    return static_cast<uint32_t>(trace_->tracks_.size());
  }
  // Takes off a process that no track is of any more. Those behind it move up;
  // its links go to the process of their row's track.
  void RemoveProcess(uint32_t index);

  // Makes rows of what was staged. `at_once` calls what it is given on any
  // number of threads and returns when all have returned; empty: on this one.
  // Merge() and Finish() do it where it was forgotten.
  using Work = std::function<void()>;
  using AtOnce = std::function<void(const Work& work)>;
  void PlaceStaged(const AtOnce& at_once = {});

  // Room for so many more arguments and links; a guess is good enough. Memory
  // is not touched before it is used.
  void ReserveSide(uint64_t args, uint64_t links);
  void AddInt(Row row, std::string_view key, int64_t value);
  void AddDouble(Row row, std::string_view key, double value);
  void AddText(Row row, std::string_view key, std::string_view value);

  void AddLink(const Link& link) { failed_ |= !trace_->links_.Append(link); }
  std::span<Link> NewLinks(size_t count);
  // Makes every link one of the process that its row's track belongs to, for
  // formats that say late which process that is.
  void GiveLinksToTracks();
  void AddFlow(const Flow& flow) { trace_->flows_.push_back(flow); }
  void AddCounter(const CounterSample& sample) {
    trace_->counters_.push_back(sample);
  }
  void AddThread(ThreadReport report) {
    trace_->facts_.threads.push_back(std::move(report));
  }
  // `owner`, where it is not stated, is set by Finish().
  void AddMemory(const MemoryEvent& event) {
    failed_ |= !trace_->memory_.Add(event);
  }
  const MemoryTable& memory() const { return trace_->memory_; }
  // For what a file says late; owners are rows as they were added.
  Column<StoredMemoryEvent>& stored_memory() {
    return trace_->memory_.events();
  }

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
  bool failed() const { return failed_ || events_lost_ || args_lost_; }
  // All that is here, in no order. The builder is of no use afterwards.
  std::unique_ptr<Trace> Take();
  static void SumUpSources(Trace& trace, std::vector<std::string> notes);
  Moves MovesFor(const Trace& from, const ClockMap& clock, bool finished);
  void Append(const Trace& from, const Moves& moves);
  // Says which tracks of a finished trace need not be looked at again.
  void KeepOrder(const Trace& from, const Moves& moves, Row first_row);
  void AddSourcesOf(const Trace& from, const ClockMap& clock);
  void AddWindowOf(const Trace& from, const ClockMap& clock);
  std::vector<StringId> MergeStrings(const StringPool& from, uint32_t same);

  std::unique_ptr<Trace> trace_;  // what no part keeps
  Base base_;
  bool failed_ = false;  // something was refused
  // For Merge(): an id above those of all arrows it has seen, and their number.
  uint64_t next_flow_ = 0;
  size_t flows_seen_ = 0;
};

}  // namespace stepscope
