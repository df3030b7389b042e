// SPDX-License-Identifier: Apache-2.0
//
// The tokens of a piece of JSON: where each of { } [ ] : , and the first byte
// of each string, number and literal is. Found by simdjson's first stage, the
// vector instructions of the machine; walked by us, because a piece of a file
// is no document.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace stepscope::json {

// Tokens by number, 0 .. count-1. Refers to the text and to the TokenIndex
// that made it.
class Tokens {
 public:
  Tokens() = default;
  Tokens(const char* text, const uint32_t* at, size_t count)
      : text_(text), at_(at), count_(count) {}

  size_t count() const { return count_; }
  // First byte of token `i`. REQUIRES: i < count().
  char kind(size_t i) const { return text_[at_[i]]; }
  // Where token `i` begins; for count(), where the text ends.
  size_t offset(size_t i) const { return at_[i]; }
  std::string_view Between(size_t from, size_t to) const {
    return {text_ + from, to - from};
  }

  // Whether token `i` and what follows are these eight bytes, as far as the
  // mask goes; both are as in memory.
  bool Begins(size_t i, uint64_t bytes, uint64_t mask) const {
    if (at_[i] + sizeof bytes > at_[count_]) return false;
    uint64_t here;
    std::memcpy(&here, text_ + at_[i], sizeof here);
    return (here & mask) == bytes;
  }

  // Token `i`, a scalar, as it is written; quotes of a string included.
  std::string_view Scalar(size_t i) const {
    const size_t begin = at_[i];
    size_t end = at_[i + 1];
    while (end > begin + 1 && IsSpace(text_[end - 1])) --end;
    return {text_ + begin, end - begin};
  }
  // The same less the quotes, if it is a string that ends.
  std::string_view Text(size_t i) const {
    const size_t begin = at_[i];
    const size_t end = at_[i + 1];
    // As a rule the next token follows at once.
    if (text_[begin] == '"' && text_[end - 1] == '"' && end - begin >= 2)
      return {text_ + begin + 1, end - begin - 2};
    const std::string_view scalar = Scalar(i);
    return scalar.size() >= 2 && scalar.front() == '"' && scalar.back() == '"'
               ? scalar.substr(1, scalar.size() - 2)
               : scalar;
  }

  // The token behind the value at `i`; kNone if its end is not here.
  static constexpr size_t kNone = ~size_t{0};
  size_t SkipValue(size_t i) const {
    if (i >= count_) return kNone;
    if (kind(i) != '{' && kind(i) != '[') return i + 1;
    int64_t depth = 0;
    const uint32_t* at = at_ + i;
    const uint32_t* const end = at_ + count_;
    for (; at < end; ++at) {
      depth += kDeeper[static_cast<unsigned char>(text_[*at])];
      if (depth == 0) return static_cast<size_t>(at - at_) + 1;
    }
    return kNone;
  }

  static bool IsSpace(char c) {
    if (static_cast<unsigned char>(c) > ' ') return false;
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }

 private:
  // By the first byte of a token: how much deeper the next one lies.
  static constexpr auto kDeeper = [] {
    std::array<int8_t, 256> deeper = {};
    deeper['{'] = deeper['['] = 1;
    deeper['}'] = deeper[']'] = -1;
    return deeper;
  }();

  const char* text_ = nullptr;
  const uint32_t* at_ = nullptr;
  size_t count_ = 0;
};

// Walks the members of the object that begins at a token:
//
//   Members members(tokens, brace);
//   while (members.Next() == Members::State::kMember) {
//     ... members.key(), members.value() ...
//     if (!members.SkipValue()) break;
//   }
class Members {
 public:
  enum class State : uint8_t { kMember, kEnd, kCut, kBad };

  Members(Tokens tokens, size_t brace) : t_(tokens), at_(brace + 1) {}

  // Moves to the next member. kEnd: next() is behind the closing brace.
  // kCut: the tokens end first. kBad: this is not JSON.
  State Next() {
    if (at_ >= t_.count()) return State::kCut;
    if (!first_ && t_.kind(at_) == ',') {
      if (++at_ >= t_.count()) return State::kCut;
    } else if (!first_ && t_.kind(at_) != '}') {
      return State::kBad;
    }
    first_ = false;
    if (t_.kind(at_) == '}') {
      ++at_;
      return State::kEnd;
    }
    if (t_.kind(at_) != '"') return State::kBad;
    if (at_ + 2 >= t_.count()) return State::kCut;
    if (t_.kind(at_ + 1) != ':') return State::kBad;
    key_ = at_;
    value_ = at_ + 2;
    const char c = t_.kind(value_);
    if (c == ',' || c == ':' || c == '}' || c == ']') return State::kBad;
    return State::kMember;
  }
  // Leaves the value of the member; false if it has no end here.
  bool SkipValue() {
    at_ = t_.SkipValue(value_);
    return at_ != Tokens::kNone;
  }

  size_t key() const { return key_; }
  size_t value() const { return value_; }
  size_t next() const { return at_; }

 private:
  const Tokens t_;  // by value: so it stays in registers
  size_t at_;
  size_t key_ = 0;
  size_t value_ = 0;
  bool first_ = true;
};

// Finds tokens. Reused from piece to piece; not thread-safe.
class TokenIndex {
 public:
  TokenIndex();
  ~TokenIndex();

  // REQUIRES: text begins outside of strings, as far as is known, and
  // text.size() < 2^32. `more`: the text goes on behind what is here; then it
  // is looked at up to its last whole line only. False where memory is
  // refused.
  bool Find(std::string_view text, bool more = false);
  // Valid until the next Find, as long as the text.
  Tokens tokens() const;
  // How much of the text has been looked at: up to the end of a line, or to a
  // string that does not end.
  size_t size() const { return size_; }
  // Whether there are bytes in the text that JSON does not allow. Tokens are
  // found nevertheless.
  bool has_wrong_bytes() const { return wrong_bytes_; }

 private:
  struct Parser;

  bool Reserve(size_t size);
  bool FindIn(std::string_view text);

  std::unique_ptr<Parser> parser_;
  std::string masked_;
  const char* text_ = nullptr;
  size_t size_ = 0;
  bool wrong_bytes_ = false;
};

// The length of the longest beginning of `text` that ends outside of strings.
// REQUIRES: text begins outside of strings.
size_t OutsideOfStrings(std::string_view text);

}  // namespace stepscope::json
