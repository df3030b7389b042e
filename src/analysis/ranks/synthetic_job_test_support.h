// SPDX-License-Identifier: Apache-2.0
//
// SyntheticJob: ranks whose clocks, meetings and delays are known, for tests
// and benchmarks of what is computed from them. The same seed makes the same
// job.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/ranks/match_calls.h"

namespace stepscope {

struct SyntheticOptions {
  uint32_t seed = 1;
  uint32_t ranks = 8;
  uint32_t steps = 100;
  uint32_t calls = 4;            // per step
  int64_t step_ns = 50'000'000;  // before anybody is late
  double jitter_ns = 20'000;     // of leaving, standard deviation
  double arrival_ns = 300'000;   // of arriving
  double offset_s = 10;          // of clocks, either way
  double drift_ppm = 100;        // the same
};

class SyntheticJob {
 public:
  explicit SyntheticJob(const SyntheticOptions& options)
      : options_(options), random_(options.seed) {
    for (uint32_t i = 0; i < options.ranks; ++i) {
      Clock clock;
      if (i > 0) {
        clock.offset_ns = Uniform(options.offset_s * 1e9);
        clock.drift = Uniform(options.drift_ppm * 1e-6);
      }
      clocks_.push_back(clock);
      RankCalls calls;
      calls.rank = i;
      CallSignature signature;
      signature.kind = CollectiveKind::kAllReduce;
      signature.name = "all_reduce";
      signature.bytes = 1 << 20;
      calls.signatures.push_back(signature);
      ranks_.push_back(calls);
    }
    MakeCalls();
  }

  std::vector<RankCalls>& ranks() { return ranks_; }
  // What a rank's clock shows at a true time, and the other way round.
  int64_t Shown(uint32_t rank, int64_t true_ns) const {
    return true_ns + static_cast<int64_t>(Added(rank, true_ns));
  }
  // How far a map from the times of `rank` to those of rank 0 is off.
  int64_t ErrorAt(uint32_t rank, const ClockMap& map, int64_t true_ns) const {
    return map(Shown(rank, true_ns)) - Shown(0, true_ns);
  }
  int64_t length_ns() const { return length_ns_; }

  std::vector<MatchInput> Inputs() const {
    std::vector<MatchInput> inputs;
    for (uint32_t i = 0; i < ranks_.size(); ++i)
      inputs.push_back({&ranks_[i], i, ClockMap()});
    return inputs;
  }

 private:
  struct Clock {
    double offset_ns = 0;
    double drift = 0;
  };

  double Added(uint32_t rank, int64_t true_ns) const {
    return clocks_[rank].offset_ns +
           clocks_[rank].drift * static_cast<double>(true_ns);
  }
  double Uniform(double most) {
    return std::uniform_real_distribution<double>(-most, most)(random_);
  }
  int64_t Normal(double deviation) {
    return static_cast<int64_t>(
        std::normal_distribution<double>(0, deviation)(random_));
  }

  void MakeCalls() {
    int64_t now = 1'000'000'000;
    for (uint32_t step = 0; step < options_.steps; ++step) {
      for (uint32_t call = 0; call < options_.calls; ++call) {
        now += options_.step_ns / options_.calls;
        std::vector<int64_t> arrivals;
        for (uint32_t i = 0; i < options_.ranks; ++i)
          arrivals.push_back(now + std::abs(Normal(options_.arrival_ns)));
        const int64_t transfer = 500'000 + std::abs(Normal(100'000));
        now = *std::max_element(arrivals.begin(), arrivals.end()) + transfer;
        for (uint32_t i = 0; i < options_.ranks; ++i) {
          RankCall made;
          made.time = {Shown(i, arrivals[i]),
                       Shown(i, now + Normal(options_.jitter_ns))};
          made.step = step;
          ranks_[i].calls.push_back(made);
        }
      }
    }
    length_ns_ = now;
  }

  SyntheticOptions options_;
  std::mt19937 random_;
  std::vector<Clock> clocks_;
  std::vector<RankCalls> ranks_;
  int64_t length_ns_ = 0;
};

}  // namespace stepscope
