// SPDX-License-Identifier: Apache-2.0
#include "trace/build/arg_order.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace stepscope {

bool PlaceArgs(Column<Arg>& args, Row rows, std::span<const Row> new_row) {
  constexpr size_t kFew = 16;  // times fewer than rows
  const auto row_of = [&](const Arg& arg) {
    return new_row.empty() ? arg.row : new_row[arg.row];
  };
  // By row: how many arguments, then where the next of them goes.
  Column<uint32_t> place;
  Column<Arg> ordered;
  if (args.size() < rows / kFew || args.size() > UINT32_MAX ||
      !place.Resize(size_t{rows} + 1) || !ordered.Resize(args.size()))
    return false;
  for (const Arg& arg : args.view()) {
    if (arg.row >= rows) return false;
    ++place[size_t{row_of(arg)} + 1];
  }
  for (size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
  for (const Arg& arg : args.view()) {
    Arg& to = ordered[place[row_of(arg)]++];
    to = arg;
    to.row = row_of(arg);
  }
  args.swap(ordered);
  return true;
}

void SortArgs(Column<Arg>& args, Row rows, size_t known) {
  const auto is_before = [](const Arg& a, const Arg& b) {
    return a.row < b.row;
  };
  const std::span<Arg> all = args.span();
  // The last of those that are known comes before the others.
  const auto first = all.subspan(known > 0 ? known - 1 : 0);
  if (!std::is_sorted(first.begin(), first.end(), is_before) &&
      !PlaceArgs(args, rows, {}))
    std::stable_sort(all.begin(), all.end(), is_before);
}

}  // namespace stepscope
