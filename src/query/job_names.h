// SPDX-License-Identifier: Apache-2.0
//
// Which job of a dataset a new source belongs to: found as trace/job/jobs.h
// finds the jobs of a folder, from what is in the dataset and what is new.
#pragma once

#include <string>
#include <vector>

#include "query/rank_facts.h"

namespace stepscope {

struct JobChoice {
  std::string job;             // folder; "": it does not count
  std::string same_window_as;  // then: the file that counts
};

struct JobChoices {
  std::vector<JobChoice> by_source;  // new ones, in order
  std::vector<std::string> notes;    // about them; one sentence each
};

// `known` have their `job`; each list is of the
// processes of one source. `one_job`: the new ones are one job, because the
// user says so.
JobChoices ChooseJobs(const std::vector<RankFactsList>& known,
                      const std::vector<RankFactsList>& fresh, bool one_job);

// A name that is safe in a path and reads as text in every engine: it begins
// with a letter. Different names stay different.
std::string JobFolder(const std::string& stated);

}  // namespace stepscope
