// SPDX-License-Identifier: Apache-2.0
//
// How many bytes an operator with a FlopRule moves at least: each operand is
// read once and each result written once. An estimate, for nobody records what
// the caches held. An operator whose operands' types are not known has none.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/flop_rules.h"
#include "analysis/op_shapes.h"

namespace stepscope {

// REQUIRES: `flops` is CountFlops(rule, shapes).
std::optional<int64_t> EstimateBytes(FlopRule rule, const OpShapes& shapes,
                                     int64_t flops);

}  // namespace stepscope
