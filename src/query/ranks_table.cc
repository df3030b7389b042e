// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "query/trace_tables.h"
#include "query/valid_utf8.h"

namespace stepscope {
namespace {

using RankColumns = TableColumns<RankFactsList>;

template <typename T>
void AddBigint(RankColumns& columns, const char* name, const char* meaning,
               T RankFacts::*member) {
  columns.Bigint(name, meaning,
                 [member](const RankFactsList& ranks, uint64_t i) {
                   return ranks[i].*member;
                 });
}

void AddText(RankColumns& columns, const char* name, const char* meaning,
             std::string RankFacts::*member) {
  columns.CopiedText(name, meaning,
                     [member](const RankFactsList& ranks, uint64_t i) {
                       return ValidUtf8(ranks[i].*member);
                     });
}

void AddBoolean(RankColumns& columns, const char* name, const char* meaning,
                bool RankFacts::*member) {
  columns.Boolean(name, meaning,
                  [member](const RankFactsList& ranks, uint64_t i) {
                    return ranks[i].*member;
                  });
}

void AddSource(RankColumns& columns) {
  AddBigint(columns, "source_id", kSourceIdMeaning, &RankFacts::source_id);
  columns.Int(
      "process", kProcessMeaning,
      [](const RankFactsList& ranks, uint64_t i) { return ranks[i].process; });
  AddBigint(columns, "pid", "number of the process", &RankFacts::pid);
  AddText(columns, "process_name", "program, or what the file calls it",
          &RankFacts::process_name);
  AddText(columns, "host", "machine; empty: not stated", &RankFacts::host);
  AddBigint(columns, "stated_rank",
            "rank that the process states itself; -1: none",
            &RankFacts::stated_rank);
  columns.Bigint("world_size",
                 "how many ranks its job has, as the source states it; NULL: "
                 "it does not",
                 [](const RankFactsList& ranks, uint64_t i) {
                   const int64_t world = ranks[i].world_size;
                   return world > 0 ? std::optional<int64_t>(world)
                                    : std::nullopt;
                 });
  AddText(columns, "stated_job", "job that the source states; empty: none",
          &RankFacts::stated_job);
  AddText(columns, "run", "stepscope run that it is of; empty: none",
          &RankFacts::run);
  AddText(columns, "source", "path of the file", &RankFacts::source);
  AddText(columns, "fingerprint", "hash of its bytes", &RankFacts::fingerprint);
  AddText(columns, "format", "its format", &RankFacts::format);
  AddText(columns, "importer", "what read it", &RankFacts::importer);
  AddBigint(columns, "events", "how many events the process has",
            &RankFacts::events);
  AddBoolean(columns, "complete", "stopped, not killed; the file has its end",
             &RankFacts::complete);
}

void AddClock(RankColumns& columns) {
  AddBoolean(columns, "epoch_known", "whether epoch_ns is UTC",
             &RankFacts::epoch_known);
  AddBigint(columns, "epoch_ns", "UTC of time 0 of the source",
            &RankFacts::epoch_ns);
  AddBigint(columns, "begin_ns", "begin of the recorded window",
            &RankFacts::begin_ns);
  AddBigint(columns, "end_ns", "end of the recorded window",
            &RankFacts::end_ns);
  AddBigint(columns, "first_ns", "earliest time in the source; NULL: empty",
            &RankFacts::first_ns);
  AddText(columns, "clock_source", "counter that it was recorded with",
          &RankFacts::clock_source);
  AddBigint(columns, "anchor_error_ns", "how well that lies upon UTC",
            &RankFacts::anchor_error_ns);
  AddText(columns, "clock_method",
          "how its clock was laid beside those of the job: reference, "
          "collectives, same_clock, epoch, assumed or alone",
          &RankFacts::clock_method);
  AddBigint(columns, "clock_offset_ns",
            "what is added to a time at clock_center_ns",
            &RankFacts::clock_offset_ns);
  columns.Double("clock_drift_ppm", "what is added away from it, per million",
                 [](const RankFactsList& ranks, uint64_t i) {
                   return ranks[i].clock_drift_ppm;
                 });
  AddBigint(columns, "clock_center_ns", "where the error is least",
            &RankFacts::clock_center_ns);
  AddBigint(columns, "clock_error_ns",
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
