// SPDX-License-Identifier: Apache-2.0
//
// Feeds a Document from a ChunkSource: joins what lies across two chunks.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "importers/json/chunk_source.h"
#include "importers/json/document.h"

namespace stepscope::json {

// One event, or one member of the document, may be as long as this.
inline constexpr size_t kMaxUnitBytes = size_t{512} << 20;

// Reads to the end of the source. `progress` gets the bytes of the file that
// have been read. Fails on I/O errors, refused memory, and units beyond
// kMaxUnitBytes; what came before has been handled.
Status ReadDocument(ChunkSource& source, Document& document,
                    const std::function<void(uint64_t)>& progress);

}  // namespace stepscope::json
