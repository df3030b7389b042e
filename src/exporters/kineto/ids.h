// SPDX-License-Identifier: Apache-2.0
//
// Which operator or annotation an event belongs to, for traces that do not say
// it in Kineto's way: its own number, that of the range around a call, that of
// the range around the call that launched device work.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exporters/kineto/words.h"
#include "trace/trace.h"

namespace stepscope::kineto {

class RangeIds {
 public:
  explicit RangeIds(const Trace& trace);

  // "External id"; 0: it belongs to nothing.
  uint64_t IdOf(Row row, Word word) const;
  // The range that a row belongs to; kNoRow: none.
  Row RangeOf(Row row, Word word) const;
  // The innermost annotation around a row of a thread; kNoRow: none.
  Row AnnotationOf(Row row) const;
  // The call that launched device work; kNoRow: not known.
  Row LaunchOf(Row row) const;

 private:
  const Trace& trace_;
  std::unordered_map<Row, Row> launches_;  // by device work
};

// What a stream did for an annotation, from its first to its last work.
struct DeviceRange {
  Row annotation = kNoRow;
  uint32_t track = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};
std::vector<DeviceRange> FindDeviceRanges(const Trace& trace,
                                          const RangeIds& ids);

// An operator and the node of autograd that computes its gradient, in the order
// in which these nodes end.
struct ForwardBackward {
  Row forward = kNoRow;
  Row backward = kNoRow;
};
std::vector<ForwardBackward> FindForwardBackward(const Trace& trace);

}  // namespace stepscope::kineto
