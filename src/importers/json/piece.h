// SPDX-License-Identifier: Apache-2.0
//
// Piece: a part of the file on its way from who reads and parses it to who
// keeps what it says. The text, its tokens, and what a Document found in them,
// for as long as it is looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "importers/json/document.h"
#include "importers/json/event_text.h"
#include "importers/json/tokens.h"

namespace stepscope::json {

struct Piece {
  // What is left over from the piece before is put in front of what is read.
  static constexpr size_t kRoom = size_t{256} << 10;

  explicit Piece(size_t bytes) : buffer(new char[kRoom + bytes]) {}
  char* data() { return buffer.get() + kRoom; }

  struct Event {
    EventText text;
    std::string_view wrong_bytes;
    uint64_t offset;
  };
  // A member of the document or a rejected element.
  enum class What : uint8_t { kMember, kRejected };
  struct Other {
    size_t before;  // the event that it comes before
    What what;
    std::string_view key;  // or the reason
    std::string_view text;
    uint64_t offset;
  };

  std::unique_ptr<char[]> buffer;
  TokenIndex index;
  MemberRoom room;
  // Empty where the Document's handler is told at once.
  Tokens tokens;
  std::vector<Event> events;
  std::vector<Other> others;

  uint64_t source_offset = 0;  // bytes of the file read by then
  bool last = false;
  Status status = Ok();
};

// Writes down what a Document says, to be said again on another thread.
class Recorder : public DocumentHandler {
 public:
  void set_piece(Piece& piece) { piece_ = &piece; }

  void OnMember(std::string_view key, std::string_view value) override;
  void OnEvent(const Tokens& tokens, const EventText& event,
               std::string_view wrong_bytes, uint64_t offset) override;
  void OnRejected(std::string_view reason, uint64_t offset,
                  std::string_view text) override;

 private:
  Piece* piece_ = nullptr;
};

// Says all that was written down, in the same order, and forgets it.
void Replay(Piece& piece, DocumentHandler& handler);

}  // namespace stepscope::json
