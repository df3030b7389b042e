// SPDX-License-Identifier: Apache-2.0
#include "gpu/recorder.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gpu/devices_in_use.h"

namespace stepscope::gpu {
namespace {

constexpr size_t kDefaultBudget = size_t{64} << 20;

// STEPSCOPE_GPU_BUDGET, in MiB.
size_t Budget() {
  const char* text = secure_getenv("STEPSCOPE_GPU_BUDGET");
  const long mib = text != nullptr ? std::atol(text) : 0;
  return mib > 0 && mib <= 1024 ? static_cast<size_t>(mib) << 20
                                : kDefaultBudget;
}

// STEPSCOPE_CUPTI_FINALIZE, in ms of calls, each of which tells us; 0: never.
int64_t FinaliseWithinMs() {
  const char* text = secure_getenv("STEPSCOPE_CUPTI_FINALIZE");
  return text != nullptr ? std::atol(text) : 2000;
}

}  // namespace

Recorder& Recorder::Get() {
  static auto* const recorder = new Recorder;
  return *recorder;
}

void Recorder::OnRequest(uint8_t** buffer, size_t* size, size_t* max_records) {
  Recorder& self = Get();
  *max_records = 0;
  *size = 0;
  *buffer = nullptr;
  // A forked child has the parent's callbacks but none of its threads.
  if (self.pid_ != getpid()) return;
  if (self.accepting_.load(std::memory_order_acquire))
    *buffer = self.pool_.Take(size);
  if (*buffer == nullptr && self.api_.version < kMayRefuseBuffer)
    *buffer = self.pool_.TakeScratch(size);
}

void Recorder::OnComplete(CUcontext, uint32_t, uint8_t* buffer, size_t,
                          size_t valid) {
  Recorder& self = Get();
  if (buffer != nullptr && self.pid_ == getpid())
    self.pool_.Give(buffer, valid);
}

uint64_t Recorder::OnTimestamp() {
  const stepscope_plugin_host* host = Get().host_;
  return host->now_ticks(host->context);
}

// A context takes what it still holds with it: that is fetched first.
void Recorder::OnCallback(void*, CUpti_CallbackDomain domain,
                          CUpti_CallbackId id, const void* data) {
  Recorder& self = Get();
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API ||
      domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    self.calls_.OnCall(domain, id, call);
    return self.finaliser_.OnCall(self.api_, domain, data);
  }
  if (domain != CUPTI_CB_DOMAIN_RESOURCE ||
      !self.accepting_.load(std::memory_order_acquire))
    return;
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
    self.api_.cuptiActivityFlushAll(0);
  else
    self.OnNode(id, *static_cast<const CUpti_ResourceData*>(data));
}

// A node is created inside the call that it captures, and instantiating a graph
// copies its nodes. Replays name the copies.
void Recorder::OnNode(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  const bool copied = id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED;
  if (!copied && id != CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) return;
  const auto* graph =
      static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
  uint64_t node = 0;
  uint64_t original = 0;
  if (graph == nullptr ||
      api_.cuptiGetGraphNodeId(graph->node, &node) != CUPTI_SUCCESS ||
      (copied && api_.cuptiGetGraphNodeId(graph->originalNode, &original) !=
                     CUPTI_SUCCESS))
    return;
  calls_.OnNode(node, original);
}

int Recorder::Refuse(const char* why) {
  host_->report_capability(host_->context, STEPSCOPE_DEVICE_REFUSED, why);
  return STEPSCOPE_INVALID;
}

bool Recorder::Subscribe(char* why, size_t size) {
  CUptiResult result = CUPTI_SUCCESS;
  char other[128] = {};
  if (api_.cuptiSubscribe_v2 != nullptr) {
    CUpti_SubscriberParams params = {};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "stepscope";
    params.oldSubscriberName = other;
    params.oldSubscriberSize = sizeof(other);
    result = api_.cuptiSubscribe_v2(&subscriber_, OnCallback, nullptr, &params);
  } else {
    result = api_.cuptiSubscribe(&subscriber_, OnCallback, nullptr);
  }
  if (result != CUPTI_SUCCESS) {
    subscriber_ = nullptr;
    char text[300];
    api_.Explain("cuptiSubscribe", result, text, sizeof(text));
    other[sizeof(other) - 1] = '\0';
    // Tools that are none of CUPTI's subscribers are not named by it.
    const char* tool = secure_getenv("CUDA_INJECTION64_PATH");
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
        other[0] == '\0' && tool != nullptr &&
        std::strstr(tool, "stepscope") == nullptr)
      std::snprintf(other, sizeof(other), "CUDA_INJECTION64_PATH=%s", tool);
    std::snprintf(why, size, "%s%s%s%s", text, other[0] != '\0' ? " (" : "",
                  other, other[0] != '\0' ? ")" : "");
    return false;
  }
  // Without it records of a context that ends early may be lost, no more.
  api_.cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE,
                           CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  // Without these a replay is not known as what was captured.
  if (api_.cuptiGetGraphNodeId != nullptr)
    for (const CUpti_CallbackId id : {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                                      CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
      api_.cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, id);
  return true;
}

void Recorder::Unsubscribe() {
  if (subscriber_ != nullptr) api_.cuptiUnsubscribe(subscriber_);
  subscriber_ = nullptr;
}

// Leaves the process as if it had never been recorded, where that is possible.
// A process that is about to exit needs no more than silence.
void Recorder::Leave(bool exiting) {
  const int64_t listen_ms = FinaliseWithinMs();
  const bool may = api_.cuptiFinalize != nullptr &&
                   api_.cuptiEnableDomain != nullptr &&
                   api_.version >= kMayFinalize && listen_ms > 0;
  if (exiting || !may || finaliser_.withdrew() || decoder_.threads().empty())
    return Unsubscribe();
  finaliser_.Begin(api_, subscriber_, decoder_.threads(), listen_ms);
}

bool Recorder::Register(char* why, size_t size) {
  if (api_.cuptiSetThreadIdType != nullptr)
    api_.cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  const bool shared =
      api_.cuptiActivityRegisterTimestampCallback != nullptr &&
      api_.cuptiActivityRegisterTimestampCallback(OnTimestamp) == CUPTI_SUCCESS;
  const CUptiResult result =
      api_.cuptiActivityRegisterCallbacks(OnRequest, OnComplete);
  if (result != CUPTI_SUCCESS) {
    api_.Explain("cuptiActivityRegisterCallbacks", result, why, size);
    return false;
  }
  clock_.Start(host_, &api_, shared);
  return true;
}

int Recorder::Attach(const stepscope_plugin_host* host, bool late) {
  host_ = host;
  pid_ = getpid();
  char why[600] = {};
  if (!loaded_ && !LoadCupti(&api_, why, sizeof(why))) return Refuse(why);
  loaded_ = true;
  if (!pool_.Prepare(Budget()) || !calls_.Prepare())
    return Refuse("no memory for CUPTI's buffers");
  if (subscriber_ != nullptr) {
    if (!finaliser_.Cancel(api_, subscriber_)) Unsubscribe();
    subscriber_ = nullptr;
  }
  if (!Subscribe(why, sizeof(why))) return Refuse(why);
  kinds_ = std::make_unique<KindSet>(
      api_, (host_->flags & STEPSCOPE_HOST_EARLY) != 0);
  if (!Register(why, sizeof(why))) {
    Unsubscribe();
    return Refuse(why);
  }
  decoder_.Start(host_, &api_, &clock_);
  refused_before_ = pool_.refused();
  out_before_ = pool_.out();
  CountDropped();  // what an earlier attachment dropped is not ours
  accepting_.store(true, std::memory_order_release);
  if (!kinds_->Enable(why, sizeof(why), missing_, sizeof(missing_))) {
    accepting_.store(false, std::memory_order_release);
    Unsubscribe();
    return Refuse(why);
  }
  calls_end_ = calls_off_ = false;
  if (!calls_.Begin(host_, api_, subscriber_))
    std::snprintf(missing_ + std::strlen(missing_),
                  sizeof(missing_) - std::strlen(missing_), "%scalls",
                  missing_[0] != '\0' ? ", " : "");
  // The description of the devices comes first.
  api_.cuptiActivityFlushAll(0);
  DecodeCompleted();
  std::snprintf(
      attached_, sizeof(attached_),
      "CUPTI %u from %.250s, %s clock%s%s%s%.150s", api_.version, api_.path,
      clock_.shared() ? "shared" : "mapped",
      late ? ", since CUDA came into use" : "",
      MpsIsThere() ? ", other processes may use the GPU at once (MPS)" : "",
      missing_[0] != '\0' ? ", without " : "", missing_);
  counters_.Start(host_, api_, decoder_);
  SayAttached();
  return STEPSCOPE_OK;
}

void Recorder::SayAttached() {
  char text[1100];
  std::snprintf(text, sizeof(text), "%s%s%s", attached_,
                counters_.text()[0] != '\0' ? ", " : "", counters_.text());
  host_->report_capability(
      host_->context,
      counters_.whole() ? STEPSCOPE_DEVICE_RECORDING : STEPSCOPE_DEVICE_PARTIAL,
      text);
}

void Recorder::DecodeCompleted() {
  decoder_.UpdateWindow();
  BufferPool::Completed completed;
  while (pool_.Next(&completed)) {
    if (completed.scratch)
      decoder_.CountLost(completed.bytes, completed.valid, Reason::kNoBuffer);
    else
      decoder_.Decode(completed.bytes, completed.valid);
    pool_.Recycle(completed);
    pool_.Refill();
  }
  // At most one round: the program may add calls as fast as they are read.
  CallLog::Call call;
  for (uint32_t i = 0; i < CallLog::kSlots && calls_.Next(&call); ++i)
    call.is_node() ? decoder_.Node(call) : decoder_.Call(call);
  decoder_.Lose(Reason::kNoBuffer, calls_.TakeLost());
}

void Recorder::CountDropped() {
  size_t dropped = 0;
  if (api_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) ==
      CUPTI_SUCCESS)
    decoder_.Lose(Reason::kDropped, dropped);
}

// A kernel is recorded with its call: calls are logged before the first kernel
// and for a while after the last one, whose call may be under way.
bool Recorder::SetRecording(bool on) {
  calls_end_ = !on && calls_.listens() && !calls_off_;
  if (on && calls_off_) {
    if (!calls_.SetCallbacks(api_, subscriber_, true)) return false;
    calls_off_ = false;
  }
  return kinds_->SetWork(on);
}

void Recorder::Poll(bool flush) {
  if (calls_end_) {
    finaliser_.NoteWithdrawal();
    calls_.SetCallbacks(api_, subscriber_, false);
    calls_off_ = true;
    calls_end_ = false;
  }
  clock_.Tend();
  if (flush) api_.cuptiActivityFlushAll(0);
  DecodeCompleted();
  if (flush) CountDropped();
  if (counters_.Poll()) SayAttached();
  decoder_.Commit(flush);
  pool_.Refill();
}

void Recorder::FlushUntil(int64_t deadline_ns) {
  for (;;) {
    // Gives back the buffers in which every record is complete.
    api_.cuptiActivityFlushAll(0);
    DecodeCompleted();
    if (pool_.out() <= out_before_ || NowNs() >= deadline_ns) return;
    usleep(1000);
  }
}

void Recorder::Detach(uint32_t timeout_ms) {
  const int64_t begin = NowNs();
  counters_.Stop();
  calls_.End();
  const bool quiet = kinds_->Disable();
  // Work in flight is waited for during two thirds of the time there is.
  FlushUntil(begin + int64_t{timeout_ms} * 1'000'000 * 2 / 3);
  accepting_.store(false, std::memory_order_release);
  if (pool_.out() > out_before_) {
    decoder_.SetForced();
    api_.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    DecodeCompleted();
  }
  CountDropped();
  decoder_.Commit(true);
  uint64_t window_begin = 0;
  uint64_t window_end = 0;
  host_->window(host_->context, &window_begin, &window_end);
  Leave(window_end == 0);
  pool_.Release();
  if (!quiet) {
    host_->report_capability(host_->context, STEPSCOPE_DEVICE_PARTIAL,
                             "CUPTI kept an activity kind enabled after stop");
    return;
  }
  Report();
}

void Recorder::Report() {
  char text[400];
  const uint32_t kept =
      pool_.out() > out_before_ ? pool_.out() - out_before_ : 0;
  if (kept > 0) {
    std::snprintf(text, sizeof(text),
                  "CUPTI did not give %u buffers back: another profiler in "
                  "this process took its callbacks over",
                  kept);
  } else if (decoder_.lost() > 0) {
    std::snprintf(text, sizeof(text), "%llu records could not be kept%s",
                  static_cast<unsigned long long>(decoder_.lost()),
                  pool_.refused() > refused_before_
                      ? "; a larger STEPSCOPE_GPU_BUDGET (MiB) may help"
                      : "");
  } else {
    return;
  }
  host_->report_capability(host_->context, STEPSCOPE_DEVICE_PARTIAL, text);
}

}  // namespace stepscope::gpu
