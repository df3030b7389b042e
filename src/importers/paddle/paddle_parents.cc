// SPDX-License-Identifier: Apache-2.0
#include "importers/paddle/paddle_parents.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace stepscope::json {
namespace {

// More events than this that fit nowhere: the file has another order.
constexpr size_t kMostMisfits = 16;
// Bounds the work where thousands of events are stated at one time.
constexpr size_t kMostCandidates = 64;
// Rounding of the base and of sums may cost so much.
constexpr int64_t kSlackNs = 2;
constexpr double kTooLateCost = 30;
constexpr double kOtherWordCost = 100;
constexpr double kSameNameCost = 3;
constexpr double kNever = std::numeric_limits<double>::infinity();

using Level = std::vector<uint32_t>;  // events, in the order of time

void Narrow(PaddleEvent& event, int64_t low, int64_t high) {
  event.low_ns = std::min(std::max(event.low_ns, low), event.high_ns);
  event.high_ns = std::max(std::min(event.high_ns, high), event.low_ns);
}

// Events of a level do not overlap.
void NarrowByOrder(PaddleEvents& events, const Level& level) {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 2;
  for (size_t i = 1; i < level.size(); ++i) {
    const PaddleEvent& before = events[level[i - 1]];
    Narrow(events[level[i]], before.low_ns + before.dur_ns - before.rounding(),
           kFar);
  }
  for (size_t i = level.size(); i-- > 1;) {
    PaddleEvent& before = events[level[i - 1]];
    Narrow(before, -kFar,
           events[level[i]].high_ns - before.dur_ns + before.rounding());
  }
}

void NarrowByParents(PaddleEvents& events, const Level& level) {
  for (const uint32_t i : level) {
    PaddleEvent& event = events[i];
    PaddleEvent& its = events[event.parent];
    const int64_t spare = its.dur_ns + its.rounding() - event.dur_ns;
    Narrow(event, its.low_ns, its.high_ns + spare);
    Narrow(its, event.low_ns - spare, event.high_ns);
  }
}

// Lays the events of one level into those of the level above.
class Laying {
 public:
  Laying(PaddleEvents& events, const Level& above)
      : events_(events), above_(above) {
    before_.reserve(above.size() + 1);
    before_.push_back(0);
    for (const uint32_t i : above)
      before_.push_back(before_.back() + events[i].dur_ns - rounding(i));
  }

  // Sets the parent of each, PaddleEvent::kApart where none fits. Returns those
  // that fit.
  Level Lay(const Level& level) {
    Level fitting;
    for (const uint32_t i : level) {
      if (AddChoices(i)) {
        fitting.push_back(i);
      } else {
        events_[i].parent = PaddleEvent::kApart;
      }
    }
    if (fitting.empty()) return fitting;
    const auto last = std::min_element(
        choices_.begin() + static_cast<std::ptrdiff_t>(ranges_.back().first),
        choices_.end(), ByCost);
    uint32_t choice = static_cast<uint32_t>(last - choices_.begin());
    for (size_t i = fitting.size(); i-- > 0;) {
      events_[fitting[i]].parent = above_[choices_[choice].above];
      choice = choices_[choice].from;
    }
    return fitting;
  }

 private:
  // That an event lies in the one at `above`, and the best way to get there.
  struct Choice {
    size_t above = 0;
    double cost = 0;
    int64_t parent_low = 0;  // the earliest start that the parent may have
    int64_t end = 0;         // the earliest end of the event
    int64_t inside = 0;      // durations of what is in the parent so far
    uint32_t event = 0;
    uint32_t from = 0;  // choice of the event before
  };
  struct Range {
    size_t first = 0;
    size_t last = 0;
  };

  static bool ByCost(const Choice& a, const Choice& b) {
    return a.cost < b.cost;
  }
  int64_t rounding(uint32_t event) const { return events_[event].rounding(); }

  // The choices of the next event. False: it fits into none.
  bool AddChoices(uint32_t i) {
    const PaddleEvent& event = events_[i];
    const size_t first_choice = choices_.size();
    const Range before = ranges_.empty() ? Range{} : ranges_.back();
    size_t from = ranges_.empty() ? 0 : choices_[before.first].above;
    const auto is_over = [&](size_t above) {
      const PaddleEvent& its = events_[above_[above]];
      return its.high_ns + its.dur_ns + its.rounding() < event.low_ns;
    };
    while (from < above_.size() && is_over(from)) ++from;
    const size_t to = std::min(above_.size(), from + kMostCandidates);
    for (size_t above = from; above < to; ++above) {
      const PaddleEvent& its = events_[above_[above]];
      if (its.low_ns > event.high_ns) break;
      if (event.RoomIn(its) <= 0) continue;
      AddWaysTo(i, above, before);
    }
    if (choices_.size() == first_choice) return false;
    ranges_.push_back({first_choice, choices_.size()});
    return true;
  }

  // The likeliest, and the one that leaves most room for what comes: the
  // likeliest so far may turn out to leave none.
  void AddWaysTo(uint32_t i, size_t above, Range before) {
    if (before.first == before.last) {
      const Choice first = Step(i, above, nullptr);
      if (first.cost < kNever) choices_.push_back(first);
      return;
    }
    Choice likeliest;
    likeliest.cost = kNever;
    Choice roomiest = likeliest;
    for (size_t c = before.first; c < before.last; ++c) {
      if (choices_[c].above > above) break;
      Choice step = Step(i, above, &choices_[c]);
      if (step.cost == kNever) continue;
      step.from = static_cast<uint32_t>(c);
      if (step.cost < likeliest.cost) likeliest = step;
      if (roomiest.cost == kNever || step.inside < roomiest.inside ||
          (step.inside == roomiest.inside && step.cost < roomiest.cost))
        roomiest = step;
    }
    if (likeliest.cost == kNever) return;
    choices_.push_back(likeliest);
    if (roomiest.from != likeliest.from) choices_.push_back(roomiest);
  }

  // Everything as early as it can be: too late even so is all but impossible.
  // (Not quite: the best way so far need not be the only one.)
  Choice Step(uint32_t i, size_t above, const Choice* before) const {
    const PaddleEvent& event = events_[i];
    const PaddleEvent& its = events_[above_[above]];
    const bool same = before != nullptr && before->above == above;
    Choice step;
    step.above = above;
    step.event = i;
    step.inside = event.dur_ns + (same ? before->inside : 0);
    step.parent_low = its.low_ns;
    int64_t start = event.low_ns;
    if (same) {
      step.parent_low = before->parent_low;
      start = std::max(start, before->end);
    } else if (before != nullptr) {
      // What lies between the two parents takes its time, too.
      step.parent_low =
          std::max(step.parent_low, before->parent_low + before_[above] -
                                        before_[before->above]);
    }
    const int64_t spare = its.dur_ns + its.rounding();
    step.end = std::max(start + event.dur_ns, step.parent_low + step.inside);
    step.parent_low = std::max(step.parent_low, step.end - spare);
    step.cost = kNever;
    if (step.inside > spare) return step;
    step.cost = before == nullptr ? 0 : before->cost;
    if (step.parent_low > its.high_ns + kSlackNs ||
        step.end - event.dur_ns > event.high_ns + kSlackNs)
      step.cost += kTooLateCost;
    const int64_t latest =
        std::min(event.high_ns, its.high_ns + spare - event.dur_ns);
    const int64_t room =
        std::min(latest - (step.end - event.dur_ns), spare - step.inside) + 1;
    step.cost -= std::log2(static_cast<double>(std::max<int64_t>(room, 1)));
    if (event.stated.word.v != its.stated.word.v)
      step.cost += kOtherWordCost;
    else if (same &&
             events_[before->event].stated.name.v == event.stated.name.v)
      step.cost += kSameNameCost;
    return step;
  }

  PaddleEvents& events_;
  const Level& above_;
  std::vector<int64_t> before_;  // durations of those above before each
  std::vector<Choice> choices_;
  std::vector<Range> ranges_;  // of choices, by event that fits
};

class ByOrder {
 public:
  explicit ByOrder(PaddleEvents& events) : events_(events) {}

  bool Run() {
    uint32_t last_event = PaddleEvent::kNone;  // that is not a call
    for (uint32_t i = 0; i < events_.size(); ++i) {
      PaddleEvent& event = events_[i];
      event.parent = PaddleEvent::kNone;
      if (event.stated.is_call) {
        const bool fits = last_event == PaddleEvent::kNone ||
                          event.RoomIn(events_[last_event]) > 0;
        event.parent = fits ? last_event : PaddleEvent::kApart;
        continue;
      }
      last_event = i;
      if (!level_.empty() && !event.MayFollow(events_[level_.back()])) {
        if (!FitsIntoLevel(event)) {
          event.parent = PaddleEvent::kApart;
          if (++misfits_ > kMostMisfits) return false;
          continue;
        }
        if (!EndLevel()) return false;
      }
      level_.push_back(i);
    }
    return EndLevel();
  }

 private:
  bool FitsIntoLevel(const PaddleEvent& event) const {
    return std::any_of(level_.begin(), level_.end(), [&](uint32_t i) {
      return event.RoomIn(events_[i]) > 0;
    });
  }

  bool EndLevel() {
    NarrowByOrder(events_, level_);
    if (has_above_) {
      Level fitting = Laying(events_, above_).Lay(level_);
      misfits_ += level_.size() - fitting.size();
      if (misfits_ > kMostMisfits) return false;
      level_ = std::move(fitting);
      for (int round = 0; round < 2; ++round) {
        NarrowByParents(events_, level_);
        NarrowByOrder(events_, above_);
        NarrowByOrder(events_, level_);
      }
    }
    has_above_ = true;
    above_ = std::move(level_);
    level_.clear();
    return true;
  }

  PaddleEvents& events_;
  Level above_;
  Level level_;
  bool has_above_ = false;
  size_t misfits_ = 0;
};

}  // namespace

int64_t PaddleEvent::RoomIn(const PaddleEvent& around) const {
  const int64_t from = std::max(low_ns, around.low_ns);
  const int64_t spare = around.dur_ns + around.rounding() - dur_ns;
  const int64_t to = std::min(high_ns, around.high_ns + spare);
  return std::min(to - from, spare - around.inside_ns) + 1;
}

bool FindPaddleParentsByOrder(PaddleEvents& events) {
  std::vector<std::pair<int64_t, int64_t>> bounds;
  bounds.reserve(events.size());
  for (const PaddleEvent& event : events)
    bounds.emplace_back(event.low_ns, event.high_ns);
  if (!ByOrder(events).Run()) {
    for (size_t i = 0; i < events.size(); ++i)
      std::tie(events[i].low_ns, events[i].high_ns) = bounds[i];
    return false;
  }
  for (PaddleEvent& event : events)
    if (event.parent != PaddleEvent::kApart)
      event.start_ns = std::clamp(event.start_ns, event.low_ns, event.high_ns);
  return true;
}

void FindPaddleParentsByTime(PaddleEvents& events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const PaddleEvent& a, const PaddleEvent& b) {
                     if (a.start_ns != b.start_ns)
                       return a.start_ns < b.start_ns;
                     return a.dur_ns > b.dur_ns;
                   });
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < events.size(); ++i) {
    PaddleEvent& event = events[i];
    event.parent = PaddleEvent::kNone;
    while (!open.empty()) {
      PaddleEvent& top = events[open.back()];
      const bool follows = event.MayFollow(top);
      const bool middle_in = event.start_ns + event.dur_ns / 2 < top.end_ns();
      if (event.RoomIn(top) > 0 && (middle_in || !follows)) {
        event.parent = open.back();
        top.inside_ns += event.dur_ns;
        break;
      }
      if (!follows) {
        event.parent = PaddleEvent::kApart;
        break;
      }
      open.pop_back();
    }
    if (event.parent != PaddleEvent::kApart) open.push_back(i);
  }
}

}  // namespace stepscope::json
