// SPDX-License-Identifier: Apache-2.0
//
// How far the ratio of two medians may be off, by drawing the steps of either
// side again and again from themselves (B. Efron: Bootstrap methods, 1979).
// The generator has a fixed seed: the same traces give the same answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

// How like their neighbours steps are: the correlation of the ranks of each
// step and the next, -1..1. Positive only where chance alone is an unlikely
// cause, else 0.
double NeighbourCorrelation(std::span<const int64_t> in_order);

// How many steps that follow each other are drawn together, so that what makes
// neighbours alike is kept (E. Carlstein, 1986). 1 for a correlation of 0.
size_t BlockLength(size_t steps, double correlation);

// Medians of samples that are drawn from `in_order` with replacement, in
// blocks. Of very many steps a part is drawn, and the distance of the medians
// from the true one made as small as all steps would make it.
std::vector<double> ResampleMedians(std::span<const int64_t> in_order,
                                    size_t block, uint64_t seed,
                                    size_t samples);

// The 95 % interval of median(b) / median(a) - 1, by percentiles.
struct RatioInterval {
  double low = 0;
  double high = 0;
};
// REQUIRES: neither is empty, and the median of `a` is above 0.
RatioInterval BootstrapRatio(std::span<const int64_t> a, size_t block_a,
                             std::span<const int64_t> b, size_t block_b);

}  // namespace stepscope
