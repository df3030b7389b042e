// SPDX-License-Identifier: Apache-2.0
#include "base/stable_sort.h"

#include <numeric>

namespace stepscope {

std::vector<size_t> StableOrder(size_t count,
                                bool (*less)(const void* context, size_t a,
                                             size_t b),
                                const void* context) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(
      order.begin(), order.end(),
      [less, context](size_t a, size_t b) { return less(context, a, b); });
  return order;
}

}  // namespace stepscope
