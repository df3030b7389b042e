// SPDX-License-Identifier: Apache-2.0
#include "analysis/int_tree.h"

#include <charconv>
#include <utility>

#include "base/json_fragment.h"

namespace stepscope {
namespace {

constexpr int kDeepestList = 16;

class Parser {
 public:
  explicit Parser(std::string_view text) : cursor_(text) {}

  bool Parse(IntTree& out) { return Value(out, 0) && cursor_.at_end(); }

 private:
  bool Value(IntTree& out, int depth) {
    if (depth > kDeepestList) return false;
    if (cursor_.Take('[')) return Items(out, depth, ']');
    if (cursor_.Take('{')) return Items(out, depth, '}');
    return String(out.text) || Scalar(out);
  }

  bool Items(IntTree& out, int depth, char close) {
    out.is_list = true;
    if (cursor_.Take(close)) return true;
    do {
      IntTree& item = out.items.emplace_back();
      std::string key;
      if (close == '}' && (!String(key) || !cursor_.Take(':'))) return false;
      if (!Value(item, depth + 1)) return false;
      if (close == '}') item.text = std::move(key);
    } while (cursor_.Take(','));
    return cursor_.Take(close);
  }

  // What an escape stands for does not matter to a shape.
  bool String(std::string& out) {
    const std::optional<std::string_view> text = cursor_.TakeString();
    if (!text) return false;
    for (size_t i = 0; i < text->size(); ++i) {
      if ((*text)[i] == '\\') ++i;
      out += (*text)[i];
    }
    return true;
  }

  // A number; true, false, null and fractions are read over.
  bool Scalar(IntTree& out) {
    const std::string_view word = cursor_.TakeScalar();
    if (word.empty() || word.front() == '"') return false;
    out.text = word;
    std::from_chars(word.data(), word.data() + word.size(), out.value);
    return true;
  }

  JsonCursor cursor_;
};

}  // namespace

const IntTree* IntTree::Find(std::string_view key) const {
  for (const IntTree& item : items)
    if (item.text == key) return &item;
  return nullptr;
}

std::optional<std::vector<int64_t>> IntTree::Numbers() const {
  if (!is_list) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const IntTree& item : items) {
    if (item.is_list) return std::nullopt;
    numbers.push_back(item.value);
  }
  return numbers;
}

std::optional<IntTree> ParseIntTree(std::string_view json) {
  IntTree tree;
  if (!Parser(json).Parse(tree)) return std::nullopt;
  return tree;
}

}  // namespace stepscope
