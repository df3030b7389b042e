// SPDX-License-Identifier: Apache-2.0
//
// Which files belong to one job. Decided by what the files say, in this order:
//
//   0. Files whose processes state a job (STEPSCOPE_JOB, SLURM_JOB_ID) are of
//      that job. Two that state different ones are not joined by rule 3. The
//      processes of one `stepscope run` are one job.
//   1. Two formats of one window (what a tool exported twice, or a conversion
//      beside its capture) are the same recording; one of them counts.
//   2. Windows of one process are one job: equal host and pid, or equal worker
//      name. Where a file states no host, the pid alone is not enough, since
//      containers number alike; then the names of the files must also be equal
//      but for their numbers.
//   3. Recordings that overlap in time are one job: ranks, and processes
//      beside each other. Needs absolute time in both files.
//   4. Files of one format that state no absolute time are one job: nothing
//      says otherwise (fluid profiles of trainers and parameter servers). A
//      capture without it is damaged, and belongs to the others beside it if
//      those are one job.
//
//   5. Two processes that claim one rank are of two jobs if their collectives
//      have different rhythms (collective_rhythm.h), and so are files that
//      state worlds of different sizes.
//   6. Ranks whose collectives have one rhythm are one job however far apart
//      their clocks are, if no rank is there twice. A note says so.
//
// Everything else is another job. Being of one job is transitive but for 5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/job/collective_rhythm.h"
#include "trace/trace.h"

namespace stepscope {

// What is asked about one file.
struct FileFacts {
  struct Owner {
    int64_t pid = 0;
    std::string host;
    int64_t rank = -1;  // -1: not stated
  };
  std::string path;
  std::string format;  // what Trace::format() says
  std::string reader;  // what the importer is called: "capture", "chrome", ...
  std::string job;     // as stated; empty: it was not
  std::string run;     // of `stepscope run`; the same
  int64_t world = 0;   // how many ranks there are; 0: not stated
  std::vector<Owner> processes;
  bool epoch_known = false;
  // The recorded window: UTC if epoch_known, else of the file's own clock.
  // Begins not after its end, and is shorter than 2^63 ns.
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  CollectiveRhythm rhythm;
};
// Of the file at `path`, which the importer called `reader` read.
FileFacts FactsOf(const Trace& trace, std::string_view path,
                  std::string_view reader);

struct SameWindow {
  uint32_t file = 0;  // does not count
  uint32_t of = 0;    // counts
};
struct Job {
  std::vector<uint32_t> files;  // that count, in their order
  std::vector<SameWindow> repeats;
  // One sentence each, which begins with the path of the file it is about.
  std::vector<std::string> notes;
};
// Jobs in the order of their first file.
std::vector<Job> FindJobs(std::span<const FileFacts> files);

// "host_7pid_12" of "host_7pid_12_time_2026_11_16.json", "node1_345" of
// "node1_345.1700000000.pt.trace.json.gz", "host" of "host.xplane.pb"; empty
// if the name of the file names no worker.
std::string WorkerOf(std::string_view path);

}  // namespace stepscope
