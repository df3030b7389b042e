// SPDX-License-Identifier: Apache-2.0
//
// Iterations that nobody marked, as in a loop of generate(): the passes of a
// model that only infers. A thread's iterations are, where the trace shows it,
//
//   the outermost calls of one nn.Module (or Forward events of one name) that
//   take at least half of the time of all outermost calls, else
//   what goes from torch's operator embedding, which reads the tokens, to the
//   last argmax or multinomial, which chooses the next ones, before the next
//   embedding
//
// at least three of them; of the latter, most must be of the same operators.
// Nothing is concluded from a trace that trains or has steps. The ids that the
// first embedding is given say the kind where shapes were recorded: several of
// a sequence are a prompt, one is decoded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/serving/iteration_mark.h"

namespace stepscope {

struct ConcludedIteration {
  Row row = kNoRow;  // the call, or the embedding
  int64_t end_ns = 0;
  IterationMark mark;
};

struct ConcludedIterations {
  // By thread, then by start.
  std::vector<std::vector<ConcludedIteration>> threads;
  // From what, as a sentence; empty: there are none.
  std::string rule;
};

// Whether it is worth looking: by types and names of events alone.
bool MayConcludeIterations(const EventTree& tree);
ConcludedIterations ConcludeIterations(const EventTree& tree);

}  // namespace stepscope
