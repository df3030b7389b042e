// SPDX-License-Identifier: Apache-2.0
//
// Iterations that only decode and take much longer than the usual one: what
// they have more of, and who is in them.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "analysis/advice/rules.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

constexpr uint64_t kFewestForATail = 20;  // iterations, for a tail to be one
constexpr double kSlow = 1.3;             // times the median
constexpr double kNamedOfSlow = 0.2;      // of what slow iterations take longer
// A request is what slow iterations have in common if it is in nearly all of
// them and in few others.
constexpr double kNearlyAll = 0.8;
constexpr double kFewOthers = 0.5;

// What an iteration is made of, from its mark to the next one.
enum TailPart : size_t { kBetween, kInside, kQueued, kAtWork, kParts };
using TailParts = std::array<int64_t, kParts>;

struct TailLook {
  const char* what;  // "1.20 ms more ..."
  const char* remedy;
};
constexpr TailLook kDeviceLooks[kParts] = {
    {"in which the device waits and the host is between two iterations",
     "scheduling the next iteration while this one runs (asynchronous "
     "scheduling, the overlap scheduler)"},
    {"in which the device waits for a launch inside the iteration",
     "looking at what the host does in the slow ones (stepscope view): "
     "logging, garbage collection, another process on its core"},
    {"in which launched work waits before the device begins it",
     "looking at what else uses the device, or the links between devices"},
    {"in which the device is at work",
     "shorter contexts, or fewer requests at once (max_num_seqs)"}};
constexpr TailLook kHostLooks[kParts] = {
    {"in which the host is between two iterations",
     "text, sockets and metrics in another process than the scheduler"},
    {"inside the iteration",
     "looking at what the host does in the slow ones (stepscope view)"},
    {"", ""},
    {"", ""}};

// REQUIRES: it has a period.
TailParts PartsOf(const IterationRow& one, bool has_device) {
  const int64_t period = *one.period_ns;
  TailParts parts = {};
  if (!has_device) {
    parts[kInside] = std::min(one.host_ns, period);
    parts[kBetween] = period - parts[kInside];
    return parts;
  }
  parts[kBetween] = one.idle.host_between;
  parts[kInside] = one.idle.host_inside;
  parts[kQueued] = one.idle.queued + one.idle.in_graph;
  const int64_t idle = parts[kBetween] + parts[kInside] + parts[kQueued];
  // Of several devices, idle times add up to more than the period.
  parts[kAtWork] = std::max<int64_t>(0, period - idle);
  return parts;
}

struct TailGroup {
  uint64_t count = 0;
  int64_t period_ns = 0;  // of all
  TailParts sums = {};
  std::map<uint32_t, uint64_t> requests;  // in how many of them each is

  void Add(const IterationTable& table, const IterationRow& one) {
    ++count;
    period_ns = SaturatingAdd(period_ns, *one.period_ns);
    const TailParts parts = PartsOf(one, table.total_busy_ns > 0);
    for (size_t i = 0; i < kParts; ++i)
      sums[i] = SaturatingAdd(sums[i], parts[i]);
    for (const Membership& member : table.members_of(one))
      ++requests[member.request];
  }
  int64_t Mean(int64_t sum) const {
    return count == 0 ? 0 : sum / static_cast<int64_t>(count);
  }
  double ShareWith(uint32_t request) const {
    const auto found = requests.find(request);
    return found == requests.end() || count == 0
               ? 0
               : static_cast<double>(found->second) /
                     static_cast<double>(count);
  }
};

// The request that the slow ones have in common; its place in the log.
const uint32_t* CommonRequest(const TailGroup& slow, const TailGroup& others) {
  const uint32_t* common = nullptr;
  for (const auto& [request, count] : slow.requests) {
    if (slow.ShareWith(request) < kNearlyAll ||
        others.ShareWith(request) > kFewOthers)
      continue;
    if (common == nullptr ||
        others.ShareWith(request) < others.ShareWith(*common))
      common = &request;
  }
  return common;
}

}  // namespace

void FindDecodeTail(const AdviceInput& input, Advice& advice) {
  const IterationTable& table = input.summary.iterations;
  const auto row = std::ranges::find(table.kinds, IterationKind::kDecode,
                                     &IterationKindRow::kind);
  if (row == table.kinds.end() || row->count < kFewestForATail ||
      row->period.p50_ns <= 0)
    return;
  const auto limit =
      static_cast<int64_t>(kSlow * static_cast<double>(row->period.p50_ns));
  if (row->period.p99_ns <= limit) return;
  TailGroup slow, others;
  for (const IterationRow& one : table.list) {
    if (one.mark.kind != IterationKind::kDecode || !one.period_ns ||
        one.repeats_another_rank)
      continue;
    (*one.period_ns > limit ? slow : others).Add(table, one);
  }
  Finding finding;
  finding.id = "decode_tail";
  finding.finding = "One in 100 iterations that only decode takes " +
                    Milliseconds(row->period.p99_ns) +
                    " or more, half of them " +
                    Milliseconds(row->period.p50_ns) + " or less.";
  finding.saving_basis =
      "it shortens the tail of the time per token, not the total";
  const int64_t more_of_all =
      slow.Mean(slow.period_ns) - others.Mean(others.period_ns);
  std::vector<std::pair<int64_t, size_t>> more;
  for (size_t i = 0; i < kParts; ++i)
    more.emplace_back(slow.Mean(slow.sums[i]) - others.Mean(others.sums[i]), i);
  StableSort(more,
             [](const auto& a, const auto& b) { return a.first > b.first; });
  const auto& looks = table.total_busy_ns > 0 ? kDeviceLooks : kHostLooks;
  finding.evidence.push_back(
      Said(CountText(slow.count) + " of " +
           CountText(slow.count + others.count, "iteration") + " take " +
           Milliseconds(more_of_all) + " longer than the others on average."));
  for (const auto& [ns, part] : more) {
    if (ns <= 0 || static_cast<double>(ns) <
                       kNamedOfSlow * static_cast<double>(more_of_all))
      break;
    finding.evidence.push_back(Said("They have " + Milliseconds(ns) + " more " +
                                    looks[part].what + "."));
    finding.to_try.push_back(looks[part].remedy);
  }
  if (const uint32_t* const common = CommonRequest(slow, others)) {
    const std::string_view id = table.requests->list()[*common].id;
    finding.evidence.push_back(Said(
        (id.empty() ? "A request without a recorded id"
                    : "The request " + Quoted(id)) +
        " is in " + Percent(slow.ShareWith(*common)) + " of them, and in " +
        Percent(others.ShareWith(*common)) + " of the others."));
    finding.to_try.push_back(
        "a limit for the context of one request, or devices of their own for "
        "long ones");
  }
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
