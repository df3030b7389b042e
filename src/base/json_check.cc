// SPDX-License-Identifier: Apache-2.0
#include "base/json_check.h"

#include <bitset>
#include <cstdint>

#include "base/text.h"
#include "base/utf8.h"

namespace stepscope {
namespace {

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  JsonKind Run() {
    SkipBlank();
    JsonKind kind = Peek() == '{'     ? JsonKind::kObject
                    : Peek() == '['   ? JsonKind::kArray
                    : Peek() == '"'   ? JsonKind::kString
                    : IsNumberStart() ? JsonKind::kNumber
                                      : JsonKind::kLiteral;
    if (!Value()) return JsonKind::kInvalid;
    SkipBlank();
    return at_ == text_.size() ? kind : JsonKind::kInvalid;
  }

 private:
  // '\0' at the end: no byte that JSON accepts outside of strings.
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool TakeWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void SkipBlank() {
    while (Peek() == ' ' || Peek() == '\n' || Peek() == '\r' || Peek() == '\t')
      ++at_;
  }
  bool IsNumberStart() const { return Peek() == '-' || IsDigit(Peek()); }

  bool Digits() {
    if (!IsDigit(Peek())) return false;
    while (IsDigit(Peek())) ++at_;
    return true;
  }

  bool Number() {
    size_t start = at_;
    return NumberText() && at_ - start <= kMaxJsonNumber;
  }

  bool NumberText() {
    Take('-');
    if (!Take('0') && !Digits()) return false;
    if (Take('.') && !Digits()) return false;
    if (Take('e') || Take('E')) {
      if (!Take('+')) Take('-');
      return Digits();
    }
    return true;
  }

  // Four digits after \u, or -1.
  int32_t HexUnit() {
    int32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      char c = Peek();
      int32_t digit = IsDigit(c)               ? c - '0'
                      : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                      : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
      ++at_;
    }
    return value;
  }

  bool Escape() {
    char c = Peek();
    ++at_;
    if (c != 'u')
      return c != '\0' &&
             std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    int32_t unit = HexUnit();
    if (unit < 0 || (unit >= 0xdc00 && unit <= 0xdfff)) return false;
    if (unit < 0xd800 || unit > 0xdbff) return true;
    int32_t low = TakeWord("\\u") ? HexUnit() : -1;
    return low >= 0xdc00 && low <= 0xdfff;
  }

  bool String() {
    if (!Take('"')) return false;
    while (at_ < text_.size()) {
      if (Take('"')) return true;
      if (static_cast<uint8_t>(text_[at_]) < 0x20) return false;
      if (Take('\\')) {
        if (!Escape()) return false;
        continue;
      }
      if (NextCodePoint(text_, at_) == kInvalidUtf8) return false;
    }
    return false;
  }

  bool Scalar() {
    if (Peek() == '"') return String();
    if (IsNumberStart()) return Number();
    return TakeWord("true") || TakeWord("false") || TakeWord("null");
  }

  // In an object: the key and colon before a value.
  bool Key() {
    SkipBlank();
    if (!String()) return false;
    SkipBlank();
    return Take(':');
  }

  // Ends the containers that end here and takes the comma before the next
  // value. `more`: there is a next value.
  bool AfterValue(bool& more) {
    while (depth_ > 0) {
      SkipBlank();
      bool object = is_object_[static_cast<size_t>(depth_ - 1)];
      if (Take(object ? '}' : ']')) {
        --depth_;
        continue;
      }
      more = true;
      return Take(',') && (!object || Key());
    }
    more = false;
    return true;
  }

  bool Value() {
    bool more = true;
    while (more) {
      SkipBlank();
      bool object = Peek() == '{';
      if (object || Peek() == '[') {
        ++at_;
        if (depth_ == kMaxJsonDepth) return false;
        is_object_[static_cast<size_t>(depth_++)] = object;
        SkipBlank();
        if (Peek() != (object ? '}' : ']')) {
          if (object && !Key()) return false;
          continue;
        }
      } else if (!Scalar()) {
        return false;
      }
      if (!AfterValue(more)) return false;
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::bitset<kMaxJsonDepth> is_object_;
};

}  // namespace

JsonKind CheckJson(std::string_view text) { return Checker(text).Run(); }

}  // namespace stepscope
