// SPDX-License-Identifier: Apache-2.0
//
// Stages: concludes the forward and backward passes of a training step, which
// torch does not record. Data loading and optimizer are ranges of their own.
//
// Backward is where autograd evaluates functions, on whatever thread, as one
// range a step. Forward is where the thread that steps runs operators before
// that, outside of the other ranges. Without steps, the end of an optimizer's
// range ends a step. Both are events of the stepping thread that are marked
// as inferred.
#pragma once

#include <cstdint>
#include <vector>

#include "importers/json/categories.h"
#include "trace/trace_builder.h"

namespace stepscope::json {

class Stages {
 public:
  // Takes note of a row just added.
  void Add(const TraceBuilder& builder, Row row, NameKind kind);
  // Adds the stages of the rows from `first` on.
  void Finish(TraceBuilder& builder, Row first);

 private:
  struct Span {
    int64_t begin = 0;
    int64_t end = 0;
    uint32_t track = 0;
  };
  // A step, and what of it belongs to which pass.
  struct Part {
    Span whole;
    Span backward;
    Span forward;
    bool has_backward = false;
    bool has_forward = false;
  };

  std::vector<Part> Parts() const;
  static Part* Find(std::vector<Part>& parts, int64_t begin);
  bool IsExcluded(int64_t begin) const;

  std::vector<Span> steps_;
  std::vector<Span> optimizers_;
  std::vector<Span> excluded_;  // data loading, optimizer, zeroing
  std::vector<Span> backward_;
};

}  // namespace stepscope::json
