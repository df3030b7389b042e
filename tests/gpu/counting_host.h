// SPDX-License-Identifier: Apache-2.0
//
// A host that samples, the samples that it was given, and the hardware's time.
#pragma once

#include <cupti.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <functional>
#include <map>

#include "test_host.h"

inline constexpr uint32_t kUs = 100;
inline constexpr uint64_t kInterval = kUs * 1000;

inline uint64_t WallNow() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(int64_t{now.tv_sec} * 1'000'000'000 +
                               now.tv_nsec);
}

inline void PollUntil(TestHost& host, const std::function<bool()>& done) {
  for (;;) {
    host.Poll();
    if (done()) return;
    usleep(1000);
  }
}

struct Sample {
  stepscope_record_sample head;
  std::map<std::string, double> values;
};

inline std::vector<Sample> Samples(const TestHost& host) {
  std::vector<Sample> samples;
  for (const std::vector<uint8_t>& block : host.blocks) {
    for (size_t at = 0; at < block.size();) {
      stepscope_record_head head;
      std::memcpy(&head, block.data() + at, sizeof(head));
      if (head.kind == STEPSCOPE_RECORD_SAMPLE) {
        Sample sample;
        std::memcpy(&sample.head, block.data() + at, sizeof(sample.head));
        for (uint32_t i = 0; i < sample.head.count; ++i) {
          stepscope_record_value value;
          std::memcpy(
              &value,
              block.data() + at + sizeof(sample.head) + i * sizeof(value),
              sizeof(value));
          sample.values[host.NameOf(value.key)] = value.value;
        }
        samples.push_back(std::move(sample));
      }
      at += head.bytes;
    }
  }
  return samples;
}

class Counters : public testing::Test {
 protected:
  // Until somebody reads the samples of device 0; the first is taken.
  void Begin(Fake& fake, uint32_t us = kUs) {
    host_.SampleCounters(us);
    ASSERT_TRUE(host_.Record());
    time_ = WallNow();
    PollUntil(host_, [&] { return fake.sample(0, time_, Next()) != 0; });
  }
  uint64_t Next() { return time_ + kInterval; }
  void Take(Fake& fake, uint32_t device = 0) {
    ASSERT_NE(fake.sample(device, time_, Next()), 0);
    time_ = Next();
  }
  bool Says(const char* words) const {
    return host_.report.find(words) != std::string::npos;
  }

  TestHost host_;
  uint64_t time_ = 0;
};
