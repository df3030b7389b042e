// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/clocks.h"

#include <algorithm>

#include "importers/perfetto/fields.h"
#include "importers/proto/recorder.h"

namespace stepscope::pftrace {
namespace {

using proto::Bytes;
using proto::Message;

// INT64_MAX, which is out of every range, where it does not fit.
int64_t Times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX
                                                : proto::ToTime(product);
}
int64_t Plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
int64_t Minus(int64_t a, int64_t b) {
  int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? INT64_MAX : difference;
}

}  // namespace

Clocks::Key Clocks::KeyOf(uint64_t sequence, uint64_t clock) {
  // The numbers that each sequence may use as it likes.
  const bool own = clock >= 64 && clock < 128;
  return {own ? sequence + 1 : 0, clock};
}

int64_t Clocks::ToPrimary(const Clock& clock, int64_t time_ns) {
  if (clock.points.empty() || time_ns == INT64_MAX) return time_ns;
  auto after = std::upper_bound(
      clock.points.begin(), clock.points.end(), time_ns,
      [](int64_t time, const Point& point) { return time < point.time_ns; });
  if (after != clock.points.begin()) --after;
  return Plus(after->primary_ns, Minus(time_ns, after->time_ns));
}

void Clocks::Learn(uint64_t sequence, Bytes snapshot) {
  std::vector<Reading> readings;
  Message message(snapshot);
  while (message.Next()) {
    if (message.tag() == tag::kPrimaryClock && clocks_.empty())
      primary_ = message.value();
    if (message.tag() != tag::kClock) continue;
    Reading reading;
    uint64_t number = 0;
    uint64_t time = 0;
    Message clock(message.bytes());
    while (clock.Next()) {
      switch (clock.tag()) {
        case tag::kClockNumber:
          number = clock.value();
          break;
        case tag::kClockTime:
          time = clock.value();
          break;
        case tag::kClockIncremental:
          reading.incremental = clock.value() != 0;
          break;
        case tag::kClockUnit:
          reading.unit_ns = std::max<uint64_t>(clock.value(), 1);
          break;
        default:
          break;
      }
    }
    reading.key = KeyOf(sequence, number);
    // Ours may lie before 1970.
    reading.time_ns = reading.unit_ns == 1 ? static_cast<int64_t>(time)
                                           : Times(time, reading.unit_ns);
    readings.push_back(reading);
  }
  if (readings.empty()) return;
  // What the primary clock showed: stated, or by a clock of an earlier
  // snapshot. Failing that, the first clock of the file is as good as it.
  std::optional<int64_t> now;
  for (const Reading& reading : readings)
    if (reading.key == Key{0, primary_}) now = reading.time_ns;
  for (size_t i = 0; i < readings.size() && !now; ++i)
    if (const auto known = clocks_.find(readings[i].key);
        known != clocks_.end())
      now = ToPrimary(known->second, readings[i].time_ns);
  if (!now) now = readings.front().time_ns;
  for (const Reading& reading : readings) {
    Clock& clock = clocks_[reading.key];
    clock.unit_ns = reading.unit_ns;
    clock.incremental = reading.incremental;
    clock.last_ns = reading.time_ns;
    if (clock.points.empty() || reading.time_ns > clock.points.back().time_ns)
      clock.points.push_back({reading.time_ns, *now});
    if (reading.key == Key{0, kRealtime} && !epoch_ns_) {
      const int64_t epoch = Minus(reading.time_ns, *now);
      if (epoch > -proto::Recorder::kMaxTimeNs &&
          epoch < proto::Recorder::kMaxTimeNs)
        epoch_ns_ = epoch;
    }
  }
}

int64_t Clocks::Convert(uint64_t sequence, uint64_t clock, uint64_t time) {
  if (clock == primary_) return proto::ToTime(time);
  const auto known = clocks_.find(KeyOf(sequence, clock));
  if (known == clocks_.end()) return proto::ToTime(time);
  Clock& entry = known->second;
  int64_t time_ns = Times(time, entry.unit_ns);
  if (entry.incremental) {
    time_ns = Plus(entry.last_ns, time_ns);
    entry.last_ns = time_ns;
  }
  return ToPrimary(entry, time_ns);
}

}  // namespace stepscope::pftrace
