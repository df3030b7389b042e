// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/perfetto_importer.h"

#include "importers/perfetto/fields.h"
#include "importers/perfetto/reader.h"
#include "importers/proto/sniff.h"

namespace stepscope {
namespace pftrace {
namespace {

using proto::Delimited;
using proto::Rule;
using proto::Shape;
using proto::Varint;
using RuleHolds = Rule::Holds;

constexpr Rule kDescriptorRules[] = {
    {tag::kUuid, RuleHolds::kAny, nullptr, true},
    {tag::kTrackName, RuleHolds::kText, nullptr, true},
    {tag::kTrackProcess, RuleHolds::kAny, nullptr, true},
    {tag::kTrackThread, RuleHolds::kAny, nullptr, true},
    {tag::kParentUuid, RuleHolds::kAny, nullptr, true},
    {tag::kTrackCounter, RuleHolds::kAny, nullptr, true},
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
    {tag::kClockSnapshot, RuleHolds::kAny, nullptr, true},
    {Delimited(7)},
    {tag::kTimestamp, RuleHolds::kAny, nullptr, true},
    {Delimited(9)},
    {tag::kSequenceId, RuleHolds::kAny, nullptr, true},
    {tag::kTrackEvent, RuleHolds::kAny, nullptr, true},
    {tag::kInternedData, RuleHolds::kAny, nullptr, true},
    {tag::kSequenceFlags, RuleHolds::kAny, nullptr, true},
    {Delimited(33), RuleHolds::kAny, nullptr, true},
    {Delimited(35)},
    {Delimited(36), RuleHolds::kAny, nullptr, true},
    {tag::kPreviousDropped},
    {tag::kThreadDescriptor},
    {tag::kCompressed, RuleHolds::kAny, nullptr, true},
    {tag::kClockId, RuleHolds::kAny, nullptr, true},
    {tag::kDefaults, RuleHolds::kAny, nullptr, true},
    {tag::kTrackDescriptor, RuleHolds::kMessage, &kDescriptorShape, true},
    {Varint(79)},
    {tag::kFirstOnSequence},
    {Delimited(89), RuleHolds::kAny, nullptr, true},
    {tag::kFacts},
};
constexpr Shape kPacketShape = {kPacketRules, 2};
constexpr Rule kTraceRules[] = {
    {tag::kPacket, RuleHolds::kMessage, &kPacketShape},
};
constexpr Shape kTraceShape = {kTraceRules};

}  // namespace

bool IsPerfetto(proto::Bytes head) {
  return proto::BeginsAs(kTraceShape, head);
}

void ImportPerfetto(const proto::Input& input, TraceBuilder& builder) {
  Reader(input, builder).Read();
}

}  // namespace pftrace

const Importer& PerfettoImporter() {
  static const auto* const importer = new proto::ProtoImporter(
      "perfetto", pftrace::IsPerfetto, pftrace::ImportPerfetto);
  return *importer;
}

}  // namespace stepscope
