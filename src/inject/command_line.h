// SPDX-License-Identifier: Apache-2.0
//
// How this process was started, for the capture. Thread-safe.
#pragma once

#include <cstddef>

namespace stepscope::inject {

// The arguments with spaces in between, clipped at `size` - 1 bytes.
void ReadCommandLine(char* out, size_t size);

}  // namespace stepscope::inject
