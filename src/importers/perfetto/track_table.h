// SPDX-License-Identifier: Apache-2.0
//
// TrackTable: the tracks of a file by uuid. Events may come before what
// describes their track, so that processes and kinds are settled at the end.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "importers/perfetto/sequence.h"
#include "importers/proto/id_table.h"
#include "importers/proto/recorder.h"
#include "importers/proto/wire.h"

namespace stepscope::pftrace {

// A slice that has begun.
struct OpenSlice {
  Row row = kNoRow;
  uint64_t offset = 0;   // in the file
  bool counted = false;  // in the ledger, as repaired
};

struct TrackInfo {
  enum class Kind : uint8_t {
    kPlain,  // has a name at most
    kProcess,
    kThread,
    kCounter,
    kMemoryRow,   // of our files: memory events of `track`
    kForViewers,  // of our files: says what stands elsewhere
  };

  uint32_t track = kNone;  // of the builder, once something is on it
  Kind kind = Kind::kPlain;
  bool own = false;   // of our files: the builder's track is as it was
  bool late = false;  // see slices.h
  bool device_work = false;
  bool incremental = false;  // counter
  bool visited = false;
  int64_t last_ns = INT64_MIN;
  std::vector<OpenSlice> open;
  uint64_t parent = 0;
  uint32_t process = kNone;  // of the builder, once it is known
  int64_t pid = 0;           // kProcess, kThread
  int64_t tid = 0;
  int64_t unit = 1;  // counter
  StringId name;
};

class TrackTable {
 public:
  explicit TrackTable(proto::Recorder& out) : out_(out) {}

  // Index of the track of that uuid, described or not.
  uint32_t Find(uint64_t uuid) {
    if (uuid == last_uuid_ && last_ != kNone) [[likely]]
      return last_;
    return Look(uuid);
  }
  // The same for tracks that have other names than numbers.
  uint32_t Thread(int64_t pid, int64_t tid);
  uint32_t Async(uint32_t thread, std::string_view id, StringId name);
  uint32_t LegacyCounter(uint32_t thread, StringId name);

  uint32_t size() const { return static_cast<uint32_t>(infos_.size()); }
  // References last until the next track is found.
  TrackInfo& info(uint32_t index) { return infos_[index]; }
  // The builder's track, made on first use.
  uint32_t TrackOf(uint32_t index) {
    TrackInfo& info = infos_[index];
    if (info.track == kNone) [[unlikely]]
      info.track = out_.builder().AddTrack({});
    return info.track;
  }

  // A TrackDescriptor; returns its track.
  uint32_t Describe(proto::Bytes descriptor);
  // What ThreadDescriptor and ProcessDescriptor say by themselves.
  uint32_t DescribeThread(proto::Bytes descriptor);
  void DescribeProcess(proto::Bytes descriptor);
  void ReadProcessTree(proto::Bytes tree);

  // The track that our files give this number; kNone if there is none.
  uint32_t FindGroup(uint64_t group) const;

  // Gives every track of the builder its process, kind, id and name.
  void Finish();

 private:
  uint32_t Look(uint64_t uuid);
  uint32_t Keyed(std::string key, bool* fresh);
  uint32_t ProcessByPid(int64_t pid);
  void ReadThread(proto::Bytes descriptor, TrackInfo& info);
  void ReadProcess(proto::Bytes descriptor, TrackInfo& info);
  void ReadFacts(proto::Bytes facts, TrackInfo& info);
  void ReadProcessFacts(proto::Bytes facts, TrackInfo& info);
  uint32_t ResolveProcess(uint32_t index);
  void Settle(uint32_t index, int64_t* next_id);
  void SettleStream(const TrackInfo& info, Track& track, int64_t fallback_id);

  proto::Recorder& out_;
  std::vector<TrackInfo> infos_;
  proto::IdTable<uint32_t> by_uuid_;  // index + 1
  uint64_t last_uuid_ = 0;
  uint32_t last_ = kNone;
  std::unordered_map<std::string, uint32_t> keyed_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> threads_;  // pid, tid
  std::unordered_map<int64_t, uint32_t> processes_;          // by pid
  std::unordered_map<uint64_t, uint32_t> own_processes_;     // by number
  std::unordered_map<uint64_t, uint32_t> groups_;            // builder's tracks
  std::map<std::pair<int64_t, int64_t>, StringId> thread_names_;
  std::unordered_map<int64_t, StringId> process_names_;
};

}  // namespace stepscope::pftrace
