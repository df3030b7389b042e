// SPDX-License-Identifier: Apache-2.0
//
// What importers noted about the files of a job, with the rank that each is of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// "rank 3"; the path of the file if it is not of one rank.
std::string NameOfSource(const Trace& trace, uint32_t source);

// One sentence each: "rank 3: the document has no end". What is noted alike
// about several is said once. Empty if the trace is of one file: `stepscope
// info` shows its notes.
std::vector<std::string> NotesOfSources(const Trace& trace);

}  // namespace stepscope
