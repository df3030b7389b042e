// SPDX-License-Identifier: Apache-2.0
//
// XSpace: reads XPlane protobuf. A file is one process of one host: lines of
// host planes are its threads, lines of device planes its streams. Lines that
// the profiler derived from others (name scopes, framework ops, modules) and
// planes of other kinds are tracks beside them, so that no work counts twice.
#pragma once

#include <memory>
#include <vector>

#include "importers/proto/recorder.h"
#include "importers/proto/tracks.h"
#include "importers/xplane/events.h"
#include "importers/xplane/xplane_importer.h"

namespace stepscope::proto::xplane {

class XSpace {
 public:
  XSpace(const Input& input, TraceBuilder& builder);
  void Read();

 private:
  void ReadTop();
  void ReadEnvironment();
  void ReadPlane(Bytes plane);
  void ReadLine(Bytes line, const XPlaneMetadata& plane);
  void ReadEvents();
  XEvents ReadParts();
  uint32_t TrackOf(const XLine& line);
  uint32_t AddMemoryTrack(const XLine& line);
  void AddMetadata(const XPlaneMetadata& plane);

  const Input& input_;
  Recorder out_;
  Tracks tracks_;
  uint32_t process_ = 0;
  std::vector<Bytes> planes_;
  std::vector<std::unique_ptr<const XPlaneMetadata>> tables_;  // of planes
  std::vector<XLine> lines_;                                   // as in the file
};

// The role of a line, by the names of plane and line and by its id.
LineRole RoleOfLine(std::string_view plane, std::string_view line, int64_t id);
// "GPU" and 3 of "/device:GPU:3".
bool ParseDevicePlane(std::string_view plane, std::string_view* type,
                      int64_t* number);

}  // namespace stepscope::proto::xplane
