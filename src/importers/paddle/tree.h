// SPDX-License-Identifier: Apache-2.0
//
// PaddleTree: reads Paddle's node-tree protobuf (*.paddle_trace.pb). Records
// are host, runtime and device events, memory events and supplements; nodes
// are mere brackets around them. Nesting is by time, as everywhere, so ids and
// parents are not followed.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "importers/paddle/paddle_importer.h"
#include "importers/proto/in_order.h"
#include "importers/proto/parts.h"
#include "importers/proto/recorder.h"
#include "importers/proto/tracks.h"

namespace stepscope::proto::paddle {

class PaddleTree {
 public:
  PaddleTree(const Input& input, TraceBuilder& builder);
  void Read();

 private:
  // Reads a part of the same file into a fork of the builder.
  PaddleTree(const PaddleTree& whole, TraceBuilder& fork);

  // Returns how many threads did.
  size_t ReadTrees();
  // Those nodes of all trees that begin in `range`.
  void ReadNodes(const Range& range);
  // Takes over what another has read of what follows.
  void Join(PaddleTree&& next, const Range& range);
  void ReadHostNode(Bytes node, uint64_t thread, bool cut);
  void ReadHostNodeInAnyOrder(Bytes node, uint64_t thread, bool cut);
  // What hangs on the event `row`. Returns where it stopped.
  Message ReadChildren(Bytes fields, uint64_t thread, Row row);
  // The event in the message that wraps it.
  Bytes Unwrap(Bytes node, bool* cut) const;
  // Sets the thread to that of the event.
  Row ReadHostEvent(Bytes event, uint64_t& thread, bool cut);
  void ReadRuntimeNode(Bytes node, uint64_t thread);
  void ReadRuntimeEvent(Bytes event, uint64_t thread, bool cut);
  void ReadDeviceNode(Bytes node, bool cut);
  void ReadDeviceEvent(Bytes event, bool cut);
  void ReadDeviceInfo(Row row, uint32_t tag, Bytes info);
  void ReadKernelInfo(Row row, Bytes info);
  void ReadMemoryEvent(Bytes event, uint64_t thread, Row owner, bool cut);
  void ReadSupplement(Bytes event, Row row, bool cut);
  void ReadExtraInfo(Bytes info);
  void ReadDeviceProperty(Bytes property);
  void FinishProcesses();
  void NameThread(std::string_view key, std::string_view name);

  struct LastTrack {
    uint32_t process = 0;
    uint64_t device = 0;
    uint64_t id = 0;
    uint32_t track = kNoTrack;

    bool Is(uint32_t its_process, uint64_t its_device, uint64_t its_id) const {
      return id == its_id && device == its_device && process == its_process &&
             track != kNoTrack;
    }
  };
  static constexpr uint32_t kNoTrack = UINT32_MAX;

  Message Walk(Bytes message) const { return {message, file_end()}; }
  InOrder Take(Bytes message) const { return {message, file_end()}; }
  const uint8_t* file_end() const { return file_end_; }
  // The index of the process, which is made when it is first met.
  uint32_t ProcessOf(uint64_t pid) {
    return pid == last_pid_ && last_process_known_ ? last_process_
                                                   : FindProcess(pid);
  }
  uint32_t FindProcess(uint64_t pid);
  // Most records are of the track of the one before.
  uint32_t ThreadTrack(uint32_t process, uint64_t id) {
    if (last_thread_.Is(process, 0, id)) return last_thread_.track;
    last_thread_ = {process, 0, id,
                    tracks_.Thread(process, static_cast<int64_t>(id))};
    return last_thread_.track;
  }
  uint32_t StreamTrack(uint32_t process, uint64_t device, uint64_t id) {
    if (last_stream_.Is(process, device, id)) return last_stream_.track;
    last_stream_ = {process, device, id,
                    tracks_.Stream(process, "GPU", static_cast<int64_t>(device),
                                   static_cast<int64_t>(id))};
    return last_stream_.track;
  }
  // The process of the event before.
  uint64_t LastPid() {
    guessed_ |= !pid_known_;
    return last_pid_;
  }

  const Input& input_;
  const uint8_t* file_end_;
  Recorder out_;
  Tracks tracks_;
  std::vector<Bytes> trees_;  // of threads, as in the file
  uint32_t first_track_;      // of this file
  uint32_t first_process_;
  std::map<uint64_t, uint32_t> processes_;
  std::string_view last_call_;  // name of a runtime event, and its id:
  StringId last_call_id_;       // most are launches
  uint64_t last_pid_ = 0;
  bool pid_known_ = true;  // false: there may have been one before this part
  bool guessed_ = false;   // and it would have been needed
  uint32_t last_process_ = 0;
  bool last_process_known_ = false;
  LastTrack last_thread_;
  LastTrack last_stream_;
  std::vector<std::pair<std::string, std::string>> extra_;
  std::string device_properties_;  // JSON, as Paddle's JSON files have it
  std::string version_;
  uint64_t span_index_ = 0;
  bool stated_peaks_ = true;  // of memory events; else they are of the window
};

// {"input": [dims, ...]} and {"input": ["float32", ...]} of a supplement.
std::string ShapesAsJson(Bytes shapes);
std::string DtypesAsJson(Bytes dtypes);

}  // namespace stepscope::proto::paddle
