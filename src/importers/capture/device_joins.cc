// SPDX-License-Identifier: Apache-2.0
//
// The part of DeviceRecords that runs after the last block: joins what refers
// to an API call with it, and tells what the plugins counted.
#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "importers/capture/device_records.h"

namespace stepscope::capture {

// The last call that had this id; ids are unique within a session.
Row DeviceRecords::CallOf(uint64_t correlation) const {
  const auto at = std::upper_bound(
      calls_.begin(), calls_.end(), correlation,
      [](uint64_t id, const Pending& call) { return id < call.correlation; });
  if (at == calls_.begin() || (at - 1)->correlation != correlation)
    return kNoRow;
  return (at - 1)->row;
}

void DeviceRecords::Finish() {
  std::stable_sort(calls_.begin(), calls_.end(),
                   [](const Pending& a, const Pending& b) {
                     return a.correlation < b.correlation;
                   });
  AddLateWork();
  AttachNotes();
  AttachNodes();
  AttachWaits();
  AttachMemory();
  details_.AddArgs(builder_);
  EndCounters();
  CountEarlyWork();
  ReportStats();
}

void DeviceRecords::AddLateWork() {
  for (const auto& [work, type] : late_) {
    if (CallOf(work.correlation) == kNoRow)
      builder_.ledger().Reject("device work launched after the stop");
    else if (!AddWork(work, type))
      builder_.ledger().Reject("damaged device record");
  }
}

void DeviceRecords::AttachNotes() {
  for (const Note& note : notes_) {
    const Row row = CallOf(note.correlation);
    if (row == kNoRow) {
      builder_.ledger().Reject("device note without its call", note.offset);
      continue;
    }
    builder_.ledger().Keep();
    for (const stepscope_record_pair& pair : note.pairs)
      builder_.AddInt(row, builder_.strings().view(sites_.NameOf(pair.key)),
                      pair.value);
  }
}

// Replays name the copy that was instantiated; a call made what it was copied
// from, which comes first. CUPTI says of a copy, too, that it was created: by
// the call that instantiates the graph.
void DeviceRecords::AttachNodes() {
  NodeEras eras;
  int64_t since_ns = INT64_MIN;
  for (const stepscope_record_node& node : nodes_) {
    const Row made_by = CallOf(node.correlation);
    if (made_by != kNoRow)
      since_ns = std::max(since_ns, builder_.start_ns(made_by));
    const bool copied = node.original != 0;
    const Row call = copied ? eras.CallOf(node.original) : made_by;
    if (call != kNoRow)
      builder_.ledger().Keep();
    else
      builder_.ledger().Reject("graph node made before the recording");
    copied ? eras.Copy(node.node, call, since_ns)
           : eras.Make(node.node, call, since_ns);
  }
  for (const auto& [id, call] : eras.Calls())
    builder_.AddLink({process_, LinkSpace::kGraphNode, id, call});
  LinkReplays(eras);
}

// Which node it was counts as of the launch: an id may be used again while the
// last replay is still on its way.
void DeviceRecords::LinkReplays(const NodeEras& eras) {
  for (const Pending& work : work_) {
    if (work.graph_node == 0) continue;
    uint64_t id = work.graph_node;
    if (eras.IsUsedAgain(id)) {
      const Row launch = CallOf(work.correlation);
      id = eras.IdAt(id,
                     builder_.start_ns(launch != kNoRow ? launch : work.row));
    }
    builder_.AddLink({process_, LinkSpace::kGraphNode, id, work.row});
  }
}

// A wait happens on the thread that made the call.
void DeviceRecords::AttachWaits() {
  for (const stepscope_record_wait& wait : waits_) {
    const Row call = CallOf(wait.correlation);
    const uint32_t track =
        call != kNoRow ? builder_.track_of(call) : SideTrack(" waits");
    const Row row = AddEvent(track, wait.head.name, wait.start, wait.end);
    if (row == kNoRow) continue;  // the builder fails as a whole
    constexpr uint32_t kNone = 0xffffffffu;
    if (wait.stream != kNone) builder_.AddInt(row, "stream", wait.stream);
    if (wait.event != kNone) builder_.AddInt(row, "event", wait.event);
    builder_.AddInt(row, "context", wait.context);
  }
}

void DeviceRecords::AttachMemory() {
  for (const stepscope_record_memory& memory : memory_) {
    const Row call = CallOf(memory.correlation);
    MemoryEvent event;
    event.time_ns = ToNs(memory.tick);
    event.address = memory.address;
    event.kind = static_cast<MemoryKind>(memory.kind);
    const bool frees = event.kind == MemoryKind::kFree ||
                       event.kind == MemoryKind::kReservedFree;
    const auto bytes = static_cast<int64_t>(memory.bytes);
    event.bytes = frees ? -bytes : bytes;
    event.total_allocated = memory.total_allocated;
    event.total_reserved = memory.total_reserved;
    event.place = sites_.NameOf(memory.head.name);
    event.track =
        call != kNoRow ? builder_.track_of(call) : SideTrack(" memory");
    if (history_ != nullptr &&
        history_->Takes(builder_.strings().view(event.place)))
      history_->DriverTold(event);
    else
      builder_.AddMemory(event);
    builder_.ledger().Keep();
  }
}

// A kernel that seems to start before it was launched says how far apart the
// clocks are. It is counted, never moved.
void DeviceRecords::CountEarlyWork() {
  const uint64_t base =
      clock_.anchors().empty() ? 0 : clock_.anchors().front().tick;
  const int64_t error_ns =
      clock_.ToNs(base + clock_error_ticks_) - clock_.ToNs(base);
  uint64_t early = 0;
  int64_t worst_ns = 0;
  for (const Pending& work : work_) {
    const Row call = work.correlation != 0 ? CallOf(work.correlation) : kNoRow;
    if (call == kNoRow) continue;
    const int64_t before =
        builder_.start_ns(call) - builder_.start_ns(work.row);
    if (before <= error_ns) continue;
    ++early;
    worst_ns = std::max(worst_ns, before);
  }
  if (clock_method_ != 0) {
    const StringId key = builder_.Intern("device_clock");
    const StringId value = builder_.Intern(
        Format("%s, error %lld ns",
               clock_method_ == STEPSCOPE_CLOCK_SHARED ? "shared" : "mapped",
               static_cast<long long>(error_ns)));
    builder_.process(process_).metadata.emplace_back(key, value);
  }
  if (early > 0)
    builder_.AddNote(Format(
        "%llu device events seem to begin before their launch by more than the "
        "clocks' error of %lld ns, by up to %lld ns; they were left as they "
        "are",
        static_cast<unsigned long long>(early),
        static_cast<long long>(error_ns), static_cast<long long>(worst_ns)));
}

void DeviceRecords::ReportStats() {
  for (const auto& [key, stats] : stats_) {
    if (stats.meaning == STEPSCOPE_STATS_REJECTED && stats.count > 0) {
      const StringId why = sites_.NameOf(key.second);
      builder_.ledger().Reject(builder_.strings().view(why), 0, {},
                               stats.count);
    }
  }
}

}  // namespace stepscope::capture
