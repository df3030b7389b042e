// SPDX-License-Identifier: Apache-2.0
//
// Splits a sum by weights, so that the parts add up to it exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

// Largest remainder: each part is its share rounded down, and what is left goes
// to the largest fractions, of equal ones to the first. Negative weights are 0;
// equal parts where all are 0. REQUIRES: total >= 0; parts are as many as
// weights, at least one.
void SplitByWeight(int64_t total, std::span<const int64_t> weights,
                   std::span<int64_t> parts);

}  // namespace stepscope
