// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/order_statistics.h"

namespace stepscope {
namespace {

constexpr size_t kSamples = 2000;
constexpr size_t kMostDrawn = 400;  // steps of a sample
constexpr size_t kFewestForCorrelation = 8;
constexpr double kMostCorrelation = 0.95;
constexpr uint64_t kSeedOfA = 0x5eed0000000000a1;
constexpr uint64_t kSeedOfB = 0x5eed0000000000b2;

// SplitMix64 (G. Steele, D. Lea, C. Flood, 2014): the same everywhere, unlike
// the distributions of the standard library.
class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed) {}

  // 0 up to `end`, which is below 2^32; the bias is below 2^-32.
  size_t Below(size_t end) {
    return static_cast<size_t>(((Next() >> 32) * end) >> 32);
  }

 private:
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

// Ties share the mean of their ranks.
std::vector<double> Ranks(std::span<const int64_t> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t x, size_t y) { return values[x] < values[y]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t k = i; k < end; ++k)
      ranks[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

}  // namespace

double NeighbourCorrelation(std::span<const int64_t> in_order) {
  if (in_order.size() < kFewestForCorrelation) return 0;
  const std::vector<double> ranks = Ranks(in_order);
  const auto n = static_cast<double>(ranks.size());
  const double mean = (n - 1) / 2;
  double together = 0;
  double alone = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    alone += (ranks[i] - mean) * (ranks[i] - mean);
    if (i > 0) together += (ranks[i - 1] - mean) * (ranks[i] - mean);
  }
  if (alone <= 0) return 0;
  const double correlation = together / alone;
  if (correlation <= 2 / std::sqrt(n)) return 0;
  // A short series shows too little of it (M. Kendall, 1954).
  return std::min(correlation + (1 + 3 * correlation) / n, kMostCorrelation);
}

size_t BlockLength(size_t steps, double correlation) {
  if (correlation <= 0) return 1;
  const double odds = 2 * correlation / (1 - correlation * correlation);
  const double length = std::cbrt(odds * odds * static_cast<double>(steps));
  const size_t longest = std::max<size_t>(1, steps / 3);
  return length >= static_cast<double>(longest)
             ? longest
             : static_cast<size_t>(std::ceil(length));
}

std::vector<double> ResampleMedians(std::span<const int64_t> in_order,
                                    size_t block, uint64_t seed,
                                    size_t samples) {
  const size_t count = in_order.size();
  const size_t drawn = std::min(count, kMostDrawn);
  // A part must still be of many blocks.
  if (drawn < count) block = std::min(block, kMostDrawn / 8);
  const auto median = static_cast<double>(Median(in_order));
  const double narrower =
      std::sqrt(static_cast<double>(drawn) / static_cast<double>(count));
  Generator generator(seed);
  std::vector<int64_t> sample(drawn);
  std::vector<double> medians;
  medians.reserve(samples);
  const auto middle = sample.begin() + static_cast<ptrdiff_t>((drawn - 1) / 2);
  const bool even = drawn % 2 == 0;
  for (size_t i = 0; i < samples; ++i) {
    for (size_t k = 0; k < drawn;) {
      size_t from = generator.Below(count);
      for (size_t j = 0; j < block && k < drawn; ++j) {
        sample[k++] = in_order[from];
        if (++from == count) from = 0;
      }
    }
    std::nth_element(sample.begin(), middle, sample.end());
    auto found = static_cast<double>(*middle);
    if (even) {
      const int64_t next = *std::min_element(middle + 1, sample.end());
      found = (found + static_cast<double>(next)) / 2;
    }
    medians.push_back(median + (found - median) * narrower);
  }
  return medians;
}

RatioInterval BootstrapRatio(std::span<const int64_t> a, size_t block_a,
                             std::span<const int64_t> b, size_t block_b) {
  const std::vector<double> of_a =
      ResampleMedians(a, block_a, kSeedOfA, kSamples);
  const std::vector<double> of_b =
      ResampleMedians(b, block_b, kSeedOfB, kSamples);
  std::vector<double> ratios(kSamples);
  for (size_t i = 0; i < kSamples; ++i) {
    // No step is shorter than what is measured in.
    ratios[i] = of_b[i] / std::max(of_a[i], 1.0) - 1;
  }
  std::sort(ratios.begin(), ratios.end());
  constexpr size_t kOutside = kSamples / 40;
  return {ratios[kOutside], ratios[kSamples - 1 - kOutside]};
}

}  // namespace stepscope
