// SPDX-License-Identifier: Apache-2.0
#include "fake_cupti.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <new>

#include "fake_state.h"

namespace fake {

std::recursive_mutex mutex;
State* state = new State;
std::atomic<int> inside{0};

namespace {

// A thread of the recorder may be in here while another one forks.
const int forks_safely =
    pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); },
                   [] { new (&mutex) std::recursive_mutex; });

}  // namespace

CUptiResult Enter(const char* function) {
  const Lock lock(mutex);
  ++state->calls[function];
  for (const char* name : {function, "*"})
    if (const auto it = state->fail.find(name); it != state->fail.end())
      return static_cast<CUptiResult>(it->second);
  return CUPTI_SUCCESS;
}

namespace {

int64_t WallNs() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool OldLayout() {
  const auto it = state->set.find("version");
  return it != state->set.end() && it->second < 130000;
}

}  // namespace

int64_t Setting(const char* what) {
  const auto it = state->set.find(what);
  return it != state->set.end() ? it->second : 0;
}

uint64_t Now() {
  if (state->timestamp != nullptr) return state->timestamp();
  const int64_t ns = WallNs();
  const int64_t gained =
      (ns - state->drift_since_ns) * Setting("clock_drift") / 1'000'000;
  return static_cast<uint64_t>(ns + Setting("clock_offset") + gained);
}

size_t SizeOf(CUpti_ActivityKind kind) {
  const bool old = OldLayout();
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return old ? sizeof(CUpti_ActivityKernel9)
                 : sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return old ? sizeof(CUpti_ActivityMemcpy5)
                 : sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return old ? sizeof(CUpti_ActivityGraphTrace)
                 : sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return old ? sizeof(CUpti_ActivitySynchronization)
                 : sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return old ? sizeof(CUpti_ActivityCudaEvent)
                 : sizeof(CUpti_ActivityCudaEvent2);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return old ? sizeof(CUpti_ActivityMemory3)
                 : sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return old ? sizeof(CUpti_ActivityOverhead)
                 : sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return old ? sizeof(CUpti_ActivityDevice4)
                 : sizeof(CUpti_ActivityDevice5);
    default:
      return 64;  // of a kind that nobody knows
  }
}

void Complete(Buffer& buffer) {
  state->last = buffer;
  const Buffer done = buffer;
  buffer = {};
  // Another profiler's callback does not know our buffers.
  if (Setting("take_over") == 0)
    state->complete(nullptr, 0, done.bytes, done.size, done.used);
}

// Room for a record in the calling thread's buffer; null: it is dropped.
template <typename Record>
Record* Append(CUpti_ActivityKind kind) {
  if (state->enabled.count(kind) == 0 || state->request == nullptr)
    return nullptr;
  Buffer& buffer = state->buffers[static_cast<pid_t>(syscall(SYS_gettid))];
  const size_t size = SizeOf(kind);
  if (buffer.bytes != nullptr && buffer.used + size > buffer.size)
    Complete(buffer);
  if (buffer.bytes == nullptr) {
    size_t most = 0;
    if (Setting("take_over") == 0)
      state->request(&buffer.bytes, &buffer.size, &most);
    if (buffer.bytes == nullptr || buffer.size < size) {
      ++state->dropped;
      ++state->dropped_ever;
      return nullptr;
    }
  }
  uint8_t* at = buffer.bytes + buffer.used;
  std::memset(at, 0, size);
  buffer.used += size;
  ++state->records;
  auto* record = reinterpret_cast<Record*>(at);
  record->kind = kind;
  return record;
}

void MarkUnfinished(const void* record) {
  Buffer& buffer = state->buffers[static_cast<pid_t>(syscall(SYS_gettid))];
  buffer.unfinished.push_back(
      static_cast<size_t>(static_cast<const uint8_t*>(record) - buffer.bytes));
}

struct Times {
  uint64_t start;
  uint64_t end;
};

Times TimesOf(const FakeWork& work, uint64_t call) {
  if (work.zero_times) return {0, 0};
  uint64_t start = call + static_cast<uint64_t>(work.lead);
  uint64_t end = start + static_cast<uint64_t>(work.duration);
  if (work.wrong_clock) {
    start += uint64_t{1} << 50;
    end += uint64_t{1} << 50;
  }
  if (work.reversed) std::swap(start, end);
  return {start, work.in_flight ? 0 : end};
}

template <typename Record>
void Fill(Record* record, const FakeWork& work, uint32_t correlation,
          uint64_t call) {
  if (record == nullptr) return;
  const Times times = TimesOf(work, call);
  record->start = times.start;
  record->end = times.end;
  record->deviceId = work.device;
  record->contextId = 1;
  record->streamId = work.stream;
  record->correlationId = correlation;
  if (work.in_flight) MarkUnfinished(record);
}

void Device() {
  auto* device = Append<CUpti_ActivityDevice4>(CUPTI_ACTIVITY_KIND_DEVICE);
  if (device == nullptr) return;
  device->name = "Fake GPU";
  device->numMultiprocessors = 10;
  device->maxWarpsPerMultiprocessor = 64;
  device->maxBlocksPerMultiprocessor = 32;
  device->maxRegistersPerMultiprocessor = 65536;
  device->maxSharedMemoryPerMultiprocessor = 233472;
  device->numThreadsPerWarp = 32;
  device->computeCapabilityMajor = 9;
  device->globalMemorySize = 1u << 30;
  device->isMigEnabled = Setting("mig") != 0 ? 1 : 0;
  device->gpuInstanceId = 3;
  device->computeInstanceId = 1;
}

}  // namespace fake

using namespace fake;

namespace {

// The calls that this thread is in, the innermost last.
struct OpenCall {
  uint32_t correlation;
  // What a callback at its begin may leave for that at its end. Finalising
  // frees it, also under a call that has not ended.
  std::unique_ptr<uint64_t> data;
  int64_t finalised;  // how often CUPTI had been when the call began
};
thread_local std::vector<OpenCall> open_calls;

bool IsListenedTo(CUpti_CallbackDomain domain, uint32_t cbid) {
  return state->callback != nullptr &&
         (state->domains.count(domain) != 0 ||
          state->single.count({domain, cbid}) != 0);
}

// A callback at the border of a call. Without the lock: it may wait for other
// threads.
void Announce(CUpti_CallbackDomain domain, uint32_t cbid,
              CUpti_ApiCallbackSite site) {
  CUpti_CallbackFunc callback = nullptr;
  {
    const Lock lock(mutex);
    if (IsListenedTo(domain, cbid)) callback = state->callback;
  }
  if (callback == nullptr) return;
  uint32_t success = 0;
  CUpti_CallbackData data = {};
  data.callbackSite = site;
  data.correlationId = open_calls.back().correlation;
  data.correlationData = open_calls.back().data.get();
  {
    const Lock lock(mutex);
    if (open_calls.back().finalised != state->calls["cuptiFinalize"])
      open_calls.back().data.reset();
  }
  data.functionReturnValue = &success;
  callback(nullptr, domain, cbid, &data);
}

void AnnounceResource(uint32_t id, const void* data) {
  if (state->callback != nullptr && state->resources.contains(id))
    state->callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, id, data);
}

struct CallScope {
  explicit CallScope(uint32_t id) : cbid(id) { fake_cupti_enter(cbid); }
  ~CallScope() { fake_cupti_leave(cbid); }
  const uint32_t cbid;
};

}  // namespace

extern "C" {

void fake_cupti_reset(void) {
  const Lock lock(mutex);
  delete state;
  state = new State;
}

void fake_cupti_fail(const char* function, int result) {
  const Lock lock(mutex);
  if (result == 0)
    state->fail.erase(function);
  else
    state->fail[function] = result;
}

void fake_cupti_set(const char* what, int64_t value) {
  const Lock lock(mutex);
  state->set[what] = value;
  if (std::strcmp(what, "clock_drift") == 0)
    state->drift_since_ns = fake::WallNs();
}

void fake_cupti_enter(uint32_t cbid) {
  {
    const Lock lock(mutex);
    open_calls.push_back({++state->correlation, std::make_unique<uint64_t>(0),
                          state->calls["cuptiFinalize"]});
  }
  Announce(CUPTI_CB_DOMAIN_RUNTIME_API, cbid, CUPTI_API_ENTER);
  ++inside;
}

void fake_cupti_leave(uint32_t cbid) {
  --inside;
  Announce(CUPTI_CB_DOMAIN_RUNTIME_API, cbid, CUPTI_API_EXIT);
  open_calls.pop_back();
}

void fake_cupti_driver_call(uint32_t cbid) {
  const bool part = !open_calls.empty();
  {
    const Lock lock(mutex);
    open_calls.push_back(
        {part ? open_calls.back().correlation : ++state->correlation,
         std::make_unique<uint64_t>(0), state->calls["cuptiFinalize"]});
  }
  Announce(CUPTI_CB_DOMAIN_DRIVER_API, cbid, CUPTI_API_ENTER);
  Announce(CUPTI_CB_DOMAIN_DRIVER_API, cbid, CUPTI_API_EXIT);
  open_calls.pop_back();
}

uint32_t fake_cupti_work(const FakeWork* work) {
  const CallScope call_scope(work->cbid);
  const Lock lock(mutex);
  if (state->enabled.empty()) return 0;
  const uint32_t correlation = open_calls.back().correlation;
  const uint64_t call = Now();
  switch (work->kind) {
    case FakeWork::kKernel: {
      auto* kernel =
          Append<CUpti_ActivityKernel9>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
      Fill(kernel, *work, correlation, call);
      if (kernel == nullptr) break;
      kernel->name = work->name;
      kernel->gridX = 20;
      kernel->gridY = kernel->gridZ = 1;
      kernel->blockX = 256;
      kernel->blockY = kernel->blockZ = 1;
      kernel->registersPerThread = 32;
      kernel->staticSharedMemory = 1024;
      kernel->graphNodeId = work->graph_node;
      break;
    }
    case FakeWork::kMemcpy: {
      auto* copy = Append<CUpti_ActivityMemcpy5>(CUPTI_ACTIVITY_KIND_MEMCPY);
      Fill(copy, *work, correlation, call);
      if (copy == nullptr) break;
      copy->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
      copy->srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
      copy->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
      copy->bytes = work->bytes;
      break;
    }
    case FakeWork::kPeer: {
      auto* copy =
          Append<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
      Fill(copy, *work, correlation, call);
      if (copy == nullptr) break;
      copy->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
      copy->srcKind = copy->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
      copy->dstDeviceId = 1;
      copy->bytes = work->bytes;
      break;
    }
    case FakeWork::kMemset: {
      auto* set = Append<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
      Fill(set, *work, correlation, call);
      if (set == nullptr) break;
      set->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
      set->bytes = work->bytes;
      break;
    }
    case FakeWork::kGraph: {
      auto* graph =
          Append<CUpti_ActivityGraphTrace>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
      Fill(graph, *work, correlation, call);
      if (graph != nullptr) graph->graphId = 5;
      break;
    }
  }
  return correlation;
}

uint32_t fake_cupti_call(uint32_t cbid) {
  const CallScope call_scope(cbid);
  const Lock lock(mutex);
  return IsListenedTo(CUPTI_CB_DOMAIN_RUNTIME_API, cbid)
             ? open_calls.back().correlation
             : 0;
}

void fake_cupti_wait(uint32_t type, uint32_t correlation) {
  const Lock lock(mutex);
  auto* wait = Append<CUpti_ActivitySynchronization>(
      CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  if (wait == nullptr) return;
  wait->type = static_cast<CUpti_ActivitySynchronizationType>(type);
  wait->start = wait->end = Now();
  wait->correlationId = correlation;
  wait->contextId = 1;
  wait->streamId = 7;
  wait->cudaEventId = 0xffffffffu;
}

void fake_cupti_event(uint32_t event, uint32_t correlation) {
  const Lock lock(mutex);
  auto* record =
      Append<CUpti_ActivityCudaEvent>(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  if (record == nullptr) return;
  record->eventId = event;
  record->correlationId = correlation;
  record->contextId = 1;
  record->streamId = 7;
}

void fake_cupti_memory(uint64_t address, uint64_t bytes, int release,
                       uint32_t correlation) {
  const Lock lock(mutex);
  auto* memory = Append<CUpti_ActivityMemory3>(CUPTI_ACTIVITY_KIND_MEMORY2);
  if (memory == nullptr) return;
  memory->memoryOperationType =
      release != 0 ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                   : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  memory->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memory->address = address;
  memory->bytes = bytes;
  memory->timestamp = Now();
  memory->correlationId = correlation;
}

void fake_cupti_overhead(uint32_t kind) {
  const Lock lock(mutex);
  auto* overhead = Append<CUpti_ActivityOverhead>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  if (overhead == nullptr) return;
  overhead->overheadKind = static_cast<CUpti_ActivityOverheadKind>(kind);
  overhead->start = Now();
  overhead->end = Now() + 1;
}

void fake_cupti_unknown_kind(void) {
  const Lock lock(mutex);
  constexpr auto kUnknown = static_cast<CUpti_ActivityKind>(200);
  state->enabled.insert(kUnknown);
  Append<CUpti_Activity>(kUnknown);
  state->enabled.erase(kUnknown);
}

void fake_cupti_finish(void) {
  const Lock lock(mutex);
  for (auto& [thread, buffer] : state->buffers) {
    for (const size_t at : buffer.unfinished) {
      auto* kernel =
          reinterpret_cast<CUpti_ActivityKernel9*>(buffer.bytes + at);
      kernel->end = kernel->start + 5000;
    }
    buffer.unfinished.clear();
  }
}

void fake_cupti_destroy_context(void) {
  const Lock lock(mutex);
  AnnounceResource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, nullptr);
  state->buffers.clear();  // what was not fetched is gone
}

void fake_cupti_node(uint64_t node, uint64_t original) {
  CUpti_GraphData graph = {};
  graph.node = reinterpret_cast<CUgraphNode>(node);
  graph.originalNode = reinterpret_cast<CUgraphNode>(original);
  CUpti_ResourceData data = {};
  data.resourceDescriptor = &graph;
  const Lock lock(mutex);
  // The real one says so of a copy, too.
  AnnounceResource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &data);
  if (original != 0)
    AnnounceResource(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &data);
}

void fake_cupti_complete_twice(void) {
  const Lock lock(mutex);
  if (state->last.bytes != nullptr)
    state->complete(nullptr, 0, state->last.bytes, state->last.size,
                    state->last.used);
}

int64_t fake_cupti_count(const char* what) {
  const Lock lock(mutex);
  if (std::strcmp(what, "enabled") == 0)
    return static_cast<int64_t>(state->enabled.size());
  if (std::strcmp(what, "domains") == 0)
    return static_cast<int64_t>(state->domains.size());
  if (std::strcmp(what, "single_calls") == 0)
    return static_cast<int64_t>(state->single.size());
  if (std::strcmp(what, "subscribers") == 0)
    return state->subscriber != nullptr ? 1 : 0;
  if (std::strcmp(what, "records") == 0)
    return static_cast<int64_t>(state->records);
  if (std::strcmp(what, "dropped") == 0)
    return static_cast<int64_t>(state->dropped_ever);
  if (std::strcmp(what, "buffers_out") == 0) {
    int64_t out = 0;
    for (const auto& [thread, buffer] : state->buffers)
      out += buffer.bytes != nullptr ? 1 : 0;
    return out;
  }
  return state->calls[what];
}

}  // extern "C"
