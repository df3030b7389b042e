// SPDX-License-Identifier: Apache-2.0
#include "query/trace_tables.h"

namespace stepscope {
namespace {

using RankColumns = TableColumns<RankFactsList>;

void AddSource(RankColumns& columns) {
  columns.Bigint("source_id", kSourceIdMeaning, &RankFacts::source_id);
  columns.Int("process", kProcessMeaning, &RankFacts::process);
  columns.Bigint("pid", "number of the process", &RankFacts::pid);
  columns.Text("process_name", "program, or what the file calls it",
               &RankFacts::process_name);
  columns.Text("host", "machine; empty: not stated", &RankFacts::host);
  columns.Bigint("stated_rank", "rank that the process states itself; -1: none",
                 &RankFacts::stated_rank);
  columns.Bigint("world_size",
                 "how many ranks its job has, as the source states it; NULL: "
                 "it does not",
                 [](const RankFacts& rank) {
                   return KnownIf(rank.world_size > 0, rank.world_size);
                 });
  columns.Text("stated_job", "job that the source states; empty: none",
               &RankFacts::stated_job);
  columns.Text("run", "stepscope run that it is of; empty: none",
               &RankFacts::run);
  columns.Text("source", "path of the file", &RankFacts::source);
  columns.Text("fingerprint", "hash of its bytes", &RankFacts::fingerprint);
  columns.Text("format", "its format", &RankFacts::format);
  columns.Text("importer", "what read it", &RankFacts::importer);
  columns.Bigint("events", "how many events the process has",
                 &RankFacts::events);
  columns.Boolean("complete", "stopped, not killed; the file has its end",
                  &RankFacts::complete);
}

void AddClock(RankColumns& columns) {
  columns.Boolean("epoch_known", "whether epoch_ns is UTC",
                  &RankFacts::epoch_known);
  columns.Bigint("epoch_ns", "UTC of time 0 of the source",
                 &RankFacts::epoch_ns);
  columns.Bigint("begin_ns", "begin of the recorded window",
                 &RankFacts::begin_ns);
  columns.Bigint("end_ns", "end of the recorded window", &RankFacts::end_ns);
  columns.Bigint("first_ns", "earliest time in the source; NULL: empty",
                 &RankFacts::first_ns);
  columns.Text("clock_source", "counter that it was recorded with",
               &RankFacts::clock_source);
  columns.Bigint("anchor_error_ns", "how well that lies upon UTC",
                 &RankFacts::anchor_error_ns);
  columns.Text("clock_method",
               "how its clock was laid beside those of the job: reference, "
               "collectives, same_clock, epoch, assumed or alone",
               &RankFacts::clock_method);
  columns.Bigint("clock_offset_ns",
                 "what is added to a time at clock_center_ns",
                 &RankFacts::clock_offset_ns);
  columns.Double("clock_drift_ppm", "what is added away from it, per million",
                 &RankFacts::clock_drift_ppm);
  columns.Bigint("clock_center_ns", "where the error is least",
                 &RankFacts::clock_center_ns);
  columns.Bigint("clock_error_ns",
                 "how wrong that may be, in 95 of 100 cases; NULL: not known",
                 &RankFacts::clock_error_ns);
}

}  // namespace

const RankColumns& RanksColumns() {
  static const auto* const columns = [] {
    auto* const made = new RankColumns;
    AddSource(*made);
    AddClock(*made);
    return made;
  }();
  return *columns;
}

}  // namespace stepscope
