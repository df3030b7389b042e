// SPDX-License-Identifier: Apache-2.0
//
// The importer of Perfetto's protobuf traces: ours, and those of other tools.
#pragma once

#include "importers/proto/proto_importer.h"

namespace stepscope {

const Importer& PerfettoImporter();

namespace pftrace {

void ImportPerfetto(const proto::Input& input, TraceBuilder& builder);
bool IsPerfetto(proto::Bytes head);

}  // namespace pftrace

}  // namespace stepscope
