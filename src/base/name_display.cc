// SPDX-License-Identifier: Apache-2.0
#include "base/name_display.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/utf8.h"
#include "base/visible_text.h"

namespace stepscope {
namespace {

constexpr std::string_view kDots = "...";
constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr size_t kShortestTail = 8;

// Bytes of the longest beginning that takes at most `columns`.
size_t Fitting(std::string_view text, size_t columns) {
  size_t used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    NextCodePoint(text, at);
    used += DisplayWidth(text.substr(start, at - start));
    if (used > columns) return start;
  }
  return text.size();
}

// Where the longest end begins that takes at most `columns`.
size_t FittingEnd(std::string_view text, size_t columns) {
  size_t width = DisplayWidth(text);
  size_t at = 0;
  while (at < text.size() && width > columns) {
    const size_t start = at;
    NextCodePoint(text, at);
    width -= DisplayWidth(text.substr(start, at - start));
  }
  // What belongs to the character before it says nothing alone.
  for (size_t next = at; next < text.size(); at = next) {
    NextCodePoint(text, next);
    if (DisplayWidth(text.substr(at, next - at)) > 0) break;
  }
  return at;
}

struct FunctionName {
  size_t begin = 0;  // behind the namespaces
  size_t end = 0;    // before the template arguments or the arguments
};

FunctionName FindFunction(std::string_view text) {
  FunctionName name;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text.substr(at).starts_with(kAnonymous)) {
      at += kAnonymous.size() - 1;
    } else if (text.substr(at).starts_with("::")) {
      name.begin = at + 2;
    } else if (text[at] == '<' || text[at] == '(') {
      break;
    }
  }
  name.end = at;
  return name;
}

bool IsWordBorder(char c) {
  return c == ' ' || c == ',' || c == '<' || c == '(' || c == ':' || c == '_';
}

// Begins the end part with a whole word, if that costs little of it.
size_t AtWord(std::string_view text, size_t begin) {
  const size_t room = (text.size() - begin) / 3;
  for (size_t i = begin; i < begin + room && i > 0; ++i)
    if (IsWordBorder(text[i - 1]) && !IsWordBorder(text[i])) return i;
  return begin;
}

// About `tail` columns of the end, and the beginning in what `room` is left.
std::string Cut(std::string_view text, size_t tail, size_t room) {
  const size_t begin = AtWord(text, FittingEnd(text, tail));
  const size_t end = Fitting(text, room - DisplayWidth(text.substr(begin)));
  return std::string(text.substr(0, end)) + std::string(kDots) +
         std::string(text.substr(begin));
}

bool IsIdentifier(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '_';
}

// "a::b::c<d::e>" as "c<e>". What stands in the scope of a function, such as a
// lambda, keeps it.
std::string WithoutNamespaces(std::string_view text) {
  std::string result;
  size_t word = 0;  // where the identifier that may be a namespace begins
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("(anonymous namespace)::")) {
      at += kAnonymous.size() + 1;
      word = result.size();
      continue;
    }
    const std::string_view last = std::string_view(result).substr(word);
    if (text.substr(at).starts_with("::") && !last.empty() && last != "const" &&
        IsIdentifier(result.back())) {
      result.resize(word);
      ++at;
      continue;
    }
    result += text[at];
    if (!IsIdentifier(text[at])) word = result.size();
  }
  return result;
}

// "f<A, B>(A*, B*)" as "f<A, B>"; the arguments of other functions stay.
std::string_view WithoutArguments(std::string_view text) {
  if (!text.ends_with(')')) return text;
  int depth = 0;
  for (size_t at = text.size(); at-- > 0;) {
    depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
    if (depth > 0) continue;
    return at > 1 && text[at - 1] == '>' ? text.substr(0, at) : text;
  }
  return text;
}

// Whether `part` is in the word, and an underscore or the end is behind it.
bool Ends(std::string_view word, std::string_view part) {
  const size_t at = word.rfind(part);
  if (at == word.npos) return false;
  const std::string_view rest = word.substr(at + part.size());
  return rest.empty() || rest.starts_with('_');
}

// "copy_kernel_cuda" as "copy".
std::string_view WithoutKernel(std::string_view word) {
  for (const std::string_view tail :
       {"_kernel_cuda", "_kernel_impl", "_kernel"})
    if (word.size() > tail.size() && word.ends_with(tail))
      return word.substr(0, word.size() - tail.size());
  return word;
}

// What a kernel does that is named after how it does it, from its template
// arguments; "": they do not say.
std::string FunctorOf(std::string_view arguments) {
  std::string_view lambda;   // stands for it where there is none
  std::string_view wrapper;  // takes the functor as an argument
  for (size_t at = 0; at < arguments.size(); ++at) {
    size_t end = at;
    while (end < arguments.size() && IsIdentifier(arguments[end])) ++end;
    const std::string_view word = arguments.substr(at, end - at);
    at = end;
    if (word == "BinaryFunctor" || word.ends_with("UnaryFunctor")) {
      wrapper = word;
    } else if (word != "ReduceOp" &&
               (word.find("Functor") != word.npos || Ends(word, "Op") ||
                Ends(word, "Ops") || Ends(word, "_functor"))) {
      return std::string(word);
    }
    const bool called = end < arguments.size() && arguments[end] == '(';
    if (lambda.empty() && word != "operator" && !word.starts_with("gpu_") &&
        (WithoutKernel(word) != word || (called && !word.empty())))
      lambda = WithoutKernel(word);
  }
  return std::string(lambda.empty() ? wrapper : lambda);
}

// "enable_if<a<b>, void>::type f" as "f": what stands before is what it
// returns.
std::string_view WithoutReturned(std::string_view text) {
  if (text.starts_with("void ")) return text.substr(5);
  if (!text.starts_with("enable_if")) return text;
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
    if (depth == 0 && text[at] == ' ') return text.substr(at + 1);
  }
  return text;
}

// The template argument that says what is done, of functions that run
// whatever they are given; where there is none, `text`.
std::string_view WhatItRuns(std::string_view text) {
  const std::string_view function = text.substr(0, text.find('<'));
  if (function != "Kernel" && function != "Kernel2" && function != "kentry" &&
      function != "device_kernel")
    return text;
  for (size_t at = function.size() + 1; at < text.size();) {
    while (at < text.size() && text[at] == ' ') ++at;
    size_t end = at;
    while (end < text.size() && IsIdentifier(text[end])) ++end;
    // A number stands before it.
    if (end == at) return text;
    if (text[at] < '0' || text[at] > '9') return text.substr(at);
    if (end == text.size() || text[end] != ',') return text;
    at = end + 1;
  }
  return text;
}

// `text` with what stands at `shown` in sight: the beginning in a third of the
// room, and what follows from there.
std::string CutAround(std::string_view text, size_t shown, size_t width) {
  size_t begin = shown;
  while (begin > 0 && shown - begin < 2 * kShortestTail &&
         !IsWordBorder(text[begin - 1]))
    --begin;
  const size_t room = width - 2 * kDots.size();
  const std::string_view rest = text.substr(begin);
  const size_t head = Fitting(text, room / 3);
  if (begin <= head)
    return std::string(text.substr(0, Fitting(text, width - kDots.size()))) +
           std::string(kDots);
  if (DisplayWidth(rest) <= room - room / 3) {
    const size_t left = width - kDots.size() - DisplayWidth(rest);
    return std::string(text.substr(0, Fitting(text, left))) +
           std::string(kDots) + std::string(rest);
  }
  return std::string(text.substr(0, head)) + std::string(kDots) +
         std::string(rest.substr(0, Fitting(rest, room - room / 3))) +
         std::string(kDots);
}

// Where the first two of some texts differ that begin alike; a UTF-8 sequence
// is not split.
size_t FirstDifference(const std::set<std::string>& texts) {
  const std::string& first = *texts.begin();  // sorted: the ends differ first
  const std::string& last = *texts.rbegin();
  const auto [at, other] =
      std::mismatch(first.begin(), first.end(), last.begin(), last.end());
  auto start = static_cast<size_t>(at - first.begin());
  while (start > 0 && (static_cast<unsigned char>(last[start]) & 0xC0) == 0x80)
    --start;
  return start;
}

// torch names the same thing twice: the engine's call, and the function.
constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";

}  // namespace

std::string ShortName(std::string_view name) {
  if (name.starts_with(kEngine))
    return "evaluate: " + std::string(name.substr(kEngine.size()));
  if (name.find_first_of("<(") == name.npos && !name.starts_with("_Z"))
    return std::string(name);
  const std::string demangled = Demangle(name);
  const std::string clear = WithoutNamespaces(demangled);
  const std::string_view whole = WithoutReturned(clear);
  const std::string_view text = WhatItRuns(whole);
  const std::string_view borders = text.size() < whole.size() ? "<(>," : "<(";
  const size_t end = static_cast<size_t>(
      std::find_if_not(text.begin(), text.end(), IsIdentifier) - text.begin());
  const std::string_view function = text.substr(0, end);
  if (end == 0 || end == text.size() || borders.find(text[end]) == borders.npos)
    return std::string(name);
  for (const std::string_view kind :
       {"reduce", "elementwise", "foreach", "multi_tensor_apply"}) {
    const size_t found = function.find(kind);
    if (found == function.npos || !Ends(function, kind) ||
        (found > 0 && function[found - 1] != '_'))
      continue;
    const std::string functor = FunctorOf(text.substr(end));
    if (!functor.empty()) return std::string(kind) + " \u00b7 " + functor;
  }
  // Says nothing without what it is a kernel of.
  if (function == "kernel") {
    const size_t at = demangled.find("::kernel<");
    size_t begin = at == demangled.npos ? 0 : at;
    while (begin > 0 && IsIdentifier(demangled[begin - 1])) --begin;
    if (at != demangled.npos && begin < at)
      return demangled.substr(begin, at - begin) + "::kernel";
  }
  return std::string(function);
}

std::string ShortenMiddle(std::string_view visible, size_t width) {
  if (DisplayWidth(visible) <= width) return std::string(visible);
  if (width <= 2 * kDots.size())
    return std::string(visible.substr(0, Fitting(visible, width)));
  const size_t room = width - kDots.size();
  const FunctionName name = FindFunction(visible);
  // Nothing but an identifier: both ends tell as much.
  if (name.end == visible.size() && name.begin == 0)
    return Cut(visible, room / 2, room);
  const size_t tail = room / 3;
  // With a bracket behind it, to see that there is more.
  const size_t wanted = DisplayWidth(visible.substr(0, name.end)) + 1;
  if (wanted + tail <= room) return Cut(visible, tail, room);
  if (wanted + kShortestTail <= room) return Cut(visible, room - wanted, room);
  if (name.begin > 0) return ShortenMiddle(visible.substr(name.begin), width);
  return Cut(visible, tail, room);
}

std::string ClearName(std::string_view name) {
  const std::string text = Demangle(name);
  std::string_view shown = WithoutArguments(text);
  if (shown.starts_with("void ") && shown.find('<') != shown.npos)
    shown.remove_prefix(5);
  return std::string(shown);
}

std::string ShortenName(std::string_view visible, size_t width) {
  const bool has_arguments = FindFunction(visible).end < visible.size();
  if (DisplayWidth(visible) <= width || !has_arguments)
    return ShortenMiddle(visible, width);
  return ShortenMiddle(WithoutNamespaces(visible), width);
}

std::vector<std::string> ShortenNames(
    const std::vector<std::string_view>& visible, size_t width) {
  std::vector<std::string> shown;
  std::vector<std::string> whole;
  for (const std::string_view name : visible) {
    shown.push_back(ShortenName(name, width));
    const std::string clear = WithoutNamespaces(name);
    whole.push_back(DisplayWidth(clear) > width ? clear : std::string(name));
  }
  if (width < 8 * kDots.size()) return shown;
  // What still looks alike differs further behind, which comes next.
  for (int round = 0; round < 3; ++round) {
    std::map<std::string, std::set<std::string>> alike;
    for (size_t i = 0; i < shown.size(); ++i) alike[shown[i]].insert(whole[i]);
    for (size_t i = 0; i < shown.size(); ++i) {
      const std::set<std::string>& texts = alike[shown[i]];
      if (texts.size() > 1)
        shown[i] = CutAround(whole[i], FirstDifference(texts), width);
    }
  }
  return shown;
}

}  // namespace stepscope
