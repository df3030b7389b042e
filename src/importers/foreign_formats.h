// SPDX-License-Identifier: Apache-2.0
//
// Files that people take for traces and that no importer reads: what such a
// file is, and what to do with it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stepscope {

// What is said of a file that nothing is known of.
inline constexpr std::string_view kUnknownFormat =
    "not a trace in a known format";

// What a file that begins with `head`, decompressed, is, with its remedy;
// empty if that is not known. `path` is for the commands that it names, and
// for formats that have no mark of their own.
std::string NameForeignFormat(std::span<const uint8_t> head,
                              std::string_view path);

}  // namespace stepscope
