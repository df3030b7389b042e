// SPDX-License-Identifier: Apache-2.0
//
// Where captures and live files go.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::collector {

// mkdir -p of the folder of `path`; a folder that another process makes
// meanwhile is fine. False with the last error set.
bool MakeFolderOf(const char* path);

// Where the capture `given` goes, as an absolute path. Null or "": a new name,
// <folder>/<host>_<pid>_<time>_<random>.sscap, in STEPSCOPE_OUT or
// ./profiler_log. False with the last error set.
bool CapturePath(const char* given, char* out, size_t size);

// `path` made absolute. False with the last error set: it is too long, or the
// working folder is gone.
bool AbsolutePath(const char* path, char* out, size_t size);

// Where the live file of a capture goes: shared memory if it has room for
// `bytes` twice over (disk writeback can put a recording thread to sleep),
// else beside the capture. STEPSCOPE_LIVE_DIR overrides.
void LivePath(const char* capture_path, uint64_t bytes, char* out, size_t size);

}  // namespace stepscope::collector
