// SPDX-License-Identifier: Apache-2.0
//
// Ns32: a delay in four bytes. Exact below a second; above that, in units of
// 1.024 us up to 18 minutes, where it stays. A replay has three for each of
// millions of nodes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stepscope {

// An edge with this lag holds nothing up.
inline constexpr int64_t kNever = INT64_MIN / 4;

class Ns32 {
 public:
  constexpr Ns32(int64_t ns = 0)  // NOLINT: converts like a number
      : raw_(Pack(ns)) {}
  constexpr operator int64_t() const {  // NOLINT
    if (raw_ > -kExact && raw_ < kExact) return raw_;
    if (raw_ == INT32_MIN) return kNever;
    return raw_ > 0 ? (int64_t{raw_} - kExact) * kUnit
                    : (int64_t{raw_} + kExact) * kUnit;
  }
  constexpr Ns32& operator+=(int64_t ns) { return *this = Ns32(*this + ns); }

 private:
  static constexpr int32_t kExact = 1 << 30;
  static constexpr int64_t kUnit = 1024;

  static constexpr int32_t Pack(int64_t ns) {
    if (ns > -kExact && ns < kExact) return static_cast<int32_t>(ns);
    if (ns <= kNever) return INT32_MIN;
    const int64_t units =
        std::clamp<int64_t>(ns / kUnit, 2 - int64_t{kExact}, kExact - 1);
    return static_cast<int32_t>(units > 0 ? units + kExact : units - kExact);
  }

  int32_t raw_;
};

}  // namespace stepscope
