// SPDX-License-Identifier: Apache-2.0
//
// For tests: steps with noise of a known size, the same on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope {

class PlantedNoise {
 public:
  explicit PlantedNoise(uint64_t seed) : state_(seed * 2 + 1) {}

  // 0..1, neither included.
  double Uniform() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    uint64_t mixed = state_ ^ (state_ >> 29);
    mixed *= 0xbf58476d1ce4e5b9U;
    mixed ^= mixed >> 32;
    return (static_cast<double>(mixed >> 11) + 0.5) * 0x1p-53;
  }
  // By Box and Muller.
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * Uniform());
  }
  // Steps of `length` with a relative deviation of `noise`; `like_last`: the
  // correlation with the step before.
  std::vector<int64_t> Steps(size_t count, double length, double noise,
                             double like_last = 0) {
    std::vector<int64_t> steps;
    double off = Normal();
    for (size_t i = 0; i < count; ++i) {
      off = like_last * off + std::sqrt(1 - like_last * like_last) * Normal();
      steps.push_back(std::llround(length * (1 + noise * off)));
    }
    return steps;
  }

 private:
  uint64_t state_;
};

}  // namespace stepscope
