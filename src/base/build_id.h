// SPDX-License-Identifier: Apache-2.0
//
// Which build this is, for what one build writes and only the same may read.
#pragma once

#include <string>

namespace stepscope {

// Of the program or library that this is linked into: its GNU build id in hex,
// or what its file is like where it was linked without one. Empty: not known.
const std::string& BuildId();

}  // namespace stepscope
