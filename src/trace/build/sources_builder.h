// SPDX-License-Identifier: Apache-2.0
//
// SourcesBuilder: the part of TraceBuilder that takes what is known about
// files and the recording as a whole: names, clocks, epoch, window, ledgers
// and notes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/job/clock_placement.h"
#include "trace/trace.h"

namespace stepscope {

class SourcesBuilder {
 public:
  // Times handed over are relative to the builder's epoch. The first caller
  // sets it to its own and gets 0; a later one gets what it must add to its
  // times. `known`: epoch_ns is UTC. Unknown epochs are not aligned: 0.
  // It is also noted as the epoch of the source.
  int64_t AlignEpoch(int64_t epoch_ns, bool known);
  // The epoch of the trace alone, for who maps times to it.
  void SetEpoch(const Epoch& epoch) { epoch_ = epoch; }

  void AddWindow(int64_t begin_ns, int64_t end_ns);  // widens the window
  // Processes add up; the machine's use is the highest stated.
  void MergeCpuUsage(const CpuUsage& usage);

  // The file that is being read. A builder has one from the beginning, and
  // AddSource names it, at any time. A further AddSource begins another. What
  // is said about a file (ledger, clock, notes, completeness) goes to the last
  // one. References last until the next AddSource, Merge, Add or Finish.
  void AddSource(std::string_view format, std::string_view path);
  Source& source();
  Ledger& ledger() { return source().ledger; }
  void MergeClock(const ClockInfo& clock) { source().clock.Merge(clock); }
  void SetIncomplete() { source().complete = false; }
  void AddNote(std::string note) { source().notes.push_back(std::move(note)); }
  // A note that concerns the trace and not one file.
  void AddTraceNote(std::string note) {
    trace_notes_.push_back(std::move(note));
  }

 protected:
  // From times of that epoch to those of this builder, whose it becomes if
  // there is none.
  ClockMap PlaceEpoch(const Epoch& epoch);

  struct Window {
    int64_t begin_ns;
    int64_t end_ns;
  };
  std::vector<Source> sources_;
  std::vector<std::string> trace_notes_;
  std::optional<Epoch> epoch_;
  std::optional<Window> window_;
  CpuUsage cpu_usage_;
};

}  // namespace stepscope
