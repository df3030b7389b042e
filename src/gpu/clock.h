// SPDX-License-Identifier: Apache-2.0
//
// DeviceClock: CUPTI's times in ticks of the capture. Where CUPTI takes its
// time from our callback there is nothing to convert; otherwise its clock is
// read between two readings of ours, again and again, and times are
// interpolated between the two readings around them. Device thread only.
#pragma once

#include <stepscope/plugin.h>

#include <cstdint>

#include "gpu/cupti_api.h"

namespace stepscope::gpu {

int64_t NowNs();  // of CLOCK_MONOTONIC

class DeviceClock {
 public:
  // What is read between two readings of ours. False: it cannot be now.
  using Source = bool (*)(const CuptiApi& api, uint64_t* time);
  static bool CuptiTime(const CuptiApi& api, uint64_t* time);
  // Nanoseconds, since 1970 and without jumps.
  static bool WallTime(const CuptiApi& api, uint64_t* time);
  static bool MonotonicTime(const CuptiApi& api, uint64_t* time);

  // Shared if a callback was registered with the library.
  void Start(const stepscope_plugin_host* host, const CuptiApi* api,
             bool shared, Source source = CuptiTime);
  // Takes another reading. Nothing to do where the clock is shared.
  void Tend();

  uint64_t ToTicks(uint64_t time) const {
    return shared_ ? time : Interpolate(time);
  }
  bool shared() const { return shared_; }
  // Half the widest bracket around a reading, in ticks.
  uint64_t error_ticks() const { return error_; }
  uint64_t now() const { return host_->now_ticks(host_->context); }

 private:
  struct Reading {
    uint64_t tick = 0;
    uint64_t time = 0;
  };
  bool Read(Reading* reading);
  uint64_t Interpolate(uint64_t time) const;

  // Enough for the records of one poll, which are younger than a few seconds.
  static constexpr uint32_t kReadings = 64;

  const stepscope_plugin_host* host_ = nullptr;
  const CuptiApi* api_ = nullptr;
  Source source_ = CuptiTime;
  bool shared_ = true;
  uint64_t error_ = 0;
  Reading readings_[kReadings] = {};
  uint32_t count_ = 0;  // ever taken
};

}  // namespace stepscope::gpu
