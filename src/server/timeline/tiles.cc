// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/tiles.h"

#include <bit>

#include "server/http/parameters.h"

namespace stepscope::server {
namespace {

static_assert(std::endian::native == std::endian::little,
              "records are sent as they lie in memory");

struct TilesHeader {
  char magic[4] = {'S', 'S', 'T', 'L'};
  uint16_t version = 1;
  uint16_t k = 0;
  uint32_t tiles = 0;
  uint32_t names = 0;
  uint64_t first = 0;  // number of the first tile
  uint32_t records = 0;
  uint32_t bytes = 0;  // before the records; a multiple of 16
};
static_assert(sizeof(TilesHeader) == 32);

// More than any screen has.
constexpr size_t kMostRecords = 8'000'000;

}  // namespace

std::string SerializeTiles(const TilesRequest& request,
                           const TileAnswer& answer, size_t records) {
  TilesHeader header;
  header.k = static_cast<uint16_t>(request.k);
  header.tiles = request.count;
  header.names = static_cast<uint32_t>(answer.names.size());
  header.first = request.first;
  header.records = static_cast<uint32_t>(records);
  const size_t before = sizeof header + size_t{request.count} * 8 +
                        answer.names.size() * sizeof(uint32_t);
  header.bytes = static_cast<uint32_t>((before + 15) / 16 * 16);
  std::string bytes;
  bytes.reserve(header.bytes + records * sizeof(TileRecord));
  const auto put = [&](const void* data, size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  put(&header, sizeof header);
  uint32_t first = 0;
  for (uint32_t tile = 0; tile < request.count; ++tile) {
    const uint32_t range[] = {first,
                              static_cast<uint32_t>(answer.TileSize(tile))};
    put(range, sizeof range);
    first += range[1];
  }
  if (!answer.names.empty())
    put(answer.names.data(), answer.names.size() * sizeof(uint32_t));
  bytes.resize(header.bytes, '\0');
  answer.Write([&](std::span<const TileRecord> some) {
    put(some.data(), some.size_bytes());
  });
  return bytes;
}

Result<TilesRequest> ParseTilesRequest(std::string_view k, std::string_view i0,
                                       std::string_view i1,
                                       std::string_view tracks,
                                       uint32_t track_count) {
  TilesRequest request;
  STEPSCOPE_TRY_ASSIGN(const int64_t level, ParseInteger("k", k, 0, kMaxLevel));
  STEPSCOPE_TRY_ASSIGN(const int64_t first,
                       ParseInteger("i0", i0, 0, INT64_MAX - kMostTiles));
  STEPSCOPE_TRY_ASSIGN(const int64_t last,
                       ParseInteger("i1", i1, first, first + kMostTiles - 1));
  STEPSCOPE_TRY_ASSIGN(request.tracks,
                       ParseRanges("tracks", tracks, track_count, kMostSlots));
  request.k = static_cast<int>(level);
  request.first = static_cast<uint64_t>(first);
  request.count = static_cast<uint32_t>(last - first + 1);
  return request;
}

Result<std::string> TilesAnswer(const OpenTrace& open,
                                const TilesRequest& request) {
  std::vector<TilePart> parts;
  for (size_t slot = 0; slot < request.tracks.size(); ++slot) {
    for (TilePart part : open.view().tracks[request.tracks[slot]].parts) {
      part.slot = static_cast<uint8_t>(slot);
      parts.push_back(part);
    }
  }
  std::string bytes;
  bool too_many = false;
  open.Tiles(request.k, request.first, request.count, parts,
             [&](const TileAnswer& answer) {
               const size_t records = answer.record_count();
               too_many = records > kMostRecords;
               if (!too_many) bytes = SerializeTiles(request, answer, records);
             });
  if (too_many)
    return Fail(ErrorCode::kInvalidArgument,
                "too many boxes; ask for fewer tiles or tracks");
  return bytes;
}

}  // namespace stepscope::server
