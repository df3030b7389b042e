// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/string_pool.h"
#include "trace/trace.h"

namespace stepscope {

// The arguments `captured_in.h` describes, for device work whose graph node is
// linked to the call that made it; none for work that has one. `strings` are
// the trace's, to which their texts are added. REQUIRES: rows and links are
// ordered. Throws std::bad_alloc where memory is refused.
std::vector<Arg> FindCaptureScopes(const Trace& trace, StringPool& strings);

}  // namespace stepscope
