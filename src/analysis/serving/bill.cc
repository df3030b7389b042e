// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/bill.h"

#include <algorithm>
#include <numeric>

namespace stepscope {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

void SplitByWeight(int64_t total, std::span<const int64_t> weights,
                   std::span<int64_t> parts) {
  if (weights.size() == 1) {
    parts[0] = total;
    return;
  }
  Wide sum = 0;
  for (const int64_t weight : weights)
    sum += static_cast<Wide>(std::max<int64_t>(weight, 0));
  const bool equal = sum == 0;
  if (equal) sum = weights.size();
  const auto weight_of = [&](size_t i) {
    return equal ? Wide{1}
                 : static_cast<Wide>(std::max<int64_t>(weights[i], 0));
  };
  std::vector<std::pair<Wide, size_t>> remainders(weights.size());
  int64_t left = total;
  for (size_t i = 0; i < weights.size(); ++i) {
    const Wide scaled = static_cast<Wide>(total) * weight_of(i);
    parts[i] = static_cast<int64_t>(scaled / sum);
    remainders[i] = {scaled % sum, i};
    left -= parts[i];
  }
  // Fewer than there are parts.
  const auto take = static_cast<ptrdiff_t>(left);
  std::nth_element(remainders.begin(), remainders.begin() + take,
                   remainders.end(), [](const auto& a, const auto& b) {
                     return a.first != b.first ? a.first > b.first
                                               : a.second < b.second;
                   });
  for (ptrdiff_t i = 0; i < take; ++i)
    ++parts[remainders[static_cast<size_t>(i)].second];
}

}  // namespace stepscope
