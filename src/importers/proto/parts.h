// SPDX-License-Identifier: Apache-2.0
//
// Parts of one file that several threads read at once. Who reads them puts the
// results together in the order of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/executor.h"
#include "importers/proto/wire.h"

namespace stepscope::proto {

// A part: the records that begin in it. Its ends need not be where a record
// begins. Each reader hops over what comes before its part, so that nobody
// waits for one who cuts.
struct Range {
  const uint8_t* from = nullptr;
  const uint8_t* to = nullptr;

  bool Touches(Bytes bytes) const {
    return bytes.data() < to && bytes.data() + bytes.size() > from;
  }
  bool Holds(const uint8_t* record) const {
    return record >= from && record < to;
  }
};

// How many readers are worth it for so many bytes. `wanted`: if somebody says
// so; else at most one per thread of `executor`.
size_t ReadersFor(uint64_t bytes, unsigned wanted, const Executor& executor);

// About equal shares of `pieces`, which lie in the order of the file: as many
// as there are readers, one behind the other.
std::vector<Range> ShareBytes(std::span<const Bytes> pieces, size_t readers);

}  // namespace stepscope::proto
