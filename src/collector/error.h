// SPDX-License-Identifier: Apache-2.0
//
// The reason behind the last failure, for stepscope_last_error(). Fixed
// buffers, no allocation; a reader may see the text of a newer failure.
#pragma once

namespace stepscope::collector {

// printf-style; keeps at most 511 bytes.
__attribute__((format(printf, 1, 2))) void SetLastError(const char* format,
                                                        ...);
const char* LastError();

}  // namespace stepscope::collector
