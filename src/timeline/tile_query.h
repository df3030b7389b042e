// SPDX-License-Identifier: Apache-2.0
//
// TileQuery: what a timeline draws of some tracks in some tiles, as records
// that are sent as they are. A tile is 1,024 buckets of 2^k ns. Work is in
// proportion to the answer, and shared between threads. Not thread-safe; keep
// one per thread, it reuses its memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/executor.h"
#include "timeline/pyramid.h"
#include "timeline/tile_names.h"
#include "timeline/tile_records.h"
#include "timeline/tile_worker.h"

namespace stepscope {

// A tile is what the pieces have of it, one after the other: by slot, depth, x.
struct TileAnswer {
  struct Piece {
    std::span<const TileRecordBuffer> tiles;  // fewer at the end of all times
    // By the name of a record of this piece: which of `names` it is.
    std::span<const uint16_t> name;
  };
  std::vector<Piece> pieces;
  std::vector<uint32_t> names;  // string ids

  size_t record_count() const;
  size_t TileSize(size_t tile) const;
  // All of it as it is sent, tile by tile, some at a time.
  using Sink = std::function<void(std::span<const TileRecord>)>;
  void Write(const Sink& sink) const;
  void WriteTile(size_t tile, const Sink& sink) const;
  // A copy of one tile.
  std::vector<TileRecord> Tile(size_t tile) const;
};

class TileQuery {
 public:
  // `pyramid` outlives this.
  explicit TileQuery(const Pyramid& pyramid,
                     Executor& executor = Executor::Shared());

  // Tiles [first, first + count) of level `k`. Parts in the order of their
  // slots, then of `at`. REQUIRES: 0 <= k <= kMaxLevel, and count is at most
  // TileWindow::kMostTiles.
  const TileAnswer& Run(int k, uint64_t first, uint32_t count,
                        std::span<const TilePart> parts);

 private:
  const Pyramid& pyramid_;
  Executor& executor_;
  struct Worker {
    std::unique_ptr<TileWorker> worker;
    std::vector<uint16_t> name;  // see TileAnswer::Piece
  };
  void JoinNames(Worker& worker);

  std::vector<Worker> workers_;
  TileNames names_;
  TileAnswer answer_;
};

}  // namespace stepscope
