// SPDX-License-Identifier: Apache-2.0
//
// ColumnSet: an Arrow struct array put together from columns that somebody
// owns.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/arrow_table.h"

namespace stepscope {

// Distinct texts, and the number of each. Bytes that are no UTF-8 become
// U+FFFD before they are compared.
class TextDictionary {
 public:
  int32_t Add(std::string_view text);
  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  bool too_large() const { return too_large_; }
  const int32_t* offsets() const { return offsets_.data(); }
  const char* text() const { return text_.data(); }

 private:
  std::string text_;
  std::vector<int32_t> offsets_ = {0};
  std::unordered_map<std::string, int32_t> numbers_;
  bool too_large_ = false;
};

// Which values of a column there are.
class Validity {
 public:
  void Append(bool valid);
  int64_t nulls() const { return nulls_; }
  const uint8_t* bits() const { return bits_.data(); }

 private:
  std::vector<uint8_t> bits_;
  int64_t count_ = 0;
  int64_t nulls_ = 0;
};

// Text of every row, one after the other. Offsets have 32 bits, as most readers
// like them, until there is too much text for that.
class TextColumn {
 public:
  // `narrow`: how many bytes offsets of 32 bits are used for.
  explicit TextColumn(size_t narrow = std::numeric_limits<int32_t>::max())
      : narrow_(narrow) {}

  // REQUIRES: `text` is UTF-8.
  void Append(std::string_view text);
  // Of Arrow: "u", or "U" where offsets have 64 bits.
  const char* format() const { return wide_.empty() ? "u" : "U"; }
  const void* offsets() const;
  const char* text() const { return text_.data(); }

 private:
  size_t narrow_;
  std::string text_;
  std::vector<int32_t> offsets_ = {0};
  std::vector<int64_t> wide_;  // all of them, once they are needed
};

struct ColumnData {
  std::string name;
  // Of Arrow; of the indices where `texts` is set. A literal.
  const char* format = "l";
  std::string unit;
  std::string meaning;
  const void* values = nullptr;
  const Validity* validity = nullptr;     // null: all are there
  const TextDictionary* texts = nullptr;  // what the indices stand for
  const TextColumn* text = nullptr;       // instead of `values`
};

// `owner` owns what the columns refer to.
std::shared_ptr<const ArrowTable> MakeArrowTable(
    int64_t rows, std::vector<ColumnData> columns,
    std::shared_ptr<const void> owner);

}  // namespace stepscope
