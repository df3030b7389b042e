// SPDX-License-Identifier: Apache-2.0
//
// What a Trace holds beside its tables, as bytes: processes, threads, sources,
// ledgers, clocks, notes. Part of a snapshot (snapshot/snapshot.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

struct TraceFacts {
  std::vector<Process> processes;
  std::vector<ThreadReport> threads;  // with views into the bytes
  int64_t epoch_ns = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  CpuUsage cpu_usage;
  std::vector<Source> sources;
  ClockInfo clock;
  Ledger ledger;
  std::string format;
  std::vector<std::string> files;
  bool complete = true;
  std::vector<std::string> notes;
};

std::string EncodeFacts(const Trace& trace);
// Nothing: these are not such bytes. Reads nothing outside of them, whatever
// they are; that ids are in range is for the caller to check.
std::optional<TraceFacts> DecodeFacts(std::string_view bytes);

}  // namespace stepscope
