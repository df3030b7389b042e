// SPDX-License-Identifier: Apache-2.0
//
// Decoder: CUPTI's activity records, and the calls, to records of the host.
// Every record it looks at that belongs to the window is either written or
// counted under one reason. Device thread only.
//
// Records are read through the oldest structs of CUDA 12: later versions only
// append members, so what is read here is where it was in all of them. Buffers
// are walked with cuptiActivityGetNextRecord alone.
#pragma once

#include <stepscope/plugin.h>

#include <cstdint>
#include <vector>

#include "gpu/block_writer.h"
#include "gpu/call_log.h"
#include "gpu/clock.h"
#include "gpu/cupti_api.h"
#include "gpu/launch_shapes.h"
#include "gpu/name_cache.h"

namespace stepscope::gpu {

// Why a record was left out.
enum class Reason : uint32_t {
  kZeroTime,    // CUPTI could take no timestamp
  kReversed,    // end before start
  kFuture,      // a time that has not come yet: another clock
  kIncomplete,  // still running when recording had to end
  kUnknownKind,
  kUnreadable,   // the rest of a buffer that CUPTI itself cannot walk
  kDropped,      // CUPTI dropped it
  kNoBuffer,     // the buffer pool was used up
  kSlowCapture,  // the capture could not be written fast enough
  kSample,       // of counters: the hardware's buffer ran over
  kCount
};

class Decoder {
 public:
  void Start(const stepscope_plugin_host* host, const CuptiApi* api,
             DeviceClock* clock);
  // Looks at the window anew; once per poll.
  void UpdateWindow();

  void Decode(uint8_t* buffer, size_t valid);
  void Call(const CallLog::Call& call);
  void Node(const CallLog::Call& node);
  // `count` counters of a device had these means; times in ticks.
  void Sample(uint64_t start, uint64_t end, uint32_t device,
              const uint32_t* keys, const double* values, uint32_t count);
  // The same, but everything in it is lost.
  void CountLost(uint8_t* buffer, size_t valid, Reason why);
  void Lose(Reason why, uint64_t count);
  // From now on records without an end are kIncomplete.
  void SetForced() { forced_ = true; }

  bool in_window() const { return begin_ != 0; }
  // Kernels, copies and sets that were written.
  uint64_t works() const { return works_; }

  // Writes the counts if they changed, and hands the block over.
  void Commit(bool with_stats);

  uint64_t lost() const;
  // The threads that called CUDA since Start(), in the window or not.
  const std::vector<uint32_t>& threads() const { return threads_; }

 private:
  bool InWindow(uint64_t end) const;
  bool AfterWindow(uint64_t start) const;
  // Ticks of [start, end) if they make sense; counts otherwise.
  bool Times(uint64_t start, uint64_t end, uint64_t* out_start,
             uint64_t* out_end);
  void Record(const CUpti_Activity* record);
  void Kernel(const CUpti_ActivityKernel9& kernel);
  void Copy(const CUpti_ActivityMemcpy5& copy);
  void PeerCopy(const CUpti_ActivityMemcpyPtoP4& copy);
  // What both have in common; false: it was not recorded.
  template <typename Activity>
  bool CopyWork(const Activity& copy);
  void Set(const CUpti_ActivityMemset4& set);
  void Graph(const CUpti_ActivityGraphTrace& graph);
  void Wait(const CUpti_ActivitySynchronization& wait);
  void Event(const CUpti_ActivityCudaEvent& event);
  void Memory(const CUpti_ActivityMemory3& memory);
  void Pool(const CUpti_ActivityMemoryPool2& pool);
  void Overhead(const CUpti_ActivityOverhead& overhead);
  void Device(const CUpti_ActivityDevice4& device);
  void NoteThread(uint32_t thread);
  void WriteDevices();
  void WriteStats();
  void WriteClock();
  stepscope_record_work* Work(uint32_t name, uint64_t start, uint64_t end);
  uint32_t Shape(const CUpti_ActivityKernel9& kernel);
  void AddNote(uint32_t correlation,
               std::initializer_list<std::pair<const char*, int64_t>> pairs);

  struct DeviceInfo {
    uint32_t device = 0;
    uint32_t name = 0;
    std::vector<stepscope_record_pair> pairs;
  };

  const stepscope_plugin_host* host_ = nullptr;
  const CuptiApi* api_ = nullptr;
  DeviceClock* clock_ = nullptr;
  BlockWriter writer_;
  NameCache names_;
  LaunchShapes shapes_;
  std::vector<DeviceInfo> devices_;
  size_t devices_written_ = 0;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  bool forced_ = false;
  uint32_t last_thread_ = 0;
  std::vector<uint32_t> threads_;
  uint64_t seen_ = 0;
  uint64_t works_ = 0;
  uint64_t lost_[static_cast<size_t>(Reason::kCount)] = {};
  uint64_t stats_written_ = 0;  // sum of all counts then
};

}  // namespace stepscope::gpu
