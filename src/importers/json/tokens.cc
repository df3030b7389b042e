// SPDX-License-Identifier: Apache-2.0
#include "importers/json/tokens.h"

#include <simdjson.h>

#include <algorithm>

namespace stepscope::json {

struct TokenIndex::Parser {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage;
  size_t capacity = 0;
};

TokenIndex::TokenIndex() : parser_(new Parser) {}
TokenIndex::~TokenIndex() = default;

Tokens TokenIndex::tokens() const {
  if (size_ == 0) return {};
  const auto& stage = *parser_->stage;
  return {text_, stage.structural_indexes.get(), stage.n_structural_indexes};
}

bool TokenIndex::FindIn(std::string_view text) {
  const simdjson::error_code code = parser_->stage->stage1(
      reinterpret_cast<const uint8_t*>(text.data()), text.size(),
      simdjson::stage1_mode::regular);
  if (code == simdjson::EMPTY) {
    size_ = 0;
    return true;
  }
  return code == simdjson::SUCCESS;
}

bool TokenIndex::Find(std::string_view text) {
  text_ = text.data();
  size_ = OutsideOfStrings(text);
  wrong_bytes_ = false;
  if (size_ == 0) return true;
  if (size_ > parser_->capacity) {
    parser_->stage.reset();
    parser_->capacity = 0;
    const size_t capacity = size_ + size_ / 4;
    const auto* const active =
        static_cast<const simdjson::implementation*>(
            simdjson::get_active_implementation());
    if (active->create_dom_parser_implementation(capacity, 1,
                                                 parser_->stage) !=
        simdjson::SUCCESS)
      return false;
    parser_->capacity = capacity;
  }
  text = text.substr(0, size_);
  if (FindIn(text)) return true;
  // simdjson refuses bytes that are not UTF-8 and raw control characters in
  // strings. Neither is part of a token: looks at a copy without them, and
  // reads the strings from the text itself.
  wrong_bytes_ = true;
  masked_.assign(text);
  for (char& c : masked_) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) c = 'x';
    if (byte < 0x20) c = ' ';
  }
  return FindIn(masked_);
}

}  // namespace stepscope::json
