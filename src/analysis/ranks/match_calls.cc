// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/match_calls.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/ranks/line_fit.h"

namespace stepscope {
namespace {

// One call, and where it stands among those that it may be one with.
struct Slot {
  uint32_t key = 0;      // kind, group and size
  int64_t number = 0;    // stated sequence, or step, or count
  uint32_t ordinal = 0;  // among calls of the same key and number
  uint32_t rank = 0;
  uint32_t call = 0;

  auto place() const { return std::tie(key, number, ordinal); }
};

std::string MatchKeyOf(const CallSignature& call, bool with_size) {
  std::string key(CollectiveKindName(call.kind));
  key += '|' + call.group;
  for (const int64_t rank : call.ranks) key += ',' + std::to_string(rank);
  if (call.kind == CollectiveKind::kPointToPoint) {
    key +=
        '|' + std::to_string(call.source) + '>' + std::to_string(call.target);
  }
  // What ranks exchange with all others may differ in size.
  if (with_size && call.kind != CollectiveKind::kAllToAll)
    key += '|' + std::to_string(call.bytes);
  return key;
}

bool CanMatch(const CallSignature& call) {
  if (call.kind == CollectiveKind::kRpcRequest ||
      call.kind == CollectiveKind::kRpcHandling)
    return false;
  return call.kind != CollectiveKind::kPointToPoint ||
         (call.source >= 0 && call.target >= 0);
}

class CallMatcher {
 public:
  explicit CallMatcher(std::span<const MatchInput> ranks)
      : ranks_(ranks), is_shared_(ranks.size(), false) {
    std::map<int64_t, uint32_t> first_of;
    for (uint32_t i = 0; i < ranks.size(); ++i) {
      const int64_t rank = ranks[i].rank->rank;
      const uint32_t owner =
          rank < 0 ? i : first_of.try_emplace(rank, i).first->second;
      owner_.push_back(owner);
      is_shared_[owner] = is_shared_[owner] || owner != i;
    }
    by_step_ =
        std::all_of(ranks.begin(), ranks.end(), [](const MatchInput& input) {
          const auto& calls = input.rank->calls;
          return calls.empty() || std::any_of(calls.begin(), calls.end(),
                                              [](const RankCall& call) {
                                                return call.step != kNoStep;
                                              });
        });
  }

  MatchedCalls Find() {
    result_.shift.assign(ranks_.size(), 0);
    std::vector<Slot> counted;  // by step or by count
    for (uint32_t i = 0; i < ranks_.size(); ++i) AddRank(i, counted);
    FindShifts(counted);
    for (Slot& slot : counted)
      slot.number = SaturatingAdd(slot.number, result_.shift[slot.rank]);
    Group(stated_, false);
    Group(counted, by_step_);
    return std::move(result_);
  }

 private:
  void AddRank(uint32_t index, std::vector<Slot>& counted) {
    const RankCalls& rank = *ranks_[index].rank;
    std::vector<uint32_t> with_size;
    std::vector<uint32_t> without_size;
    for (const CallSignature& signature : rank.signatures) {
      with_size.push_back(Key(MatchKeyOf(signature, true)));
      without_size.push_back(Key("seq|" + MatchKeyOf(signature, false)));
    }
    std::map<std::pair<uint32_t, int64_t>, uint32_t> ordinals;
    for (uint32_t i = 0; i < rank.calls.size(); ++i) {
      const RankCall& call = rank.calls[i];
      if (!CanMatch(rank.signatures[call.signature])) continue;
      if (call.seq >= 0) {
        const uint32_t key = without_size[call.signature];
        stated_.push_back(
            {key, call.seq, ordinals[{key, call.seq}]++, index, i});
        continue;
      }
      if (by_step_ && call.step == kNoStep) {
        ++result_.unmatched;
        continue;
      }
      const uint32_t key = with_size[call.signature];
      if (by_step_) {
        counted.push_back(
            {key, call.step, ordinals[{key, call.step}]++, index, i});
      } else {
        counted.push_back({key, ordinals[{key, 0}]++, 0, index, i});
      }
    }
  }

  uint32_t Key(const std::string& text) {
    return keys_.try_emplace(text, static_cast<uint32_t>(keys_.size()))
        .first->second;
  }

  int64_t EndOf(const Slot& slot) const {
    const MatchInput& input = ranks_[slot.rank];
    return input.to_set(input.rank->calls[slot.call].time.end);
  }

  // How far the ends of two ranks' calls scatter about a line if `shift` is
  // added to the numbers of the second; nothing if too few calls meet.
  std::optional<double> Scatter(std::span<const Slot> a,
                                std::span<const Slot> b, int64_t shift) const {
    constexpr size_t kEnough = 4;
    constexpr size_t kMost = 256;
    std::vector<FitPoint> points;
    const int64_t origin = EndOf(a[0]);
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      const auto left = std::tuple(a[i].key, a[i].number, a[i].ordinal);
      const auto right =
          std::tuple(b[j].key, SaturatingAdd(b[j].number, shift), b[j].ordinal);
      if (left == right) {
        const auto since = [&](const Slot& slot) {
          return static_cast<double>(SaturatingSubtract(EndOf(slot), origin));
        };
        points.push_back({since(b[j]), since(a[i]) - since(b[j])});
        if (points.size() == kMost) break;
      }
      if (left <= right) ++i;
      if (right <= left) ++j;
    }
    if (points.size() < kEnough) return std::nullopt;
    constexpr double kDrift = 1e-4;
    return FitLine(points, kDrift).spread;
  }

  // Most jobs number alike, so numbers are right as they are unless something
  // else is much better than anything else.
  void FindShifts(std::vector<Slot>& slots) {
    std::sort(slots.begin(), slots.end(), [&](const Slot& a, const Slot& b) {
      return std::tie(owner_[a.rank], a.key, a.number, a.ordinal, a.rank) <
             std::tie(owner_[b.rank], b.key, b.number, b.ordinal, b.rank);
    });
    std::vector<Placed> placed;
    std::vector<int64_t> shift(ranks_.size(), 0);  // by owner
    for (size_t i = 0; i < slots.size();) {
      const uint32_t owner = owner_[slots[i].rank];
      size_t last = i;
      while (last < slots.size() && owner_[slots[last].rank] == owner) ++last;
      const std::span<const Slot> mine(&slots[i], last - i);
      if (!placed.empty()) shift[owner] = ShiftAmong(placed, mine);
      // The first, and the last few, which are likely to be neighbours.
      constexpr size_t kKept = 8;
      if (placed.size() == kKept) placed.erase(placed.begin() + 1);
      placed.push_back({mine, shift[owner]});
      i = last;
    }
    for (size_t i = 0; i < ranks_.size(); ++i)
      result_.shift[i] = shift[owner_[i]];
  }

  struct Placed {
    std::span<const Slot> slots;
    int64_t shift = 0;
  };

  // Compared with a rank that it meets as the numbers stand, else with the
  // first.
  int64_t ShiftAmong(const std::vector<Placed>& placed,
                     std::span<const Slot> mine) const {
    const Placed* base = &placed[0];
    std::optional<double> plain;
    for (const Placed& one : placed) {
      plain = Scatter(one.slots, mine, SaturatingSubtract(0, one.shift));
      if (!plain) continue;
      base = &one;
      break;
    }
    const int64_t usual = SaturatingSubtract(0, base->shift);
    return SaturatingAdd(base->shift, ShiftOf(base->slots, mine, usual, plain));
  }

  // `usual`: the shift if the numbers are right; `plain`: its scatter.
  int64_t ShiftOf(std::span<const Slot> first, std::span<const Slot> mine,
                  int64_t usual, std::optional<double> plain) const {
    constexpr double kGood = 50'000;  // ns: the ends do agree
    constexpr double kMuchBetter = 4;
    constexpr int64_t kReach = 8;
    if (plain && *plain <= kGood) return usual;
    const int64_t by_first =
        SaturatingSubtract(first[0].number, mine[0].number);
    std::set<int64_t> shifts;
    for (int64_t i = -kReach; i <= kReach; ++i) {
      shifts.insert(SaturatingAdd(usual, i));
      shifts.insert(SaturatingAdd(by_first, i));
    }
    shifts.erase(usual);
    int64_t best = usual;
    double least = HUGE_VAL;
    double second = plain.value_or(HUGE_VAL);
    for (const int64_t shift : shifts) {
      const std::optional<double> scatter = Scatter(first, mine, shift);
      if (!scatter) continue;
      if (*scatter < least) {
        second = std::min(second, least);
        least = *scatter;
        best = shift;
      } else {
        second = std::min(second, *scatter);
      }
    }
    // Steps of equal length look alike wherever they lie.
    return least * kMuchBetter < second ? best : usual;
  }

  // `same_count`: leave out ranks that have more or fewer calls of a key in a
  // step than most.
  void Group(std::vector<Slot>& slots, bool same_count) {
    std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) {
      return std::tie(a.key, a.number, a.ordinal, a.rank) <
             std::tie(b.key, b.number, b.ordinal, b.rank);
    });
    for (size_t i = 0; i < slots.size();) {
      size_t last = i;
      while (last < slots.size() && slots[last].key == slots[i].key &&
             slots[last].number == slots[i].number)
        ++last;
      GroupOfNumber(std::span(slots).subspan(i, last - i), same_count);
      i = last;
    }
  }

  void GroupOfNumber(std::span<const Slot> slots, bool same_count) {
    std::unordered_map<uint32_t, uint32_t> counts;  // by rank
    uint32_t usual = 0;
    if (same_count) {
      for (const Slot& slot : slots) ++counts[slot.rank];
      std::map<uint32_t, uint32_t> votes;
      for (const auto& [rank, count] : counts) ++votes[count];
      uint32_t most = 0;
      for (const auto& [count, ranks] : votes) {
        if (ranks < most) continue;
        most = ranks;
        usual = count;
      }
    }
    for (size_t i = 0; i < slots.size();) {
      Match match;
      match.first = static_cast<uint32_t>(result_.calls.size());
      const RankCalls& rank = *ranks_[slots[i].rank].rank;
      match.kind = rank.signatures[rank.calls[slots[i].call].signature].kind;
      size_t last = i;
      for (; last < slots.size() && slots[last].place() == slots[i].place();
           ++last) {
        const Slot& slot = slots[last];
        if (same_count && counts[slot.rank] != usual) {
          ++result_.unmatched;
          continue;
        }
        if (last > i && IsRepeated(match, slot)) continue;
        result_.calls.push_back({slot.rank, slot.call});
      }
      match.count = static_cast<uint32_t>(result_.calls.size()) - match.first;
      if (match.count >= 2) {
        result_.matches.push_back(match);
      } else {
        result_.unmatched += match.count;
        result_.calls.resize(match.first);
      }
      i = last;
    }
  }

  // Two recordings that claim one rank cannot both have been there.
  bool IsRepeated(const Match& match, const Slot& slot) {
    if (!is_shared_[owner_[slot.rank]]) return false;
    for (size_t i = match.first; i < result_.calls.size(); ++i) {
      if (owner_[result_.calls[i].rank] != owner_[slot.rank]) continue;
      ++result_.repeated;
      return true;
    }
    return false;
  }

  std::span<const MatchInput> ranks_;
  std::vector<uint32_t> owner_;  // the first input of the same rank
  std::vector<bool> is_shared_;  // by owner: another input has its rank
  bool by_step_ = false;
  std::unordered_map<std::string, uint32_t> keys_;
  std::vector<Slot> stated_;
  MatchedCalls result_;
};

}  // namespace

MatchedCalls MatchCalls(std::span<const MatchInput> ranks) {
  return CallMatcher(ranks).Find();
}

}  // namespace stepscope
