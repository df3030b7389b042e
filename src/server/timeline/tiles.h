// SPDX-License-Identifier: Apache-2.0
//
// The binary answer of `tiles`: header, tiles, names, records, as
// docs/formats/http.md describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/files/open_trace.h"

namespace stepscope::server {

struct TilesRequest {
  int k = 0;
  uint64_t first = 0;
  uint32_t count = 0;
  std::vector<uint32_t> tracks;  // of ViewTracks
};

inline constexpr uint32_t kMostTiles = 64;
inline constexpr size_t kMostSlots = 256;

// From the text of the parameters.
Result<TilesRequest> ParseTilesRequest(std::string_view k, std::string_view i0,
                                       std::string_view i1,
                                       std::string_view tracks,
                                       uint32_t track_count);

// The bytes of an answer of `records` records.
std::string SerializeTiles(const TilesRequest& request,
                           const TileAnswer& answer, size_t records);

Result<std::string> TilesAnswer(const OpenTrace& open,
                                const TilesRequest& request);

}  // namespace stepscope::server
