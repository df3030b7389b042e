// SPDX-License-Identifier: Apache-2.0
//
// RankFacts: a row of the table `ranks`: one process of one source, how its
// clock lies beside the others of its job, and all that is needed to find that
// again when a rank is added later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/job/collective_rhythm.h"

namespace stepscope {

struct RankFacts {
  int64_t source_id = 0;
  int32_t process = 0;
  std::string job;    // folder that it lies in; no column of its own
  int64_t rank = -1;  // the same
  int64_t pid = 0;
  std::string host;
  std::string process_name;
  std::string source;  // path of the file, absolute
  std::string format;
  std::string importer;
  std::string fingerprint;  // of its bytes
  std::string stated_job;   // empty: it states none
  std::string run;          // the same
  std::string clock_source;
  int64_t stated_rank = -1;
  int64_t world_size = 0;  // how many ranks there are; 0: not stated
  int64_t events = 0;      // of this process
  bool complete = true;
  bool epoch_known = false;
  int64_t epoch_ns = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::optional<int64_t> first_ns;  // of the source
  int64_t anchor_error_ns = 0;      // of its own clock against UTC
  // When its collectives ended; no column: `collectives` says it.
  CollectiveRhythm rhythm;

  // From its times to those of the job:
  //   t + offset_ns + round((t - center_ns) * drift_ppm / 1e6)
  std::string clock_method = "alone";
  int64_t clock_offset_ns = 0;
  double clock_drift_ppm = 0;
  int64_t clock_center_ns = 0;
  std::optional<int64_t> clock_error_ns;
};
using RankFactsList = std::vector<RankFacts>;

}  // namespace stepscope
