// SPDX-License-Identifier: Apache-2.0
//
// DocumentReader: feeds a Document from a file, piece by piece; joins what
// lies across two of them. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "importers/input/input_source.h"
#include "importers/json/document.h"
#include "importers/json/piece.h"

namespace stepscope::json {

// One event, or one member of the document, may be as long as this.
inline constexpr size_t kMaxUnitBytes = size_t{512} << 20;

class DocumentReader {
 public:
  // Pieces have room for `piece_bytes`. `settle` is called before text or
  // tokens change of which the document's handler has been told.
  DocumentReader(InputSource& input, size_t piece_bytes, Document& document,
                 std::function<void(Piece&)> settle)
      : input_(input),
        piece_bytes_(piece_bytes),
        document_(document),
        settle_(std::move(settle)) {}

  // Reads the next piece and handles what is whole in it; sets `last`,
  // `status` and `source_offset`. The status is of I/O errors, refused memory
  // and units beyond kMaxUnitBytes; what came before has been handled, and
  // the piece is the last.
  void Read(Piece& piece);

 private:
  std::string_view Join(Piece& piece, size_t size);
  Status Handle(Piece& piece, std::string_view text, bool last);

  InputSource& input_;
  const size_t piece_bytes_;
  Document& document_;
  const std::function<void(Piece&)> settle_;
  std::string rest_;     // not handled yet
  uint64_t offset_ = 0;  // of what is not handled yet, in the plain bytes
  uint64_t rescanned_ = 0;
  size_t wanted_ = 0;
  bool started_ = false;
};

}  // namespace stepscope::json
