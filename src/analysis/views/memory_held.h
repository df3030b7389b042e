// SPDX-License-Identifier: Apache-2.0
//
// What a process held of a place at an instant, and beside it at another one.
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/event_tree.h"
#include "analysis/memory_accounts.h"
#include "analysis/views/view_table.h"

namespace stepscope {

struct HeldQuery {
  size_t event = 0;             // of Trace::memory(): right after it
  std::optional<size_t> other;  // what changed since then
};

// Like a view table, but of an account that is made once for many questions.
struct HeldTable {
  std::vector<TableColumn> columns;
  ViewRows rows;
};
HeldTable ComputeHeldTable(const EventTree& tree, const MemoryAccount& account,
                           const HeldQuery& query);

}  // namespace stepscope
