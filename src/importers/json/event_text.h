// SPDX-License-Identifier: Apache-2.0
//
// EventText: one element of "traceEvents" as it is written. Views are into the
// text; nothing is copied or decoded yet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "importers/json/tokens.h"

namespace stepscope::json {

// A member of an object, by its tokens.
struct MemberAt {
  uint32_t key;
  uint32_t value;
  uint32_t next;  // the token behind the value
};

struct EventText {
  // Between the quotes, if they are strings.
  std::string_view name;
  std::string_view cat;
  std::string_view ph;
  std::string_view bp;
  std::string_view scope;
  std::string_view instant_scope;  // "s"
  // As written: a number, a string with its quotes, for id an object too.
  std::string_view pid;
  std::string_view tid;
  std::string_view ts;
  std::string_view dur;
  std::string_view id;
  std::span<const MemberAt> args;
  // Members of the event that are none of these.
  std::span<const MemberAt> others;

  bool empty() const { return members == 0; }
  size_t members = 0;
};

// Where the members of events are kept: all those of a piece of text, so that
// they last as long as its tokens.
class MemberRoom {
 public:
  // Makes room for the members of a text of so many tokens.
  void Clear(size_t token_count) {
    // A member is a key, a colon and a value, and no part of another one.
    const size_t most = token_count / 3 + 1;
    if (most > size_) {
      // Not cleared: most of it is never touched.
      args_.reset(new MemberAt[most]);
      others_.reset(new MemberAt[most]);
      size_ = most;
    }
    next_arg_ = args_.get();
    next_other_ = others_.get();
  }

 private:
  friend Members::State ReadEvent(const Tokens&, size_t, MemberRoom&,
                                  EventText&, size_t&);

  std::unique_ptr<MemberAt[]> args_;
  std::unique_ptr<MemberAt[]> others_;
  size_t size_ = 0;
  // By known member: the two that came behind it of late, by which most need
  // not be looked up.
  std::array<std::array<uint8_t, 2>, 16> followers_ = {};
  MemberAt* next_arg_ = nullptr;
  MemberAt* next_other_ = nullptr;
};

// Reads the object that begins at token `brace` into `event`. kEnd: `next` is
// the token behind it; other states are those of Members. REQUIRES: the room
// was made for these tokens, and no token is read twice.
Members::State ReadEvent(const Tokens& tokens, size_t brace, MemberRoom& room,
                         EventText& event, size_t& next);

}  // namespace stepscope::json
