// SPDX-License-Identifier: Apache-2.0
//
// TrackMap: which Process and Track the pid and tid of an event mean. Ids are
// taken as they are written, numbers and strings alike. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "importers/chrome/categories.h"
#include "trace/build/trace_builder.h"

namespace stepscope::json {

class TrackMap {
 public:
  // Adds the file's first process to `builder`: the one that device work and
  // whatever has no pid of its own belong to.
  explicit TrackMap(TraceBuilder& builder);

  static constexpr uint32_t kMainProcess = 0;

  // The track of an event. Device and stream of a kStream row are `device`
  // and `stream` where they are not negative, else pid and tid.
  uint32_t Find(TrackPlace kind, std::string_view pid, std::string_view tid,
                int64_t device = -1, int64_t stream = -1);
  // The process of a pid as a host row has it.
  uint32_t ProcessOf(std::string_view pid);
  // A track of a process by name, for what has no thread.
  uint32_t Named(TrackKind kind, uint32_t process, std::string_view name);

  // Names may come before and after the events; Finish() gives them.
  void NameProcess(std::string_view pid, std::string_view name);
  void NameThread(std::string_view pid, std::string_view tid,
                  std::string_view name);
  void AddProcessData(std::string_view pid, std::string_view key,
                      std::string_view value);
  // By our exporter: the process that the device with this pid belongs to, the
  // number of that device, and the rank of a process. Empty: not stated.
  void SetOwner(std::string_view pid, std::string_view owner,
                std::string_view device);
  void SetRank(std::string_view pid, std::string_view rank);
  bool has_owners() const { return !owners_.empty(); }
  void Finish();

 private:
  // Ids are short as a rule: then they are one word.
  struct Recent {
    uint64_t pid = 0;
    uint64_t tid = 0;
    TrackPlace kind = TrackPlace::kHost;
    bool used = false;
    uint32_t track = 0;
  };

  uint32_t Look(TrackPlace kind, std::string_view pid, std::string_view tid,
                int64_t device, int64_t stream);
  uint32_t MakeHost(std::string_view pid, std::string_view tid);
  uint32_t MakeStream(std::string_view pid, std::string_view tid,
                      int64_t device, int64_t stream);
  uint32_t MakeAside(std::string_view pid, std::string_view tid);
  void GiveToOwners();

  TraceBuilder& builder_;
  std::array<Recent, 64> recent_;
  std::unordered_map<std::string, uint32_t> tracks_;       // kind, pid, tid
  std::unordered_map<std::string, uint32_t> same_tracks_;  // process, what, id
  std::unordered_map<std::string, uint32_t> processes_;    // pid
  std::unordered_map<std::string, uint32_t> named_;
  std::unordered_map<std::string, std::string> process_names_;
  std::unordered_map<std::string, std::string> thread_names_;
  std::vector<std::array<std::string, 3>> process_data_;
  struct Owner {
    std::string pid;
    int64_t device = -1;  // -1: not stated
  };
  std::unordered_map<std::string, Owner> owners_;       // of devices, by pid
  std::vector<std::pair<std::string, int64_t>> ranks_;  // by pid
  // Tracks of device work, and of what lies over it, with the pid that their
  // events have.
  std::vector<std::pair<uint32_t, std::string>> streams_;
  std::vector<std::pair<uint32_t, std::string>> asides_;
  bool main_taken_ = false;
  int64_t invented_id_ = 0;
};

}  // namespace stepscope::json
