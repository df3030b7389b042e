// SPDX-License-Identifier: Apache-2.0
#include "importers/json/piece.h"

namespace stepscope::json {

void Recorder::OnMember(std::string_view key, std::string_view value) {
  piece_->others.push_back(
      {piece_->events.size(), Piece::What::kMember, key, value, 0});
}

void Recorder::OnEvent(const Tokens& tokens, const EventText& event,
                       std::string_view wrong_bytes, uint64_t offset) {
  piece_->tokens = tokens;
  piece_->events.push_back({event, wrong_bytes, offset});
}

void Recorder::OnRejected(std::string_view reason, uint64_t offset,
                          std::string_view text) {
  piece_->others.push_back(
      {piece_->events.size(), Piece::What::kRejected, reason, text, offset});
}

void Replay(Piece& piece, DocumentHandler& handler) {
  size_t event = 0;
  const auto events_until = [&](size_t end) {
    for (; event < end; ++event) {
      const Piece::Event& e = piece.events[event];
      handler.OnEvent(piece.tokens, e.text, e.wrong_bytes, e.offset);
    }
  };
  for (const Piece::Other& other : piece.others) {
    events_until(other.before);
    if (other.what == Piece::What::kMember)
      handler.OnMember(other.key, other.text);
    else
      handler.OnRejected(other.key, other.offset, other.text);
  }
  events_until(piece.events.size());
  piece.events.clear();
  piece.others.clear();
}

}  // namespace stepscope::json
