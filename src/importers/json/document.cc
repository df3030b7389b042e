// SPDX-License-Identifier: Apache-2.0
#include "importers/json/document.h"

#include <algorithm>

#include "importers/json/json_string.h"

namespace stepscope::json {
namespace {

constexpr std::string_view kNotJson = "not JSON";
constexpr std::string_view kNotAnObject = "not an object";
constexpr std::string_view kCutShort = "cut short";

// With one of these keys the events of all writers begin.
constexpr std::string_view kFirstKeys[] = {"ph", "name", "cat", "pid", "tid",
                                           "ts", "id",   "dur", "args"};

size_t SkipSpace(std::string_view text, size_t at) {
  while (at < text.size() && Tokens::IsSpace(text[at])) ++at;
  return at;
}

// Whether an event seems to begin at `brace`: behind a comma or bracket, with
// a known key. No string of sound JSON holds such bytes.
bool LooksLikeEvent(std::string_view text, size_t brace) {
  size_t before = brace;
  while (before > 0 && Tokens::IsSpace(text[before - 1])) --before;
  if (before == 0 || (text[before - 1] != ',' && text[before - 1] != '['))
    return false;
  const size_t quote = SkipSpace(text, brace + 1);
  if (quote >= text.size() || text[quote] != '"') return false;
  const std::string_view rest = text.substr(quote + 1);
  return std::any_of(std::begin(kFirstKeys), std::end(kFirstKeys),
                     [&](std::string_view key) {
                       return rest.starts_with(key) &&
                              rest.substr(key.size()).starts_with('"');
                     });
}

// The next place in [from, to) where an event seems to begin.
size_t FindEvent(std::string_view text, size_t from, size_t to) {
  for (size_t at = text.find('{', from); at < to; at = text.find('{', at + 1))
    if (LooksLikeEvent(text, at)) return at;
  return text.npos;
}

}  // namespace

void Document::Reject(std::string_view reason, size_t from, size_t to) {
  constexpr size_t kExampleBytes = 60;
  handler_.OnRejected(reason, offset_ + from,
                      text_.substr(from, std::min(to - from, kExampleBytes)));
}

Document::Unit Document::ReadTop(const Tokens& tokens, size_t& i) {
  if (tokens.kind(i) == ',') {
    ++i;
    return Unit::kTaken;
  }
  if (tokens.kind(i) == '}') {
    ++i;
    state_ = State::kDone;
    return Unit::kTaken;
  }
  if (i + 2 >= tokens.count()) return Unit::kCut;
  if (tokens.kind(i) != '"' || tokens.kind(i + 1) != ':') {
    rubbish_ = true;
    ++i;
    return Unit::kTaken;
  }
  const std::string_view key = tokens.Text(i);
  const size_t value = i + 2;
  if (key == "traceEvents" && tokens.kind(value) == '[') {
    state_ = State::kEvents;
    has_events_ = true;
    i = value + 1;
    return Unit::kTaken;
  }
  const size_t next = tokens.SkipValue(value);
  // A scalar ends where the next token begins.
  if (next == Tokens::kNone || next >= tokens.count()) return Unit::kCut;
  const bool container = tokens.kind(value) == '{' || tokens.kind(value) == '[';
  handler_.OnMember(key, container ? tokens.Between(tokens.offset(value),
                                                    tokens.offset(next - 1) + 1)
                                   : tokens.Scalar(value));
  i = next;
  return Unit::kTaken;
}

Document::Unit Document::ReadElement(const Tokens& tokens, size_t& i) {
  const char kind = tokens.kind(i);
  if (kind == ',') {
    ++i;
    return Unit::kTaken;
  }
  if (kind == ']') {
    ++i;
    state_ = in_object_ ? State::kTop : State::kDone;
    return Unit::kTaken;
  }
  if (kind == '{') {
    size_t next = 0;
    const Members::State state = ReadEvent(tokens, i, *room_, event_, next);
    if (state == Members::State::kCut) return Unit::kCut;
    if (state == Members::State::kBad) return Unit::kBroken;
    const size_t from = tokens.offset(i);
    std::string_view wrong;
    if (wrong_bytes_)
      wrong = WrongBytes(tokens.Between(from, tokens.offset(next - 1) + 1));
    handler_.OnEvent(tokens, event_, wrong, offset_ + from);
    i = next;
    return Unit::kTaken;
  }
  const size_t next = tokens.SkipValue(i);
  if (next == Tokens::kNone || next >= tokens.count()) return Unit::kCut;
  Reject(kNotAnObject, tokens.offset(i), tokens.offset(next));
  i = next;
  return Unit::kTaken;
}

Document::Progress Document::Read(const TokenIndex& index, MemberRoom& room,
                                  std::string_view text, uint64_t offset,
                                  bool last) {
  room_ = &room;
  text_ = text;
  offset_ = offset;
  wrong_bytes_ = index.has_wrong_bytes();
  const Tokens tokens = index.tokens();
  room.Clear(tokens.count());
  size_t i = 0;
  Unit unit = Unit::kTaken;
  while (i < tokens.count() && unit == Unit::kTaken) {
    switch (state_) {
      case State::kStart:
        Start(tokens.kind(i++));
        break;
      case State::kTop:
        unit = ReadTop(tokens, i);
        break;
      case State::kEvents:
        unit = ReadElement(tokens, i);
        break;
      case State::kDone:
        rubbish_ = true;
        i = tokens.count();
        break;
    }
    if (unit != Unit::kBroken) continue;
    const size_t next = tokens.SkipValue(i);
    if (next == Tokens::kNone) break;
    // The event is not JSON. What lies in it may be.
    const size_t start = tokens.offset(i);
    const size_t end = tokens.offset(next - 1) + 1;
    const size_t inner = FindInner(start, end);
    Reject(kNotJson, start, std::min(inner, end));
    if (inner != text.npos) return {inner, true};
    i = next;
    unit = Unit::kTaken;
  }
  // Behind the last token are spaces, or a string that has no end here.
  const size_t start = i < tokens.count() ? tokens.offset(i) : index.size();
  if (unit == Unit::kTaken && start == text.size()) return {start, false};
  // A unit that has no end here: it goes on in the next piece, or the file is
  // cut, or a quote is broken.
  const size_t length = text.size() - start;
  if (state_ != State::kEvents) return {last ? text.size() : start, false};
  if (!last && length < kSuspectBytes) return {start, false};
  const size_t inner = FindInner(start, text.size());
  if (inner != text.npos) {
    Reject(kNotJson, start, inner);
    return {inner, true};
  }
  if (!last) return {start, false};
  Reject(kCutShort, start, text.size());
  return {text.size(), false};
}

size_t Document::FindInner(size_t start, size_t end) const {
  return resync_ ? FindEvent(text_, start + 1, end) : text_.npos;
}

void Document::Start(char first) {
  in_object_ = first == '{';
  has_events_ = first == '[';
  rubbish_ = !in_object_ && !has_events_;
  state_ = in_object_    ? State::kTop
           : has_events_ ? State::kEvents
                         : State::kDone;
}

}  // namespace stepscope::json
