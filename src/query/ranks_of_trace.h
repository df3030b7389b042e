// SPDX-License-Identifier: Apache-2.0
//
// The processes of one trace as rows of the table `ranks`.
#pragma once

#include <cstdint>
#include <vector>

#include "query/part_writer.h"
#include "query/rank_facts.h"
#include "trace/trace.h"

namespace stepscope {

// The rank of each process: what it states; where just one is stated in the
// file, that one, since the others (a GPU, a data loader) work for it.
std::vector<int64_t> RanksOf(const Trace& trace);
RankFactsList RankFactsOf(const Trace& trace, const SourceFile& source,
                          const std::vector<int64_t>& ranks);

}  // namespace stepscope
