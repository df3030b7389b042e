// SPDX-License-Identifier: Apache-2.0
//
// CollectiveRhythm: when the first collectives of a rank ended, by its own
// clock. All ranks leave a collective together, so the rhythms of one job have
// the same rhythm however far the clocks of its machines lie apart, and those
// of two runs of one program do not.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

struct CollectiveRhythm {
  struct Beat {
    uint64_t name = 0;  // its hash
    int64_t end_ns = 0;

    friend bool operator==(const Beat&, const Beat&) = default;
  };
  std::vector<Beat> beats;  // by end; at most kMostBeats

  static constexpr size_t kMostBeats = 256;
};

// Of a trace with one process that states its rank; else no beats. Kernels
// count if there are any, since calls of the host only enqueue them.
CollectiveRhythm RhythmOf(const Trace& trace);

// Whether by some shift the beats of both fall together: at least four, half
// of those of the shorter, and three in four of those that can.
bool HaveOneRhythm(const CollectiveRhythm& a, const CollectiveRhythm& b);

}  // namespace stepscope
