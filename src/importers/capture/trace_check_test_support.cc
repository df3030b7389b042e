// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/trace_check_test_support.h"

#include <vector>

#include "base/text.h"

namespace stepscope::capture {
namespace {

uint64_t CountOf(const std::map<std::string, Ledger::Bin, std::less<>>& bins) {
  uint64_t sum = 0;
  for (const auto& [reason, bin] : bins) sum += bin.count;
  return sum;
}

uint64_t Rejected(const Trace& trace, std::string_view reason) {
  const auto it = trace.ledger().rejected().find(reason);
  return it == trace.ledger().rejected().end() ? 0 : it->second.count;
}

// Metadata and ledger are filled in different places: they must agree.
std::string CheckLedger(const Trace& trace, uint64_t late_ends) {
  const Ledger& ledger = trace.ledger();
  const uint64_t survived = ledger.kept() + CountOf(ledger.repaired());
  const uint64_t entries = trace.size() + trace.args().size() +
                           trace.counters().size() + trace.memory().size() +
                           trace.flows().size();
  if (survived < entries || survived > entries + late_ends)
    return Format("%llu records survived, %llu entries",
                  static_cast<unsigned long long>(survived),
                  static_cast<unsigned long long>(entries));
  uint64_t events = 0;
  uint64_t side = 0;
  for (const ThreadReport& thread : trace.threads()) {
    events += thread.recorded;
    side += thread.side_recorded;
  }
  if (events != trace.size())
    return Format("threads recorded %llu events, %u are here",
                  static_cast<unsigned long long>(events), trace.size());
  // What was not decoded is in one of these bins, all else was. A flipped bit
  // can make any block one of a device.
  uint64_t undecoded = 0;
  for (const std::string_view reason :
       {"damaged block", "duplicate block", "damaged device block",
        "damaged device record", "device record of a later version"})
    undecoded += Rejected(trace, reason);
  if (events + side + undecoded != ledger.seen())
    return Format("%llu decoded, %llu not, but %llu seen",
                  static_cast<unsigned long long>(events + side),
                  static_cast<unsigned long long>(undecoded),
                  static_cast<unsigned long long>(ledger.seen()));
  return "";
}

std::string CheckTrack(const Trace& trace, uint32_t index) {
  const Track& track = trace.tracks()[index];
  std::vector<int64_t> open;
  for (Row row = track.first; row < track.last; ++row) {
    const int64_t start = trace.start_ns()[row];
    const int64_t dur = trace.dur_ns()[row];
    if (trace.track()[row] != index) return Format("row %u: track", row);
    if (dur < 0) return Format("row %u: negative duration", row);
    if (row > track.first) {
      const int64_t before = trace.start_ns()[row - 1];
      if (start < before || (start == before && dur > trace.dur_ns()[row - 1]))
        return Format("row %u: out of order", row);
    }
    while (!open.empty() && open.back() <= start) open.pop_back();
    if (!open.empty() && start + dur > open.back())
      return Format("row %u: overlaps without nesting", row);
    open.push_back(start + dur);
    if (trace.name()[row].v >= trace.strings().size())
      return Format("row %u: no such name", row);
  }
  return "";
}

std::string CheckTables(const Trace& trace) {
  const size_t tracks = trace.tracks().size();
  for (const Arg& arg : trace.args())
    if (arg.row >= trace.size() || arg.key.v >= trace.strings().size() ||
        (arg.kind == stepscope::ArgKind::kIntList &&
         uint64_t{arg.list_first} + arg.list_count > trace.arg_ints().size()))
      return "argument of nothing";
  for (const Flow& flow : trace.flows())
    if (flow.track >= tracks) return "flow without track";
  for (const CounterSample& sample : trace.counters())
    if (sample.track >= tracks) return "counter without track";
  for (const MemoryEvent& event : trace.memory())
    if (event.track >= tracks ||
        (event.owner != kNoRow && event.owner >= trace.size()))
      return "memory event without track or owner";
  for (const ThreadReport& thread : trace.threads()) {
    if (thread.track >= tracks) return "thread without track";
    for (const Row row : thread.open_scopes)
      if (row >= trace.size() || (trace.flags()[row] & kEventOpenAtEnd) == 0)
        return "open scope that is not open";
  }
  return "";
}

}  // namespace

std::string CheckTrace(const Trace& trace, uint64_t late_ends) {
  std::string wrong = CheckLedger(trace, late_ends);
  if (!wrong.empty()) return wrong;
  Row rows = 0;
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    wrong = CheckTrack(trace, i);
    if (!wrong.empty()) return wrong;
    rows += trace.tracks()[i].last - trace.tracks()[i].first;
  }
  if (rows != trace.size()) return "rows outside of tracks";
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.self_ns()[row] < 0) return Format("row %u: negative self", row);
  return CheckTables(trace);
}

}  // namespace stepscope::capture
