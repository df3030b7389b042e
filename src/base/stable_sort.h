// SPDX-License-Identifier: Apache-2.0
//
// StableSort: what std::stable_sort does, for rows of tables and lists of some
// hundred thousand. Their order is found by one function that is compiled once;
// of std::stable_sort each element type and each comparison is 7 KiB of code
// anew, which was a sixth of `analysis` and of the time to compile it. Sorted
// rows cost one pass. What sorts events by the million uses the library's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

namespace stepscope {

// The numbers 0 to count - 1 in the order of what they stand for.
// less(context, a, b): whether a comes before b.
std::vector<size_t> StableOrder(size_t count,
                                bool (*less)(const void* context, size_t a,
                                             size_t b),
                                const void* context);

template <typename Iterator, typename Less = std::less<>>
void StableSort(Iterator begin, Iterator end, Less less = {}) {
  if (std::is_sorted(begin, end, less)) {
    return;
  }
  struct Context {
    Iterator begin;
    Less& less;
  } const context{begin, less};
  const std::vector<size_t> order = StableOrder(
      static_cast<size_t>(end - begin),
      [](const void* given, size_t a, size_t b) {
        const Context& sorted = *static_cast<const Context*>(given);
        return static_cast<bool>(std::invoke(
            sorted.less, *(sorted.begin + static_cast<ptrdiff_t>(a)),
            *(sorted.begin + static_cast<ptrdiff_t>(b))));
      },
      &context);
  std::vector<typename std::iterator_traits<Iterator>::value_type> sorted;
  sorted.reserve(order.size());
  for (const size_t row : order) {
    sorted.push_back(std::move(*(begin + static_cast<ptrdiff_t>(row))));
  }
  std::move(sorted.begin(), sorted.end(), begin);
}

template <std::ranges::random_access_range Range,
          typename Less = std::ranges::less, typename Key = std::identity>
void StableSort(Range& range, Less less = {}, Key key = {}) {
  StableSort(range.begin(), range.end(), [&](const auto& a, const auto& b) {
    return static_cast<bool>(
        std::invoke(less, std::invoke(key, a), std::invoke(key, b)));
  });
}

}  // namespace stepscope
