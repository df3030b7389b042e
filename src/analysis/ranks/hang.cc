// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/hang.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "base/text.h"

namespace stepscope {
namespace {

constexpr size_t kMostNamed = 8;

std::string_view FactOf(const Trace& trace, const Process& process,
                        std::string_view key) {
  std::string_view found;
  for (const auto& [k, value] : process.metadata)
    if (trace.str(k) == key) found = trace.str(value);  // the last one counts
  return found;
}

std::string Seconds(int64_t ns) {
  return Format("%.1f s", static_cast<double>(ns) / 1e9);
}

std::string EventName(const Trace& trace, Row row) {
  return std::string(trace.str(trace.name()[row]));
}

std::string RankName(const Process& process) {
  return process.rank >= 0 ? "rank " + std::to_string(process.rank)
                           : "process " + std::to_string(process.pid);
}

// "rank 0", "ranks 0, 2 and 3", "ranks 0, 1, 2 and 61 more"
std::string NameAll(const Trace& trace, const std::vector<HangRank>& ranks) {
  std::vector<std::string> names;
  bool all_ranks = true;
  for (const HangRank& rank : ranks) {
    const Process& process = trace.processes()[rank.process];
    all_ranks &= process.rank >= 0;
    names.push_back(RankName(process));
  }
  if (names.size() == 1) return names[0];
  std::string text = all_ranks ? "ranks " : "";
  const size_t cut = sizeof("rank ") - 1;
  const size_t shown = std::min(names.size(), kMostNamed);
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == shown && shown == names.size() ? " and " : ", ";
    text += all_ranks ? names[i].substr(cut) : names[i];
  }
  if (names.size() > shown)
    text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

// "ProfileStep#41 > forward", as far as it helps.
std::string OpenPath(const Trace& trace, const HangRank& rank) {
  std::string text;
  const size_t first =
      rank.open.size() > kMostNamed ? rank.open.size() - kMostNamed : 0;
  for (size_t i = first; i < rank.open.size(); ++i)
    text += (text.empty() ? "" : " > ") + EventName(trace, rank.open[i]);
  return text;
}

std::string DescribeAbsent(const Trace& trace, const HangRank& rank) {
  std::string text = RankName(trace.processes()[rank.process]);
  if (rank.open.empty()) {
    text += " has not arrived: no scope is open";
  } else {
    text += " has not arrived: it is in " + OpenPath(trace, rank) + " for " +
            Seconds(rank.end_ns - trace.start_ns()[rank.open.back()]) +
            ", outside any collective";
  }
  if (rank.last_ended != kNoRow)
    text += "; the last that ended, " +
            Seconds(rank.end_ns - trace.end_ns(rank.last_ended)) +
            " before, is " + EventName(trace, rank.last_ended);
  return text;
}

// The end of the recording of each process: open scopes run up to it.
void ReadOpenScopes(const Trace& trace, std::vector<HangRank>& ranks) {
  for (const ThreadReport& thread : trace.threads()) {
    const uint32_t process = trace.tracks()[thread.track].process;
    HangRank& rank = ranks[process];
    rank.open.insert(rank.open.end(), thread.open_scopes.begin(),
                     thread.open_scopes.end());
  }
  std::vector<bool> is_open(trace.size(), false);
  for (HangRank& rank : ranks) {
    std::sort(rank.open.begin(), rank.open.end(), [&](Row a, Row b) {
      return trace.start_ns()[a] < trace.start_ns()[b];
    });
    for (const Row row : rank.open) {
      is_open[row] = true;
      rank.end_ns = std::max(rank.end_ns, trace.end_ns(row));
      if (trace.type()[row] == STEPSCOPE_PROFILE_STEP) rank.step = row;
      if (trace.type()[row] == STEPSCOPE_COMMUNICATION) rank.collective = row;
    }
  }
  for (Row row = 0; row < trace.size(); ++row) {
    const Track& track = trace.tracks()[trace.track()[row]];
    if (is_open[row] || track.kind != TrackKind::kThread ||
        trace.type()[row] == STEPSCOPE_PROFILE_STEP)
      continue;
    Row& last = ranks[track.process].last_ended;
    if (last == kNoRow || trace.end_ns(row) >= trace.end_ns(last)) last = row;
  }
}

}  // namespace

Hang FindHang(const Trace& trace) {
  Hang hang;
  for (const Process& process : trace.processes()) {
    const std::string_view saved = FactOf(trace, process, "saved");
    if (saved.starts_with("hang") && hang.reason.empty()) hang.reason = saved;
  }
  if (hang.reason.empty()) return hang;
  std::vector<HangRank> ranks(trace.processes().size());
  for (uint32_t i = 0; i < ranks.size(); ++i) ranks[i].process = i;
  ReadOpenScopes(trace, ranks);
  for (HangRank& rank : ranks) {
    // Helpers without steps, such as the workers of a data loader, are no
    // ranks; what they do not do holds nobody up.
    const std::string_view step =
        FactOf(trace, trace.processes()[rank.process], "saved_in_step");
    if (!step.empty() && step != "-1") hang.ranks.push_back(std::move(rank));
  }
  std::sort(hang.ranks.begin(), hang.ranks.end(),
            [&](const HangRank& a, const HangRank& b) {
              const Process& x = trace.processes()[a.process];
              const Process& y = trace.processes()[b.process];
              return std::tuple(x.rank, x.pid) < std::tuple(y.rank, y.pid);
            });
  return hang;
}

std::vector<std::string> DescribeHang(const Trace& trace, const Hang& hang) {
  std::vector<std::string> lines;
  std::map<std::string, std::vector<HangRank>> waiting;
  for (const HangRank& rank : hang.ranks)
    if (rank.collective == kNoRow)
      lines.push_back(DescribeAbsent(trace, rank));
    else
      waiting[EventName(trace, rank.collective)].push_back(rank);
  const bool some_absent = !lines.empty();
  for (const auto& [name, ranks] : waiting) {
    int64_t longest = 0;
    for (const HangRank& rank : ranks)
      longest =
          std::max(longest, rank.end_ns - trace.start_ns()[rank.collective]);
    std::string text = NameAll(trace, ranks) +
                       (ranks.size() == 1 ? " waits in " : " wait in ") + name +
                       " for " + Seconds(longest);
    const Row step = ranks[0].step;
    if (step != kNoRow) text += ", in " + EventName(trace, step);
    lines.push_back(std::move(text));
  }
  if (!some_absent && waiting.size() > 1)
    lines.push_back(
        "they are in different collectives: the ranks do not make "
        "the same calls in the same order");
  if (!some_absent && waiting.size() == 1 && hang.ranks.size() > 1)
    lines.push_back(
        "all are in the same collective: look at the network, and "
        "for a rank that is not in this folder");
  return lines;
}

}  // namespace stepscope
