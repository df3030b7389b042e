// SPDX-License-Identifier: Apache-2.0
//
// What our Perfetto files say beyond Perfetto's own fields, so that they read
// back as the trace they were made of. Viewers skip field numbers that they do
// not know. Persisted numbers: never renumber. docs/formats/perfetto.md.
#pragma once

#include <cstdint>

namespace stepscope::perfetto::facts {

// The field of TracePacket (FileFact), TrackDescriptor (TrackFact) and
// DebugAnnotation (AnnotationFact) that holds ours: a message.
inline constexpr uint32_t kFacts = 15000;

enum FileFact : uint32_t {
  kWriter = 1,       // text: who wrote the file, and which version
  kWindowBegin = 2,  // ns, as packets count
  kWindowEnd = 3,
  kProcessCpu = 4,  // double
  kSystemCpu = 5,
  kIncomplete = 6,  // 1: the recording was cut short
  kFlow = 7,        // message of FlowFact
};

enum FlowFact : uint32_t {
  kFlowTime = 1,
  kFlowId = 2,
  kFlowName = 3,
  kFlowGroup = 4,
  kFlowPhase = 5,
};

enum TrackFact : uint32_t {
  kKind = 1,     // of Kind
  kProcess = 2,  // number of the process, from 0
  kGroup = 3,    // number of the track; lanes have that of their first one
  kId = 4,       // as the trace has it, of any size: thread, stream, pid
  kDevice = 5,
  kDeviceType = 6,
  kName = 7,  // byte for byte
  kRank = 8,
  kHost = 9,
  kStart = 10,
  kMetadata = 11,  // message of MetadataFact
};
enum MetadataFact : uint32_t { kKey = 1, kValue = 2 };

enum Kind : uint64_t {
  kThread = 1,
  kStream = 2,
  kCounter = 3,
  kAsync = 4,
  kProcessKind = 5,
  kMemoryRow = 6,   // instants that are memory events of the group's track
  kForViewers = 7,  // says again what stands elsewhere
};

enum AnnotationFact : uint32_t {
  kPlain = 1,    // an argument, though its key is one that says otherwise
  kClipped = 2,  // the recorder kept only a part
};

}  // namespace stepscope::perfetto::facts
