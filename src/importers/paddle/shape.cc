// SPDX-License-Identifier: Apache-2.0
#include "importers/paddle/fields.h"
#include "importers/paddle/paddle_importer.h"
#include "importers/proto/sniff.h"

namespace stepscope::proto::paddle {
namespace {

using Holds = Rule::Holds;

constexpr Rule kHostEventRules[] = {
    {kHostName},  // may hold anything
    {kHostType}, {kHostStart}, {kHostEnd}, {kHostProcess}, {kHostThread},
};
constexpr Shape kHostEventShape = {kHostEventRules};
constexpr Rule kHostNodeRules[] = {
    {kNodeId},
    {kNodeParent},
    {kHostEvent, Holds::kMessage, &kHostEventShape},
    {kRuntimeNode},
    {kMemoryNode},
    {kSupplementNode},
};
constexpr Shape kHostNodeShape = {kHostNodeRules};
constexpr Rule kThreadRules[] = {
    {kTreeThread},
    {kHostNode, Holds::kMessage, &kHostNodeShape},
};
constexpr Shape kThreadShape = {kThreadRules};
constexpr Rule kTreesRules[] = {
    {kVersion, Holds::kVersion, nullptr, true},
    {kSpanIndex, Holds::kAny, nullptr, true},
    {kThreadTree, Holds::kMessage, &kThreadShape},
    {kExtraInfo},
    {kDeviceProperty},
};
constexpr Shape kTreesShape = {kTreesRules, 2};

}  // namespace

bool IsPaddleTree(Bytes head) { return BeginsAs(kTreesShape, head); }

}  // namespace stepscope::proto::paddle
