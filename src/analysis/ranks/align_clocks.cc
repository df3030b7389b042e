// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/align_clocks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/ranks/line_fit.h"

namespace stepscope {
namespace {

// Quartz differs by tens of millionths.
constexpr double kUsualDrift = 5e-5;
constexpr int kAlignRounds = 8;
constexpr double kSettledNs = 20;
// Standard errors that a stated error holds.
constexpr double kSure = 3;

// A call as seen by the solver: ends in ns from the first end of its clock.
struct End {
  uint32_t match = 0;
  double start = 0;
  double end = 0;
};

class Solver {
 public:
  Solver(std::span<const ClockPrior> clocks, std::span<const MatchInput> ranks,
         const MatchedCalls& matched)
      : clocks_(clocks),
        origin_(clocks.size(), 0),
        ends_(clocks.size()),
        lines_(clocks.size()),
        known_(clocks.size(), false),
        group_(clocks.size(), 0) {
    Collect(ranks, matched);
  }

  std::vector<AlignedClock> Solve() {
    std::vector<AlignedClock> result(clocks_.size());
    for (uint32_t i = 0; i < clocks_.size(); ++i)
      result[i].to_set = clocks_[i].to_set;
    // Ranks that never meet, even by way of others, are solved by themselves:
    // each such group keeps the clock of its first.
    uint32_t group = 0;
    for (uint32_t i = 0; i < clocks_.size(); ++i) {
      if (known_[i] || ends_[i].empty()) continue;
      Spread(i, group++);
    }
    for (int i = 0; i < kAlignRounds && Refine() > kSettledNs; ++i) {
    }
    std::vector<uint32_t> reference(group, UINT32_MAX);
    for (uint32_t i = 0; i < clocks_.size(); ++i) {
      if (!known_[i]) continue;
      uint32_t& of_group = reference[group_[i]];
      if (of_group == UINT32_MAX) of_group = i;
    }
    for (uint32_t i = 0; i < clocks_.size(); ++i)
      if (known_[i]) State(i, reference[group_[i]], result[i]);
    return result;
  }

 private:
  void Collect(std::span<const MatchInput> ranks, const MatchedCalls& matched) {
    std::vector<bool> has_origin(clocks_.size(), false);
    for (const Match& match : matched.matches) {
      if (!LeavesTogether(match.kind)) continue;
      // Ranks of one clock say nothing about clocks.
      const auto calls = matched.of(match);
      const auto first = static_cast<uint32_t>(members_.size());
      for (const MatchedCall& call : calls) {
        const uint32_t clock = ranks[call.rank].clock;
        const Interval& time = ranks[call.rank].rank->calls[call.call].time;
        if (!has_origin[clock]) {
          has_origin[clock] = true;
          origin_[clock] = time.end;
        }
        members_.push_back(
            {clock,
             {match_count_, Since(clock, time.begin), Since(clock, time.end)}});
      }
      const bool several = std::any_of(
          members_.begin() + first, members_.end(),
          [&](const Member& m) { return m.clock != members_[first].clock; });
      if (!several) {
        members_.resize(first);
        continue;
      }
      ++match_count_;
    }
    for (const Member& member : members_)
      ends_[member.clock].push_back(member.end);
    // Absolute places of the origins, as known before.
    for (uint32_t i = 0; i < clocks_.size(); ++i)
      placed_.push_back(clocks_[i].to_set(origin_[i]));
  }

  double Since(uint32_t clock, int64_t time_ns) const {
    return static_cast<double>(SaturatingSubtract(time_ns, origin_[clock]));
  }

  // The place of a time of a clock, in ns from the origin of the first clock
  // as it was placed before.
  double Place(uint32_t clock, double time) const {
    const double prior =
        static_cast<double>(SaturatingSubtract(placed_[clock], placed_[0]));
    return prior + time + (known_[clock] ? lines_[clock](time) : 0);
  }

  // The middle of the places at which those that are known left each
  // collective; NaN: nobody is known.
  std::vector<double> Middles() const {
    std::vector<double> middles(match_count_, std::nan(""));
    std::vector<double> places;
    for (size_t i = 0; i < members_.size();) {
      size_t last = i;
      places.clear();
      for (; last < members_.size() &&
             members_[last].end.match == members_[i].end.match;
           ++last) {
        const Member& member = members_[last];
        if (known_[member.clock])
          places.push_back(Place(member.clock, member.end.end));
      }
      if (!places.empty()) middles[members_[i].end.match] = MedianOf(places);
      i = last;
    }
    return middles;
  }

  // What a clock must add to its times to be with the others.
  FittedLine FitClock(uint32_t clock,
                      const std::vector<double>& middles) const {
    std::vector<FitPoint> points;
    const double prior =
        static_cast<double>(SaturatingSubtract(placed_[clock], placed_[0]));
    for (const End& end : ends_[clock]) {
      if (std::isnan(middles[end.match])) continue;
      points.push_back({end.end, middles[end.match] - prior - end.end});
    }
    return points.empty() ? FittedLine() : FitLine(points, kUsualDrift);
  }

  // From one clock to those that met it, then to those that met these.
  void Spread(uint32_t first, uint32_t group) {
    known_[first] = true;
    group_[first] = group;
    for (bool any = true; any;) {
      any = false;
      const std::vector<double> middles = Middles();
      std::vector<uint32_t> found;
      for (uint32_t i = 0; i < clocks_.size(); ++i) {
        if (known_[i] || ends_[i].empty()) continue;
        const FittedLine line = FitClock(i, middles);
        if (line.points == 0) continue;
        lines_[i] = line;
        found.push_back(i);
      }
      for (const uint32_t i : found) {
        known_[i] = true;
        group_[i] = group;
        any = true;
      }
    }
  }

  // All clocks against the middle of all. Returns how far one moved.
  double Refine() {
    const std::vector<double> middles = Middles();
    double most = 0;
    for (uint32_t i = 0; i < clocks_.size(); ++i) {
      if (!known_[i]) continue;
      const FittedLine line = FitClock(i, middles);
      if (line.points == 0) continue;
      most = std::max(most, std::abs(line.at - lines_[i](line.center)));
      lines_[i] = line;
    }
    return most;
  }

  // By how much this clock leaves before the last has arrived, in most cases.
  double Broken(uint32_t clock) {
    if (last_start_.empty()) {
      last_start_.assign(match_count_, -HUGE_VAL);
      for (const Member& member : members_) {
        if (!known_[member.clock]) continue;
        double& last = last_start_[member.end.match];
        last = std::max(last, Place(member.clock, member.end.start));
      }
    }
    std::vector<double> early;
    for (const End& end : ends_[clock])
      early.push_back(last_start_[end.match] - Place(clock, end.end));
    if (early.empty()) return 0;
    const size_t at = early.size() * 95 / 100;
    std::nth_element(early.begin(), early.begin() + static_cast<ptrdiff_t>(at),
                     early.end());
    return std::max(0.0, early[at]);
  }

  // The middle of a few clocks goes with each of them, so that each scatters
  // less about it than it should.
  double WithFew() const {
    if (match_count_ == 0) return 1;
    const double clocks = static_cast<double>(members_.size()) /
                          static_cast<double>(match_count_);
    return std::sqrt(clocks / std::max(1.0, clocks - 1));
  }

  void State(uint32_t clock, uint32_t reference, AlignedClock& result) {
    const FittedLine& mine = lines_[clock];
    const FittedLine& theirs = lines_[reference];
    const double center = mine.center;
    // The reference stays where it was: what it would add, nobody gets.
    const double shift = static_cast<double>(
        SaturatingSubtract(placed_[clock], placed_[reference]));
    const auto added = [&](double time) {
      const double here = time + mine(time);
      return mine(time) - theirs(here + shift);
    };
    result.collectives = mine.points;
    result.center_ns = SaturatingAdd(
        origin_[clock], static_cast<int64_t>(std::llround(center)));
    result.error_ns = 0;
    if (clock == reference) {
      result.method = ClockMethod::kReference;
      return;
    }
    const double few = WithFew();
    const double spread = few * std::hypot(mine.spread, theirs.spread);
    const double at_error = few * std::hypot(mine.at_error, theirs.at_error);
    const double slope_error =
        few * std::hypot(mine.slope_error, theirs.slope_error);
    result.error_ns = static_cast<int64_t>(
        std::ceil(std::max(spread + kSure * at_error, Broken(clock) / 2)));
    result.error_ppm = kSure * slope_error * 1e6;
    result.method = ClockMethod::kCollectives;
    // Far apart, so that the quotient has the drift to a billionth.
    constexpr int64_t kRun = int64_t{1} << 40;
    const auto run = static_cast<double>(kRun);
    double slope = (added(center + run) - added(center)) / run;
    // What may as well be noise is not a drift; the error says how large it
    // could be.
    constexpr double kClear = 2;
    if (std::abs(slope) < kClear * slope_error) slope = 0;
    const auto offset = static_cast<int64_t>(std::llround(added(center)));
    result.drift_ppm = slope * 1e6;
    result.offset_ns = offset;
    // The prior map is a shift, or has the rate of its own recording.
    const int64_t from = result.center_ns;
    const int64_t to = SaturatingAdd(clocks_[clock].to_set(from), offset);
    const int64_t rise =
        SaturatingSubtract(clocks_[clock].to_set(SaturatingAdd(from, kRun)),
                           clocks_[clock].to_set(from));
    result.to_set = ClockMap::Through(
        from, to, SaturatingAdd(from, kRun),
        SaturatingAdd(to, SaturatingAdd(rise, static_cast<int64_t>(
                                                  std::llround(slope * run)))));
    KeepSharedClock(clock, reference, result);
  }

  // Two recordings of one machine by one counter lie as recorded, unless the
  // collectives deny it.
  void KeepSharedClock(uint32_t clock, uint32_t reference,
                       AlignedClock& result) const {
    const ClockPrior& mine = clocks_[clock];
    const ClockPrior& theirs = clocks_[reference];
    if (mine.shared < 0 || mine.shared != theirs.shared) return;
    const int64_t error = mine.error_ns + theirs.error_ns;
    const auto doubt = kSure * static_cast<double>(error + result.error_ns);
    if (std::abs(static_cast<double>(result.offset_ns)) > doubt) return;
    if (error >= result.error_ns) return;
    result.to_set = mine.to_set;
    result.method = ClockMethod::kSameClock;
    result.offset_ns = 0;
    result.drift_ppm = 0;
    result.error_ns = error;
    result.error_ppm = 0;
  }

  struct Member {
    uint32_t clock = 0;
    End end;
  };

  std::span<const ClockPrior> clocks_;
  std::vector<int64_t> origin_;         // by clock: its time of the first end
  std::vector<int64_t> placed_;         // by clock: where the origin was before
  std::vector<Member> members_;         // by match
  std::vector<std::vector<End>> ends_;  // by clock
  std::vector<FittedLine> lines_;
  std::vector<bool> known_;
  std::vector<uint32_t> group_;
  uint32_t match_count_ = 0;
  std::vector<double> last_start_;  // by match
};

}  // namespace

std::string_view ClockMethodName(ClockMethod method) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "reference", "collectives", "same clock", "absolute time",
      "assumed",   "alone",       "rpc"};
  return kNames[static_cast<size_t>(method)];
}

int64_t AlignedClock::ErrorAt(int64_t time_ns) const {
  if (error_ns < 0) return error_ns;
  const double away =
      std::abs(static_cast<double>(SaturatingSubtract(time_ns, center_ns)));
  constexpr double kMost = 9e18;
  return static_cast<int64_t>(
      std::min(kMost, static_cast<double>(error_ns) + away * error_ppm / 1e6));
}

std::vector<AlignedClock> AlignClocks(std::span<const ClockPrior> clocks,
                                      std::span<const MatchInput> ranks,
                                      const MatchedCalls& matched) {
  if (clocks.empty()) return {};
  return Solver(clocks, ranks, matched).Solve();
}

}  // namespace stepscope
