// SPDX-License-Identifier: Apache-2.0
#include "importers/torch_memory/int_lists.h"

#include <cstdlib>
#include <limits>

#include "base/text.h"

namespace stepscope::torch_memory {
namespace {

bool IsBlank(int c) {
  return c == ' ' || c == ',' || c == '\n' || c == '\r' || c == '\t';
}
bool IsOfNumber(int c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
         c == 'e' || c == 'E';
}

}  // namespace

Error IntLists::Bad(std::string_view what) const {
  return Fail(ErrorCode::kCorrupt,
              input_.path() +
                  Format(": byte %llu: ",
                         static_cast<unsigned long long>(begin_ + at_)) +
                  std::string(what));
}

Result<int> IntLists::Peek() {
  if (at_ == end_) {
    begin_ += end_;
    at_ = end_ = 0;
    STEPSCOPE_TRY_ASSIGN(end_, input_.Read(buffer_));
    if (end_ == 0) return -1;
  }
  return int{buffer_[at_]};
}

Result<IntLists::Token> IntLists::Next() {
  while (true) {
    STEPSCOPE_TRY_ASSIGN(const int c, Peek());
    if (c < 0) return Token::kEnd;
    if (IsOfNumber(c)) return ReadNumber();
    if (c == '<')
      return Bad(
          "a page with a picture has no figures; call "
          "export_memory_timeline() with a name that ends with .json.gz");
    if (c != '[' && c != ']' && !IsBlank(c))
      return Bad(
          "expected lists of numbers, as export_memory_timeline() "
          "writes them");
    ++at_;
    if (c == '[') return Token::kOpen;
    if (c == ']') return Token::kClose;
  }
}

Result<IntLists::Token> IntLists::ReadNumber() {
  constexpr size_t kLongest = 40;
  std::string text;
  while (true) {
    STEPSCOPE_TRY_ASSIGN(const int c, Peek());
    if (c < 0 || !IsOfNumber(c)) break;
    if (text.size() == kLongest) return Bad("a number is too long");
    text += static_cast<char>(c);
    ++at_;
  }
  char* end = nullptr;
  number_ = std::strtoll(text.c_str(), &end, 10);
  if (*end == '\0') return Token::kNumber;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0') return Bad("not a number");
  constexpr double kMost = 9.2e18;
  number_ = value >= kMost    ? std::numeric_limits<int64_t>::max()
            : value <= -kMost ? std::numeric_limits<int64_t>::min()
                              : static_cast<int64_t>(value);
  return Token::kNumber;
}

Status IntLists::ReadList(std::vector<int64_t>& numbers) {
  numbers.clear();
  while (true) {
    STEPSCOPE_TRY_ASSIGN(const Token token, Next());
    if (token == Token::kClose) return Ok();
    if (token != Token::kNumber)
      return Bad(token == Token::kEnd ? "the file ends in the middle"
                                      : "a list in a list of numbers");
    numbers.push_back(number_);
  }
}

}  // namespace stepscope::torch_memory
