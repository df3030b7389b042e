// SPDX-License-Identifier: Apache-2.0
//
// Files of the user's, whose bytes are known: file n holds the line
// "file <n> is the user's own\n" again and again. The ledger holds the length.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope::guest {

// FOLDER/user/; call once, before everything else.
void SetUserFolder(const std::string& folder);
const std::string& UserFolder();

// Opens a new file of the user's; its number, and its descriptor in `fd`. -1 if
// the system refuses.
int CreateUserFile(int flags, int* fd);

// Appends `bytes` of the pattern of `file` by a descriptor.
void WriteUserFile(int file, int fd, uint64_t bytes);

// A finding unless `fd` leads to this file.
void CheckDescriptor(int file, int fd);

}  // namespace stepscope::guest
