// SPDX-License-Identifier: Apache-2.0
#include "importers/json/tokens.h"

#include <simdjson.h>

#include <algorithm>

namespace stepscope::json {
namespace {

// simdjson::internal is nobody's promise: docs/decisions/0013. The order of
// the structural indexes is checked by TokensTest, on every processor.
static_assert(simdjson::SIMDJSON_VERSION_MAJOR == 3,
              "tokens.cc uses the first stage of simdjson 3 by its internal "
              "interface: check TokenIndex against the new version, run "
              "importers_json_test, then widen this range");

// Behind the last end of a line; 0 where the last line is a long one.
size_t EndOfLastLine(std::string_view text) {
  constexpr size_t kLongLine = size_t{64} << 10;
  const size_t first = text.size() - std::min(text.size(), kLongLine);
  for (size_t at = text.size(); at > first; --at)
    if (text[at - 1] == '\n') return at;
  return 0;
}

}  // namespace

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
  const simdjson::error_code code =
      parser_->stage->stage1(reinterpret_cast<const uint8_t*>(text.data()),
                             text.size(), simdjson::stage1_mode::regular);
  if (code == simdjson::EMPTY) {
    size_ = 0;
    return true;
  }
  return code == simdjson::SUCCESS;
}

bool TokenIndex::Reserve(size_t size) {
  if (size <= parser_->capacity) return true;
  parser_->stage.reset();
  parser_->capacity = 0;
  const size_t capacity = size + size / 4;
  const auto* const active = static_cast<const simdjson::implementation*>(
      simdjson::get_active_implementation());
  if (active->create_dom_parser_implementation(capacity, 1, parser_->stage) !=
      simdjson::SUCCESS)
    return false;
  parser_->capacity = capacity;
  return true;
}

bool TokenIndex::Find(std::string_view text, bool more) {
  text_ = text.data();
  wrong_bytes_ = false;
  size_ = more ? EndOfLastLine(text) : 0;
  if (size_ > 0) {
    // No string of JSON goes on in the next line: strings need not be told
    // from the rest beforehand. If that is not so, simdjson says it.
    if (!Reserve(size_)) return false;
    if (FindIn(text.substr(0, size_))) return true;
  }
  size_ = OutsideOfStrings(text);
  if (size_ == 0) return true;
  if (!Reserve(size_)) return false;
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
