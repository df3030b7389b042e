// SPDX-License-Identifier: Apache-2.0
//
// The importer of fluid profiles, what fluid.profiler wrote.
#pragma once

#include "importers/proto/proto_importer.h"

namespace stepscope {

const Importer& FluidImporter();

namespace proto::fluid {

void ImportFluidProfile(const Input& input, TraceBuilder& builder);
bool IsFluidProfile(Bytes head);

}  // namespace proto::fluid

}  // namespace stepscope
