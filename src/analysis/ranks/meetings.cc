// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/meetings.h"

#include <algorithm>
#include <utility>

#include "base/stable_sort.h"

namespace stepscope {
namespace {

// Of clocks that are only as good as their machines say.
constexpr int64_t kUnknownErrorNs = 1'000'000;

int64_t ClockErrorOf(const RankDigest& digest) {
  if (digest.clock.error_ns) return *digest.clock.error_ns;
  return digest.clock.method.empty() ? 0 : kUnknownErrorNs;
}

Arrival ArrivalOf(std::span<const RankDigest> digests,
                  const MatchedCall& call) {
  const RankDigest& digest = digests[call.rank];
  const Interval& time = digest.calls.calls[call.call].time;
  return {call.rank,
          call.call,
          {digest.to_job(time.begin), digest.to_job(time.end)}};
}

Exchange ExchangeOf(std::span<const RankDigest> digests, const MatchedCall& a,
                    const MatchedCall& b) {
  return {
      ArrivalOf(digests, a), ArrivalOf(digests, b),
      std::max(ClockErrorOf(digests[a.rank]), ClockErrorOf(digests[b.rank]))};
}

}  // namespace

Meetings FindMeetings(std::span<const RankDigest> digests) {
  std::vector<MatchInput> inputs;
  for (uint32_t i = 0; i < digests.size(); ++i)
    inputs.push_back({&digests[i].calls, i, digests[i].to_job});
  const MatchedCalls matched = MatchCalls(inputs);
  Meetings result;
  result.unmatched = matched.unmatched;
  result.shift = matched.shift;
  result.list.reserve(matched.matches.size());
  for (const Match& match : matched.matches) {
    if (match.kind == CollectiveKind::kPointToPoint && match.count == 2) {
      const auto pair = matched.of(match);
      result.exchanges.push_back(ExchangeOf(digests, pair[0], pair[1]));
    }
    if (!LeavesTogether(match.kind)) continue;
    Meeting meeting;
    meeting.last_ns = meeting.next_to_last_ns = INT64_MIN;
    int64_t errors[2] = {0, 0};  // of the last and of the one before
    for (const MatchedCall& call : matched.of(match)) {
      const RankDigest& digest = digests[call.rank];
      const RankCall& made = digest.calls.calls[call.call];
      const Arrival arrival = ArrivalOf(digests, call);
      const int64_t at = arrival.time.begin;
      if (at > meeting.last_ns) {
        meeting.next_to_last_ns = std::exchange(meeting.last_ns, at);
        errors[1] = std::exchange(errors[0], ClockErrorOf(digest));
        meeting.last = static_cast<uint32_t>(meeting.arrivals.size());
      } else if (at > meeting.next_to_last_ns) {
        meeting.next_to_last_ns = at;
        errors[1] = ClockErrorOf(digest);
      }
      if (meeting.arrivals.empty() && made.step != kNoStep)
        meeting.step = SaturatingAdd(made.step, matched.shift[call.rank]);
      meeting.arrivals.push_back(arrival);
    }
    // The error of the reference is none.
    meeting.clock_error_ns = std::max(errors[0], errors[1]);
    result.list.push_back(std::move(meeting));
  }
  StableSort(
      result.list.begin(), result.list.end(),
      [](const Meeting& a, const Meeting& b) { return a.last_ns < b.last_ns; });
  StableSort(result.exchanges.begin(), result.exchanges.end(),
             [](const Exchange& a, const Exchange& b) {
               return std::min(a.a.time.begin, a.b.time.begin) <
                      std::min(b.a.time.begin, b.b.time.begin);
             });
  return result;
}

}  // namespace stepscope
