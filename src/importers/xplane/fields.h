// SPDX-License-Identifier: Apache-2.0
//
// Field numbers of XPlane, which TensorFlow 2, JAX and PyTorch/XLA write. Set
// by OpenXLA; never renumber.
#pragma once

#include "importers/proto/wire.h"

namespace stepscope::proto::xplane {

enum Space : uint32_t {
  kPlane = Delimited(1),
  kError = Delimited(2),
  kWarning = Delimited(3),
  kHostname = Delimited(4),
};
enum Plane : uint32_t {
  kPlaneId = Varint(1),
  kPlaneName = Delimited(2),
  kLine = Delimited(3),
  kEventMetadata = Delimited(4),  // map entry
  kStatMetadata = Delimited(5),   // map entry
  kPlaneStat = Delimited(6),
};
enum Line : uint32_t {
  kLineId = Varint(1),
  kLineName = Delimited(2),
  kLineTimestamp = Varint(3),  // ns
  kEvent = Delimited(4),
  kLineDuration = Varint(9),  // ps
  kLineDisplayId = Varint(10),
  kLineDisplayName = Delimited(11),
};
enum Event : uint32_t {
  kEventMetadataId = Varint(1),
  kEventOffset = Varint(2),    // ps from the line's timestamp
  kEventDuration = Varint(3),  // ps
  kEventStat = Delimited(4),
  kEventOccurrences = Varint(5),  // instead of an offset
};
enum Stat : uint32_t {
  kStatId = Varint(1),
  kStatDouble = Fixed64(2),
  kStatUint = Varint(3),
  kStatInt = Varint(4),
  kStatText = Delimited(5),
  kStatBytes = Delimited(6),
  kStatRef = Varint(7),  // a stat metadata id, whose name is the value
};
enum MapEntry : uint32_t {
  kMapId = Varint(1),
  kMapValue = Delimited(2),
};
enum EventMetadata : uint32_t {
  kMetadataId = Varint(1),
  kMetadataName = Delimited(2),
  kMetadataBytes = Delimited(3),
  kMetadataDisplayName = Delimited(4),
  kMetadataStat = Delimited(5),
  kMetadataChild = Varint(6),
};

}  // namespace stepscope::proto::xplane
