// SPDX-License-Identifier: Apache-2.0
#include "query/dataset_clocks.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/ranks/align_set.h"
#include "trace/job/clock_placement.h"
#include "trace/job/collective_kind.h"

namespace stepscope {
namespace {

using CallsBySource = std::map<std::pair<int64_t, int64_t>, RankCalls>;

std::vector<int64_t> ParseRanks(std::string_view text) {
  std::vector<int64_t> ranks;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    int64_t rank = 0;
    const auto [stop, error] = std::from_chars(at, end, rank);
    if (error == std::errc()) {
      ranks.push_back(rank);
      at = stop;
    } else {
      ++at;
    }
  }
  return ranks;
}

CollectiveKind KindNamed(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(CollectiveKind::kRpcHandling); ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    if (CollectiveKindName(kind) == name) return kind;
  }
  return CollectiveKind::kOther;
}

// The calls of each process as FindRankCalls() found them.
Result<CallsBySource> ReadCalls(Database& db, const std::string& collectives) {
  STEPSCOPE_TRY_ASSIGN(
      QueryResult result,
      db.Query("SELECT source_id, process, name, group_name, "
               "coalesce(group_ranks, ''), coalesce(group_size, 0), "
               "coalesce(bytes, 0), coalesce(source_rank, -1), "
               "coalesce(target_rank, -1), start_ns, dur_ns, event_id, "
               "coalesce(sequence, -1), step, on_device, kind FROM " +
               collectives +
               " ORDER BY source_id, process, start_ns, "
               "event_id"));
  CallsBySource found;
  while (result.NextChunk()) {
    for (size_t row = 0; row < result.rows(); ++row) {
      const auto number = [&](size_t column) {
        return result.Int64(column, row);
      };
      RankCalls& calls = found[{number(0), number(1)}];
      calls.process = static_cast<uint32_t>(number(1));
      CallSignature signature;
      signature.name = result.Text(2, row);
      signature.kind = KindNamed(result.Text(15, row));
      signature.group = result.Text(3, row);
      signature.ranks = ParseRanks(result.Text(4, row));
      signature.group_size = number(5);
      signature.bytes = static_cast<uint64_t>(number(6));
      signature.source = number(7);
      signature.target = number(8);
      const auto known = std::find(calls.signatures.begin(),
                                   calls.signatures.end(), signature);
      RankCall call;
      call.signature = static_cast<uint32_t>(known - calls.signatures.begin());
      if (known == calls.signatures.end())
        calls.signatures.push_back(std::move(signature));
      call.time = {number(9), number(9) + number(10)};
      call.row = static_cast<Row>(number(11));
      call.seq = number(12);
      call.step = result.IsNull(13, row) ? kNoStep : number(13);
      call.on_device = number(14) != 0;
      calls.calls.push_back(call);
    }
  }
  return found;
}

// As ClockMemberOf(trace) has it.
ClockMember MemberOf(const RankFactsList& source, const PlacedClock& placed,
                     const Epoch& set) {
  ClockMember member;
  const RankFacts& first = source.front();
  member.file = first.source;
  member.assumed = placed.assumed;
  member.prior.to_set = MapBetween(placed.epoch, set);
  member.prior.epoch_known = first.epoch_known && !placed.assumed;
  member.prior.error_ns = first.anchor_error_ns;
  bool one_host = !first.host.empty();
  for (const RankFacts& process : source) {
    one_host &= process.host == first.host;
    if (process.stated_rank >= 0)
      member.owners.push_back({process.stated_rank, process.pid, process.host});
  }
  if (first.format == "capture" && one_host && !first.clock_source.empty())
    member.machine = first.host + '\n' + first.clock_source;
  return member;
}

void SetClock(RankFactsList& source, const ClockMap& to_set,
              const AlignedClock* aligned, const Epoch& set) {
  for (RankFacts& facts : source) {
    const int64_t center = aligned != nullptr && aligned->center_ns != 0
                               ? aligned->center_ns
                               : facts.begin_ns;
    facts.clock_center_ns = center;
    facts.clock_offset_ns = to_set(center) - center + (set.known ? set.ns : 0);
    facts.clock_drift_ppm =
        to_set.is_shift() ? 0
                          : (static_cast<double>(to_set.rate_to()) -
                             static_cast<double>(to_set.rate_from())) /
                                static_cast<double>(to_set.rate_from()) * 1e6;
    facts.clock_method = "alone";
    facts.clock_error_ns = std::nullopt;
    if (aligned == nullptr) continue;
    facts.clock_method = ClockMethodName(aligned->method);
    if (aligned->error_ns >= 0) facts.clock_error_ns = aligned->error_ns;
  }
}

}  // namespace

Status PlaceJobClocks(Database& db, const std::string& collectives,
                      std::vector<RankFactsList>& sources) {
  if (sources.empty()) return Ok();
  // The first is what the others are laid beside: always the same one.
  std::sort(sources.begin(), sources.end(),
            [](const RankFactsList& a, const RankFactsList& b) {
              return std::tie(a.front().rank, a.front().begin_ns,
                              a.front().source, a.front().source_id) <
                     std::tie(b.front().rank, b.front().begin_ns,
                              b.front().source, b.front().source_id);
            });
  STEPSCOPE_TRY_ASSIGN(CallsBySource calls, ReadCalls(db, collectives));
  std::vector<ClockFacts> facts;
  for (const RankFactsList& source : sources)
    facts.push_back({{source.front().epoch_ns, source.front().epoch_known},
                     source.front().first_ns});
  const std::vector<PlacedClock> placed = PlaceClocks(facts);
  const Epoch set = placed.front().epoch;
  std::vector<ClockMember> members;
  for (size_t i = 0; i < sources.size(); ++i) {
    members.push_back(MemberOf(sources[i], placed[i], set));
    for (const RankFacts& process : sources[i]) {
      const auto found = calls.find({process.source_id, process.process});
      if (found == calls.end()) continue;
      found->second.rank = process.stated_rank;
      members.back().calls.push_back(&found->second);
    }
  }
  std::vector<ClockMap> as_recorded;
  for (const ClockMember& member : members)
    as_recorded.push_back(member.prior.to_set);
  const SetClocks clocks = AlignMembers(std::move(members));
  for (size_t i = 0; i < sources.size(); ++i) {
    const AlignedClock* const aligned =
        clocks.members.empty() ? nullptr : &clocks.members[i].clock;
    SetClock(sources[i], aligned != nullptr ? aligned->to_set : as_recorded[i],
             aligned, set);
  }
  return Ok();
}

}  // namespace stepscope
