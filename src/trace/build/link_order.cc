// SPDX-License-Identifier: Apache-2.0
#include "trace/build/link_order.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace stepscope {
namespace {

constexpr size_t kSpaces = 4;
static_assert(static_cast<size_t>(LinkSpace::kSequence) + 1 == kSpaces);

bool IsBefore(const Link& a, const Link& b) {
  return std::tie(a.process, a.space, a.id, a.row) <
         std::tie(b.process, b.space, b.id, b.row);
}

// Ids count up in a program, if not in its file, and some of them in six or so
// are here: then links are placed by them, those of one id in the order they
// have. False where they do not.
bool PlaceById(std::span<Link> links) {
  const auto by_id = [](const Link& a, const Link& b) { return a.id < b.id; };
  const auto [lowest, highest] =
      std::minmax_element(links.begin(), links.end(), by_id);
  const uint64_t first = lowest->id;
  const uint64_t range = highest->id - first;
  constexpr size_t kSparse = 8;  // ids for a link
  Column<Link> ordered;
  Column<uint32_t> next;
  if (links.size() > UINT32_MAX || range / kSparse > links.size() ||
      !ordered.Resize(links.size()) ||
      !next.Resize(static_cast<size_t>(range) + 2))
    return false;
  for (const Link& link : links) ++next[link.id - first + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  for (const Link& link : links) ordered[next[link.id - first]++] = link;
  std::copy_n(ordered.data(), links.size(), links.begin());
  return true;
}

// Links of one process and space. Where the ids are in order, only the few
// links of one id may be in disorder.
void SortGroup(std::span<Link> links) {
  const auto by_id = [](const Link& a, const Link& b) { return a.id < b.id; };
  if (!std::is_sorted(links.begin(), links.end(), by_id) && !PlaceById(links)) {
    std::sort(links.begin(), links.end(), IsBefore);
    return;
  }
  for (size_t first = 0; first < links.size();) {
    size_t last = first + 1;
    bool ordered = true;
    for (; last < links.size() && links[last].id == links[first].id; ++last)
      ordered &= links[last - 1].row <= links[last].row;
    const auto same = links.subspan(first, last - first);
    if (!ordered) std::sort(same.begin(), same.end(), IsBefore);
    first = last;
  }
}

}  // namespace

void SortLinks(Column<Link>& links) {
  const std::span<Link> all = links.span();
  if (std::is_sorted(all.begin(), all.end(), IsBefore)) return;
  uint32_t last_process = 0;
  for (const Link& link : all)
    last_process = std::max(last_process, link.process);
  const auto group = [](const Link& link) {
    return link.process * kSpaces + static_cast<size_t>(link.space);
  };
  Column<Link> apart;
  // A process may be any number until the trace is checked.
  if (last_process >= all.size() || !apart.Resize(all.size())) {
    std::sort(all.begin(), all.end(), IsBefore);
    return;
  }
  std::vector<size_t> next((size_t{last_process} + 1) * kSpaces + 1, 0);
  for (const Link& link : all) ++next[group(link) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  const std::vector<size_t> first = next;
  for (const Link& link : all) apart[next[group(link)]++] = link;
  links.swap(apart);
  for (size_t i = 0; i + 1 < first.size(); ++i)
    SortGroup(links.span().subspan(first[i], first[i + 1] - first[i]));
}

}  // namespace stepscope
