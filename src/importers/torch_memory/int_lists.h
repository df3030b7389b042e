// SPDX-License-Identifier: Apache-2.0
//
// IntLists: the brackets and whole numbers of JSON that consists of lists of
// numbers alone, as they pass.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "importers/input/input_source.h"

namespace stepscope::torch_memory {

class IntLists {
 public:
  enum class Token : uint8_t { kOpen, kClose, kNumber, kEnd };

  explicit IntLists(InputSource& input) : input_(input), buffer_(1 << 18) {}

  // Numbers with a fraction lose it; those that do not fit are the largest that
  // do.
  Result<Token> Next();
  int64_t number() const { return number_; }
  // The numbers of a list whose kOpen was read, up to its kClose.
  Status ReadList(std::vector<int64_t>& numbers);
  Error Bad(std::string_view what) const;

 private:
  // The next byte, or -1.
  Result<int> Peek();
  Result<Token> ReadNumber();

  InputSource& input_;
  std::vector<uint8_t> buffer_;
  size_t at_ = 0;
  size_t end_ = 0;
  uint64_t begin_ = 0;
  int64_t number_ = 0;
};

}  // namespace stepscope::torch_memory
