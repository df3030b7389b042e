// SPDX-License-Identifier: Apache-2.0
//
// What the lines of an XPlane are.
#include <algorithm>
#include <charconv>

#include "importers/proto/sniff.h"
#include "importers/xplane/fields.h"
#include "importers/xplane/xspace.h"

namespace stepscope::proto::xplane {
namespace {

using Holds = Rule::Holds;

// Lines that the profiler made itself have ids from here on: 0xdeadbeef as a
// signed 32-bit number.
constexpr int64_t kFirstDerivedId = static_cast<int32_t>(0xdeadbeef);
constexpr int64_t kDerivedIds = 64;

constexpr std::string_view kDerivedNames[] = {
    "Launch Stats",   "TensorFlow Name Scope", "Framework Name Scope",
    "TensorFlow Ops", "Framework Ops",         "XLA Modules",
    "XLA Ops",        "XLA TraceMe",           "Source",
    "Source code",    "Source Code",           "Overhead",
    "Kernel Launch",  "XLA Overhead",          "Async XLA Ops"};

constexpr Rule kEventRules[] = {
    {kEventMetadataId}, {kEventOffset},      {kEventDuration},
    {kEventStat},       {kEventOccurrences},
};
constexpr Shape kEventShape = {kEventRules};
constexpr Rule kLineRules[] = {
    {kLineId},
    {kLineName, Holds::kText},
    {kLineTimestamp},
    {kEvent, Holds::kMessage, &kEventShape},
    {kLineDuration},
    {kLineDisplayId},
    {kLineDisplayName, Holds::kText},
};
constexpr Shape kLineShape = {kLineRules};
constexpr Rule kEntryRules[] = {{kMapId}, {kMapValue}};
constexpr Shape kEntryShape = {kEntryRules};
constexpr Rule kStatRules[] = {
    {kStatId},   {kStatDouble}, {kStatUint}, {kStatInt},
    {kStatText}, {kStatBytes},  {kStatRef},
};
constexpr Shape kStatShape = {kStatRules};
constexpr Rule kPlaneRules[] = {
    {kPlaneId},
    {kPlaneName, Holds::kText, nullptr, true},
    {kLine, Holds::kMessage, &kLineShape, true},
    {kEventMetadata, Holds::kMessage, &kEntryShape, true},
    {kStatMetadata, Holds::kMessage, &kEntryShape, true},
    {kPlaneStat, Holds::kMessage, &kStatShape},
};
constexpr Shape kPlaneShape = {kPlaneRules, 2};
constexpr Rule kSpaceRules[] = {
    {kPlane, Holds::kMessage, &kPlaneShape},
    {kError, Holds::kText},
    {kWarning, Holds::kText},
    {kHostname, Holds::kText},
};
constexpr Shape kSpaceShape = {kSpaceRules};

}  // namespace

bool IsXSpace(Bytes head) { return BeginsAs(kSpaceShape, head); }

bool ParseDevicePlane(std::string_view plane, std::string_view* type,
                      int64_t* number) {
  constexpr std::string_view kPrefix = "/device:";
  if (!plane.starts_with(kPrefix)) return false;
  plane.remove_prefix(kPrefix.size());
  const size_t colon = plane.find(':');
  if (colon == plane.npos || colon == 0) return false;
  *type = plane.substr(0, colon);
  const char* const first = plane.data() + colon + 1;
  const char* const last = plane.data() + plane.size();
  // A core of a chip may follow: "/device:TPU:0 SparseCore 1".
  return std::from_chars(first, last, *number).ec == std::errc() &&
         *type != "CUSTOM";
}

LineRole RoleOfLine(std::string_view plane, std::string_view line, int64_t id) {
  std::string_view type;
  int64_t number = 0;
  if (!ParseDevicePlane(plane, &type, &number)) {
    return plane.starts_with("/host:") ? LineRole::kHostThread
                                       : LineRole::kDerived;
  }
  if (line == "Steps") return LineRole::kDeviceSteps;
  // Only GPUs have streams of their own to derive operations from.
  if (line == "XLA Ops" && type != "GPU") return LineRole::kDeviceStream;
  const bool derived =
      (id >= kFirstDerivedId && id < kFirstDerivedId + kDerivedIds) ||
      std::find(std::begin(kDerivedNames), std::end(kDerivedNames), line) !=
          std::end(kDerivedNames);
  return derived ? LineRole::kDerived : LineRole::kDeviceStream;
}

}  // namespace stepscope::proto::xplane
