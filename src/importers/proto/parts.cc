// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/parts.h"

#include <algorithm>

namespace stepscope::proto {
namespace {

// Less is read before a thread has woken up.
constexpr uint64_t kWorthAReader = uint64_t{2} << 20;
constexpr size_t kMostReaders = 16;

}  // namespace

size_t ReadersFor(uint64_t bytes, unsigned wanted, const Executor& executor) {
  if (wanted > 0) return wanted;
  const auto worth = static_cast<size_t>(
      std::min<uint64_t>(bytes / kWorthAReader, kMostReaders));
  return std::clamp<size_t>(executor.threads(), 1, std::max<size_t>(worth, 1));
}

std::vector<Range> ShareBytes(std::span<const Bytes> pieces, size_t readers) {
  if (pieces.empty()) return std::vector<Range>(readers);
  uint64_t total = 0;
  for (const Bytes piece : pieces) total += piece.size();
  std::vector<Range> shares;
  const uint8_t* from = pieces.front().data();
  size_t index = 0;
  uint64_t before = 0;  // bytes of the pieces before `index`
  for (size_t reader = 1; reader < readers; ++reader) {
    const uint64_t end = total / readers * reader;
    while (before + pieces[index].size() < end)
      before += pieces[index++].size();
    const uint8_t* const to = pieces[index].data() + (end - before);
    shares.push_back({from, to});
    from = to;
  }
  shares.push_back({from, pieces.back().data() + pieces.back().size()});
  return shares;
}

}  // namespace stepscope::proto
