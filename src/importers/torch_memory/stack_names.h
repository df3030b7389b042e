// SPDX-License-Identifier: Apache-2.0
//
// StackNames: what a stack is called, and the line of the program in it.
#pragma once

#include <string>

#include "importers/torch_memory/snapshot_reader.h"

namespace stepscope::torch_memory {

class StackNames {
 public:
  StackNames(const SnapshotReader& reader, const StringPool& strings,
             uint32_t stack);

  // The operator where the stack has C++ frames; else the innermost function:
  // "forward (train/models.py:18)".
  const std::string& name() const { return name_; }
  // The innermost line that is not torch's: "train/models.py:18".
  const std::string& line() const { return line_; }
  // "frames": [...], a member of a JSON object.
  std::string FramesJson() const;

 private:
  const SnapshotReader& reader_;
  const StringPool& strings_;
  const uint32_t stack_;
  std::string name_;
  std::string line_;
};

}  // namespace stepscope::torch_memory
