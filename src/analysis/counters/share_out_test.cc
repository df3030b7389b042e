// SPDX-License-Identifier: Apache-2.0
#include "analysis/counters/share_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace stepscope {
namespace {

constexpr double kNoSample = std::numeric_limits<double>::quiet_NaN();
constexpr auto kRead = static_cast<size_t>(CounterMeasure::kDramRead);
constexpr auto kTensor = static_cast<size_t>(CounterMeasure::kTensorCores);

CounterCell CellOf(int64_t begin, int64_t end, double bytes,
                   double tensor = 0) {
  CounterCell cell{{begin, end}, {}};
  cell.amounts.fill(kNoSample);
  cell.amounts[kRead] = bytes;
  cell.amounts[kTensor] = tensor;
  return cell;
}

struct SharedParts {
  std::vector<MeasuredParts> parts;
  std::array<double, kMeasures> nobodys;
};

// Each piece of work has the group of its place.
SharedParts ShareAmong(const std::vector<CounterCell>& cells,
                       std::vector<WorkSpan> spans) {
  WorkGroups groups;
  for (uint32_t i = 0; i < spans.size(); ++i) {
    spans[i].work = i;
    groups.AddWork(std::array{i});
  }
  SharedParts result{std::vector<MeasuredParts>(spans.size()), {}};
  result.nobodys = ShareOut(cells, spans, groups, result.parts);
  return result;
}

TEST(ShareOutTest, AKernelHasWholeCellsAndItsPartOfThoseAtItsEnds) {
  // 50..250 over cells of 100; the first is shared, the last is its own.
  const SharedParts result = ShareAmong(
      {CellOf(0, 100, 1000), CellOf(100, 200, 500), CellOf(200, 300, 80)},
      {{{0, 50}, 0, true}, {{50, 250}, 1, true}});
  EXPECT_DOUBLE_EQ(result.parts[0][kRead].amount, 500);
  EXPECT_DOUBLE_EQ(result.parts[1][kRead].amount, 500 + 500 + 80);
  // What nobody else can have done is exact; of the shared one nothing is.
  EXPECT_DOUBLE_EQ(result.parts[1][kRead].error, 500);
  EXPECT_EQ(result.parts[1][kRead].measured_ns, 200);
  EXPECT_DOUBLE_EQ(result.parts[1][kRead].busy_ns, 200);
}

TEST(ShareOutTest, AnUnequalShareMayBeOffByTheLargerPart) {
  const SharedParts result = ShareAmong(
      {CellOf(0, 100, 1000)}, {{{0, 20}, 0, true}, {{20, 100}, 1, true}});
  EXPECT_DOUBLE_EQ(result.parts[0][kRead].amount, 200);
  EXPECT_DOUBLE_EQ(result.parts[0][kRead].error, 800);
  EXPECT_DOUBLE_EQ(result.parts[1][kRead].error, 800);
}

TEST(ShareOutTest, ConcurrentWorkSharesByTimeAndKeepsTheRateOfTheDevice) {
  const SharedParts result = ShareAmong(
      {CellOf(0, 100, 900)}, {{{0, 100}, 0, true}, {{0, 50}, 1, true}});
  EXPECT_DOUBLE_EQ(result.parts[0][kRead].amount, 600);
  EXPECT_DOUBLE_EQ(result.parts[1][kRead].amount, 300);
  // 9 a nanosecond while either ran.
  for (const MeasuredParts& parts : result.parts)
    EXPECT_DOUBLE_EQ(parts[kRead].amount / parts[kRead].busy_ns, 9);
}

TEST(ShareOutTest, WhatNobodyDidIsNobodys) {
  const SharedParts result = ShareAmong(
      {CellOf(0, 100, 7, 5), CellOf(100, 200, 1, 40)}, {{{100, 130}, 0, true}});
  EXPECT_DOUBLE_EQ(result.nobodys[kRead], 7);
  EXPECT_DOUBLE_EQ(result.parts[0][kRead].amount, 1);
  // Tensor cores cannot have been busy for longer than the kernel ran.
  EXPECT_DOUBLE_EQ(result.parts[0][kTensor].amount, 30);
  EXPECT_DOUBLE_EQ(result.nobodys[kTensor], 5 + 10);
}

TEST(ShareOutTest, CopiesMoveBytesButHaveNoMultiprocessors) {
  const SharedParts result = ShareAmong(
      {CellOf(0, 100, 100, 50)}, {{{0, 100}, 0, false}, {{0, 100}, 1, true}});
  EXPECT_DOUBLE_EQ(result.parts[0][kRead].amount, 50);
  EXPECT_DOUBLE_EQ(result.parts[0][kTensor].amount, 0);
  EXPECT_EQ(result.parts[0][kTensor].measured_ns, 0);
  EXPECT_DOUBLE_EQ(result.parts[1][kTensor].amount, 50);
}

TEST(ShareOutTest, GapsAreNotMeasuredRatherThanNothing) {
  // Between the cells samples were lost, and the last has no bytes.
  const SharedParts result =
      ShareAmong({CellOf(0, 100, 100), CellOf(200, 300, kNoSample, 60)},
                 {{{0, 300}, 0, true}});
  EXPECT_EQ(result.parts[0][kRead].measured_ns, 100);
  EXPECT_DOUBLE_EQ(result.parts[0][kRead].amount, 100);
  EXPECT_EQ(result.parts[0][kTensor].measured_ns, 200);
}

TEST(ShareOutTest, MoreAtOnceThanADeviceRunsIsNotMeasured) {
  const std::vector<WorkSpan> many(1000, {{0, 150}, 0, true});
  const SharedParts result = ShareAmong(
      {CellOf(0, 100, 10), CellOf(100, 200, 20), CellOf(200, 300, 40)}, many);
  EXPECT_DOUBLE_EQ(result.nobodys[kRead], 70);
  for (const MeasuredParts& parts : result.parts)
    EXPECT_EQ(parts[kRead].measured_ns, 0);
}

// The same sums, nanosecond by nanosecond.
class SlowSum {
 public:
  SlowSum(const std::vector<CounterCell>& cells,
          const std::vector<WorkSpan>& spans)
      : cells_(cells), spans_(spans) {}

  // Of the spans that `is_in(work)` names.
  template <typename IsIn>
  MeasuredPart Of(size_t measure, IsIn is_in) const {
    MeasuredPart part;
    for (const CounterCell& cell : cells_) {
      const double amount = cell.amounts[measure];
      if (std::isnan(amount)) continue;
      int64_t own = 0;
      int64_t all = 0;
      int64_t busy = 0;
      for (int64_t t = cell.time.begin; t < cell.time.end; ++t) {
        int64_t running = 0;
        for (const WorkSpan& span : spans_) {
          if (t < span.time.begin || t >= span.time.end) continue;
          if (IsOfKernels(measure) && !span.kernel) continue;
          ++running;
          own += is_in(span.work) ? 1 : 0;
        }
        all += running;
        busy += running > 0 ? 1 : 0;
      }
      if (own == 0) continue;
      const double given = IsOfKernels(measure)
                               ? std::min(amount, static_cast<double>(busy))
                               : amount;
      const double share = static_cast<double>(own) / static_cast<double>(all);
      part.amount += given * share;
      part.busy_ns += static_cast<double>(busy) * share;
      part.measured_ns += own;
      if (own < all) part.error += given * std::max(share, 1 - share);
    }
    return part;
  }

 private:
  const std::vector<CounterCell>& cells_;
  const std::vector<WorkSpan>& spans_;
};

class RandomWork {
 public:
  explicit RandomWork(uint32_t seed) : random_(seed) {
    for (int64_t at = Draw(40); at < 300;) {
      const int64_t end = at + 1 + Draw(40);
      CounterCell cell{{at, end}, {}};
      for (double& amount : cell.amounts)
        amount = Draw(5) == 0 ? kNoSample : Draw(60);
      cells.push_back(cell);
      at = end + (Draw(3) == 0 ? Draw(30) : 0);
    }
    const int64_t longest = Draw(2) == 0 ? 10 : 120;
    const uint32_t count = 1 + Draw(30);
    for (uint32_t i = 0; i < count; ++i) {
      const int64_t begin = Draw(330);
      spans.push_back({{begin, begin + 1 + Draw(longest)}, 0, Draw(3) > 0});
    }
    std::ranges::sort(spans, {},
                      [](const WorkSpan& span) { return span.time.begin; });
    for (uint32_t i = 0; i < count; ++i) spans[i].work = i;
  }

  uint32_t Draw(int64_t below) {
    return static_cast<uint32_t>(random_() % static_cast<uint64_t>(below));
  }

  std::vector<CounterCell> cells;
  std::vector<WorkSpan> spans;

 private:
  std::mt19937 random_;
};

TEST(ShareOutPropertyTest, FastSumsAreSlowSums) {
  constexpr uint32_t kGroups = 6;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomWork random(seed);
    // Work is in one of three kernels and in any of three modules.
    WorkGroups groups;
    std::vector<std::vector<bool>> is_in(kGroups);
    for (std::vector<bool>& of : is_in) of.resize(random.spans.size());
    for (uint32_t i = 0; i < random.spans.size(); ++i) {
      const uint32_t kernel = random.Draw(3);
      std::vector<uint32_t> own = {kernel};
      for (uint32_t module = 3; module < kGroups; ++module)
        if (random.Draw(2) == 0) own.push_back(module);
      groups.AddWork(own);
      for (const uint32_t group : own) is_in[group][i] = true;
    }
    std::vector<MeasuredParts> sums(kGroups);
    const auto nobodys = ShareOut(random.cells, random.spans, groups, sums);
    const SlowSum slow(random.cells, random.spans);
    for (size_t measure = 0; measure < kMeasures; ++measure) {
      double left = nobodys[measure];
      for (uint32_t group = 0; group < kGroups; ++group) {
        const MeasuredPart want =
            slow.Of(measure, [&](uint32_t work) { return is_in[group][work]; });
        const MeasuredPart& have = sums[group][measure];
        ASSERT_NEAR(have.amount, want.amount, 1e-6) << seed;
        ASSERT_NEAR(have.error, want.error, 1e-6) << seed;
        ASSERT_NEAR(have.busy_ns, want.busy_ns, 1e-6) << seed;
        ASSERT_EQ(have.measured_ns, want.measured_ns) << seed;
        if (group < 3) left += have.amount;
      }
      // Kernels and nobody have all that was measured, once.
      for (const CounterCell& cell : random.cells)
        if (!std::isnan(cell.amounts[measure])) left -= cell.amounts[measure];
      ASSERT_NEAR(left, 0, 1e-6) << seed;
    }
  }
}

}  // namespace
}  // namespace stepscope
