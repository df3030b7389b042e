// SPDX-License-Identifier: Apache-2.0
#include "importers/json/event_text.h"

namespace stepscope::json {
namespace {

using State = Members::State;

// The members of "args", which are looked at when all of the event is known.
State ReadArgs(const Tokens& tokens, size_t brace, EventText& event,
               size_t& next) {
  event.args.clear();
  Members members(tokens, brace);
  State state;
  while ((state = members.Next()) == State::kMember) {
    if (!members.SkipValue()) return State::kCut;
    event.args.push_back({members.key(), members.value(), members.next()});
  }
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

State ReadEvent(const Tokens& tokens, size_t brace, EventText& event,
                size_t& next) {
  // Every view anew, the vectors without giving back their memory.
  std::vector<MemberAt> args = std::move(event.args);
  std::vector<MemberAt> others = std::move(event.others);
  event = EventText();
  args.clear();
  others.clear();
  event.args = std::move(args);
  event.others = std::move(others);
  event.offset = tokens.offset(brace);

  Members members(tokens, brace);
  State state;
  while ((state = members.Next()) == State::kMember) {
    ++event.members;
    const size_t value = members.value();
    const char kind = tokens.kind(value);
    const std::string_view key = tokens.Text(members.key());
    if (kind == '{' && key == "args") {
      size_t behind = 0;
      const State inner = ReadArgs(tokens, value, event, behind);
      if (inner != State::kEnd) return inner;
      members.LeaveAt(behind);
      continue;
    }
    if (!members.SkipValue()) return State::kCut;
    bool in_quotes = false;
    std::string_view EventText::* const view = ViewOf(key, in_quotes);
    const bool container = kind == '{' || kind == '[';
    if (view == nullptr || (container && view != &EventText::id)) {
      event.others.push_back({members.key(), value, members.next()});
    } else if (container) {
      const size_t from = tokens.offset(value);
      event.*view =
          tokens.Between(from, tokens.offset(members.next() - 1) + 1);
    } else {
      event.*view = in_quotes ? tokens.Text(value) : tokens.Scalar(value);
    }
  }
  next = members.next();
  return state;
}

}  // namespace stepscope::json
