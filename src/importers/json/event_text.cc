// SPDX-License-Identifier: Apache-2.0
#include "importers/json/event_text.h"

#include <array>
#include <bit>
#include <iterator>

namespace stepscope::json {
namespace {

using State = Members::State;

bool EndsValue(char c) { return c == ',' || c == ':' || c == '}' || c == ']'; }

// Walks the members of an object from the one whose key is at token `key` on,
// as Members does but with less to remember in between: much of reading a file
// is here. take(key, value) returns the token behind the value, or kNone if
// its end is not here.
template <typename Take>
State Walk(const Tokens tokens, size_t key, size_t& next, Take take) {
  const size_t count = tokens.count();
  for (; key < count; ++key) {
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

// A member that events are known to have. The key is in its quotes, as
// Tokens::Begins() takes it.
struct Known {
  uint64_t bytes;
  uint64_t mask;
  std::string_view EventText::*view;  // that it fills; null: "args"
  bool in_quotes;                     // what the view is of
};

constexpr Known Make(std::string_view key, std::string_view EventText::*view,
                     bool in_quotes) {
  std::array<char, sizeof(uint64_t)> bytes = {};
  std::array<char, sizeof(uint64_t)> mask = {};
  for (size_t i = 0; i < key.size() + 2; ++i) {
    bytes[i] = i > 0 && i <= key.size() ? key[i - 1] : '"';
    mask[i] = '\xff';
  }
  return {std::bit_cast<uint64_t>(bytes), std::bit_cast<uint64_t>(mask), view,
          in_quotes};
}

enum KnownIndex : uint8_t {
  kNoneKnown,
  kPh,
  kCat,
  kName,
  kPid,
  kTid,
  kTs,
  kDur,
  kArgs,
  kId,
  kId2,
  kBp,
  kS,
  kScope,
};
constexpr Known kKnown[] = {
    {1, 0, nullptr, false},  // no bytes are like it
    Make("ph", &EventText::ph, true),
    Make("cat", &EventText::cat, true),
    Make("name", &EventText::name, true),
    Make("pid", &EventText::pid, false),
    Make("tid", &EventText::tid, false),
    Make("ts", &EventText::ts, false),
    Make("dur", &EventText::dur, false),
    Make("args", nullptr, false),
    Make("id", &EventText::id, false),
    Make("id2", &EventText::id, false),
    Make("bp", &EventText::bp, true),
    Make("s", &EventText::instant_scope, true),
    Make("scope", &EventText::scope, true),
};
static_assert(std::size(kKnown) == kScope + 1);

uint8_t FindKnown(std::string_view key) {
  switch (key.size()) {
    case 1:
      return key == "s" ? kS : kNoneKnown;
    case 2:
      return key == "ph"   ? kPh
             : key == "ts" ? kTs
             : key == "id" ? kId
             : key == "bp" ? kBp
                           : kNoneKnown;
    case 3:
      return key == "pid"   ? kPid
             : key == "tid" ? kTid
             : key == "dur" ? kDur
             : key == "cat" ? kCat
             : key == "id2" ? kId2
                            : kNoneKnown;
    case 4:
      return key == "name" ? kName : key == "args" ? kArgs : kNoneKnown;
    case 5:
      return key == "scope" ? kScope : kNoneKnown;
    default:
      return kNoneKnown;
  }
}

// Takes members as long as they are scalars and follow what they followed
// before. Returns the key of the next; kNone if that was all, and `next` is
// behind the object. `last` is the last one taken.
template <typename Followers>
size_t TakeExpected(const Tokens tokens, size_t key, const Followers& followers,
                    EventText& event, uint8_t& last, size_t& next) {
  const size_t count = tokens.count();
  size_t taken = 0;
  uint8_t index = kNoneKnown;
  for (;;) {
    const size_t value = key + 2;
    const size_t behind = key + 3;
    if (behind >= count) break;
    const auto [likely, else_likely] = followers[index];
    uint8_t found = likely;
    if (!tokens.Begins(key, kKnown[found].bytes, kKnown[found].mask)) {
      found = else_likely;
      if (!tokens.Begins(key, kKnown[found].bytes, kKnown[found].mask)) break;
    }
    const Known& member = kKnown[found];
    const char kind = tokens.kind(value);
    const char end = tokens.kind(behind);
    if (member.view == nullptr || tokens.kind(key + 1) != ':' || kind == '{' ||
        kind == '[' || EndsValue(kind) || (end != ',' && end != '}'))
      break;
    event.*member.view =
        member.in_quotes ? tokens.Text(value) : tokens.Scalar(value);
    ++taken;
    index = found;
    key = behind + 1;
    if (end == '}') {
      next = key;
      key = Tokens::kNone;
      break;
    }
  }
  event.members = taken;
  last = index;
  return key;
}

}  // namespace

State ReadEvent(const Tokens& tokens, size_t brace, MemberRoom& room,
                EventText& event, size_t& next) {
  event = EventText();
  uint8_t last = kNoneKnown;
  const size_t first =
      TakeExpected(tokens, brace + 1, room.followers_, event, last, next);
  if (first == Tokens::kNone) return State::kEnd;
  MemberAt* const first_other = room.next_other_;
  MemberAt* other = first_other;
  // The members of "args" are looked at when all of the event is known.
  State args_state = State::kEnd;
  const auto read_args = [&](size_t value) {
    MemberAt* to = room.next_arg_;
    size_t behind = Tokens::kNone;
    args_state = Walk(tokens, value + 1, behind, [&](size_t key, size_t at) {
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
    const uint8_t found = FindKnown(tokens.Text(key_at));
    std::array<uint8_t, 2>& followers = room.followers_[last];
    if (followers[0] != found && followers[1] != found)
      followers = {found, followers[0]};
    last = found;
    const Known& member = kKnown[found];
    const char kind = tokens.kind(value);
    if (kind == '{' && found == kArgs) return read_args(value);
    const bool container = kind == '{' || kind == '[';
    const size_t behind = container ? tokens.SkipValue(value) : value + 1;
    if (behind == Tokens::kNone) return behind;
    std::string_view EventText::*const view = member.view;
    if (view == nullptr || (container && view != &EventText::id)) {
      *other++ = At(key_at, value, behind);
    } else if (container) {
      const size_t from = tokens.offset(value);
      event.*view = tokens.Between(from, tokens.offset(behind - 1) + 1);
    } else {
      event.*view =
          member.in_quotes ? tokens.Text(value) : tokens.Scalar(value);
    }
    return behind;
  };
  const State state = Walk(tokens, first, next, read);
  if (args_state != State::kEnd) return args_state;
  event.others = {first_other, other};
  room.next_other_ = other;
  return state;
}

}  // namespace stepscope::json
