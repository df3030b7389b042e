// SPDX-License-Identifier: Apache-2.0
//
// What the recording benchmarks share: the floor, timing in interleaved rounds,
// and output as ratios. F, the floor, is two counter reads and one 32-byte
// record stored to a thread-local ring of 1 MiB; nothing that timestamps both
// ends of an event can cost less.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stepscope/c.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace stepscope::bench {

struct FloorRecord {
  uint64_t begin, end, site, extra;
};
inline constexpr uint64_t kFloorRing = 32768;
// In floor.cc, which is linked in or a shared library, as the collector is:
// thread-local data of a library lies behind one load more, for both.
extern __thread FloorRecord floor_ring[kFloorRing]
    __attribute__((visibility("default"), tls_model("initial-exec")));
extern __thread uint64_t floor_head
    __attribute__((visibility("default"), tls_model("initial-exec")));

inline void FloorLoop(int n) {
  uint64_t head = floor_head;
  for (int i = 0; i < n; ++i) {
    const uint64_t begin = stepscope_tick();
    const uint64_t end = stepscope_tick();
    floor_ring[head & (kFloorRing - 1)] = {begin, end, 7, 0};
    __atomic_store_n(&floor_head, ++head, __ATOMIC_RELEASE);
  }
}

// The floor of what survives a kill: the same record, its begin stored before
// the end is read.
inline void FloorBeginFirst() {
  const uint64_t head = floor_head;
  FloorRecord* record = &floor_ring[head & (kFloorRing - 1)];
  __atomic_store_n(&record->site, 7, __ATOMIC_RELAXED);
  const uint64_t begin = stepscope_tick();
  __atomic_store_n(&record->begin, begin, __ATOMIC_RELAXED);
  const uint64_t end = stepscope_tick();
  __atomic_store_n(&record->end, end, __ATOMIC_RELAXED);
  __atomic_store_n(&floor_head, head + 1, __ATOMIC_RELEASE);
}

inline double NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

inline void PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

struct Sample {
  double median = 0;
  double p10 = 0;
  double p95 = 0;
};

inline Sample Summarise(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    const double last = static_cast<double>(values.size() - 1);
    return values[static_cast<size_t>(q * last)];
  };
  return {at(0.5), at(0.1), at(0.95)};
}

// One contestant: runs `n` iterations; `before` runs untimed ahead of it.
struct Arm {
  std::string name;
  std::function<void(int)> run;
  std::function<void()> before;
};

// ns per iteration of each arm, rounds interleaved so that a slow spell of the
// machine hits all of them alike.
inline std::vector<Sample> Interleave(const std::vector<Arm>& arms, int n,
                                      int rounds) {
  std::vector<std::vector<double>> times(arms.size());
  for (int round = -1; round < rounds; ++round) {
    for (size_t i = 0; i < arms.size(); ++i) {
      if (arms[i].before) arms[i].before();
      const double start = NowNs();
      arms[i].run(n);
      const double took = (NowNs() - start) / n;
      if (round >= 0) times[i].push_back(took);
    }
  }
  std::vector<Sample> out;
  for (auto& t : times) out.push_back(Summarise(std::move(t)));
  return out;
}

// Prints one row: figure, ratio to the floor, and whether the target is met.
inline bool Row(const std::string& what, const Sample& s, double floor,
                double target) {
  const double ratio = s.median / floor;
  if (target > 0) {
    std::printf("%-46s %8.2f ns  %6.3f  <= %-5.2f %s\n", what.c_str(), s.median,
                ratio, target, ratio <= target ? "met" : "MISSED");
    return ratio <= target;
  }
  std::printf("%-46s %8.2f ns  %6.3f\n", what.c_str(), s.median, ratio);
  return true;
}

}  // namespace stepscope::bench
