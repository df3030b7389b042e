// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/rank_test.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace stepscope {
namespace {

constexpr uint64_t kMostExactPairs = 400;
constexpr uint64_t kMostExactWithTies = 16;

// Values that are alike.
struct TiedRun {
  uint64_t in_a = 0;
  uint64_t in_b = 0;
};

// Calls `visit(run)` in ascending order.
template <typename Visit>
void ForEachRun(const StepSample& a, const StepSample& b, Visit visit) {
  size_t i = 0;
  size_t j = 0;
  bool zeros_left = a.zeros() + b.zeros() > 0;
  while (zeros_left || i < a.values.size() || j < b.values.size()) {
    int64_t value = zeros_left ? 0 : INT64_MAX;
    if (i < a.values.size()) value = std::min(value, a.values[i]);
    if (j < b.values.size()) value = std::min(value, b.values[j]);
    TiedRun run;
    for (; i < a.values.size() && a.values[i] == value; ++i) ++run.in_a;
    for (; j < b.values.size() && b.values[j] == value; ++j) ++run.in_b;
    if (value == 0 && zeros_left) {
      run.in_a += a.zeros();
      run.in_b += b.zeros();
      zeros_left = false;
    }
    visit(run);
  }
}

void SetTails(std::span<const double> ways, uint64_t at, RankResult& result) {
  double all = 0;
  double above = 0;
  double below = 0;
  for (uint64_t u = 0; u < ways.size(); ++u) {
    all += ways[u];
    if (u >= at) above += ways[u];
    if (u <= at) below += ways[u];
  }
  result.exact = true;
  result.p_above = above / all;
  result.p_below = below / all;
  result.p = std::min(1.0, 2 * std::min(result.p_above, result.p_below));
}

double Choose(uint64_t n, uint64_t k) {
  double ways = 1;
  for (uint64_t i = 1; i <= k; ++i) {
    ways = ways * static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return std::round(ways);
}

// Deals the places of all values, run by run, to a and b in every way that
// there is, and counts these by twice their u, which is whole.
std::vector<double> CountWithTies(std::span<const TiedRun> runs, uint64_t n,
                                  uint64_t m) {
  const uint64_t width = 2 * n * m + 1;
  std::vector<double> ways((m + 1) * width);  // by places of b so far, and 2u
  ways[0] = 1;
  uint64_t dealt = 0;
  for (const TiedRun& run : runs) {
    const uint64_t size = run.in_a + run.in_b;
    std::vector<double> next(ways.size());
    for (uint64_t j = 0; j <= std::min(m, dealt); ++j) {
      const uint64_t a_below = dealt - j;
      if (a_below > n) continue;
      for (uint64_t to_b = 0; to_b <= std::min(size, m - j); ++to_b) {
        const uint64_t to_a = size - to_b;
        if (a_below + to_a > n) continue;
        const double choices = Choose(size, to_b);
        const uint64_t added = to_b * (2 * a_below + to_a);
        for (uint64_t u = 0; u + added < width; ++u) {
          next[(j + to_b) * width + u + added] += ways[j * width + u] * choices;
        }
      }
    }
    ways.swap(next);
    dealt += size;
  }
  return {ways.end() - static_cast<ptrdiff_t>(width), ways.end()};
}

double UpperTail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

void SetNormal(double mean, double deviation, RankResult& result) {
  constexpr double kContinuity = 0.5;
  const double off = result.u - mean;
  result.p_above = UpperTail((off - kContinuity) / deviation);
  result.p_below = UpperTail((-off - kContinuity) / deviation);
  result.p =
      std::min(1.0, 2 * UpperTail((std::abs(off) - kContinuity) / deviation));
}

}  // namespace

// By Gauss: the arrangements with u are the coefficients of the product of
// (1 - q^(n + i)) / (1 - q^i) for i = 1..m. All are whole and below 2^53.
void RankTest::MakeDistribution(uint64_t n, uint64_t m) {
  if (n == n_ && m == m_) return;
  n_ = n;
  m_ = m;
  ways_.assign(n * m + 1, 0);
  ways_[0] = 1;
  for (uint64_t i = 1; i <= m; ++i) {
    for (uint64_t u = ways_.size(); u-- > n + i;) ways_[u] -= ways_[u - n - i];
    for (uint64_t u = i; u < ways_.size(); ++u) ways_[u] += ways_[u - i];
  }
}

RankResult RankTest::Compare(const StepSample& a, const StepSample& b,
                             double inflation) {
  RankResult result;
  const uint64_t n = a.count;
  const uint64_t m = b.count;
  if (n == 0 || m == 0) return result;
  const auto total = static_cast<double>(n + m);
  uint64_t a_below = 0;
  double ties = 0;  // the sum of t^3 - t
  bool has_ties = false;
  ForEachRun(a, b, [&](const TiedRun& run) {
    result.u +=
        static_cast<double>(run.in_b) *
        (static_cast<double>(a_below) + static_cast<double>(run.in_a) / 2);
    a_below += run.in_a;
    const auto size = static_cast<double>(run.in_a + run.in_b);
    ties += size * (size * size - 1);
    has_ties |= size > 1;
  });
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  const double variance =
      pairs / 12 * (total + 1 - ties / (total * std::max(total - 1, 1.0)));
  if (variance <= 1e-9) return result;  // all are alike
  if (inflation <= 1 && !has_ties && pairs <= kMostExactPairs) {
    MakeDistribution(n, m);
    SetTails(ways_, static_cast<uint64_t>(result.u), result);
  } else if (inflation <= 1 && n + m <= kMostExactWithTies) {
    std::vector<TiedRun> runs;
    ForEachRun(a, b, [&](const TiedRun& run) { runs.push_back(run); });
    SetTails(CountWithTies(runs, n, m),
             static_cast<uint64_t>(std::llround(2 * result.u)), result);
  } else {
    SetNormal(pairs / 2, std::sqrt(variance * std::max(inflation, 1.0)),
              result);
  }
  return result;
}

}  // namespace stepscope
