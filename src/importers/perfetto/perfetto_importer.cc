// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/perfetto_importer.h"

#include "importers/perfetto/fields.h"
#include "importers/perfetto/reader.h"
#include "importers/proto/sniff.h"

namespace stepscope {
namespace proto {
namespace {

namespace tag = pftrace::tag;
using Holds = Rule::Holds;

constexpr Rule kDescriptorRules[] = {
    {tag::kUuid, Holds::kAny, nullptr, true},
    {tag::kTrackName, Holds::kText, nullptr, true},
    {tag::kTrackProcess, Holds::kAny, nullptr, true},
    {tag::kTrackThread, Holds::kAny, nullptr, true},
    {tag::kParentUuid, Holds::kAny, nullptr, true},
    {tag::kTrackCounter, Holds::kAny, nullptr, true},
    {tag::kFacts},
};
constexpr Shape kDescriptorShape = {kDescriptorRules, 2};
constexpr Rule kPacketRules[] = {
    // Of other formats these fields have other wire types.
    {Delimited(1)},
    {tag::kProcessTree},
    {Varint(3)},
    {Delimited(4)},
    {Delimited(5)},
    {tag::kClockSnapshot, Holds::kAny, nullptr, true},
    {Delimited(7)},
    {tag::kTimestamp, Holds::kAny, nullptr, true},
    {Delimited(9)},
    {tag::kSequenceId, Holds::kAny, nullptr, true},
    {tag::kTrackEvent, Holds::kAny, nullptr, true},
    {tag::kInternedData, Holds::kAny, nullptr, true},
    {tag::kSequenceFlags, Holds::kAny, nullptr, true},
    {Delimited(33), Holds::kAny, nullptr, true},
    {Delimited(35)},
    {Delimited(36), Holds::kAny, nullptr, true},
    {tag::kPreviousDropped},
    {tag::kThreadDescriptor},
    {tag::kCompressed, Holds::kAny, nullptr, true},
    {tag::kClockId, Holds::kAny, nullptr, true},
    {tag::kDefaults, Holds::kAny, nullptr, true},
    {tag::kTrackDescriptor, Holds::kMessage, &kDescriptorShape, true},
    {Varint(79)},
    {tag::kFirstOnSequence},
    {Delimited(89), Holds::kAny, nullptr, true},
    {tag::kFacts},
};
constexpr Shape kPacketShape = {kPacketRules, 2};
constexpr Rule kTraceRules[] = {
    {tag::kPacket, Holds::kMessage, &kPacketShape},
};
constexpr Shape kTraceShape = {kTraceRules};

}  // namespace

bool IsPerfetto(Bytes head) { return BeginsAs(kTraceShape, head); }

void ImportPerfetto(const Input& input, TraceBuilder& builder) {
  pftrace::Reader(input, builder).Read();
}

}  // namespace proto

const Importer& PerfettoImporter() {
  static const auto* const importer = new proto::ProtoImporter(
      "perfetto", proto::IsPerfetto, proto::ImportPerfetto);
  return *importer;
}

}  // namespace stepscope
