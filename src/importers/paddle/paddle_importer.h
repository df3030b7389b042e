// SPDX-License-Identifier: Apache-2.0
//
// The importer of Paddle node trees, *.paddle_trace.pb.
#pragma once

#include "importers/proto/proto_importer.h"

namespace stepscope {

const Importer& PaddleTreeImporter();

namespace proto::paddle {

void ImportPaddleTree(const Input& input, TraceBuilder& builder);
bool IsPaddleTree(Bytes head);

}  // namespace proto::paddle

}  // namespace stepscope
