// SPDX-License-Identifier: Apache-2.0
//
// XSpace: reads XPlane protobuf. A file is one process of one host: lines of
// host planes are its threads, lines of device planes its streams. Lines that
// the profiler derived from others (name scopes, framework ops, modules) and
// planes of other kinds are tracks beside them, so that no work counts twice.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "importers/proto/proto_importers.h"
#include "importers/proto/recorder.h"
#include "importers/proto/tracks.h"
#include "importers/proto/xplane_tables.h"

namespace stepscope::proto {

// What a line is, which decides what its events are.
enum class LineRole : uint8_t {
  kHostThread,
  kDeviceStream,
  kDeviceSteps,
  kDerived,  // a view of other lines
};

class XSpace {
 public:
  XSpace(const Input& input, TraceBuilder& builder);
  void Read();

 private:
  struct LineInfo {
    int64_t id = 0;
    int64_t timestamp_ns = 0;
    std::string_view name;
    LineRole role = LineRole::kHostThread;
    uint32_t track = 0;
    uint32_t memory_track = 0;  // of allocations; made when needed
    bool has_memory_track = false;
  };
  // One event while it is read.
  struct EventFields {
    uint64_t metadata_id = 0;
    int64_t offset_ps = 0;
    int64_t duration_ps = 0;
    bool aggregated = false;
    bool unknown_stat = false;  // one was left out
    int64_t occurrences = 0;
  };
  struct Facts;
  // One end of an arrow between threads: type and id, where and when.
  using ArrowKey = std::pair<uint64_t, uint64_t>;
  struct ArrowEnd {
    Row row = kNoRow;
    uint32_t track = 0;
    int64_t time_ns = 0;
  };

  void ReadTop();
  void ReadEnvironment();
  void ReadPlane(Bytes plane);
  void ExpectEventsOf(Bytes line);
  void ReadLine(Bytes line, const XPlaneTables& tables);
  LineInfo ReadLineInfo(Bytes line, const XPlaneTables& tables);
  void ReadEvent(Bytes event, bool cut, LineInfo& line,
                 const XPlaneTables& tables);
  void AddEvent(const EventFields& fields, const uint8_t* at, LineInfo& line,
                const XPlaneTables& tables);
  void AddStat(Row row, const StatValue& value);
  void AddKernelDetails(Row row, std::string_view text, StringId key);
  void AddMemory(const Facts& facts, const EventName& name, int64_t time_ns,
                 uint32_t track);
  uint32_t TrackOf(const LineInfo& line, const XPlaneTables& tables);
  uint32_t MemoryTrack(LineInfo& line);
  void AddArrows();
  void AddMetadata(const XPlaneTables& tables);

  const Input& input_;
  Recorder out_;
  Tracks tracks_;
  uint32_t process_ = 0;
  std::vector<Bytes> planes_;
  bool host_steps_ = false;       // some host thread has steps
  std::vector<StatValue> stats_;  // of the event being read
  std::map<ArrowKey, ArrowEnd> producers_;
  std::vector<std::pair<ArrowKey, ArrowEnd>> consumers_;
};

// The role of a line, by the names of plane and line and by its id.
LineRole RoleOfLine(std::string_view plane, std::string_view line, int64_t id);
// "GPU" and 3 of "/device:GPU:3".
bool ParseDevicePlane(std::string_view plane, std::string_view* type,
                      int64_t* number);

}  // namespace stepscope::proto
