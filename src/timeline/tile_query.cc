// SPDX-License-Identifier: Apache-2.0
#include "timeline/tile_query.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

// Pieces for each thread, so that none waits long for another.
constexpr size_t kPiecesPerThread = 3;

// Splits parts into so many runs of about as many rows.
std::vector<std::span<const TilePart>> Split(std::span<const TilePart> parts,
                                             size_t pieces) {
  uint64_t all = 0;
  for (const TilePart& part : parts) all += part.depths;
  std::vector<std::span<const TilePart>> runs;
  uint64_t rows = 0;
  size_t from = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    rows += parts[i].depths;
    const bool full = rows * pieces >= all * (runs.size() + 1);
    if (!full && i + 1 < parts.size()) continue;
    runs.push_back(parts.subspan(from, i + 1 - from));
    from = i + 1;
  }
  return runs;
}

}  // namespace

size_t TileAnswer::record_count() const {
  size_t count = 0;
  for (const Piece& piece : pieces)
    for (const TileRecordBuffer& tile : piece.tiles) count += tile.size();
  return count;
}

size_t TileAnswer::TileSize(size_t tile) const {
  size_t count = 0;
  for (const Piece& piece : pieces)
    if (tile < piece.tiles.size()) count += piece.tiles[tile].size();
  return count;
}

void TileAnswer::WriteTile(size_t tile, const Sink& sink) const {
  for (const Piece& piece : pieces) {
    if (tile >= piece.tiles.size()) continue;
    const std::span<const TileRecord> records = piece.tiles[tile].view();
    if (pieces.size() == 1) {
      if (!records.empty()) sink(records);
      continue;
    }
    // Few enough to stay in the cache.
    std::array<TileRecord, 256> renamed;
    for (size_t i = 0; i < records.size();) {
      const size_t count = std::min(renamed.size(), records.size() - i);
      for (size_t j = 0; j < count; ++j, ++i) {
        renamed[j] = records[i];
        if (renamed[j].name != kNoName)
          renamed[j].name = piece.name[renamed[j].name];
      }
      sink(std::span(renamed).first(count));
    }
  }
}

void TileAnswer::Write(const Sink& sink) const {
  size_t tiles = 0;
  for (const Piece& piece : pieces) tiles = std::max(tiles, piece.tiles.size());
  for (size_t tile = 0; tile < tiles; ++tile) WriteTile(tile, sink);
}

std::vector<TileRecord> TileAnswer::Tile(size_t tile) const {
  std::vector<TileRecord> records;
  WriteTile(tile, [&](std::span<const TileRecord> some) {
    records.insert(records.end(), some.begin(), some.end());
  });
  return records;
}

TileQuery::TileQuery(const Pyramid& pyramid, Executor& executor)
    : pyramid_(pyramid),
      executor_(executor),
      names_(pyramid.trace().strings().size()) {}

const TileAnswer& TileQuery::Run(int k, uint64_t first, uint32_t count,
                                 std::span<const TilePart> parts) {
  const auto window = TileWindow::Of(pyramid_.origin_ns(), k, first, count);
  const size_t threads = executor_.threads();
  const auto runs = Split(parts, threads > 1 ? threads * kPiecesPerThread : 1);
  while (workers_.size() < runs.size())
    workers_.push_back({std::make_unique<TileWorker>(pyramid_), {}});
  executor_.ForEach(
      runs.size(), [&](size_t i) { workers_[i].worker->Run(window, runs[i]); });
  answer_.pieces.clear();
  names_.Begin();
  for (Worker& worker : std::span(workers_).first(runs.size())) {
    JoinNames(worker);
    answer_.pieces.push_back({worker.worker->answer().tiles(), worker.name});
  }
  answer_.names = names_.names();
  return answer_;
}

void TileQuery::JoinNames(Worker& worker) {
  worker.name.clear();
  for (const uint32_t name : worker.worker->answer().names().names())
    worker.name.push_back(names_.Number(name));
}

}  // namespace stepscope
