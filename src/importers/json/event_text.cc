// SPDX-License-Identifier: Apache-2.0
#include "importers/json/event_text.h"

namespace stepscope::json {
namespace {

using State = Members::State;

bool EndsValue(char c) { return c == ',' || c == ':' || c == '}' || c == ']'; }

// Walks the members of the object that begins at token `brace`, as Members
// does but with less to remember in between: much of reading a file is here.
// take(key, value) returns the token behind the value, or kNone if its end is
// not here.
template <typename Take>
State Walk(const Tokens tokens, size_t brace, size_t& next, Take take) {
  const size_t count = tokens.count();
  for (size_t key = brace + 1; key < count; ++key) {
    if (const char first = tokens.kind(key); first != '"') {
      next = key + 1;
      return first == '}' ? State::kEnd : State::kBad;
    }
    const size_t value = key + 2;
    if (value >= count) return State::kCut;
    if (tokens.kind(key + 1) != ':' || EndsValue(tokens.kind(value)))
      return State::kBad;
    const size_t behind = take(key, value);
    if (behind >= count) return State::kCut;
    key = behind;
    next = behind + 1;
    if (const char c = tokens.kind(behind); c != ',')
      return c == '}' ? State::kEnd : State::kBad;
  }
  return State::kCut;
}

MemberAt At(size_t key, size_t value, size_t next) {
  return {static_cast<uint32_t>(key), static_cast<uint32_t>(value),
          static_cast<uint32_t>(next)};
}

// Which view a member fills; null for "args" and what is not known.
std::string_view EventText::* ViewOf(std::string_view key, bool& in_quotes) {
  in_quotes = true;
  switch (key.size()) {
    case 1:
      if (key == "s") return &EventText::instant_scope;
      break;
    case 2:
      if (key == "ph") return &EventText::ph;
      if (key == "bp") return &EventText::bp;
      in_quotes = false;
      if (key == "ts") return &EventText::ts;
      if (key == "id") return &EventText::id;
      break;
    case 3:
      if (key == "cat") return &EventText::cat;
      in_quotes = false;
      if (key == "pid") return &EventText::pid;
      if (key == "tid") return &EventText::tid;
      if (key == "dur") return &EventText::dur;
      if (key == "id2") return &EventText::id;
      break;
    case 4:
      if (key == "name") return &EventText::name;
      break;
    case 5:
      if (key == "scope") return &EventText::scope;
      break;
    default:
      break;
  }
  return nullptr;
}

}  // namespace

State ReadEvent(const Tokens& tokens, size_t brace, MemberRoom& room,
                EventText& event, size_t& next) {
  event = EventText();
  MemberAt* const first_other = room.next_other_;
  MemberAt* other = first_other;
  // The members of "args" are looked at when all of the event is known.
  State args_state = State::kEnd;
  const auto read_args = [&](size_t value) {
    MemberAt* to = room.next_arg_;
    size_t behind = Tokens::kNone;
    args_state = Walk(tokens, value, behind, [&](size_t key, size_t at) {
      const size_t end = tokens.SkipValue(at);
      *to++ = At(key, at, end);
      return end;
    });
    if (args_state != State::kEnd) return Tokens::kNone;
    event.args = {room.next_arg_, to};
    room.next_arg_ = to;
    return behind;
  };
  const auto read = [&](size_t key_at, size_t value) {
    ++event.members;
    const char kind = tokens.kind(value);
    const std::string_view key = tokens.Text(key_at);
    if (kind == '{' && key == "args") return read_args(value);
    const size_t behind = tokens.SkipValue(value);
    if (behind == Tokens::kNone) return behind;
    bool in_quotes = false;
    std::string_view EventText::* const view = ViewOf(key, in_quotes);
    const bool container = kind == '{' || kind == '[';
    if (view == nullptr || (container && view != &EventText::id)) {
      *other++ = At(key_at, value, behind);
    } else if (container) {
      const size_t from = tokens.offset(value);
      event.*view = tokens.Between(from, tokens.offset(behind - 1) + 1);
    } else {
      event.*view = in_quotes ? tokens.Text(value) : tokens.Scalar(value);
    }
    return behind;
  };
  const State state = Walk(tokens, brace, next, read);
  if (args_state != State::kEnd) return args_state;
  event.others = {first_other, other};
  room.next_other_ = other;
  return state;
}

}  // namespace stepscope::json
