// SPDX-License-Identifier: Apache-2.0
#include "gpu/counter_sampler.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "gpu/clock.h"

namespace stepscope::gpu {
namespace {

// Names of Hopper come first. The groups of TriageCompute are made to fit one
// pass together; the others are known to older and to newer chips.
#define STEPSCOPE_PERCENT ".avg.pct_of_peak_sustained_elapsed"
constexpr CounterKind kCounters[] = {
    {"SMs active (%)",
     {"TPC.TriageCompute.sm__cycles_active" STEPSCOPE_PERCENT,
      "sm__cycles_active" STEPSCOPE_PERCENT},
     false},
    {"tensor cores active (%)",
     {"TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime"  //
      STEPSCOPE_PERCENT,
      "sm__pipe_tensor_cycles_active" STEPSCOPE_PERCENT},
     false},
    {"warps active (%)",
     {"TPC.TriageCompute.tpc__warps_active_realtime" STEPSCOPE_PERCENT,
      "sm__warps_active" STEPSCOPE_PERCENT},
     false},
    {"DRAM read (B/s)", {"dram__bytes_read.sum", nullptr}, true},
    {"DRAM written (B/s)", {"dram__bytes_write.sum", nullptr}, true},
    {"PCIe read (B/s)",
     {"PCI.TriageCompute.pcie__read_bytes.sum", "pcie__read_bytes.sum"},
     true},
    {"PCIe written (B/s)",
     {"PCI.TriageCompute.pcie__write_bytes.sum", "pcie__write_bytes.sum"},
     true},
    {"NVLink received (B/s)",
     {"nvlrx__bytes_data_user.sum", "nvlrx__bytes.sum"},
     true},
    {"NVLink sent (B/s)",
     {"nvltx__bytes_data_user.sum", "nvltx__bytes.sum"},
     true},
    {"SM clock (Hz)",
     {"sm__cycles_elapsed.avg.per_second",
      "gpc__cycles_elapsed.avg.per_second"},
     false},
};
#undef STEPSCOPE_PERCENT

// At 17 KB a sample, which is what a decoded one takes, the first holds 0.4 s
// at 50 us. The other is for where there is no such memory.
constexpr size_t kHardwareBuffers[] = {size_t{128} << 20, size_t{64} << 20};
// Samples that an image is made for: preparing one costs as much as it is
// large, and what it has no room for is lost. The most are for a thread that
// had no processor for a while.
constexpr uint32_t kLeastRoom = 256;
constexpr uint32_t kMostRoom = 8192;
// Sampling is not slowed down beyond that.
constexpr uint32_t kSlowestUs = 200;
constexpr int64_t kMs = 1'000'000;
// A buffer that runs over twice within this time is read too slowly.
constexpr int64_t kTwiceNs = 10'000 * kMs;
// So many readings in a row that take nearly all the time.
constexpr uint32_t kMostLate = 10;
constexpr int64_t kSilentNs = 1'000 * kMs;
constexpr uint32_t kMostSilent = 10;
// Between attempts to begin again: twice the last, up to the longest.
constexpr int64_t kFirstWaitNs = 20 * kMs;
constexpr int64_t kLongestNs = 5'000 * kMs;

}  // namespace

std::span<const CounterKind> AllCounters() { return kCounters; }

bool CounterSampler::Fail(const char* function, CUptiResult result, char* why,
                          size_t size) {
  api_->cupti->Explain(function, result, why, size);
  return false;
}

bool CounterSampler::Open(const CounterApi& api, uint32_t device,
                          uint32_t interval_us, char* why, size_t size) {
  api_ = &api;
  device_ = device;
  interval_us_ = interval_us;
  STEPSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
  if (const CUptiResult result = api.cuptiProfilerInitialize(&initialize))
    return Fail("cuptiProfilerInitialize", result, why, size);
  STEPSCOPE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
  chip.deviceIndex = device;
  if (const CUptiResult result = api.cuptiDeviceGetChipName(&chip))
    return Fail("cuptiDeviceGetChipName", result, why, size);
  std::snprintf(chip_, sizeof(chip_), "%s", chip.pChipName);
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_GetCounterAvailability_Params,
                         availability);
  availability.deviceIndex = device;
  CUptiResult result = api.cuptiPmSamplingGetCounterAvailability(&availability);
  available_.resize(availability.counterAvailabilityImageSize);
  availability.pCounterAvailabilityImage = available_.data();
  if (result == CUPTI_SUCCESS)
    result = api.cuptiPmSamplingGetCounterAvailability(&availability);
  if (result != CUPTI_SUCCESS)
    return Fail("cuptiPmSamplingGetCounterAvailability", result, why, size);
  ChooseMetrics();
  if (metrics_.empty()) {
    std::snprintf(why, size, "%s has none of the counters that are known here",
                  chip_);
    return false;
  }
  if (!Enable(why, size)) return false;
  if ((result = OpenHost()) == CUPTI_SUCCESS) return open_ = true;
  Disable();
  return Fail("cuptiProfilerHostInitialize", result, why, size);
}

bool CounterSampler::Enable(char* why, size_t size) {
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Enable_Params, enable);
  enable.deviceIndex = device_;
  if (const CUptiResult result = api_->cuptiPmSamplingEnable(&enable))
    return Fail("cuptiPmSamplingEnable", result, why, size);
  sampling_ = enable.pPmSamplingObject;
  room_ = 0;
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_SetConfig_Params, set);
  set.pPmSamplingObject = sampling_;
  set.configSize = config_.size();
  set.pConfig = config_.data();
  set.samplingInterval = uint64_t{interval_us_} * 1000;
  set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  set.hwBufferAppendMode =
      CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  CUptiResult result = CUPTI_SUCCESS;
  for (const size_t bytes : kHardwareBuffers) {
    set.hardwareBufferSize = bytes;
    result = api_->cuptiPmSamplingSetConfig(&set);
    if (result == CUPTI_SUCCESS) return true;
  }
  Disable();
  return Fail("cuptiPmSamplingSetConfig", result, why, size);
}

void CounterSampler::Disable() {
  if (sampling_ == nullptr) return;
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Disable_Params, disable);
  disable.pPmSamplingObject = sampling_;
  api_->cuptiPmSamplingDisable(&disable);
  sampling_ = nullptr;
}

// Counters come one by one, so that one that the chip lacks, or that would need
// a second pass over the program, takes no other with it.
void CounterSampler::ChooseMetrics() {
  kinds_.clear();
  metrics_.clear();
  for (const CounterKind& kind : kCounters) {
    for (const char* metric : kind.metrics) {
      if (metric == nullptr) continue;
      std::vector<const char*> wanted = metrics_;
      wanted.push_back(metric);
      if (!Fits(wanted)) continue;
      metrics_.push_back(metric);
      kinds_.push_back(&kind);
      break;
    }
  }
  Fits(metrics_);
  values_.resize(metrics_.size());
}

bool CounterSampler::Fits(const std::vector<const char*>& metrics) {
  if (metrics.empty() || OpenHost() != CUPTI_SUCCESS) return false;
  STEPSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
  add.pHostObject = host_;
  add.ppMetricNames = const_cast<const char**>(metrics.data());
  add.numMetrics = metrics.size();
  STEPSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, sized);
  sized.pHostObject = host_;
  STEPSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host_;
  STEPSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  bool fits =
      api_->cuptiProfilerHostConfigAddMetrics(&add) == CUPTI_SUCCESS &&
      api_->cuptiProfilerHostGetConfigImageSize(&sized) == CUPTI_SUCCESS;
  if (fits) {
    config_.assign(sized.configImageSize, 0);
    image.configImageSize = passes.configImageSize = config_.size();
    image.pConfigImage = passes.pConfigImage = config_.data();
    fits = api_->cuptiProfilerHostGetConfigImage(&image) == CUPTI_SUCCESS &&
           api_->cuptiProfilerHostGetNumOfPasses(&passes) == CUPTI_SUCCESS &&
           passes.numOfPasses == 1;
  }
  CloseHost();
  return fits;
}

// What turns counts into the values of metrics.
CUptiResult CounterSampler::OpenHost() {
  STEPSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, initialize);
  initialize.profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING;
  initialize.pChipName = chip_;
  initialize.pCounterAvailabilityImage = available_.data();
  const CUptiResult result = api_->cuptiProfilerHostInitialize(&initialize);
  if (result == CUPTI_SUCCESS) host_ = initialize.pHostObject;
  return result;
}

void CounterSampler::CloseHost() {
  if (host_ == nullptr) return;
  STEPSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, end);
  end.pHostObject = host_;
  api_->cuptiProfilerHostDeinitialize(&end);
  host_ = nullptr;
}

bool CounterSampler::Start(char* why, size_t size) {
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Start_Params, start);
  start.pPmSamplingObject = sampling_;
  if (const CUptiResult result = api_->cuptiPmSamplingStart(&start))
    return Fail("cuptiPmSamplingStart", result, why, size);
  started_ = running_ = true;
  drained_ns_ = read_ns_ = sampled_ns_ = NowNs();
  late_ = silent_ = 0;
  last_end_ = 0;
  return true;
}

// Samples that there should be by now.
uint64_t CounterSampler::Due(int64_t now_ns) const {
  return static_cast<uint64_t>(now_ns - drained_ns_) /
         (uint64_t{interval_us_} * 1000);
}

bool CounterSampler::Fall(const char* function, CUptiResult result) {
  ran_over_ = result == CUPTI_ERROR_OUT_OF_MEMORY;
  char why[300];
  Fail(function, result, why, sizeof(why));
  trouble_ = ran_over_ ? "the hardware's buffer ran over" : why;
  return false;
}

// CUPTI takes an image of the size that it was last asked for, and no other.
bool CounterSampler::Prepare(uint64_t due) {
  uint32_t room = kLeastRoom;
  while (room < kMostRoom && room < due + due / 4 + 16) room *= 2;
  // Less by a little is not worth another one.
  if (room > room_ || room * 4 <= room_) {
    STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params, sized);
    sized.pPmSamplingObject = sampling_;
    sized.pMetricNames = metrics_.data();
    sized.numMetrics = metrics_.size();
    sized.maxSamples = room;
    if (const CUptiResult result =
            api_->cuptiPmSamplingGetCounterDataSize(&sized))
      return Fall("cuptiPmSamplingGetCounterDataSize", result);
    image_ = std::vector<uint8_t>(sized.counterDataSize);
    room_ = room;
  }
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params,
                         clear);
  clear.pPmSamplingObject = sampling_;
  clear.counterDataSize = image_.size();
  clear.pCounterData = image_.data();
  if (const CUptiResult result =
          api_->cuptiPmSamplingCounterDataImageInitialize(&clear))
    return Fall("cuptiPmSamplingCounterDataImageInitialize", result);
  return true;
}

bool CounterSampler::Decode(bool* more) {
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_DecodeData_Params, decode);
  decode.pPmSamplingObject = sampling_;
  decode.pCounterDataImage = image_.data();
  decode.counterDataImageSize = image_.size();
  CUptiResult result = api_->cuptiPmSamplingDecodeData(&decode);
  if (result == CUPTI_SUCCESS && decode.overflow != 0)
    result = CUPTI_ERROR_OUT_OF_MEMORY;
  if (result != CUPTI_SUCCESS) return Fall("cuptiPmSamplingDecodeData", result);
  *more = decode.decodeStopReason ==
          CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
  return true;
}

bool CounterSampler::Read(const Visit& visit, uint64_t* lost) {
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  if (const CUptiResult result = api_->cuptiPmSamplingGetCounterDataInfo(&info))
    return Fall("cuptiPmSamplingGetCounterDataInfo", result);
  for (size_t i = 0; i < info.numCompletedSamples; ++i) {
    STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params,
                           sample);
    sample.pPmSamplingObject = sampling_;
    sample.pCounterDataImage = image_.data();
    sample.counterDataImageSize = image_.size();
    sample.sampleIndex = i;
    STEPSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params,
                           evaluate);
    evaluate.pHostObject = host_;
    evaluate.pCounterDataImage = image_.data();
    evaluate.counterDataImageSize = image_.size();
    evaluate.rangeIndex = i;
    evaluate.ppMetricNames = metrics_.data();
    evaluate.numMetrics = metrics_.size();
    evaluate.pMetricValues = values_.data();
    if (const CUptiResult result =
            api_->cuptiPmSamplingCounterDataGetSampleInfo(&sample))
      return Fall("cuptiPmSamplingCounterDataGetSampleInfo", result);
    // After an image was full some come without times or out of order. The next
    // one that is whole shows how many are missing.
    if (sample.endTimestamp <= sample.startTimestamp ||
        sample.startTimestamp < last_end_)
      continue;
    if (const CUptiResult result =
            api_->cuptiProfilerHostEvaluateToGpuValues(&evaluate))
      return Fall("cuptiProfilerHostEvaluateToGpuValues", result);
    const uint64_t length = sample.endTimestamp - sample.startTimestamp;
    const uint64_t before = last_end_;
    last_end_ = sample.endTimestamp;
    // The first one reaches back to when the hardware was last read.
    if (before == 0) continue;
    *lost += (sample.startTimestamp - before + length / 2) / length;
    visit(sample.startTimestamp, sample.endTimestamp, values_);
    silent_ = failures_ = 0;
  }
  return true;
}

bool CounterSampler::ReadDue(const Visit& visit, uint64_t* lost) {
  bool more = true;
  // At most a few rounds: the hardware may sample as fast as it is read.
  for (int round = 0; round < 4 && more; ++round) {
    const int64_t now = NowNs();
    if (!Prepare(std::max<uint64_t>(Due(now), round > 0 ? room_ / 2 : 0)) ||
        !Decode(&more) || !Read(visit, lost))
      return false;
    drained_ns_ = now;
  }
  return true;
}

// False: reading takes nearly all the time there is.
bool CounterSampler::KeepsUp(int64_t begin_ns) {
  const int64_t now = NowNs();
  const int64_t since = now - std::exchange(read_ns_, now);
  late_ = now - begin_ns > since / 8 * 7 ? late_ + 1 : 0;
  return late_ < kMostLate;
}

uint64_t CounterSampler::Drain(const Visit& visit, uint64_t works) {
  const int64_t begin = NowNs();
  if (!running_) return begin >= again_ns_ ? Again() : 0;
  uint64_t lost = 0;
  ++silent_;
  if (!ReadDue(visit, &lost)) return lost + Interrupt();
  if (silent_ <= 1) {
    sampled_ns_ = begin;
    works_ = works;
  }
  if (silent_ > kMostSilent && begin - sampled_ns_ > kSilentNs &&
      works != works_) {
    trouble_ = "no sample came for a second in which the device worked";
    ran_over_ = false;
    return lost + Interrupt();
  }
  if (KeepsUp(begin) || interval_us_ >= kSlowestUs) return lost;
  lost += Release();
  SlowDown();
  return lost + Again();
}

void CounterSampler::SlowDown() {
  if (interval_us_ < kSlowestUs)
    interval_us_ = std::min(interval_us_ * 2, kSlowestUs);
}

// Once its buffer ran over, CUPTI gives nothing more before the hardware was
// given back and taken again.
uint64_t CounterSampler::Release() {
  const int64_t now = NowNs();
  const uint64_t lost = Due(now);
  Halt();
  Disable();
  drained_ns_ = now;
  return lost;
}

uint64_t CounterSampler::Interrupt() {
  const uint64_t lost = Release();
  if (ran_over_) {
    if (ran_over_ns_ != 0 && drained_ns_ - ran_over_ns_ < kTwiceNs) SlowDown();
    ran_over_ns_ = drained_ns_;
  }
  if (failures_++ == 0) return lost + Again();
  Wait();
  return lost;
}

void CounterSampler::Wait() {
  again_ns_ =
      NowNs() + std::min(kFirstWaitNs << std::min(failures_, 20u), kLongestNs);
}

uint64_t CounterSampler::Again() {
  char why[300];
  const int64_t since = drained_ns_;
  if (Enable(why, sizeof(why)) && Start(why, sizeof(why)))
    return static_cast<uint64_t>(drained_ns_ - since) /
           (uint64_t{interval_us_} * 1000);
  Disable();
  trouble_ = why;
  ++failures_;
  Wait();
  return 0;
}

void CounterSampler::Halt() {
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Stop_Params, stop);
  stop.pPmSamplingObject = sampling_;
  api_->cuptiPmSamplingStop(&stop);
  running_ = false;
}

uint64_t CounterSampler::Close(const Visit& visit) {
  uint64_t lost = 0;
  if (running_) {
    Halt();
    if (!ReadDue(visit, &lost)) lost += Due(NowNs());
  } else if (started_) {
    lost = Due(NowNs());
  }
  Disable();
  CloseHost();
  image_ = {};
  open_ = started_ = false;
  return lost;
}

}  // namespace stepscope::gpu
