// SPDX-License-Identifier: Apache-2.0
//
// The clocks of a job's sources, laid beside each other by what the dataset
// itself holds (ranks, collectives): whichever call wrote a part, the answer
// is the same.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/database.h"
#include "query/rank_facts.h"

namespace stepscope {

// Sets the clock_ members of the processes of one job. Each list is of one
// source; `collectives` is SQL of the table `collectives` of these.
Status PlaceJobClocks(Database& db, const std::string& collectives,
                      std::vector<RankFactsList>& sources);

}  // namespace stepscope
