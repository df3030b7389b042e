// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stepscope::importers {

// An id of 32 bits that its writer took for a signed one, as torch does with
// pthread's: no system has threads with negative ids.
inline int64_t UnsignedThreadId(int64_t id) {
  return id < 0 && id >= INT32_MIN ? id + (int64_t{1} << 32) : id;
}

}  // namespace stepscope::importers
