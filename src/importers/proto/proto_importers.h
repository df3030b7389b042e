// SPDX-License-Identifier: Apache-2.0
//
// The importers of protobuf formats: XPlane, TensorFlow step statistics,
// Paddle node trees and fluid profiles.
#pragma once

#include <span>
#include <string>

#include "importers/importer.h"
#include "importers/proto/wire.h"

namespace stepscope {

std::span<const Importer* const> ProtoImporters();

namespace proto {

// A file's plain bytes, which the import reads and does not keep.
struct Input {
  Bytes bytes;
  std::string path;  // for messages, and to tell processes apart
  const ImportOptions* options = nullptr;
  unsigned readers = 0;  // threads; 0: as many as the file is worth
};

// Each adds what it can read. What it cannot is in the ledger.
void ImportPaddleTree(const Input& input, TraceBuilder& builder);
void ImportFluidProfile(const Input& input, TraceBuilder& builder);
void ImportStepStats(const Input& input, TraceBuilder& builder);
void ImportRunMetadata(const Input& input, TraceBuilder& builder);
void ImportXSpace(const Input& input, TraceBuilder& builder);

// What Sniff() says.
bool IsPaddleTree(Bytes head);
bool IsFluidProfile(Bytes head);
bool IsStepStats(Bytes head);
bool IsRunMetadata(Bytes head);
bool IsXSpace(Bytes head);

}  // namespace proto
}  // namespace stepscope
