// SPDX-License-Identifier: Apache-2.0
//
// What the record of a TensorFlow node says of tensors and memory. Few ask for
// it, so it is read from the record when somebody does. Views point into the
// file's bytes. REQUIRES: records that could be read to their end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/proto/wire.h"

namespace stepscope::proto::tf {

struct TfTensor {
  int64_t slot = 0;
  uint64_t dtype = 0;
  Bytes shape;
  bool shaped = false;
  int64_t bytes = 0;  // requested, else allocated
  std::string_view allocator;
  uint64_t pointer = 0;
};

struct TfAllocation {
  std::string_view allocator;
  int64_t time_ns = 0;
  int64_t bytes = 0;  // negative: freed
};

TfTensor ReadOutput(Bytes output);
// The outputs of a node, in the order of the file.
std::vector<TfTensor> ReadOutputs(Bytes record);
std::vector<TfAllocation> ReadAllocations(Bytes record);
// Whether its output outlives the step.
bool IsPersistent(Bytes record);

// "float32[32,3]" of a tensor; "?" for an unknown dimension or rank.
std::string TypeText(const TfTensor& tensor);

}  // namespace stepscope::proto::tf
