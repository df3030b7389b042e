// SPDX-License-Identifier: Apache-2.0
//
// Where each event of a thread stands in its node tree.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace stepscope::paddle {

// API calls are no nodes of their own: they hang on one.
bool IsCall(uint16_t type);

struct TreeLayout {
  // Host events breadth first. Node i has id i + 1; 0 is the root.
  std::vector<Row> nodes;
  std::vector<uint32_t> parents;  // ids, by node
  // (id of the node it hangs on, row), by id.
  std::vector<std::pair<uint32_t, Row>> calls;
  std::vector<std::pair<uint32_t, size_t>> memory;  // of Trace::memory()
};

// The layout of all lanes of one thread. `memory` are its memory events.
TreeLayout LayOut(const Trace& trace, std::span<const uint32_t> tracks,
                  std::span<const size_t> memory);

}  // namespace stepscope::paddle
