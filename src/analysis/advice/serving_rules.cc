// SPDX-License-Identifier: Apache-2.0
//
// What holds a server up, by kind of iteration: prompts that are read among
// tokens, a scheduler that keeps the device waiting, padding, requests that
// are read again.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice/rules.h"
#include "base/text.h"

namespace stepscope {
namespace {

// A tail is worth a finding where it is so many times the median.
constexpr double kLongTail = 1.3;
constexpr double kLongerChunk = 1.1;  // a chunk of prompt that costs time
constexpr uint64_t kCallByCall = 10;  // launches of an iteration, at least
constexpr double kMuchPadding = 0.1;  // of the requests that were computed

const IterationKindRow* RowOf(const IterationTable& table, IterationKind kind) {
  for (const IterationKindRow& row : table.kinds)
    if (row.kind == kind && row.count > 0) return &row;
  return nullptr;
}

int64_t MedianOf(std::vector<int64_t> values) {
  return ComputeSpread(values).p50_ns;
}

enum class Chunks : uint8_t { kUnknown, kMatter, kDoNot };

// How long the iterations take that read more of prompts than the median, and
// the others: smaller pieces help only where that differs.
Chunks AddChunks(const IterationTable& table, Finding& finding) {
  std::vector<int64_t> tokens;
  for (const IterationRow& one : table.list)
    if (one.mark.kind == IterationKind::kMixed && one.mark.tokens_context &&
        one.period_ns && !one.repeats_another_rank)
      tokens.push_back(*one.mark.tokens_context);
  if (tokens.empty()) return Chunks::kUnknown;
  const int64_t median = MedianOf(tokens);
  std::string text = "They read " +
                     CountText(static_cast<uint64_t>(median), "token") +
                     " of prompts each (median)";
  std::vector<int64_t> longer, shorter;
  for (const IterationRow& one : table.list) {
    if (one.mark.kind != IterationKind::kMixed || !one.mark.tokens_context ||
        !one.period_ns || one.repeats_another_rank)
      continue;
    (*one.mark.tokens_context > median ? longer : shorter)
        .push_back(*one.period_ns);
  }
  Chunks chunks = Chunks::kUnknown;
  if (!longer.empty()) {
    const int64_t of_longer = MedianOf(longer);
    const int64_t of_shorter = MedianOf(shorter);
    text += "; those that read more take " + Milliseconds(of_longer) +
            ", the others " + Milliseconds(of_shorter) + " (medians)";
    chunks = static_cast<double>(of_longer) >
                     kLongerChunk * static_cast<double>(of_shorter)
                 ? Chunks::kMatter
                 : Chunks::kDoNot;
  }
  finding.evidence.push_back(Said(text + "."));
  return chunks;
}

}  // namespace

// Who decodes waits for a token as long as the iteration that it is in takes.
void FindMixedIterations(const AdviceInput& input, Advice& advice) {
  const IterationTable& table = input.summary.iterations;
  const IterationKindRow* const decode = RowOf(table, IterationKind::kDecode);
  const IterationKindRow* const mixed = RowOf(table, IterationKind::kMixed);
  if (decode == nullptr || mixed == nullptr || decode->period.p50_ns <= 0 ||
      static_cast<double>(mixed->period.p50_ns) <
          kLongTail * static_cast<double>(decode->period.p50_ns))
    return;
  Finding finding;
  finding.id = "mixed_iterations";
  finding.finding =
      "Requests that decode wait " + Milliseconds(mixed->period.p50_ns) +
      " for a token when a prompt is read beside them, and " +
      Milliseconds(decode->period.p50_ns) + " otherwise (medians).";
  const uint64_t all = decode->count + mixed->count;
  finding.evidence.push_back(Said(Format(
      "%s of the %s that decode read a prompt as well (%s).",
      CountText(mixed->count, "iteration").c_str(), CountText(all).c_str(),
      Percent(static_cast<double>(mixed->count) / static_cast<double>(all))
          .c_str())));
  const Chunks chunks = AddChunks(table, finding);
  if (table.total_busy_ns > 0) {
    finding.evidence.push_back(Said(
        "The device is busy for " + Milliseconds(mixed->gpu_busy_p50_ns) +
        " of a mixed iteration and " + Milliseconds(decode->gpu_busy_p50_ns) +
        " of one that decodes (medians)."));
  }
  finding.saving_basis =
      "it shortens the tail of the time per token, not the total";
  finding.to_try = {
      chunks == Chunks::kDoNot
          ? "larger chunks of prompts (max_num_batched_tokens, "
            "chunked_prefill_size), and so fewer such iterations: here they "
            "take no longer"
          : "smaller chunks of prompts (max_num_batched_tokens, "
            "chunked_prefill_size), if the tail matters more than the first "
            "token",
      "prompts on other devices than tokens (disaggregated prefill)",
      "stepscope summary TRACE --views requests: whose tokens were late"};
  advice.findings.push_back(std::move(finding));
}

// The device has nothing to do from one iteration to the next.
void FindSchedulerGap(const AdviceInput& input, Advice& advice) {
  const IterationTable& table = input.summary.iterations;
  // A loop that nobody marked has no scheduler that is known of.
  if (table.concluded) return;
  int64_t idle = 0;
  for (const IterationKindRow& row : table.kinds)
    idle = SaturatingAdd(idle, row.idle.host_between);
  if (!input.IsWorthSaying(idle) || input.HidesWork()) return;
  Finding finding;
  finding.id = "scheduler_gap";
  finding.finding = "The device waits while the host is between iterations.";
  finding.saving_ns = input.OfAStep(idle);
  finding.saving_basis =
      "the time in which the device was idle and the host between two marks";
  for (const IterationKindRow& row : table.kinds) {
    if (row.idle.host_between <= 0) continue;
    finding.evidence.push_back(
        Said("After " + CountText(row.count, "iteration") + " of the kind " +
             std::string(NameOf(row.kind)) + ": " +
             Milliseconds(row.idle.host_between) + "."));
  }
  finding.to_try = {
      "scheduling the next iteration while this one runs (asynchronous "
      "scheduling, the overlap scheduler)",
      "text, sockets and metrics in another process than the scheduler",
      "stepscope view: what the host does between two marks"};
  advice.findings.push_back(std::move(finding));
}

void FindEagerPrefill(const AdviceInput& input, Advice& advice) {
  const IterationTable& table = input.summary.iterations;
  const IterationKindRow* const decode = RowOf(table, IterationKind::kDecode);
  if (decode == nullptr || decode->graphs == 0) return;
  int64_t idle = 0;
  Finding finding;
  for (const IterationKind kind :
       {IterationKind::kPrefill, IterationKind::kMixed}) {
    const IterationKindRow* const row = RowOf(table, kind);
    // A mixed iteration may replay a graph for those that decode.
    if (row == nullptr || row->launches < kCallByCall * row->count ||
        row->graphs > row->count)
      continue;
    const int64_t waits =
        SaturatingAdd(row->idle.host_inside, row->idle.queued);
    idle = SaturatingAdd(idle, waits);
    finding.evidence.push_back(
        Said(CountText(row->count, "iteration") + " of the kind " +
             std::string(NameOf(kind)) + ": " +
             CountText(row->launches, "launch", "launches") + ", " +
             Milliseconds(waits) + " in which the device waits for them."));
  }
  if (!input.IsWorthSaying(idle) || input.HidesWork()) return;
  finding.id = "eager_prefill";
  finding.finding =
      "Tokens are made by captured graphs, prompts are read call by call.";
  finding.saving_ns = input.OfAStep(idle);
  finding.saving_basis =
      "the time in which the device was idle inside those iterations";
  finding.to_try = {
      "piecewise graphs, which capture what does not depend on the length",
      "a compiled model, so that fewer kernels are launched",
      "larger chunks of prompts: more device work per launch"};
  advice.findings.push_back(std::move(finding));
}

void FindPadding(const AdviceInput& input, Advice& advice) {
  int64_t computed = 0;
  int64_t asked = 0;
  int64_t wasted_ns = 0;
  uint64_t count = 0;
  for (const IterationRow& one : input.summary.iterations.list) {
    if (!one.mark.padded_requests || !one.mark.requests ||
        *one.mark.padded_requests <= *one.mark.requests)
      continue;
    const int64_t padded = *one.mark.padded_requests;
    computed = SaturatingAdd(computed, padded);
    asked = SaturatingAdd(asked, *one.mark.requests);
    wasted_ns = SaturatingAdd(
        wasted_ns,
        static_cast<int64_t>(static_cast<double>(one.gpu_busy_ns) *
                             static_cast<double>(padded - *one.mark.requests) /
                             static_cast<double>(padded)));
    ++count;
  }
  if (computed == 0 || !input.IsWorthSaying(wasted_ns)) return;
  const double share =
      static_cast<double>(computed - asked) / static_cast<double>(computed);
  if (share < kMuchPadding) return;
  Finding finding;
  finding.id = "padding";
  finding.finding = "Of the requests that iterations compute, " +
                    Percent(share) + " are padding, to fit a graph.";
  finding.saving_ns = input.OfAStep(wasted_ns);
  finding.saving_basis = "the padded share of their device time";
  finding.evidence.push_back(
      Said(CountText(count, "iteration") + ": " +
           CountText(static_cast<uint64_t>(asked), "request") + ", " +
           CountText(static_cast<uint64_t>(computed)) + " computed."));
  finding.to_try = {"graphs of more sizes, close to the batches that occur"};
  advice.findings.push_back(std::move(finding));
}

// A request that is read again after it has decoded was pushed out.
void FindPreemptions(const AdviceInput& input, Advice& advice) {
  const RequestTable& table = input.summary.requests;
  uint64_t pushed_out = 0;
  int64_t again_ns = 0;
  std::string example;
  for (const RequestRow& request : table.list) {
    bool decoded = false;
    int64_t again = 0;
    for (const RequestIteration& one : request.iterations) {
      if (one.kind == IterationKind::kDecode) decoded = true;
      if (one.kind == IterationKind::kPrefill && decoded) again += one.gpu_ns;
    }
    if (again == 0) continue;
    ++pushed_out;
    again_ns = SaturatingAdd(again_ns, again);
    if (example.empty()) example = request.id;
  }
  if (!input.IsWorthSaying(again_ns)) return;
  Finding finding;
  finding.id = "preemptions";
  finding.finding = CountText(pushed_out, "request was", "requests were") +
                    " pushed out and read again.";
  finding.saving_ns = input.OfAStep(again_ns);
  finding.saving_basis = "the device time of reading them again";
  finding.evidence.push_back(
      Said("The first of them: " + Quoted(example) + "."));
  finding.to_try = {"fewer requests at once (max_num_seqs)",
                    "more memory for the cache of keys and values"};
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
