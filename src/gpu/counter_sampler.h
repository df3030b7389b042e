// SPDX-License-Identifier: Apache-2.0
//
// CounterSampler: the counters of one device, sampled by its hardware at equal
// intervals without stopping a kernel. Device thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
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
  // Visits what was sampled since the last call. Returns how many samples are
  // known to be lost.
  uint64_t Drain(const Visit& visit);
  // Ends sampling, visits the rest, gives the hardware back.
  uint64_t Close(const Visit& visit);

  bool open() const { return sampling_ != nullptr; }
  bool running() const { return running_; }
  // Its buffer runs over again and again: nothing more will come.
  bool gave_up() const { return failures_ > 0 && !running_; }
  uint32_t device() const { return device_; }
  // Of the values of a sample.
  std::span<const CounterKind* const> kinds() const { return kinds_; }

 private:
  bool Fail(const char* function, CUptiResult result, char* why, size_t size);
  CUptiResult OpenHost();
  void CloseHost();
  void ChooseMetrics();
  // Whether these metrics can be sampled in one pass; config_ is for them then.
  bool Fits(const std::vector<const char*>& metrics);
  std::vector<uint8_t>* ImageFor(int64_t now_ns);
  bool Decode(std::vector<uint8_t>& image, bool* more);
  uint64_t Read(std::vector<uint8_t>& image, const Visit& visit);
  // False: nothing more can be read before another start.
  bool ReadDue(const Visit& visit, uint64_t* lost);
  void Halt();

  const CounterApi* api_ = nullptr;
  uint32_t device_ = 0;
  uint32_t interval_us_ = 0;
  char chip_[64] = {};
  std::vector<uint8_t> available_;  // what CUPTI says of the chip
  std::vector<const CounterKind*> kinds_;
  std::vector<const char*> metrics_;
  std::vector<uint8_t> config_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  CUpti_PmSampling_Object* sampling_ = nullptr;
  bool running_ = false;
  uint32_t failures_ = 0;
  int64_t drained_ns_ = 0;
  uint64_t last_end_ = 0;  // of the sample before; 0: none
  // What samples are decoded into, for so many: preparing one costs as much as
  // it is large.
  struct Image {
    uint32_t samples = 0;
    std::vector<uint8_t> bytes;
  };
  Image images_[3];
  std::vector<double> values_;
};

}  // namespace stepscope::gpu
