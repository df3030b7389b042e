// SPDX-License-Identifier: Apache-2.0
//
// ArrowTable: columns in Arrow's layout that any number of streams share. No
// stream copies them, and the last one to be released frees them.
#pragma once

#include <functional>
#include <memory>

#include "report/arrow_abi.h"

namespace stepscope {

// Immutable once it is filled.
struct ArrowTable {
  ArrowTable() = default;
  ~ArrowTable();
  ArrowTable(const ArrowTable&) = delete;
  ArrowTable& operator=(const ArrowTable&) = delete;

  ArrowArray array = {};                     // one batch, released here
  std::function<void(ArrowSchema*)> schema;  // makes one that is released alone
};

// A new stream of one batch.
void ShareStream(std::shared_ptr<const ArrowTable> table,
                 ArrowArrayStream* out);

}  // namespace stepscope
