// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/batch_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/memory_accounts.h"
#include "analysis/memory_sums.h"

namespace stepscope {
namespace {

size_t SizesOf(const std::vector<BatchPoint>& points) {
  std::set<double> sizes;
  for (const BatchPoint& point : points) sizes.insert(point.batch);
  return sizes.size();
}

}  // namespace

std::optional<BatchPoint> PointOfBatch(const EventTree& tree,
                                       std::string_view place, double batch) {
  const Trace& trace = tree.trace();
  const std::vector<MemoryAccount> accounts = MakeMemoryAccounts(tree);
  const MemoryAccount* best = nullptr;
  MemorySums sums_of_best;
  const auto rank = [&](const MemoryAccount& account, const MemorySums& sums) {
    return std::pair(trace.str(account.place) == place, sums.peak_allocated());
  };
  const std::vector<MemorySums> sums = SumsOf(trace, accounts);
  for (size_t i = 0; i < accounts.size(); ++i) {
    if (!IsOfDevice(trace.str(accounts[i].place)) ||
        sums[i].peak_event() == SIZE_MAX)
      continue;
    if (best != nullptr &&
        rank(accounts[i], sums[i]) <= rank(*best, sums_of_best))
      continue;
    best = &accounts[i];
    sums_of_best = sums[i];
  }
  if (best == nullptr) return std::nullopt;
  BatchPoint point;
  point.batch = batch;
  for (const HeldByOwner& held :
       HeldAfter(trace, *best, sums_of_best.peak_event())) {
    const auto category =
        static_cast<size_t>(best->owners[held.owner].category);
    point.bytes[category] = SaturatingAdd(point.bytes[category], held.bytes);
    point.peak_bytes = SaturatingAdd(point.peak_bytes, held.bytes);
  }
  return point;
}

double BatchFit::Line::At(double batch) const {
  return std::max(0.0, fixed + slope * batch);
}

BatchFit::BatchFit(std::vector<BatchPoint> points)
    : points_(std::move(points)) {
  for (size_t i = 0; i < kMemoryCategories; ++i) lines_[i] = FitOf(points_, i);
  FindError();
}

BatchFit::Line BatchFit::FitOf(const std::vector<BatchPoint>& points,
                               size_t category) {
  const auto count = static_cast<double>(points.size());
  double batches = 0;
  double bytes = 0;
  for (const BatchPoint& point : points) {
    batches += point.batch / count;
    bytes += static_cast<double>(point.bytes[category]) / count;
  }
  double up = 0;
  double down = 0;
  for (const BatchPoint& point : points) {
    const double off = point.batch - batches;
    up += off * (static_cast<double>(point.bytes[category]) - bytes);
    down += off * off;
  }
  const bool grows = MayGrowWithBatch(static_cast<MemoryCategory>(category));
  const double slope = grows && down > 0 ? up / down : 0;
  return {bytes - slope * batches, slope};
}

void BatchFit::FindError() {
  for (size_t i = 0; i < points_.size(); ++i) {
    std::vector<BatchPoint> others = points_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (SizesOf(others) < 2) continue;
    double predicted = 0;
    for (size_t category = 0; category < kMemoryCategories; ++category)
      predicted += FitOf(others, category).At(points_[i].batch);
    const auto real = static_cast<double>(points_[i].peak_bytes);
    if (real > 0)
      error_ = std::max(error_.value_or(0), std::abs(predicted - real) / real);
  }
}

double BatchFit::fixed_bytes(MemoryCategory category) const {
  return lines_[static_cast<size_t>(category)].fixed;
}
double BatchFit::bytes_per_batch(MemoryCategory category) const {
  return lines_[static_cast<size_t>(category)].slope;
}

double BatchFit::FactorOf(MemoryCategory category, double batch) const {
  const auto i = static_cast<size_t>(category);
  const auto recorded = static_cast<double>(points_.front().bytes[i]);
  if (!MayGrowWithBatch(category) || recorded <= 0) return 1;
  return lines_[i].At(batch) / recorded;
}

}  // namespace stepscope
