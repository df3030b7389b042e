// SPDX-License-Identifier: Apache-2.0
#include "importers/json/document_reader.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace stepscope::json {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// How far tokens are looked for again behind a broken event, at first.
constexpr size_t kFirstWindow = 4096;
// Bytes looked at twice, beyond which broken events are not searched for
// sound ones: keeps hostile files from taking quadratic time.
constexpr uint64_t kFreeRescans = uint64_t{64} << 20;
constexpr uint64_t kRescansPerByte = 8;

}  // namespace

void DocumentReader::Read(Piece& piece) {
  const Result<size_t> got =
      input_.Read({reinterpret_cast<uint8_t*>(piece.data()), piece_bytes_});
  piece.source_offset = input_.source_offset();
  piece.status = got ? Ok() : Status(got.error());
  if (got) {
    piece.last = *got < piece_bytes_;
    const std::string_view text = Join(piece, *got);
    // A unit that did not end: wait for twice as much before looking again.
    if (piece.last || text.size() >= wanted_)
      piece.status = Handle(piece, text, piece.last);
  }
  if (!piece.status) piece.last = true;
}

// What was left over, followed by what was read. Left-overs are short as a
// rule and fit into the room before it.
std::string_view DocumentReader::Join(Piece& piece, size_t size) {
  if (rest_.size() > Piece::kRoom) {
    rest_.append(piece.data(), size);
    return rest_;
  }
  char* const begin = piece.data() - rest_.size();
  if (!rest_.empty()) std::memcpy(begin, rest_.data(), rest_.size());
  std::string_view text(begin, rest_.size() + size);
  if (!started_ && text.starts_with(kByteOrderMark)) {
    offset_ = kByteOrderMark.size();
    text.remove_prefix(kByteOrderMark.size());
  }
  started_ = true;
  return text;
}

Status DocumentReader::Handle(Piece& piece, std::string_view text, bool last) {
  const bool own_text = text.data() != rest_.data();
  size_t window = text.npos;
  while (true) {
    const std::string_view part = text.substr(0, window);
    const bool whole = part.size() == text.size();
    if (!piece.index.Find(part, !(last && whole)))
      return Fail(ErrorCode::kIo, "not enough memory to parse");
    const Document::Progress done =
        document_.Read(piece.index, piece.room, part, offset_, last && whole);
    offset_ += done.consumed;
    text.remove_prefix(done.consumed);
    if (!done.again && whole) break;
    // Tokens are looked for again.
    settle_(piece);
    window = done.again ? kFirstWindow : window * 2;
    rescanned_ += std::min(window, text.size());
    document_.set_resync(rescanned_ < kFreeRescans + kRescansPerByte * offset_);
  }
  if (text.size() > kMaxUnitBytes)
    return Fail(
        ErrorCode::kUnsupported,
        Format("byte %llu: an element of more than %zu bytes",
               static_cast<unsigned long long>(offset_), kMaxUnitBytes));
  wanted_ = text.size() > Piece::kRoom ? text.size() * 2 : 0;
  if (!own_text) settle_(piece);
  // The text may be part of what is assigned to.
  std::string rest(text);
  rest_.swap(rest);
  return Ok();
}

}  // namespace stepscope::json
