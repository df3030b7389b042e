// SPDX-License-Identifier: Apache-2.0
//
// EventText: one element of "traceEvents" as it is written. Views are into the
// text; nothing is copied or decoded yet.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "importers/json/tokens.h"

namespace stepscope::json {

// A member of an object, by its tokens.
struct MemberAt {
  size_t key = 0;
  size_t value = 0;
  size_t next = 0;  // the token behind the value
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
  std::vector<MemberAt> args;
  std::vector<MemberAt> others;  // members of the event that are none of these
  size_t offset = 0;             // of the event, in the text

  bool empty() const { return members == 0; }
  size_t members = 0;
};

// Reads the object that begins at token `brace` into `event`, whose vectors
// are reused. kEnd: `next` is the token behind it; other states are those of
// Members.
Members::State ReadEvent(const Tokens& tokens, size_t brace, EventText& event,
                         size_t& next);

}  // namespace stepscope::json
