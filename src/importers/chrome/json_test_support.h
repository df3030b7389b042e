// SPDX-License-Identifier: Apache-2.0
//
// For tests: a document as text becomes a Trace.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace stepscope::json {

// Imports `text` through a file of its own.
Result<std::shared_ptr<const Trace>> ReadText(std::string_view text);
// The trace, or nullptr with a failed expectation.
std::shared_ptr<const Trace> ReadOrFail(std::string_view text);

// The only row of that name, with a failed expectation if there are others.
Row RowNamed(const Trace& trace, std::string_view name);
bool HasName(const Trace& trace, std::string_view name);

// "kept 3, repaired x 1, rejected y 2": the ledger in one line.
std::string LedgerLine(const Trace& trace);

}  // namespace stepscope::json
