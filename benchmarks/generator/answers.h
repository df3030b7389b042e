// SPDX-License-Identifier: Apache-2.0
//
// What an importer must find in a generated file, as JSON.
#pragma once

#include <string>

#include "generator/formats.h"

namespace stepscope::generator {

// {"format": ..., "events": N, "steps": N, "memory": N, "start_ns": absolute,
//  "end_ns": ..., "totals": [{"kind", "name", "calls", "total_ns"}, ...]}
// Events are slices; memory records are counted apart. Steps, each of its own
// name, are one entry of the totals, named "".
std::string Answers(const Workload& workload, const FileFormat& format);

}  // namespace stepscope::generator
