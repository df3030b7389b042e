// SPDX-License-Identifier: Apache-2.0
#include "gpu/clock.h"

#include <unistd.h>

#include <cmath>
#include <ctime>

namespace stepscope::gpu {

int64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool DeviceClock::CuptiTime(const CuptiApi& api, uint64_t* time) {
  return api.cuptiGetTimestamp(time) == CUPTI_SUCCESS;
}

bool DeviceClock::WallTime(const CuptiApi&, uint64_t* time) {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  *time =
      static_cast<uint64_t>(int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
  return true;
}

bool DeviceClock::MonotonicTime(const CuptiApi&, uint64_t* time) {
  *time = static_cast<uint64_t>(NowNs());
  return true;
}

void DeviceClock::Start(const stepscope_plugin_host* host, const CuptiApi* api,
                        bool shared, Source source) {
  host_ = host;
  api_ = api;
  source_ = source;
  shared_ = shared;
  error_ = 0;
  count_ = 0;
  // Two readings make a rate; close together they would make a poor one.
  for (int i = 0; i < (shared ? 1 : 2); ++i) {
    if (i > 0) usleep(20000);
    Reading reading;
    if (Read(&reading)) readings_[count_++ % kReadings] = reading;
  }
}

void DeviceClock::Tend() {
  Reading reading;
  if (shared_ || !Read(&reading)) return;
  // Readings too close together would make a poor rate.
  const Reading& last = readings_[(count_ + kReadings - 1) % kReadings];
  if (count_ > 1 && reading.time - last.time < 50'000'000) return;
  readings_[count_++ % kReadings] = reading;
}

bool DeviceClock::Read(Reading* reading) {
  constexpr int kTries = 8;
  uint64_t narrowest = ~uint64_t{0};
  for (int i = 0; i < kTries; ++i) {
    uint64_t time = 0;
    const uint64_t before = now();
    if (!source_(*api_, &time)) return false;
    const uint64_t after = now();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    *reading = {before + narrowest / 2, time};
  }
  if (narrowest / 2 + 1 > error_) error_ = narrowest / 2 + 1;
  return true;
}

uint64_t DeviceClock::Interpolate(uint64_t time) const {
  if (count_ < 2) return 0;
  // The newest pair of neighbours that begins no later than `time`; beyond
  // them the nearest pair goes on.
  const uint32_t kept = count_ < kReadings ? count_ : kReadings;
  uint32_t at = count_ - 2;
  for (uint32_t i = 0; i + 2 < kept; ++i, --at)
    if (readings_[at % kReadings].time <= time) break;
  const Reading& a = readings_[at % kReadings];
  const Reading& b = readings_[(at + 1) % kReadings];
  if (b.time == a.time) return a.tick;
  const long double rate = static_cast<long double>(b.tick - a.tick) /
                           static_cast<long double>(b.time - a.time);
  const auto since = static_cast<int64_t>(time - a.time);
  return a.tick + static_cast<uint64_t>(
                      std::llround(static_cast<long double>(since) * rate));
}

}  // namespace stepscope::gpu
