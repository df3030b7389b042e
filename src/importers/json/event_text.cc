// SPDX-License-Identifier: Apache-2.0
#include "importers/json/event_text.h"

namespace stepscope::json {
namespace {

using State = Members::State;

MemberAt At(const Members& members) {
  return {static_cast<uint32_t>(members.key()),
          static_cast<uint32_t>(members.value()),
          static_cast<uint32_t>(members.next())};
}

// The members of "args", which are looked at when all of the event is known.
State ReadArgs(const Tokens& tokens, size_t brace, MemberAt*& out,
               size_t& next) {
  Members members(tokens, brace);
  MemberAt* to = out;
  State state;
  while ((state = members.Next()) == State::kMember) {
    if (!members.SkipValue()) return State::kCut;
    *to++ = At(members);
  }
  out = to;
  next = members.next();
  return state;
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
  Members members(tokens, brace);
  State state;
  while ((state = members.Next()) == State::kMember) {
    ++event.members;
    const size_t value = members.value();
    const char kind = tokens.kind(value);
    const std::string_view key = tokens.Text(members.key());
    if (kind == '{' && key == "args") {
      size_t behind = 0;
      const MemberAt* const first = room.next_arg_;
      const State inner = ReadArgs(tokens, value, room.next_arg_, behind);
      if (inner != State::kEnd) return inner;
      event.args = {first, room.next_arg_};
      members.LeaveAt(behind);
      continue;
    }
    if (!members.SkipValue()) return State::kCut;
    bool in_quotes = false;
    std::string_view EventText::* const view = ViewOf(key, in_quotes);
    const bool container = kind == '{' || kind == '[';
    if (view == nullptr || (container && view != &EventText::id)) {
      *other++ = At(members);
    } else if (container) {
      const size_t from = tokens.offset(value);
      event.*view =
          tokens.Between(from, tokens.offset(members.next() - 1) + 1);
    } else {
      event.*view = in_quotes ? tokens.Text(value) : tokens.Scalar(value);
    }
  }
  event.others = {first_other, other};
  room.next_other_ = other;
  next = members.next();
  return state;
}

}  // namespace stepscope::json
