// SPDX-License-Identifier: Apache-2.0
#include "fuzz_import.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "importers/input/input_source.h"
#include "trace/build/trace_builder.h"

namespace stepscope::fuzz {
namespace {

[[noreturn]] void Unsound(const char* what) {
  std::fprintf(stderr, "unsound trace: %s\n", what);
  std::abort();
}

void Check(bool sound, const char* what) {
  if (!sound) Unsound(what);
}

void CheckRows(const Trace& trace) {
  uint64_t covered = 0;
  for (size_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    Check(track.process < trace.processes().size(), "track of no process");
    Check(track.first <= track.last && track.last <= trace.size(),
          "track of rows that are not");
    covered += track.last - track.first;
    for (Row row = track.first; row < track.last; ++row) {
      Check(trace.track()[row] == i, "row of another track");
      Check(trace.dur_ns()[row] >= 0, "negative duration");
      if (row > track.first)
        Check(trace.start_ns()[row] >= trace.start_ns()[row - 1], "order");
    }
  }
  Check(covered == trace.size(), "rows of no track");
  for (Row row = 0; row < trace.size(); ++row) {
    const Row parent = trace.nesting().parent[row];
    if (parent == kNoRow) continue;
    Check(parent < row, "parent behind its child");
    Check(trace.end_ns(parent) >= trace.end_ns(row), "child outlives parent");
  }
}

// Touches every byte that the trace claims to have.
size_t ReadAll(const Trace& trace) {
  size_t sum = 0;
  const auto use = [&](StringId id) { sum += trace.str(id).size(); };
  for (const StringId id : trace.name()) use(id);
  for (const Process& process : trace.processes()) {
    use(process.name);
    for (const auto& [key, value] : process.metadata) use(key), use(value);
  }
  for (const Track& track : trace.tracks()) use(track.name);
  for (const Arg& arg : trace.args()) {
    Check(arg.row < trace.size(), "argument of no row");
    use(arg.key);
    if (arg.has_text()) use(arg.text);
    if (arg.kind == ArgKind::kIntList)
      Check(
          uint64_t{arg.list_first} + arg.list_count <= trace.arg_ints().size(),
          "argument of no list");
  }
  for (const Link& link : trace.links())
    Check(link.row == kNoRow || link.row < trace.size(), "link to no row");
  for (const Flow& flow : trace.flows())
    Check(flow.track < trace.tracks().size(), "flow of no track");
  for (const CounterSample& sample : trace.counters())
    Check(sample.track < trace.tracks().size(), "sample of no track");
  for (const MemoryEvent& event : trace.memory()) {
    Check(event.track < trace.tracks().size(), "memory event of no track");
    use(event.place);
  }
  RawArgReader raw(trace);
  for (Row row = 0; row < trace.size(); ++row) sum += raw.Get(row).size();
  return sum;
}

void ReadPastTheEnd(const Trace& trace) {
  const std::vector<int64_t> copy(trace.start_ns().begin(),
                                  trace.start_ns().end());
  const volatile int64_t* const data = copy.data();
  std::printf("%lld\n", static_cast<long long>(data[copy.size()]));
}

}  // namespace

int FuzzImport(const Importer& importer, std::span<const uint8_t> bytes) {
  static const bool planted = std::getenv("STEPSCOPE_FUZZ_PLANT") != nullptr;
  const auto input = InputSource::FromBytes(bytes, "input");
  if (!input) return 0;
  const size_t head = std::min(bytes.size(), Importer::kHeadBytes);
  static_cast<void>(importer.Sniff(bytes.first(head)));
  TraceBuilder builder;
  if (!importer.Import(**input, {}, builder)) return 0;
  const auto trace = builder.Finish();
  if (!trace) Unsound(trace.error().message.c_str());
  CheckRows(**trace);
  static_cast<void>(ReadAll(**trace));
  if (planted && (*trace)->size() > 0 && !(*trace)->ledger().rejected().empty())
    ReadPastTheEnd(**trace);
  return 0;
}

}  // namespace stepscope::fuzz
