// SPDX-License-Identifier: Apache-2.0
//
// Memory that was out, or that is reserved and cannot be used.
#include <algorithm>
#include <string>
#include <utility>

#include "analysis/advice/rules.h"
#include "analysis/memory_script.h"
#include "analysis/replay/memory_whatif.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr char kExpandable[] = "expandable_segments:True";
// Less is not worth a change of settings.
constexpr int64_t kWorthBytes = int64_t{64} << 20;
constexpr int64_t kWorthPart = 10;  // of what is reserved

Row FirstOutOfMemory(const Trace& trace) {
  for (Row row = 0; row < trace.size(); ++row)
    if ((trace.flags()[row] & kEventInstant) != 0 &&
        trace.str(trace.name()[row]) == "out of memory")
      return row;
  return kNoRow;
}

std::string AskedText(const Trace& trace, Row row) {
  std::string text;
  for (const Arg& arg : trace.args_of(row))
    if (arg.kind == ArgKind::kInt && trace.str(arg.key) == "bytes")
      text = BytesText(arg.int_value) + " was asked for";
  const std::string_view line = LineOf(trace, row);
  if (!line.empty()) text += " in " + Quoted(line);
  return text + ".";
}

}  // namespace

void FindMemoryShortage(const AdviceInput& input, Advice& advice) {
  const Trace& trace = input.trace();
  if (trace.memory().empty()) return;
  const Row out = FirstOutOfMemory(trace);
  MemoryWhatifOptions options;
  options.settings = {kExpandable};
  const Result<MemoryWhatif> whatif = ComputeMemoryWhatif(trace, options);
  int64_t saved = 0;
  int64_t reserved = 0;
  if (whatif) {
    for (const MemoryWhatifRow& row : whatif->rows)
      saved += std::max<int64_t>(0, row.saving_bytes);
    for (const MemoryWhatif::Recorded& recorded : whatif->recorded)
      reserved += recorded.peak_reserved_bytes;
  }
  const bool worth = saved >= kWorthBytes && saved >= reserved / kWorthPart;
  if (out == kNoRow && !worth) return;
  Finding finding;
  if (out != kNoRow) {
    finding.id = "out_of_memory";
    finding.finding = "The program ran out of memory of the device.";
    finding.saving_basis = "it lets the program run to its end";
    finding.evidence.push_back(
        {AskedText(trace, out), "out of memory", out, 1, 0});
    for (const MemoryPlace& place : input.summary.memory)
      for (const LiveRow& live : place.life.live_at_peak) {
        if (finding.evidence.size() > kMostExamples) break;
        finding.evidence.push_back(
            {BytesText(live.bytes) + " was held by " + Quoted(live.name) + ".",
             std::string(live.name), kNoRow, live.allocations, 0});
      }
    finding.to_try = {
        "stepscope summary --views memory_peak: which lines hold the memory",
        "stepscope whatif --memory --device-memory SIZE: what would fit"};
  } else {
    finding.id = "memory_fragmentation";
    finding.finding =
        "Memory is reserved in pieces that are too small to be used.";
    finding.saving_basis = "what the replayed allocator does not reserve";
  }
  if (worth) {
    if (out == kNoRow) finding.saving_bytes = saved;
    finding.evidence.push_back({"A replay with " + std::string(kExpandable) +
                                    " reserves " + BytesText(reserved - saved) +
                                    " instead of " + BytesText(reserved) + ".",
                                "", kNoRow, 0, 0});
    finding.to_try.push_back("PYTORCH_CUDA_ALLOC_CONF=" +
                             std::string(kExpandable));
  }
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
