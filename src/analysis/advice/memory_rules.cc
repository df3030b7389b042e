// SPDX-License-Identifier: Apache-2.0
//
// Memory that was out, or that is reserved and cannot be used.
#include <algorithm>
#include <string>
#include <utility>

#include "analysis/advice/rules.h"
#include "analysis/memory_accounts.h"
#include "analysis/memory_retries.h"
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

int64_t AskedBytes(const Trace& trace, Row row) {
  for (const Arg& arg : trace.args_of(row))
    if (arg.kind == ArgKind::kInt && trace.str(arg.key) == "bytes")
      return arg.int_value;
  return 0;
}

std::string AskedText(const Trace& trace, Row row) {
  std::string text = BytesText(AskedBytes(trace, row)) + " was asked for";
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
  options.free_early = out != kNoRow;
  const Result<MemoryWhatif> whatif = ComputeMemoryWhatif(trace, options);
  int64_t saved = 0;
  int64_t saved_early = 0;
  int64_t reserved = 0;
  if (whatif) {
    for (const MemoryWhatifRow& row : whatif->rows) {
      if (row.change == kExpandable)
        saved += std::max<int64_t>(0, row.saving_bytes);
      else if (row.change == kFreeEarlyChange)
        saved_early = std::max(saved_early, row.saving_bytes);
    }
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
    // Only if that alone makes room for it.
    if (saved_early > 0 && saved_early >= AskedBytes(trace, out)) {
      finding.evidence.push_back(
          {"If what a step leaves to the next one were freed when it ends, " +
               BytesText(saved_early) + " less would be reserved.",
           "", kNoRow, 0, 0});
      finding.to_try.push_back(
          "zero_grad() right after the optimizer's step, and del of results "
          "that are not needed any more: stepscope whatif --memory "
          "--free-early");
    }
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

void FindRetriedMemory(const AdviceInput& input, Advice& advice) {
  const Trace& trace = input.trace();
  std::vector<MemoryRetry> all;
  for (const MemoryScript& script : MakeMemoryScripts(trace)) {
    const std::vector<MemoryRetry> retries = FindMemoryRetries(trace, script);
    all.insert(all.end(), retries.begin(), retries.end());
  }
  int64_t took = 0;
  int64_t released = 0;
  const MemoryRetry* longest = nullptr;
  for (const MemoryRetry& retry : all) {
    took = SaturatingAdd(took, retry.took_ns);
    released = SaturatingAdd(released, retry.released_bytes);
    if (longest == nullptr || retry.took_ns > longest->took_ns)
      longest = &retry;
  }
  if (longest == nullptr) return;
  Finding finding;
  finding.id = "memory_retries";
  finding.finding =
      "The device had no memory left, so that reserved memory was given back "
      "and asked for again.";
  if (input.step_count() > 0 && !IsOfMemoryAlone(trace)) {
    if (!input.IsWorthSaying(took)) return;
    finding.SetAverage(input.OfAStep(took), input.ShareOfSteps(took),
                       "the time of the retries");
  } else {
    finding.saving_basis = "at least " + Milliseconds(took) +
                           " in the recording, until there was memory again";
  }
  const Row owner = trace.memory()[longest->event].owner;
  finding.evidence.push_back(
      {CountText(all.size(), "allocation") + " gave back " +
           BytesText(released) + " and took at least " + Milliseconds(took) +
           ", the longest " + Milliseconds(longest->took_ns) + ".",
       owner == kNoRow ? std::string() : std::string(OwnerName(trace, owner)),
       owner, all.size(), took});
  finding.to_try = {
      "stepscope summary --views memory_segments: which lines asked",
      "PYTORCH_CUDA_ALLOC_CONF=" + std::string(kExpandable) +
          ": stepscope whatif --memory says what it would reserve"};
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
