// SPDX-License-Identifier: Apache-2.0
//
// The notes of a trace for people: what was noted alike about several of its
// processes is said once.
#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

std::vector<std::string> NotesForPeople(const Trace& trace);

}  // namespace stepscope
