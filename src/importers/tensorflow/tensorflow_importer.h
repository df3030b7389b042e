// SPDX-License-Identifier: Apache-2.0
//
// The importers of TensorFlow's step statistics, bare or inside RunMetadata.
#pragma once

#include "importers/proto/proto_importer.h"

namespace stepscope {

// In ImportOptions::formats.
struct TensorflowOptions {
  bool dataflow = true;      // arrows from producer to consumer
  bool show_memory = false;  // lifetimes of tensors, allocators' counters
};

const Importer& StepStatsImporter();
const Importer& RunMetadataImporter();

namespace proto::tf {

void ImportStepStats(const Input& input, TraceBuilder& builder);
void ImportRunMetadata(const Input& input, TraceBuilder& builder);
bool IsStepStats(Bytes head);
bool IsRunMetadata(Bytes head);

}  // namespace proto::tf

}  // namespace stepscope
