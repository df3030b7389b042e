// SPDX-License-Identifier: Apache-2.0
//
// CounterSampler: the counters of one device, sampled by its hardware at equal
// intervals without stopping a kernel. Device thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gpu/counter_api.h"

namespace stepscope::gpu {

// What a counter is called and which metrics of CUPTI say it, the first that
// the chip has. A sum over a sample becomes a rate.
struct CounterKind {
  const char* words;
  const char* metrics[2];
  bool sum;
};
std::span<const CounterKind> AllCounters();

class CounterSampler {
 public:
  // One sample: what each metric of kinds() says of [start, end), in the time
  // that CUPTI has.
  using Visit = std::function<void(uint64_t start, uint64_t end,
                                   std::span<double> values)>;

  // Takes the hardware. False: `why` has a line for the user.
  bool Open(const CounterApi& api, uint32_t device, uint32_t interval_us,
            char* why, size_t size);
  bool Start(char* why, size_t size);
  // Once it has started: visits what was sampled since the last call. Returns
  // how many samples are known to be lost. `works`: what the device did so far;
  // where that goes on, samples have to come. Sampling that ended is begun
  // again, less often where that was too often.
  uint64_t Drain(const Visit& visit, uint64_t works);
  // Ends sampling, visits the rest, gives the hardware back.
  uint64_t Close(const Visit& visit);

  bool open() const { return open_; }
  bool started() const { return started_; }
  // It is tried again, but nothing came since it failed several times.
  bool stuck() const { return failures_ >= kStuck; }
  // How it ended last; empty: it did not.
  const std::string& trouble() const { return trouble_; }
  // As asked for, or longer.
  uint32_t interval_us() const { return interval_us_; }
  // Of the values of a sample.
  std::span<const CounterKind* const> kinds() const { return kinds_; }

 private:
  bool Fail(const char* function, CUptiResult result, char* why, size_t size);
  CUptiResult OpenHost();
  void CloseHost();
  void ChooseMetrics();
  // Whether these metrics can be sampled in one pass; config_ is for them then.
  bool Fits(const std::vector<const char*>& metrics);
  bool Enable(char* why, size_t size);
  void Disable();
  uint64_t Due(int64_t now_ns) const;
  // Always false.
  bool Fall(const char* function, CUptiResult result);
  void SlowDown();
  // What these return is lost.
  uint64_t Interrupt();
  uint64_t Release();
  uint64_t Again();
  void Wait();
  bool Prepare(uint64_t due);
  bool Decode(bool* more);
  bool Read(const Visit& visit, uint64_t* lost);
  // False: nothing more can be read before another start.
  bool ReadDue(const Visit& visit, uint64_t* lost);
  void Halt();
  bool KeepsUp(int64_t begin_ns);

  static constexpr uint32_t kStuck = 3;

  const CounterApi* api_ = nullptr;
  uint32_t device_ = 0;
  uint32_t interval_us_ = 0;
  char chip_[64] = {};
  std::vector<uint8_t> available_;  // what CUPTI says of the chip
  std::vector<const CounterKind*> kinds_;
  std::vector<const char*> metrics_;
  std::vector<uint8_t> config_;  // CUPTI reads it as long as it samples
  CUpti_Profiler_Host_Object* host_ = nullptr;
  CUpti_PmSampling_Object* sampling_ = nullptr;
  bool open_ = false;
  bool started_ = false;
  bool running_ = false;

  std::string trouble_;
  bool ran_over_ = false;    // that was why
  uint32_t failures_ = 0;    // since the last sample
  int64_t ran_over_ns_ = 0;  // when last
  int64_t again_ns_ = 0;     // when to try again
  int64_t read_ns_ = 0;      // when the last reading ended
  uint32_t late_ = 0;        // readings in a row that took too long
  int64_t drained_ns_ = 0;   // all samples up to then are read or counted
  int64_t sampled_ns_ = 0;   // when one came
  uint32_t silent_ = 0;      // readings since then
  uint64_t works_ = 0;       // of the device by then
  uint64_t last_end_ = 0;    // of the sample before; 0: none

  // What samples are decoded into.
  std::vector<uint8_t> image_;
  uint32_t room_ = 0;  // for so many; 0: not known to CUPTI
  std::vector<double> values_;
};

}  // namespace stepscope::gpu
