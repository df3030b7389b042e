// SPDX-License-Identifier: Apache-2.0
//
// What a trace in the cache was made of: which build read which files, and
// what these were like. Another key is another trace.
#pragma once

#include <optional>
#include <string>

#include "server/files/folder.h"

namespace stepscope::server {

// Of the files of a target as they are now. Nothing: one is gone or may still
// be written to, so that the same key could be of two states.
std::optional<std::string> CacheKeyOf(const Target& target);

}  // namespace stepscope::server
