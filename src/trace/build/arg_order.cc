// SPDX-License-Identifier: Apache-2.0
#include "trace/build/arg_order.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace stepscope {
namespace {

bool IsRowBefore(const Arg& a, const Arg& b) { return a.row < b.row; }

// False if it cannot be done, with nothing changed.
bool CountAndPlace(Column<Arg>& args, Row rows) {
  // By row: how many arguments, then where the next of them goes.
  Column<uint32_t> place;
  Column<Arg> ordered;
  if (args.size() > UINT32_MAX || !place.Resize(size_t{rows} + 1) ||
      !ordered.Resize(args.size()))
    return false;
  for (const Arg& arg : args.view()) {
    if (arg.row >= rows) return false;
    ++place[size_t{arg.row} + 1];
  }
  for (size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
  for (const Arg& arg : args.view()) ordered[place[arg.row]++] = arg;
  args.swap(ordered);
  return true;
}

}  // namespace

bool AreByRow(std::span<const Arg> args, size_t known) {
  // The last of those that are known comes before the others.
  const auto first =
      args.begin() + static_cast<ptrdiff_t>(known > 0 ? known - 1 : 0);
  return std::is_sorted(first, args.end(), IsRowBefore);
}

void SortArgs(Column<Arg>& args, Row rows, size_t known) {
  const std::span<Arg> all = args.span();
  if (AreByRow(all, known)) return;
  constexpr size_t kFew = 16;  // times fewer than rows
  if (all.size() < rows / kFew || !CountAndPlace(args, rows))
    std::stable_sort(all.begin(), all.end(), IsRowBefore);
}

}  // namespace stepscope
