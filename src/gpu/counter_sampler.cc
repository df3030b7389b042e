// SPDX-License-Identifier: Apache-2.0
#include "gpu/counter_sampler.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

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

constexpr size_t kHardwareBuffer = size_t{64} << 20;
// Samples that images are made for; the last one is for a thread that had no
// processor for a while.
constexpr uint32_t kImages[] = {256, 1024, 8192};
// One after the other; after that the hardware is given up.
constexpr uint32_t kMostFailures = 3;

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
  failures_ = 0;
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
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Enable_Params, enable);
  enable.deviceIndex = device;
  if ((result = api.cuptiPmSamplingEnable(&enable)) != CUPTI_SUCCESS)
    return Fail("cuptiPmSamplingEnable", result, why, size);
  sampling_ = enable.pPmSamplingObject;
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_SetConfig_Params, set);
  set.pPmSamplingObject = sampling_;
  set.configSize = config_.size();
  set.pConfig = config_.data();
  set.hardwareBufferSize = kHardwareBuffer;
  set.samplingInterval = uint64_t{interval_us} * 1000;
  set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  set.hwBufferAppendMode =
      CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  const char* function = "cuptiPmSamplingSetConfig";
  if ((result = api.cuptiPmSamplingSetConfig(&set)) == CUPTI_SUCCESS) {
    function = "cuptiProfilerHostInitialize";
    result = OpenHost();
  }
  for (size_t i = 0; i < std::size(images_); ++i) images_[i] = {kImages[i], {}};
  if (result == CUPTI_SUCCESS) return true;
  Fail(function, result, why, size);
  Close({});
  return false;
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
  running_ = true;
  drained_ns_ = NowNs();
  last_end_ = 0;
  return true;
}

// The smallest image that holds what there should be by now.
std::vector<uint8_t>* CounterSampler::ImageFor(int64_t now_ns) {
  const int64_t due = (now_ns - drained_ns_) / (int64_t{interval_us_} * 1000);
  size_t at = 0;
  while (at + 1 < std::size(images_) &&
         due + due / 4 + 16 > images_[at].samples)
    ++at;
  Image& image = images_[at];
  if (!image.bytes.empty()) return &image.bytes;
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params, sized);
  sized.pPmSamplingObject = sampling_;
  sized.pMetricNames = metrics_.data();
  sized.numMetrics = metrics_.size();
  sized.maxSamples = image.samples;
  if (api_->cuptiPmSamplingGetCounterDataSize(&sized) != CUPTI_SUCCESS)
    return nullptr;
  image.bytes.resize(sized.counterDataSize);
  return &image.bytes;
}

bool CounterSampler::Decode(std::vector<uint8_t>& image, bool* more) {
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params,
                         clear);
  clear.pPmSamplingObject = sampling_;
  clear.counterDataSize = image.size();
  clear.pCounterData = image.data();
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_DecodeData_Params, decode);
  decode.pPmSamplingObject = sampling_;
  decode.pCounterDataImage = image.data();
  decode.counterDataImageSize = image.size();
  if (api_->cuptiPmSamplingCounterDataImageInitialize(&clear) !=
          CUPTI_SUCCESS ||
      api_->cuptiPmSamplingDecodeData(&decode) != CUPTI_SUCCESS)
    return false;
  *more = decode.decodeStopReason ==
          CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
  return decode.overflow == 0;
}

uint64_t CounterSampler::Read(std::vector<uint8_t>& image, const Visit& visit) {
  STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image.data();
  info.counterDataImageSize = image.size();
  if (api_->cuptiPmSamplingGetCounterDataInfo(&info) != CUPTI_SUCCESS) return 0;
  uint64_t lost = 0;
  for (size_t i = 0; i < info.numCompletedSamples; ++i) {
    STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params,
                           sample);
    sample.pPmSamplingObject = sampling_;
    sample.pCounterDataImage = image.data();
    sample.counterDataImageSize = image.size();
    sample.sampleIndex = i;
    STEPSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params,
                           evaluate);
    evaluate.pHostObject = host_;
    evaluate.pCounterDataImage = image.data();
    evaluate.counterDataImageSize = image.size();
    evaluate.rangeIndex = i;
    evaluate.ppMetricNames = metrics_.data();
    evaluate.numMetrics = metrics_.size();
    evaluate.pMetricValues = values_.data();
    if (api_->cuptiPmSamplingCounterDataGetSampleInfo(&sample) !=
            CUPTI_SUCCESS ||
        api_->cuptiProfilerHostEvaluateToGpuValues(&evaluate) !=
            CUPTI_SUCCESS ||
        sample.endTimestamp <= sample.startTimestamp) {
      ++lost;
      continue;
    }
    const uint64_t length = sample.endTimestamp - sample.startTimestamp;
    const uint64_t before = last_end_;
    last_end_ = sample.endTimestamp;
    // The first one reaches back to when the hardware was last read.
    if (before == 0) continue;
    if (sample.startTimestamp > before)
      lost += (sample.startTimestamp - before + length / 2) / length;
    visit(sample.startTimestamp, sample.endTimestamp, values_);
  }
  return lost;
}

bool CounterSampler::ReadDue(const Visit& visit, uint64_t* lost) {
  bool more = true;
  // At most a few rounds: the hardware may sample as fast as it is read.
  for (int round = 0; round < 4 && more; ++round) {
    const int64_t now = NowNs();
    std::vector<uint8_t>* image = ImageFor(now);
    if (image == nullptr || !Decode(*image, &more)) {
      // Its buffer ran over: what was in it is gone.
      *lost += static_cast<uint64_t>(now - drained_ns_) /
               (uint64_t{interval_us_} * 1000);
      return false;
    }
    drained_ns_ = now;
    *lost += Read(*image, visit);
  }
  return true;
}

uint64_t CounterSampler::Drain(const Visit& visit) {
  uint64_t lost = 0;
  if (ReadDue(visit, &lost)) {
    failures_ = 0;
    return lost;
  }
  Halt();
  char why[300];
  if (++failures_ < kMostFailures) Start(why, sizeof(why));
  return lost;
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
    ReadDue(visit, &lost);
  }
  if (sampling_ != nullptr) {
    STEPSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Disable_Params, disable);
    disable.pPmSamplingObject = sampling_;
    api_->cuptiPmSamplingDisable(&disable);
    sampling_ = nullptr;
  }
  CloseHost();
  for (Image& image : images_) image.bytes = {};
  return lost;
}

}  // namespace stepscope::gpu
