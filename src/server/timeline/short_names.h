// SPDX-License-Identifier: Apache-2.0
//
// Short names of all events of a trace, no two alike: where names differ in
// their template arguments alone, the arguments that differ are added.
// Functions of Python keep the name of their file and the line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace stepscope::server {

// Names that are not their own short ones.
std::vector<std::pair<StringId, std::string>> ShortNames(const Trace& trace);

}  // namespace stepscope::server
