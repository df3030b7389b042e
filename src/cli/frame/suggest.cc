// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/suggest.h"

#include <algorithm>
#include <cctype>

namespace stepscope {
namespace {

constexpr size_t kLongestWord = 64;  // nobody mistypes a longer one

bool Same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) ==
         std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: two back for swapped neighbours.
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = Same(a[i - 1], b[j - 1]);
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && Same(a[i - 1], b[j - 2]) &&
          Same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string NearestWord(std::string_view word,
                        const std::vector<std::string>& known) {
  if (word.size() > kLongestWord) return "";
  std::string best;
  size_t least = std::max<size_t>(1, word.size() / 3);  // more: another word
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(word, candidate);
    // "mem" for "memory": too far apart by letters, and clear all the same.
    const bool begins = word.size() >= 3 && candidate.starts_with(word);
    const size_t cost = begins ? std::min<size_t>(distance, 1) : distance;
    if (cost >= candidate.size() || cost > least) continue;
    if (cost == least && !best.empty()) continue;
    least = cost;
    best = candidate;
  }
  return best;
}

std::string UnknownWord(std::string_view what, std::string_view word,
                        const std::vector<std::string>& known) {
  std::string text =
      "unknown " + std::string(what) + " \"" + std::string(word) + "\"";
  const std::string nearest = NearestWord(word, known);
  if (!nearest.empty()) return text + "; did you mean \"" + nearest + "\"?";
  text += "; choose from ";
  for (size_t i = 0; i < known.size(); ++i)
    text += (i == 0 ? "" : ", ") + known[i];
  return text;
}

}  // namespace stepscope
