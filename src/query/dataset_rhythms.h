// SPDX-License-Identifier: Apache-2.0
//
// The rhythm of each rank's collectives (trace/job/collective_rhythm.h), from
// the table `collectives`: so it is known of sources that were written long
// ago, too.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/database.h"
#include "query/rank_facts.h"

namespace stepscope {

// Sets the rhythm of each process that states its rank. `files` are those of
// the table that belong to the sources.
Status ReadRhythms(Database& db, const std::vector<std::string>& files,
                   const std::vector<RankFactsList*>& sources);

}  // namespace stepscope
