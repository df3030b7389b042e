// SPDX-License-Identifier: Apache-2.0
//
// What torch packs into the text of an NVTX range under emit_nvtx: the name of
// an operator and which call of it this is, as in
//
//   aten::add, seq = 12, op_id = 34, sizes = [[2, 3], []],
//   input_op_ids = [(3,0)]
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope::nsys {

struct NvtxText {
  std::string_view name;
  bool of_operator = false;
  std::optional<int64_t> sequence;
  std::optional<int64_t> op_id;
  std::string_view sizes;         // a JSON array of arrays, or empty
  std::string_view input_op_ids;  // as it stands
};

// A text that is not of this form is a name as a whole.
NvtxText ParseNvtxText(std::string_view text);

}  // namespace stepscope::nsys
