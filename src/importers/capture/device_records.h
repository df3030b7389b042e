// SPDX-License-Identifier: Apache-2.0
//
// DeviceRecords: the records of device plugins (<stepscope/plugin.h>) to
// stream tracks, API calls on the threads that made them, links between the
// two, memory events and properties. Blocks are fed in file order. Records are
// trusted no more than the rest of a file.
#pragma once

#include <stepscope/plugin.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "format/block.h"
#include "importers/capture/allocator_history.h"
#include "importers/capture/clock_map.h"
#include "importers/capture/launch_details.h"
#include "importers/capture/node_eras.h"
#include "importers/capture/sites.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {

// A record's fixed part; false: the record is shorter than that.
template <typename Record>
bool ReadFixed(std::span<const uint8_t> body, Record* record) {
  if (body.size() < sizeof(Record)) return false;
  std::memcpy(record, body.data(), sizeof(Record));
  return true;
}

class DeviceRecords {
 public:
  DeviceRecords(TraceBuilder& builder, uint32_t process, const ClockMap& clock,
                int64_t offset_ns, SiteTable& sites);

  // Recording stopped here. Work that begins later counts only if the call
  // that launched it was recorded.
  void SetStop(uint64_t tick) { stop_tick_ = tick; }
  // What was told of memory of devices goes there.
  void SetHistory(AllocatorHistory* history) { history_ = history; }
  // The track of the host thread with this id.
  void AddThread(uint32_t tid, uint32_t track) { threads_[tid] = track; }

  // The payload of one block at byte `offset`, whose CRC was right.
  void AddBlock(std::span<const uint8_t> payload, uint64_t offset);
  // After the last block: what refers to calls is attached to them, and the
  // figures of the plugins are reported.
  void Finish();

  // The latest time of anything; INT64_MIN if there is nothing.
  int64_t LatestNs() const { return latest_ns_; }

 private:
  struct Pending {
    uint64_t correlation = 0;
    Row row = kNoRow;
    uint64_t graph_node = 0;  // of work; 0: of none
  };
  struct Note {
    uint64_t correlation = 0;
    std::vector<stepscope_record_pair> pairs;
    uint64_t offset = 0;
  };
  struct Stats {
    uint32_t meaning = 0;
    uint64_t count = 0;
  };
  using Body = std::span<const uint8_t>;

  bool Add(const stepscope_record_head& head, Body body);
  bool Work(Body body);
  bool AddWork(const stepscope_record_work& work, StringId device_type);
  bool Details(Body body);
  bool Call(Body body);
  bool Wait(Body body);
  bool Memory(Body body);
  bool Device(Body body);
  bool Overhead(Body body);
  bool AddNote(Body body);
  bool Node(Body body);
  bool AddStats(Body body);
  bool Clock(Body body);
  bool Sample(Body body);
  void AddCounter(uint32_t track, int64_t time_ns, double value);
  void EndCounters();

  int64_t ToNs(uint64_t tick);
  // The event of [start, end) on `track`; kNoRow if it ends before it starts.
  Row AddEvent(uint32_t track, uint32_t site, uint64_t start, uint64_t end);
  uint32_t StreamTrack(uint32_t device, uint32_t context, uint32_t stream);
  uint32_t ThreadTrack(uint32_t tid);
  uint32_t SideTrack(std::string_view name);
  StringId NameOf(uint32_t site);
  Row CallOf(uint64_t correlation) const;
  void AddLateWork();
  void AttachNotes();
  void AttachNodes();
  void LinkReplays(const NodeEras& eras);
  void AttachWaits();
  void AttachMemory();
  void CountEarlyWork();
  void ReportStats();
  void Reject(std::string_view reason);

  TraceBuilder& builder_;
  uint32_t process_;
  const ClockMap& clock_;
  int64_t offset_ns_;
  SiteTable& sites_;
  AllocatorHistory* history_ = nullptr;
  uint64_t offset_ = 0;  // of the block being read
  StringId device_type_;
  std::map<uint32_t, uint32_t> threads_;  // tid to track
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t>
      streams_;
  std::map<std::string, uint32_t, std::less<>> side_tracks_;
  std::unordered_map<uint32_t, StringId> kernel_names_;  // by site, demangled
  // By the name of the counter: its track, and to when its value holds.
  struct CounterTrack {
    uint32_t track = 0;
    int64_t end_ns = 0;
  };
  std::map<uint32_t, CounterTrack> counters_;
  LaunchDetails details_;
  std::vector<Pending> calls_;  // sorted by correlation in Finish()
  std::vector<Pending> work_;
  // Work after the stop, with the type of its device.
  std::vector<std::pair<stepscope_record_work, StringId>> late_;
  uint64_t stop_tick_ = ~uint64_t{0};
  std::vector<stepscope_record_wait> waits_;
  std::vector<stepscope_record_memory> memory_;
  std::vector<Note> notes_;
  std::vector<stepscope_record_node> nodes_;  // in the order they were made
  std::map<std::pair<uint32_t, uint32_t>, Stats> stats_;  // meaning, name
  uint32_t clock_method_ = 0;
  uint64_t clock_error_ticks_ = 0;
  int64_t latest_ns_ = INT64_MIN;
};

}  // namespace stepscope::capture
