// SPDX-License-Identifier: Apache-2.0
#include "analysis/int_tree.h"

#include <charconv>

namespace stepscope {
namespace {

constexpr int kDeepest = 16;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool Parse(IntTree& out) {
    return Value(out, 0) && (Skip(), at_ == text_.size());
  }

 private:
  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                  text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool Take(char c) {
    Skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool Value(IntTree& out, int depth) {
    if (depth > kDeepest) return false;
    if (Take('[')) return Items(out, depth, ']');
    if (Take('{')) return Items(out, depth, '}');
    if (Take('"')) return String(out.text);
    return Scalar(out);
  }

  bool Items(IntTree& out, int depth, char close) {
    out.is_list = true;
    if (Take(close)) return true;
    do {
      IntTree& item = out.items.emplace_back();
      std::string key;
      if (close == '}' && (!Take('"') || !String(key) || !Take(':'))) {
        return false;
      }
      if (!Value(item, depth + 1)) return false;
      if (close == '}') item.text = std::move(key);
    } while (Take(','));
    return Take(close);
  }

  // What an escape stands for does not matter to a shape.
  bool String(std::string& out) {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
      if (text_[at_] == '\\' && ++at_ == text_.size()) return false;
      out += text_[at_];
    }
    return false;
  }

  // A number; true, false, null and fractions are read over.
  bool Scalar(IntTree& out) {
    Skip();
    const size_t first = at_;
    while (at_ < text_.size() &&
           std::string_view(",]} \n\t\r").find(text_[at_]) ==
               std::string_view::npos) {
      ++at_;
    }
    const std::string_view word = text_.substr(first, at_ - first);
    if (word.empty()) return false;
    out.text = word;
    std::from_chars(word.data(), word.data() + word.size(), out.value);
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const IntTree* IntTree::Find(std::string_view key) const {
  for (const IntTree& item : items) {
    if (item.text == key) return &item;
  }
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
