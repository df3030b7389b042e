// SPDX-License-Identifier: Apache-2.0
//
// Counters: what is measured of the hardware while kernels run, for every
// device that the process uses: its counters and its power. Off unless the host
// asks for it. Device thread only.
#pragma once

#include <stepscope/plugin.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/clock.h"
#include "gpu/counter_api.h"
#include "gpu/counter_sampler.h"
#include "gpu/decoder.h"
#include "gpu/energy.h"
#include "gpu/remarks.h"

namespace stepscope::gpu {

class Counters {
 public:
  // Attached: what the host asks for begins as soon as a device is in use.
  void Start(const stepscope_plugin_host* host, const CuptiApi& api,
             Decoder& decoder);
  // Once per poll: hands on what was measured, as often as the host asks for by
  // now. True: text() is new.
  bool Poll();
  void Stop();

  // "counters every 100 us", "no counters: ..."; empty: nobody asked.
  const char* text() const { return text_.c_str(); }
  // All that was asked for came so far.
  bool whole() const { return gaps_.empty() && (interval_us_ == 0 || loaded_); }

 private:
  struct Device {
    uint32_t device = 0;
    std::unique_ptr<Energy> energy;  // null: none
    std::array<uint32_t, 3> energy_keys = {};
    CounterSampler sampler;
    uint32_t interval_us = 0;  // of the sampler, as was said
    enum { kUnknown, kWallTime, kTicks } times = kUnknown;  // of its samples
    std::vector<uint32_t> keys;  // names of the sampler's counters
  };

  void Begin();
  void Look();
  void Add(uint32_t device);
  void Measure(Device& device);
  void SayGaps(Device& device);
  void MeasureEnergy(Device& device);
  void GiveUpEnergy(Device& device, const char* why);
  CounterSampler::Visit VisitorOf(Device& device);
  double SecondsOf(uint64_t ticks) const;
  bool IsInTicks(uint64_t time) const;
  uint32_t Key(uint32_t device, const char* words);
  std::string Text() const;
  // True: it is another one now.
  bool SetText();

  const stepscope_plugin_host* host_ = nullptr;
  const CuptiApi* api_ = nullptr;
  Decoder* decoder_ = nullptr;
  uint32_t interval_us_ = 0;
  DeviceClock clock_;  // of samples by the time since 1970
  DeviceClock nanoseconds_;
  std::vector<std::unique_ptr<Device>> devices_;
  int64_t look_ns_ = 0;   // when to look for devices again
  int64_t drain_ns_ = 0;  // when to read samples again
  Remarks gaps_;          // of samples
  Remarks remarks_;
  std::string text_;
  CounterApi sampling_;
  bool loaded_ = false;
};

}  // namespace stepscope::gpu
