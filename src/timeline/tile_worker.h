// SPDX-License-Identifier: Apache-2.0
//
// TileWorker: makes the tiles of some tracks, line by line: out of the level of
// a block that is asked for, folded out of a finer one, or out of its rows. Not
// thread-safe; it reuses its memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timeline/pyramid.h"
#include "timeline/tile_fold.h"
#include "timeline/tile_records.h"
#include "timeline/tile_rows.h"
#include "timeline/tile_window.h"
#include "timeline/tile_writer.h"

namespace stepscope {

class TileWorker {
 public:
  // `pyramid` outlives this.
  explicit TileWorker(const Pyramid& pyramid);

  void Run(const TileWindow& window, std::span<const TilePart> parts);
  const TileWriter& answer() const { return writer_; }

 private:
  // A block that reaches into the window.
  struct Piece {
    const PyramidBlock* block = nullptr;
    int level = -1;
    size_t rows = 0;  // where there is no level: their number in rows_
  };

  void RunPart(const TilePart& part);
  void FindPieces(const TilePart& part);
  void FindCovering(const TilePart& part);
  void AddExact(const PyramidBlock& block, const PyramidBlock::Line& line);
  void AddBoxes(const PyramidBlock& block, const PyramidBlock::Line& line,
                size_t first, size_t last, uint32_t tile);
  // Where the names of boxes are.
  enum class Names { kOfRows, kOfBoxes, kWide };
  template <Names kNames>
  TileRecord* PutBoxes(const PyramidBlock& block,
                       const PyramidBlock::Line& line, size_t first,
                       size_t last, TileRecord* out);
  void AddFolded(const PyramidBlock& block, const PyramidBlock::Line& line,
                 int shift);
  TileFold FoldOf(const PyramidBlock& block, const PyramidBlock::Line& line,
                  size_t i, uint64_t x, int shift) const;
  // Whichever bytes the box has: a row of the block.
  static Row RowOf(const PyramidBlock& block, const PyramidBlock::Line& line,
                   size_t i);
  bool IsLong(PyramidBox box, Row row, int shift) const;
  void PutRecord(const TileFold& fold, TileRecord* to);
  Row LowerBound(Row first, Row last, int64_t time) const;

  const Pyramid& pyramid_;
  const Trace& trace_;
  TileWindow window_;
  TileWriter writer_;
  TileRows rows_;
  std::vector<Piece> pieces_;
  std::vector<Row> covering_;  // by line: what began before the window
  std::vector<Row> around_;    // scratch of FindCovering()
};

}  // namespace stepscope
