// SPDX-License-Identifier: Apache-2.0
//
// Recorder: one attachment to CUPTI, from subscribing to leaving nothing
// behind. All functions are called on the device thread; CUPTI's callbacks,
// which come on any thread, touch the buffer pool and the call log alone.
#pragma once

#include <stepscope/plugin.h>

#include <memory>

#include "gpu/buffer_pool.h"
#include "gpu/call_log.h"
#include "gpu/clock.h"
#include "gpu/counters.h"
#include "gpu/cupti_api.h"
#include "gpu/decoder.h"
#include "gpu/finaliser.h"
#include "gpu/kinds.h"

namespace stepscope::gpu {

class Recorder {
 public:
  // The one of this process; never destroyed, since CUPTI keeps callbacks.
  static Recorder& Get();

  // `late`: CUDA came into use after recording began.
  int Attach(const stepscope_plugin_host* host, bool late);
  void Poll(bool flush);
  // Whether work is recorded that is launched from now on. False: CUPTI
  // refused.
  bool SetRecording(bool on);
  void Detach(uint32_t timeout_ms);

 private:
  Recorder() = default;

  static void OnRequest(uint8_t** buffer, size_t* size, size_t* max_records);
  static void OnComplete(CUcontext context, uint32_t stream, uint8_t* buffer,
                         size_t size, size_t valid);
  static uint64_t OnTimestamp();
  static void OnCallback(void* user, CUpti_CallbackDomain domain,
                         CUpti_CallbackId id, const void* data);

  void OnNode(CUpti_CallbackId id, const CUpti_ResourceData& data);

  bool Subscribe(char* why, size_t size);
  void Unsubscribe();
  void Leave(bool exiting);
  bool Register(char* why, size_t size);
  int Refuse(const char* why);
  void DecodeCompleted();
  void CountDropped();
  // Until every buffer is back or `deadline_ns` has come.
  void FlushUntil(int64_t deadline_ns);
  void Report();
  void SayAttached();

  const stepscope_plugin_host* host_ = nullptr;
  bool loaded_ = false;
  CuptiApi api_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::unique_ptr<KindSet> kinds_;
  BufferPool pool_;
  CallLog calls_;
  bool calls_end_ = false;  // their callbacks are taken back at the next poll
  bool calls_off_ = false;  // they were
  Finaliser finaliser_;
  DeviceClock clock_;
  Decoder decoder_;
  Counters counters_;
  char attached_[600] = {};  // how, for the user
  char missing_[200] = {};
  uint64_t refused_before_ = 0;
  uint32_t out_before_ = 0;
  std::atomic<bool> accepting_{false};
  int pid_ = 0;
};

}  // namespace stepscope::gpu
