// SPDX-License-Identifier: Apache-2.0
//
// The importer of XPlane files, what JAX and TensorFlow write.
#pragma once

#include "importers/proto/proto_importer.h"

namespace stepscope {

// In ImportOptions::formats.
struct XPlaneOptions {
  bool dataflow = true;  // arrows from producer to consumer
};

const Importer& XPlaneImporter();

namespace proto::xplane {

void ImportXSpace(const Input& input, TraceBuilder& builder);
bool IsXSpace(Bytes head);

}  // namespace proto::xplane

}  // namespace stepscope
