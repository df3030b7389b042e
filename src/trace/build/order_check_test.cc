// SPDX-License-Identifier: Apache-2.0
#include "trace/build/order_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace stepscope {
namespace {

struct Event {
  int64_t start;
  int64_t dur;
};

bool Check(const std::vector<Event>& events) {
  OrderCheck check;
  for (const Event& event : events) check.Add(&event.start, &event.dur, 1);
  return check.ordered();
}

// By the definition, pair by pair.
bool IsOrderedAndNested(const std::vector<Event>& events) {
  for (size_t i = 0; i < events.size(); ++i) {
    for (size_t k = i + 1; k < events.size(); ++k) {
      const Event& a = events[i];
      const Event& b = events[k];
      if (b.start < a.start || (b.start == a.start && b.dur > a.dur))
        return false;
      if (b.start < a.start + a.dur && b.start + b.dur > a.start + a.dur)
        return false;
    }
  }
  return true;
}

// Times from so few that all cases of touching and enclosing come up.
std::vector<Event> RandomEvents(std::mt19937_64& rng) {
  std::vector<Event> events(1 + rng() % 7);
  const int64_t range = 2 + static_cast<int64_t>(rng() % 12);
  for (Event& event : events) {
    event.start = static_cast<int64_t>(rng()) % range;
    event.dur = static_cast<int64_t>(rng() >> 1) % range;
  }
  if (rng() % 4 != 0)
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return a.start != b.start ? a.start < b.start : a.dur > b.dur;
    });
  return events;
}

TEST(OrderCheckTest, AgreesWithTheDefinition) {
  std::mt19937_64 rng(1);
  int ordered = 0;
  constexpr int kRounds = 200000;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Event> events = RandomEvents(rng);
    const bool expected = IsOrderedAndNested(events);
    ASSERT_EQ(Check(events), expected) << round;
    ordered += expected ? 1 : 0;
  }
  EXPECT_GT(ordered, kRounds / 10);
  EXPECT_LT(ordered, kRounds / 10 * 9);
}

// Events that nest, in order: children of one that lasts from `from` to `to`.
void AddForest(std::mt19937_64& rng, int64_t from, int64_t to, size_t most,
               std::vector<Event>& events) {
  while (from < to && events.size() < most) {
    const int64_t start = from + static_cast<int64_t>(rng() % 3);
    const int64_t room = to - start;
    if (room <= 0) return;
    const auto some = static_cast<int64_t>(rng() >> (1 + rng() % 62));
    const int64_t dur = rng() % 8 == 0 ? room : some % room;
    events.push_back({start, dur});
    if (rng() % 4 != 0) AddForest(rng, start, start + dur, most, events);
    // One that takes no time stands behind who begins with it.
    from = start + std::max<int64_t>(dur, 1);
  }
}

// Many at a time is as good as one by one, wherever the defect and the borders
// between the pieces are.
TEST(OrderCheckTest, PiecesOfAnyLengthGiveTheSame) {
  std::mt19937_64 rng(3);
  int ordered = 0;
  size_t longest = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Event> events;
    AddForest(rng, 0, 1 + static_cast<int64_t>(rng() % 20000), 5000, events);
    if (events.empty()) continue;
    if (rng() % 4 != 0) {
      Event& odd = events[rng() % events.size()];
      int64_t& time = rng() % 2 == 0 ? odd.start : odd.dur;
      time = std::max<int64_t>(0, time + static_cast<int64_t>(rng() % 21) - 10);
    }
    longest = std::max(longest, events.size());
    std::vector<int64_t> start;
    std::vector<int64_t> dur;
    for (const Event& event : events) {
      start.push_back(event.start);
      dur.push_back(event.dur);
    }
    OrderCheck check;
    for (size_t done = 0; done < events.size();) {
      const size_t n = std::min<size_t>(1 + (rng() >> (50 + rng() % 14)),
                                        events.size() - done);
      check.Add(start.data() + done, dur.data() + done, n);
      done += n;
    }
    ASSERT_EQ(check.ordered(), Check(events)) << round;
    ordered += check.ordered() ? 1 : 0;
  }
  EXPECT_GT(ordered, kRounds / 5);
  EXPECT_LT(ordered, kRounds / 5 * 4);
  EXPECT_GT(longest, 2500u);  // more than two steps
}

// An end that comes late, when all that it encloses has passed, is as good as
// one known from the start. It may be refused where it was not, but never taken
// where it should not be.
TEST(OrderCheckTest, EndsThatComeLate) {
  std::mt19937_64 rng(2);
  int taken = 0;
  for (int round = 0; round < 200000; ++round) {
    const std::vector<Event> events = RandomEvents(rng);
    const size_t open = rng() % events.size();
    const size_t end = open + 1 + rng() % (events.size() - open);
    OrderCheck check;
    for (size_t i = 0; i < events.size(); ++i) {
      if (i == end) check.End(events[open].start + events[open].dur);
      if (i == open)
        check.AddOpen(events[i].start);
      else
        check.Add(&events[i].start, &events[i].dur, 1);
    }
    if (end == events.size()) check.End(events[open].start + events[open].dur);
    if (!check.ordered()) continue;
    ++taken;
    ASSERT_TRUE(IsOrderedAndNested(events)) << round;
  }
  EXPECT_GT(taken, 10000);
}

TEST(OrderCheckTest, ScopesThatOutliveTheirChunksAreInOrder) {
  OrderCheck check;
  const std::vector<int64_t> start = {2, 5};
  const std::vector<int64_t> dur = {2, 3};
  check.AddOpen(0);
  check.AddOpen(1);
  check.Add(start.data(), dur.data(), 2);
  check.End(8);
  const int64_t next = 9;
  const int64_t length = 1;
  check.Add(&next, &length, 1);
  check.End(20);
  const int64_t after = 20;
  check.Add(&after, &length, 1);
  EXPECT_TRUE(check.ordered());
  check.End(30);  // nothing is open
  EXPECT_FALSE(check.ordered());
}

TEST(OrderCheckTest, DeepNesting) {
  OrderCheck check;
  for (int64_t i = 0; i < 10000; ++i) {
    const int64_t dur = 30000 - 2 * i;
    check.Add(&i, &dur, 1);
  }
  EXPECT_TRUE(check.ordered());
  const int64_t start = 10000;
  const int64_t dur = 20000 - 10000;  // as long as all but the innermost
  check.Add(&start, &dur, 1);
  EXPECT_TRUE(check.ordered());
  const int64_t too_long = 30000;
  check.Add(&start, &too_long, 1);
  EXPECT_FALSE(check.ordered());
}

TEST(OrderCheckTest, TimesOutOfRangeAreNotInOrder) {
  constexpr int64_t kBound = int64_t{1} << 62;
  const std::vector<Event> bad = {
      {-kBound - 1, 0}, {kBound, 0}, {0, -1}, {0, kBound}, {INT64_MAX, 1}};
  for (const Event& event : bad) {
    EXPECT_FALSE(Check({event})) << event.start << " " << event.dur;
    EXPECT_FALSE(Check({event, {1, 1}})) << event.start << " " << event.dur;
    EXPECT_FALSE(Check({{-1, 1}, event})) << event.start << " " << event.dur;
  }
  EXPECT_TRUE(Check({{-kBound + 1, kBound - 1}, {1, kBound - 1}}));
}

}  // namespace
}  // namespace stepscope
