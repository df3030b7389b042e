// SPDX-License-Identifier: Apache-2.0
//
// The part of Decoder that knows what each kind of activity record holds.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "gpu/decoder.h"

namespace stepscope::gpu {

// Null: the record was counted as lost.
stepscope_record_work* Decoder::Work(uint32_t name, uint64_t start,
                                     uint64_t end) {
  auto* work = writer_.Add<stepscope_record_work>(STEPSCOPE_RECORD_WORK, name);
  if (work == nullptr) {
    Lose(Reason::kSlowCapture, 1);
    // Configurations written into lost blocks are written again.
    shapes_.Clear();
    return nullptr;
  }
  ++seen_;
  ++works_;
  work->start = start;
  work->end = end;
  return work;
}

uint32_t Decoder::Shape(const CUpti_ActivityKernel9& kernel) {
  LaunchShape shape = {};
  const int32_t grid[] = {kernel.gridX, kernel.gridY, kernel.gridZ};
  const int32_t block[] = {kernel.blockX, kernel.blockY, kernel.blockZ};
  const uint32_t cluster[] = {kernel.clusterX, kernel.clusterY,
                              kernel.clusterZ};
  for (int i = 0; i < 3; ++i) {
    shape.grid[i] = grid[i];
    shape.block[i] = block[i];
    shape.cluster[i] = static_cast<int32_t>(cluster[i]);
  }
  shape.registers = kernel.registersPerThread;
  shape.static_shared = kernel.staticSharedMemory;
  shape.dynamic_shared = kernel.dynamicSharedMemory;
  shape.local_per_thread = static_cast<int32_t>(kernel.localMemoryPerThread);
  bool fresh = false;
  const uint32_t id = shapes_.Of(shape, &fresh);
  if (!fresh) return id;
  const bool clustered =
      shape.cluster[0] > 1 || shape.cluster[1] > 1 || shape.cluster[2] > 1;
  const std::pair<const char*, int64_t> pairs[] = {
      {"grid x", shape.grid[0]},
      {"grid y", shape.grid[1]},
      {"grid z", shape.grid[2]},
      {"block x", shape.block[0]},
      {"block y", shape.block[1]},
      {"block z", shape.block[2]},
      {"registers per thread", shape.registers},
      {"static shared memory", shape.static_shared},
      {"dynamic shared memory", shape.dynamic_shared},
      {"local memory per thread", shape.local_per_thread},
      {"cluster x", shape.cluster[0]},
      {"cluster y", shape.cluster[1]},
      {"cluster z", shape.cluster[2]}};
  const uint32_t count = clustered ? 13 : 10;
  auto* details =
      writer_.Add<stepscope_record_details>(STEPSCOPE_RECORD_DETAILS, 0, count);
  if (details == nullptr) return 0;
  details->id = id;
  details->count = count;
  for (uint32_t i = 0; i < count; ++i)
    BlockWriter::Pairs(details)[i] = {
        names_.Of(pairs[i].first, STEPSCOPE_USER_DEFINED), 0, pairs[i].second};
  return id;
}

void Decoder::Kernel(const CUpti_ActivityKernel9& kernel) {
  uint64_t start = 0;
  uint64_t end = 0;
  if (!Times(kernel.start, kernel.end, &start, &end)) return;
  const uint32_t shape = Shape(kernel);
  auto* work = Work(names_.Kernel(kernel.name), start, end);
  if (work == nullptr) return;
  work->correlation = kernel.correlationId;
  work->device = kernel.deviceId;
  work->context = kernel.contextId;
  work->stream = kernel.streamId;
  work->details = shape;
  work->graph_node = kernel.graphNodeId;
}

template <typename Activity>
bool Decoder::CopyWork(const Activity& copy) {
  uint64_t start = 0;
  uint64_t end = 0;
  if (!Times(copy.start, copy.end, &start, &end)) return false;
  auto* work =
      Work(names_.Copy(copy.copyKind, copy.srcKind, copy.dstKind), start, end);
  if (work == nullptr) return false;
  work->correlation = copy.correlationId;
  work->device = copy.deviceId;
  work->context = copy.contextId;
  work->stream = copy.streamId;
  work->amount = copy.bytes;
  work->graph_node = copy.graphNodeId;
  return true;
}

void Decoder::Copy(const CUpti_ActivityMemcpy5& copy) { CopyWork(copy); }

void Decoder::PeerCopy(const CUpti_ActivityMemcpyPtoP4& copy) {
  if (!CopyWork(copy)) return;
  AddNote(copy.correlationId, {{"source device", copy.srcDeviceId},
                               {"destination device", copy.dstDeviceId}});
}

void Decoder::Set(const CUpti_ActivityMemset4& set) {
  uint64_t start = 0;
  uint64_t end = 0;
  if (!Times(set.start, set.end, &start, &end)) return;
  auto* work = Work(names_.Set(set.memoryKind), start, end);
  if (work == nullptr) return;
  work->correlation = set.correlationId;
  work->device = set.deviceId;
  work->context = set.contextId;
  work->stream = set.streamId;
  work->amount = set.bytes;
  work->graph_node = set.graphNodeId;
}

// One record for all that the graph did: it counts as one kernel.
void Decoder::Graph(const CUpti_ActivityGraphTrace& graph) {
  uint64_t start = 0;
  uint64_t end = 0;
  if (!Times(graph.start, graph.end, &start, &end)) return;
  auto* work = Work(names_.Graph(graph.graphId), start, end);
  if (work == nullptr) return;
  work->correlation = graph.correlationId;
  work->device = graph.deviceId;
  work->context = graph.contextId;
  work->stream = graph.streamId;
}

void Decoder::NoteThread(uint32_t thread) {
  last_thread_ = thread;
  if (std::find(threads_.begin(), threads_.end(), thread) == threads_.end())
    threads_.push_back(thread);
}

void Decoder::Call(const CallLog::Call& call) {
  if (call.thread != last_thread_) NoteThread(call.thread);
  if (!InWindow(call.end) || AfterWindow(call.start)) return;
  auto* record = writer_.Add<stepscope_record_call>(
      STEPSCOPE_RECORD_CALL, names_.Call(call.domain, call.cbid));
  if (record == nullptr) return Lose(Reason::kSlowCapture, 1);
  ++seen_;
  record->start = call.start;
  record->end = call.end;
  record->correlation = call.correlation;
  record->thread = call.thread;
  record->result = call.result;
}

// One that was made before the window may be copied in it.
void Decoder::Node(const CallLog::Call& node) {
  if (begin_ == 0) return;
  auto* record = writer_.Add<stepscope_record_node>(STEPSCOPE_RECORD_NODE, 0);
  if (record == nullptr) return Lose(Reason::kSlowCapture, 1);
  ++seen_;
  record->node = node.start;
  record->original = node.end;
  record->correlation = node.end == 0 ? node.correlation : 0;
}

void Decoder::Wait(const CUpti_ActivitySynchronization& wait) {
  uint64_t start = 0;
  uint64_t end = 0;
  if (!Times(wait.start, wait.end, &start, &end) || AfterWindow(start)) return;
  auto* record = writer_.Add<stepscope_record_wait>(STEPSCOPE_RECORD_WAIT,
                                                    names_.Wait(wait.type));
  if (record == nullptr) return Lose(Reason::kSlowCapture, 1);
  ++seen_;
  record->start = start;
  record->end = end;
  record->correlation = wait.correlationId;
  record->context = wait.contextId;
  record->stream = wait.streamId;
  record->event = wait.cudaEventId;
  record->device = 0xffffffffu;
}

void Decoder::AddNote(
    uint32_t correlation,
    std::initializer_list<std::pair<const char*, int64_t>> pairs) {
  auto* note = writer_.Add<stepscope_record_note>(
      STEPSCOPE_RECORD_NOTE, 0, static_cast<uint32_t>(pairs.size()));
  if (note == nullptr) return Lose(Reason::kSlowCapture, 1);
  ++seen_;
  note->correlation = correlation;
  note->count = static_cast<uint32_t>(pairs.size());
  stepscope_record_pair* out = BlockWriter::Pairs(note);
  for (const auto& [key, value] : pairs)
    *out++ = {names_.Of(key, STEPSCOPE_USER_DEFINED), 0, value};
}

// No time of its own: it says which event the recording call meant.
void Decoder::Event(const CUpti_ActivityCudaEvent& event) {
  if (begin_ == 0) return;
  AddNote(event.correlationId, {{"event", event.eventId},
                                {"stream", event.streamId},
                                {"context", event.contextId}});
}

void Decoder::Memory(const CUpti_ActivityMemory3& memory) {
  uint64_t tick = 0;
  uint64_t same = 0;
  if (!Times(memory.timestamp, memory.timestamp, &tick, &same) ||
      AfterWindow(tick))
    return;
  auto* record = writer_.Add<stepscope_record_memory>(
      STEPSCOPE_RECORD_MEMORY,
      names_.Place(memory.memoryKind, memory.deviceId));
  if (record == nullptr) return Lose(Reason::kSlowCapture, 1);
  ++seen_;
  record->tick = tick;
  record->address = memory.address;
  record->bytes = memory.bytes;
  if (memory.memoryPoolConfig.memoryPoolType ==
      CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL) {
    record->total_allocated = memory.memoryPoolConfig.utilizedSize;
    record->total_reserved = memory.memoryPoolConfig.pool.size;
  }
  record->correlation = memory.correlationId;
  record->kind =
      memory.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
          ? STEPSCOPE_FREE
          : STEPSCOPE_ALLOCATE;
  record->device = memory.deviceId;
}

void Decoder::Pool(const CUpti_ActivityMemoryPool2& pool) {
  if (begin_ == 0) return;
  AddNote(pool.correlationId,
          {{"pool", static_cast<int64_t>(pool.address)},
           {"pool size", static_cast<int64_t>(pool.size)},
           {"pool in use", static_cast<int64_t>(pool.utilizedSize)}});
}

void Decoder::Overhead(const CUpti_ActivityOverhead& overhead) {
  uint64_t start = 0;
  uint64_t end = 0;
  if (!Times(overhead.start, overhead.end, &start, &end) || AfterWindow(start))
    return;
  auto* record = writer_.Add<stepscope_record_overhead>(
      STEPSCOPE_RECORD_OVERHEAD, names_.Overhead(overhead.overheadKind));
  if (record == nullptr) return Lose(Reason::kSlowCapture, 1);
  ++seen_;
  record->start = start;
  record->end = end;
  if (overhead.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD)
    record->thread = overhead.objectId.pt.threadId;
}

void Decoder::Device(const CUpti_ActivityDevice4& device) {
  DeviceInfo info;
  info.device = device.id;
  for (const DeviceInfo& known : devices_)
    if (known.device == info.device) return;
  info.name = names_.Of(device.name != nullptr ? device.name : "GPU",
                        STEPSCOPE_USER_DEFINED);
  const std::pair<const char*, int64_t> properties[] = {
      {"multiprocessors", device.numMultiprocessors},
      {"compute capability major", device.computeCapabilityMajor},
      {"compute capability minor", device.computeCapabilityMinor},
      {"memory bytes", static_cast<int64_t>(device.globalMemorySize)},
      {"memory bandwidth KB/s",
       static_cast<int64_t>(device.globalMemoryBandwidth)},
      {"core clock kHz", device.coreClockRate},
      {"L2 bytes", device.l2CacheSize},
      {"warp threads", device.numThreadsPerWarp},
      {"max warps per multiprocessor", device.maxWarpsPerMultiprocessor},
      {"max blocks per multiprocessor", device.maxBlocksPerMultiprocessor},
      {"shared memory per multiprocessor",
       device.maxSharedMemoryPerMultiprocessor},
      {"registers per multiprocessor", device.maxRegistersPerMultiprocessor},
      {"copy engines", device.numMemcpyEngines},
      {"ECC", device.eccEnabled},
      {"MIG", device.isMigEnabled},
      {"MIG GPU instance",
       device.isMigEnabled != 0 ? int64_t{device.gpuInstanceId} : -1},
      {"MIG compute instance",
       device.isMigEnabled != 0 ? int64_t{device.computeInstanceId} : -1}};
  for (const auto& [key, value] : properties)
    if (value >= 0)
      info.pairs.push_back({names_.Of(key, STEPSCOPE_USER_DEFINED), 0, value});
  devices_.push_back(std::move(info));
}

}  // namespace stepscope::gpu
