// SPDX-License-Identifier: Apache-2.0
//
// Memory that was out, or that is reserved and cannot be used.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice/rules.h"
#include "analysis/memory_accounts.h"
#include "analysis/memory_retries.h"
#include "analysis/memory_script.h"
#include "analysis/out_of_memory.h"
#include "analysis/process_name.h"
#include "analysis/replay/memory_whatif.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr char kExpandable[] = "expandable_segments:True";
// Less is not worth a change of settings.
constexpr int64_t kWorthBytes = int64_t{64} << 20;
constexpr int64_t kWorthPart = 10;  // of what is reserved

std::string AskedText(const Trace& trace, Row row) {
  std::string text = BytesText(AskedBytes(trace, row)) + " was asked for";
  const std::string_view line = LineOf(trace, row);
  if (!line.empty()) text += " in " + Quoted(line);
  return text + ".";
}

// The place where a change saves most; null: none. `process`: as rows name it,
// of this one alone.
const MemoryWhatifRow* MostSaved(const MemoryWhatif& whatif,
                                 std::string_view change,
                                 const std::optional<std::string>& process) {
  const MemoryWhatifRow* most = nullptr;
  for (const MemoryWhatifRow& row : whatif.rows)
    if (row.change == change && (!process || row.process == *process) &&
        row.saving_bytes > (most == nullptr ? 0 : most->saving_bytes))
      most = &row;
  return most;
}

void AddOutOfMemory(const AdviceInput& input, Row out,
                    const MemoryWhatifRow* early, Finding& finding) {
  const Trace& trace = input.trace();
  finding.id = "out_of_memory";
  finding.finding = "The program ran out of memory of the device.";
  finding.saving_basis = "it lets the program run to its end";
  finding.evidence.push_back(
      {AskedText(trace, out), std::string(kOutOfMemoryName), out, 1, 0});
  const uint32_t process = trace.tracks()[trace.track()[out]].process;
  for (const MemoryPlace& place : input.summary.memory) {
    if (place.process != process || !IsOfDevice(place.place)) continue;
    for (const LiveRow& live : place.life.live_at_peak) {
      if (finding.evidence.size() > kMostExamples) break;
      finding.evidence.push_back(
          {BytesText(live.bytes) + " was held by " + Quoted(live.name) + ".",
           std::string(live.name), kNoRow, live.allocations, 0});
    }
  }
  finding.to_try = {
      "stepscope summary --views memory_peak: which lines hold the memory",
      "stepscope whatif --memory --device-memory SIZE: what would fit"};
  // Only if that alone makes room for it.
  if (early == nullptr || early->saving_bytes < AskedBytes(trace, out)) return;
  finding.evidence.push_back(
      {"If what a step leaves to the next one were freed when it ends, " +
           BytesText(early->saving_bytes) + " less would be reserved.",
       "", kNoRow, 0, 0});
  finding.to_try.push_back(
      "zero_grad() right after the optimizer's step, and del of results "
      "that are not needed any more: stepscope whatif --memory --free-early");
}

}  // namespace

void FindMemoryShortage(const AdviceInput& input, Advice& advice) {
  const Trace& trace = input.trace();
  if (trace.memory().empty()) return;
  const std::vector<Row> all_out = OutOfMemoryEvents(trace);
  const Row out = all_out.empty() ? kNoRow : all_out.front();
  MemoryWhatifOptions options;
  options.settings = {kExpandable};
  options.free_early = out != kNoRow;
  const Result<MemoryWhatif> whatif = ComputeMemoryWhatif(trace, options);
  // Of the process that had no more, since each has its own memory.
  std::optional<std::string> process;
  if (out != kNoRow)
    process =
        NameAmongSeveral(trace, trace.tracks()[trace.track()[out]].process);
  const MemoryWhatifRow* saving = nullptr;
  const MemoryWhatifRow* early = nullptr;
  if (whatif) {
    saving = MostSaved(*whatif, kExpandable, process);
    early = MostSaved(*whatif, kFreeEarlyChange, process);
  }
  const int64_t saved = saving == nullptr ? 0 : saving->saving_bytes;
  const int64_t reserved =
      saving == nullptr ? 0 : SaturatingAdd(saving->peak_reserved_bytes, saved);
  const bool worth = saved >= kWorthBytes && saved >= reserved / kWorthPart;
  if (out == kNoRow && !worth) return;
  Finding finding;
  if (out != kNoRow) {
    AddOutOfMemory(input, out, early, finding);
  } else {
    finding.id = "memory_fragmentation";
    finding.finding =
        "Memory is reserved in pieces that are too small to be used.";
    finding.saving_basis = "what the replayed allocator does not reserve";
    finding.saving_bytes = saved;
  }
  if (worth) {
    const std::string whose =
        saving->process.empty() ? "" : " of " + saving->process;
    finding.evidence.push_back({"A replay" + whose + " with " +
                                    std::string(kExpandable) + " reserves " +
                                    BytesText(saving->peak_reserved_bytes) +
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
