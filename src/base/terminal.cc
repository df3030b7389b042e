// SPDX-License-Identifier: Apache-2.0
#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace stepscope {
namespace {

constexpr size_t kUsualWidth = 80;
constexpr size_t kSmallestWidth = 20;
constexpr size_t kLargestWidth = 10000;  // beyond it, the number is a mistake

std::string_view Variable(const char* name) {
  const char* const value = secure_getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// 0: not set, or no width.
size_t WidthOfEnvironment() {
  const std::string_view text = Variable("COLUMNS");
  size_t width = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), width);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && width <= kLargestWidth ? width : 0;
}

}  // namespace

bool IsTerminal(int fd) { return isatty(fd) == 1; }

size_t TerminalWidth(int fd) {
  size_t width = WidthOfEnvironment();
  winsize size = {};
  if (width == 0 && ioctl(fd, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  if (width == 0) width = kUsualWidth;
  return std::max(width, kSmallestWidth);
}

bool ColourAllowed(int fd) {
  const std::string_view kind = Variable("TERM");
  return IsTerminal(fd) && !kind.empty() && kind != "dumb" &&
         Variable("NO_COLOR").empty();
}

}  // namespace stepscope
