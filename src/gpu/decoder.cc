// SPDX-License-Identifier: Apache-2.0
#include "gpu/decoder.h"

#include <cstddef>

namespace stepscope::gpu {
namespace {

// What is read through an older struct must lie where it lay.
#define STEPSCOPE_SAME_PLACE(older, newer, member) \
  static_assert(offsetof(older, member) == offsetof(newer, member))
STEPSCOPE_SAME_PLACE(CUpti_ActivityKernel9, CUpti_ActivityKernel10, name);
STEPSCOPE_SAME_PLACE(CUpti_ActivityKernel9, CUpti_ActivityKernel10,
                     graphNodeId);
STEPSCOPE_SAME_PLACE(CUpti_ActivityKernel9, CUpti_ActivityKernel10, clusterZ);
STEPSCOPE_SAME_PLACE(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, graphNodeId);
STEPSCOPE_SAME_PLACE(CUpti_ActivityMemory3, CUpti_ActivityMemory4,
                     memoryPoolConfig.utilizedSize);
STEPSCOPE_SAME_PLACE(CUpti_ActivityDevice4, CUpti_ActivityDevice5, migUuid);
STEPSCOPE_SAME_PLACE(CUpti_ActivityGraphTrace, CUpti_ActivityGraphTrace2,
                     streamId);
STEPSCOPE_SAME_PLACE(CUpti_ActivityOverhead, CUpti_ActivityOverhead3, end);
STEPSCOPE_SAME_PLACE(CUpti_ActivitySynchronization,
                     CUpti_ActivitySynchronization2, cudaEventId);
STEPSCOPE_SAME_PLACE(CUpti_ActivityCudaEvent, CUpti_ActivityCudaEvent2,
                     eventId);
STEPSCOPE_SAME_PLACE(CUpti_ActivityMemoryPool2, CUpti_ActivityMemoryPool3,
                     utilizedSize);
#undef STEPSCOPE_SAME_PLACE

constexpr const char* kReasons[] = {
    "gpu: no timestamp",       "gpu: end before start",
    "gpu: time in the future", "gpu: not complete at stop",
    "gpu: unknown kind",       "gpu: unreadable buffer",
    "gpu: dropped by CUPTI",   "gpu: buffer pool used up",
    "gpu: capture too slow",   "gpu: counter samples"};
static_assert(sizeof(kReasons) / sizeof(kReasons[0]) ==
              static_cast<size_t>(Reason::kCount));

// Some ten seconds in ticks of any counter.
constexpr uint64_t kFutureTicks = uint64_t{1} << 35;

template <typename T>
const T& As(const CUpti_Activity* record) {
  return *reinterpret_cast<const T*>(record);
}

}  // namespace

void Decoder::Start(const stepscope_plugin_host* host, const CuptiApi* api,
                    DeviceClock* clock) {
  host_ = host;
  api_ = api;
  clock_ = clock;
  writer_.Start(host);
  names_.Start(host, api);
  shapes_.Clear();
  devices_.clear();
  devices_written_ = 0;
  begin_ = end_ = 0;
  forced_ = false;
  last_thread_ = 0;
  threads_.clear();
  works_ = 0;
  seen_ = stats_written_ = 0;
  for (uint64_t& count : lost_) count = 0;
}

void Decoder::UpdateWindow() {
  const bool was_open = begin_ != 0;
  host_->window(host_->context, &begin_, &end_);
  if (begin_ != 0 && !was_open) WriteClock();
  if (begin_ != 0) WriteDevices();
}

// Work that was launched in the window may begin after it: what was launched
// later is known by its call, and that is for the reader to see.
bool Decoder::InWindow(uint64_t end) const {
  return begin_ != 0 && end >= begin_;
}

bool Decoder::AfterWindow(uint64_t start) const {
  return end_ != 0 && start > end_;
}

uint64_t Decoder::lost() const {
  uint64_t sum = 0;
  for (const uint64_t count : lost_) sum += count;
  return sum;
}

void Decoder::Lose(Reason why, uint64_t count) {
  if (begin_ == 0) return;  // nobody asked for it
  seen_ += count;
  lost_[static_cast<size_t>(why)] += count;
}

bool Decoder::Times(uint64_t start, uint64_t end, uint64_t* out_start,
                    uint64_t* out_end) {
  if (end == 0 && (start != 0 || forced_)) {
    Lose(forced_ ? Reason::kIncomplete : Reason::kZeroTime, 1);
    return false;
  }
  if (start == 0 || end == 0) {
    Lose(Reason::kZeroTime, 1);
    return false;
  }
  *out_start = clock_->ToTicks(start);
  *out_end = clock_->ToTicks(end);
  if (*out_end < *out_start) {
    Lose(Reason::kReversed, 1);
    return false;
  }
  if (*out_end > clock_->now() + kFutureTicks) {
    Lose(Reason::kFuture, 1);
    return false;
  }
  return InWindow(*out_end);
}

void Decoder::Decode(uint8_t* buffer, size_t valid) {
  CUpti_Activity* record = nullptr;
  size_t records = 0;
  for (;;) {
    const CUptiResult result =
        api_->cuptiActivityGetNextRecord(buffer, valid, &record);
    if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) break;
    // A library that never ends must not keep us: a record has 8 bytes.
    if (result != CUPTI_SUCCESS || record == nullptr || ++records > valid / 8) {
      Lose(Reason::kUnreadable, 1);
      break;
    }
    Record(record);
  }
}

void Decoder::CountLost(uint8_t* buffer, size_t valid, Reason why) {
  CUpti_Activity* record = nullptr;
  uint64_t records = 0;
  while (records <= valid / 8 && api_->cuptiActivityGetNextRecord(
                                     buffer, valid, &record) == CUPTI_SUCCESS)
    ++records;
  Lose(why, records);
}

void Decoder::Record(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return Kernel(As<CUpti_ActivityKernel9>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return Copy(As<CUpti_ActivityMemcpy5>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return PeerCopy(As<CUpti_ActivityMemcpyPtoP4>(record));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return Set(As<CUpti_ActivityMemset4>(record));
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return Graph(As<CUpti_ActivityGraphTrace>(record));
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return;  // another tool asked for them; calls come from the CallLog
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return Wait(As<CUpti_ActivitySynchronization>(record));
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return Event(As<CUpti_ActivityCudaEvent>(record));
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return Memory(As<CUpti_ActivityMemory3>(record));
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
      return Pool(As<CUpti_ActivityMemoryPool2>(record));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return Overhead(As<CUpti_ActivityOverhead>(record));
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return Device(As<CUpti_ActivityDevice4>(record));
    default:
      Lose(Reason::kUnknownKind, 1);
  }
}

void Decoder::Sample(uint64_t start, uint64_t end, uint32_t device,
                     const uint32_t* keys, const double* values,
                     uint32_t count) {
  if (!InWindow(end) || AfterWindow(start)) return;
  ++seen_;
  if (end <= start) {
    ++lost_[static_cast<size_t>(Reason::kReversed)];
    return;
  }
  static_assert(sizeof(stepscope_record_value) ==
                sizeof(stepscope_record_pair));
  auto* sample =
      writer_.Add<stepscope_record_sample>(STEPSCOPE_RECORD_SAMPLE, 0, count);
  if (sample == nullptr) {
    ++lost_[static_cast<size_t>(Reason::kSlowCapture)];
    return;
  }
  sample->start = start;
  sample->end = end;
  sample->device = device;
  sample->count = count;
  auto* written = reinterpret_cast<stepscope_record_value*>(sample + 1);
  for (uint32_t i = 0; i < count; ++i) written[i] = {keys[i], 0, values[i]};
}

void Decoder::Commit(bool with_stats) {
  if (begin_ != 0) WriteDevices();
  if (with_stats && begin_ != 0) WriteStats();
  writer_.Commit();
}

void Decoder::WriteStats() {
  const uint64_t sum = seen_ + lost();
  if (sum == stats_written_) return;
  stats_written_ = sum;
  const auto write = [&](const char* name, uint32_t meaning, uint64_t count) {
    auto* stats = writer_.Add<stepscope_record_stats>(
        STEPSCOPE_RECORD_STATS, names_.Of(name, STEPSCOPE_USER_DEFINED));
    if (stats == nullptr) return;
    stats->meaning = meaning;
    stats->count = count;
  };
  write("gpu: records", STEPSCOPE_STATS_SEEN, seen_);
  for (size_t i = 0; i < static_cast<size_t>(Reason::kCount); ++i)
    if (lost_[i] > 0) write(kReasons[i], STEPSCOPE_STATS_REJECTED, lost_[i]);
  WriteClock();
}

void Decoder::WriteClock() {
  auto* record = writer_.Add<stepscope_record_clock>(STEPSCOPE_RECORD_CLOCK, 0);
  if (record == nullptr) return;
  record->method =
      clock_->shared() ? STEPSCOPE_CLOCK_SHARED : STEPSCOPE_CLOCK_MAPPED;
  record->tick = clock_->now();
  record->error_ticks = clock_->error_ticks();
}

void Decoder::WriteDevices() {
  for (; devices_written_ < devices_.size(); ++devices_written_) {
    const DeviceInfo& info = devices_[devices_written_];
    const auto count = static_cast<uint32_t>(info.pairs.size());
    auto* record = writer_.Add<stepscope_record_device>(STEPSCOPE_RECORD_DEVICE,
                                                        info.name, count);
    if (record == nullptr) return;
    record->device = info.device;
    record->count = count;
    std::memcpy(BlockWriter::Pairs(record), info.pairs.data(),
                count * sizeof(info.pairs[0]));
  }
}

}  // namespace stepscope::gpu
