// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/short_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "analysis/module_names.h"
#include "analysis/tables/python.h"
#include "base/name_display.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;  // of names looked at
constexpr size_t kMostWords = 3;
constexpr size_t kMostAlike = 256;

bool IsWord(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '_';
}

std::vector<std::string> WordsOf(std::string_view name) {
  const std::string text = Demangle(name);
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && IsWord(text[end])) ++end;
    // Namespaces tell the least.
    const bool is_namespace =
        std::string_view(text).substr(end).starts_with("::");
    if (end > at && !is_namespace) words.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

using Named = std::pair<StringId, std::string>;

// Adds to each of some names that are alike what it has and another has not.
void TellApart(const Trace& trace, const std::vector<Named*>& alike) {
  std::vector<std::vector<std::string>> words;
  for (const Named* one : alike)
    words.push_back(WordsOf(trace.str(one->first)));
  std::set<size_t> differ;
  for (const auto& of_one : words)
    for (size_t i = 0; i < std::max(of_one.size(), words[0].size()); ++i)
      if (i >= of_one.size() || i >= words[0].size() ||
          of_one[i] != words[0][i])
        differ.insert(i);
  std::map<std::string, int> used;
  for (size_t n = 0; n < alike.size(); ++n) {
    std::string added;
    size_t count = 0;
    for (const size_t i : differ) {
      if (i >= words[n].size() || count++ == kMostWords) break;
      added += (added.empty() ? " <" : ", ") + words[n][i];
    }
    alike[n]->second += added.empty() ? "" : added + ">";
    const int copy = ++used[alike[n]->second];
    if (copy > 1) alike[n]->second += " (" + std::to_string(copy) + ")";
  }
}

// "linear.py(114): forward" and its like become "forward (linear.py:114)",
// without folders; "nn.Module: Linear_0" becomes "Linear_0". Others are empty.
std::string ShortOfPython(std::string_view name) {
  const std::string_view module = ModuleIn(name);
  if (!module.empty()) return std::string(module);
  const PythonName python = ParsePythonName(name);
  if (!python.line) return {};
  const std::string_view file = python.file.substr(python.file.rfind('/') + 1);
  return std::string(python.function) + " (" + std::string(file) + ":" +
         std::to_string(*python.line) + ")";
}

// Names of Python or all others. Of either there may be more than one would
// send, and none are to be left out because of the other.
void AddShortNames(const Trace& trace, bool of_python,
                   std::vector<Named>& names) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < trace.strings().size() && bytes < kMostBytes; ++i) {
    const std::string_view name = trace.str(StringId{i});
    std::string shown = ShortOfPython(name);
    if (shown.empty() == of_python) continue;
    if (!of_python) shown = ShortName(name);
    if (shown == name) continue;
    bytes += name.size();
    names.emplace_back(StringId{i}, std::move(shown));
  }
}

}  // namespace

std::vector<Named> ShortNames(const Trace& trace) {
  std::vector<Named> names;
  AddShortNames(trace, /*of_python=*/false, names);
  AddShortNames(trace, /*of_python=*/true, names);
  std::map<std::string, std::vector<Named*>> by_short;
  for (Named& one : names) by_short[one.second].push_back(&one);
  for (auto& [shown, alike] : by_short) {
    if (alike.size() > kMostAlike) alike.resize(kMostAlike);
    if (alike.size() > 1) TellApart(trace, alike);
  }
  return names;
}

}  // namespace stepscope::server
