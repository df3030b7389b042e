// SPDX-License-Identifier: Apache-2.0
//
// The tracks of a file: a process, its threads, its devices with their
// streams, its counters. Lanes are children of the row they belong to.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "exporters/perfetto/packets.h"
#include "trace/trace.h"

namespace stepscope::perfetto {

class Tracks {
 public:
  // Times are from `zero_ns`.
  Tracks(const Trace& trace, int64_t zero_ns, Packets& packets)
      : trace_(trace), zero_ns_(zero_ns), packets_(packets) {}

  // Describes all tracks. Before the first event.
  void Write();
  uint64_t uuid(uint32_t track) const { return uuids_[track]; }
  // The first lane of the track.
  uint32_t GroupOf(uint32_t track) const { return groups_[track]; }
  // A counter or a row beside those of the trace, described on first use.
  uint64_t MemoryCounter(uint32_t process, StringId place, bool reserved);
  uint64_t MemoryRow(uint32_t track);

 private:
  void WriteProcess(uint32_t process);
  void WriteTrack(uint32_t track);
  void WriteThread(uint32_t track);
  void WriteNamed(uint64_t uuid, uint64_t parent, std::string_view name,
                  int64_t rank, const proto::Message& says);
  void WriteCounter(uint64_t uuid, uint64_t parent, std::string_view name,
                    uint64_t unit, const proto::Message& says);
  proto::Message FactsOf(uint32_t track) const;
  uint64_t DeviceOf(const Track& track);
  uint64_t NewUuid() { return ++last_uuid_; }

  const Trace& trace_;
  const int64_t zero_ns_;
  Packets& packets_;
  uint64_t last_uuid_ = 0;
  std::vector<int64_t> pids_;        // by process, unique, 31 bits
  std::vector<uint64_t> processes_;  // uuids
  std::vector<uint64_t> uuids_;      // by track
  std::vector<uint32_t> groups_;     // by track
  std::map<std::pair<uint32_t, int64_t>, uint64_t> threads_;  // process, tid
  std::map<std::pair<uint32_t, int64_t>, uint64_t> devices_;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> memory_;
  std::map<uint32_t, uint64_t> memory_rows_;  // by track
};

}  // namespace stepscope::perfetto
