// SPDX-License-Identifier: Apache-2.0
//
// The importer of Perfetto's protobuf traces: ours, and those of other tools.
#pragma once

#include "importers/proto/proto_importer.h"

namespace stepscope {

const Importer& PerfettoImporter();

namespace proto {

void ImportPerfetto(const Input& input, TraceBuilder& builder);
bool IsPerfetto(Bytes head);

}  // namespace proto

}  // namespace stepscope
