// SPDX-License-Identifier: Apache-2.0
//
// How a file is compressed: what is read is recognised by its first bytes, what
// is written by the name of the file.
#pragma once

#include <cstdint>

namespace stepscope {

enum class Compression : uint8_t { kNone, kGzip, kZstd };

}  // namespace stepscope
