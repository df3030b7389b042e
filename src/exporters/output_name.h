// SPDX-License-Identifier: Apache-2.0
//
// What the name of an output file says: the format and the compression.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/compression.h"

namespace stepscope {

struct KnownSuffix {
  std::string_view suffix;  // ".pftrace"
  std::string_view format;  // the name of an exporter
  bool is_text;             // people can read it on a terminal
};
// Of the longest first, where one ends in another.
std::span<const KnownSuffix> KnownSuffixes();

// By ".gz" and ".zst" at the end.
Compression CompressionOf(std::string_view path);
// The name without it: "a.json.gz" is "a.json".
std::string_view WithoutCompression(std::string_view path);

// The suffix of the name, compression aside; null if it is none of ours.
const KnownSuffix* SuffixOf(std::string_view path);
// Whether the last part of the path has a suffix at all.
bool HasSuffix(std::string_view path);
// ".json, .pftrace, ..."
std::string SuffixList();

}  // namespace stepscope
