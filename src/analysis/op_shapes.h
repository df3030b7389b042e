// SPDX-License-Identifier: Apache-2.0
//
// The shapes of an operator's inputs, from its arguments: torch's "Input Dims"
// and "Concrete Inputs", Paddle's "input_shapes" by parameter, and our own
// lists "input_shape", "filter_shape", "output_shape".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

using Shape = std::vector<int64_t>;

struct OpShapes {
  // Inputs by position (torch) or in the order of kParameters (others); a
  // shape that is not known, and a scalar, is empty.
  std::vector<Shape> inputs;
  Shape output;                     // where stated
  std::vector<std::string> values;  // scalars by position, as text (torch)
  std::vector<std::string> types;   // by position; only where asked for
  // As the trace has it, to tell calls of different shapes apart.
  std::string text;

  bool known() const { return !inputs.empty(); }
  const Shape& input(size_t i) const;
  std::string_view value(size_t i) const {
    return i < values.size() ? std::string_view(values[i]) : "";
  }
};

// `raw`: the raw arguments of the same event.
OpShapes ShapesOf(const Trace& trace, Row row, std::string_view raw);
// torch's "Input type": "float", "c10::Half"; empty where there is none.
std::vector<std::string> InputTypesOf(const Trace& trace, Row row,
                                      std::string_view raw);

}  // namespace stepscope
