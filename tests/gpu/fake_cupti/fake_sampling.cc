// SPDX-License-Identifier: Apache-2.0
//
// The functions of libcupti that sample counters. A sample is what a test says
// it is. As in the real one, what an image has no room for is lost, an image
// has the size that was asked for last, and after its buffer ran over a sampler
// gives nothing more.
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <unistd.h>

#include <cstring>
#include <iterator>

#include "fake_cupti.h"
#include "fake_state.h"

using fake::Enter;
using fake::Lock;
using fake::mutex;
using fake::Setting;

namespace {

// Of a machine with one device: links to others are not known to it.
constexpr const char* kMetrics[] = {
    "TPC.TriageCompute.sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_"
    "sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "PCI.TriageCompute.pcie__read_bytes.sum",
    "PCI.TriageCompute.pcie__write_bytes.sum",
    "sm__cycles_elapsed.avg.per_second",
};
constexpr uint32_t kMagic = 0x5a3d1e07;

struct Sample {
  uint64_t start = 0;
  uint64_t end = 0;
  double values[std::size(kMetrics)] = {};
};

// An image: this, and behind it the samples.
struct Image {
  uint32_t magic = 0;
  uint32_t room = 0;
  uint32_t used = 0;
  uint32_t unused = 0;
  Sample* samples() { return reinterpret_cast<Sample*>(this + 1); }
};

const Image* ImageAt(const uint8_t* bytes) {
  const auto* image = reinterpret_cast<const Image*>(bytes);
  return image != nullptr && image->magic == kMagic ? image : nullptr;
}

size_t MetricOf(const char* name) {
  size_t at = 0;
  while (at < std::size(kMetrics) && std::strcmp(kMetrics[at], name) != 0) ++at;
  return at;
}

std::map<std::string, double>& Values() {
  static auto* const values = new std::map<std::string, double>;
  return *values;
}

}  // namespace

struct CUpti_Profiler_Host_Object {
  uint64_t metrics = 0;
};

struct CUpti_PmSampling_Object {
  size_t device = 0;
  bool configured = false;
  bool running = false;
  bool ran_over = false;
  uint32_t most_samples = 0;  // as asked for last
  std::vector<Sample> due;
};

namespace {
std::map<size_t, CUpti_PmSampling_Object>& Objects() {
  static auto* const objects = new std::map<size_t, CUpti_PmSampling_Object>;
  return *objects;
}
}  // namespace

extern "C" {

#define FAKE_CUPTI_ENTER(name)                                          \
  if (const CUptiResult result = Enter(#name); result != CUPTI_SUCCESS) \
    return result;                                                      \
  if (params == nullptr || params->structSize == 0)                     \
    return CUPTI_ERROR_INVALID_PARAMETER;                               \
  const Lock lock(mutex)

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* params) {
  FAKE_CUPTI_ENTER(cuptiProfilerInitialize);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  FAKE_CUPTI_ENTER(cuptiDeviceGetChipName);
  params->pChipName = "FK100";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterAvailability(
    CUpti_PmSampling_GetCounterAvailability_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingGetCounterAvailability);
  params->counterAvailabilityImageSize = 16;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingEnable);
  const auto [it, fresh] = Objects().try_emplace(params->deviceIndex);
  if (!fresh) return CUPTI_ERROR_HARDWARE_BUSY;
  it->second.device = params->deviceIndex;
  params->pPmSamplingObject = &it->second;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingDisable);
  Objects().erase(params->pPmSamplingObject->device);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingSetConfig(
    CUpti_PmSampling_SetConfig_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingSetConfig);
  if (params->configSize == 0 || params->samplingInterval == 0)
    return CUPTI_ERROR_INVALID_PARAMETER;
  params->pPmSamplingObject->configured = true;
  fake::state->calls["interval_us"] =
      static_cast<int64_t>(params->samplingInterval / 1000);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingStart);
  CUpti_PmSampling_Object& object = *params->pPmSamplingObject;
  if (!object.configured || object.running)
    return CUPTI_ERROR_INVALID_OPERATION;
  object.running = true;
  object.due.clear();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingStop);
  if (!params->pPmSamplingObject->running) return CUPTI_ERROR_INVALID_OPERATION;
  params->pPmSamplingObject->running = false;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterDataSize(
    CUpti_PmSampling_GetCounterDataSize_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingGetCounterDataSize);
  params->pPmSamplingObject->most_samples = params->maxSamples;
  params->counterDataSize = sizeof(Image) + params->maxSamples * sizeof(Sample);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingCounterDataImageInitialize(
    CUpti_PmSampling_CounterDataImage_Initialize_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingCounterDataImageInitialize);
  const uint32_t room = params->pPmSamplingObject->most_samples;
  if (params->counterDataSize != sizeof(Image) + room * sizeof(Sample))
    return CUPTI_ERROR_INVALID_PARAMETER;
  auto* image = reinterpret_cast<Image*>(params->pCounterData);
  image->magic = kMagic;
  image->room = room;
  image->used = 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingDecodeData(
    CUpti_PmSampling_DecodeData_Params* params) {
  int64_t decode_ms = 0;
  {
    const Lock lock(mutex);
    decode_ms = Setting("decode_ms");
  }
  if (decode_ms > 0) usleep(static_cast<useconds_t>(decode_ms * 1000));
  FAKE_CUPTI_ENTER(cuptiPmSamplingDecodeData);
  CUpti_PmSampling_Object& object = *params->pPmSamplingObject;
  auto* image = reinterpret_cast<Image*>(params->pCounterDataImage);
  if (image->magic != kMagic) return CUPTI_ERROR_INVALID_PARAMETER;
  if (object.ran_over) return CUPTI_ERROR_OUT_OF_MEMORY;
  for (const Sample& sample : object.due)
    if (image->used < image->room) image->samples()[image->used++] = sample;
  params->decodeStopReason =
      object.due.size() > image->used
          ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
          : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  object.due.clear();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterDataInfo(
    CUpti_PmSampling_GetCounterDataInfo_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingGetCounterDataInfo);
  const Image* image = ImageAt(params->pCounterDataImage);
  if (image == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  params->numTotalSamples = image->room;
  params->numPopulatedSamples = params->numCompletedSamples = image->used;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(
    CUpti_PmSampling_CounterData_GetSampleInfo_Params* params) {
  FAKE_CUPTI_ENTER(cuptiPmSamplingCounterDataGetSampleInfo);
  const Image* image = ImageAt(params->pCounterDataImage);
  if (image == nullptr || params->sampleIndex >= image->used)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const Sample& sample =
      const_cast<Image*>(image)->samples()[params->sampleIndex];
  params->startTimestamp = sample.start;
  params->endTimestamp = sample.end;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(
    CUpti_Profiler_Host_Initialize_Params* params) {
  FAKE_CUPTI_ENTER(cuptiProfilerHostInitialize);
  ++fake::state->calls["hosts"];
  params->pHostObject = new CUpti_Profiler_Host_Object;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(
    CUpti_Profiler_Host_Deinitialize_Params* params) {
  FAKE_CUPTI_ENTER(cuptiProfilerHostDeinitialize);
  --fake::state->calls["hosts"];
  delete params->pHostObject;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(
    CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  FAKE_CUPTI_ENTER(cuptiProfilerHostConfigAddMetrics);
  for (size_t i = 0; i < params->numMetrics; ++i)
    if (MetricOf(params->ppMetricNames[i]) == std::size(kMetrics))
      return CUPTI_ERROR_INVALID_METRIC_NAME;
  params->pHostObject->metrics += params->numMetrics;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  FAKE_CUPTI_ENTER(cuptiProfilerHostGetConfigImageSize);
  params->configImageSize = sizeof(uint64_t);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(
    CUpti_Profiler_Host_GetConfigImage_Params* params) {
  FAKE_CUPTI_ENTER(cuptiProfilerHostGetConfigImage);
  std::memcpy(params->pConfigImage, &params->pHostObject->metrics,
              sizeof(uint64_t));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(
    CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  FAKE_CUPTI_ENTER(cuptiProfilerHostGetNumOfPasses);
  uint64_t metrics = 0;
  std::memcpy(&metrics, params->pConfigImage, sizeof(metrics));
  const auto most = static_cast<uint64_t>(Setting("metrics_in_a_pass"));
  params->numOfPasses = most != 0 && metrics > most ? 2 : 1;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  FAKE_CUPTI_ENTER(cuptiProfilerHostEvaluateToGpuValues);
  const Image* image = ImageAt(params->pCounterDataImage);
  if (image == nullptr || params->rangeIndex >= image->used)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const Sample& sample =
      const_cast<Image*>(image)->samples()[params->rangeIndex];
  for (size_t i = 0; i < params->numMetrics; ++i)
    params->pMetricValues[i] =
        sample.values[MetricOf(params->ppMetricNames[i])];
  return CUPTI_SUCCESS;
}

// The controls ----------------------------------------------------------------

int fake_cupti_sample(uint32_t device, uint64_t start, uint64_t end) {
  const Lock lock(mutex);
  const auto it = Objects().find(device);
  if (it == Objects().end() || !it->second.running) return 0;
  Sample sample;
  sample.start = start;
  sample.end = end;
  for (size_t i = 0; i < std::size(kMetrics); ++i)
    if (const auto value = Values().find(kMetrics[i]); value != Values().end())
      sample.values[i] = value->second;
  it->second.due.push_back(sample);
  return 1;
}

void fake_cupti_metric(const char* metric, double value) {
  const Lock lock(mutex);
  Values()[metric] = value;
}

void fake_cupti_run_over(uint32_t device) {
  const Lock lock(mutex);
  const auto it = Objects().find(device);
  if (it == Objects().end()) return;
  it->second.ran_over = true;
  it->second.due.clear();
}

int fake_cupti_samplers(void) {
  const Lock lock(mutex);
  return static_cast<int>(Objects().size());
}

}  // extern "C"
