// SPDX-License-Identifier: Apache-2.0
//
// One clock for the files of a folder. Those that state absolute time are
// aligned by it. One that states none beside others that do is laid where the
// first of them begins, and a note says so: its own zero would be 1970.
#pragma once

#include <span>
#include <string_view>

#include "trace/trace_builder.h"

namespace stepscope {

struct FilePart {
  std::string_view path;
  TraceBuilder* builder;
};

// Before the builders are merged.
void PlaceUnknownClocks(std::span<const FilePart> files);

}  // namespace stepscope
