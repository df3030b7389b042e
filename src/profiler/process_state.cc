// SPDX-License-Identifier: Apache-2.0
#include "profiler/process_state.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace stepscope::profiler {
namespace {

std::atomic<ProcessState*> current{nullptr};
std::atomic<uint32_t> generation{1};

// Only stores: the child of a threaded process may do little else here. What
// the parent had is abandoned, not destroyed.
void InForkedChild() {
  DeliveryThread::ForgetJob();
  current.store(nullptr, std::memory_order_relaxed);
  generation.fetch_add(1, std::memory_order_relaxed);
}

void AtExit() {
  if (!ProcessState::EndDeliveries(kDeliveryTimeoutMs)) {
    std::fputs("stepscope: a window was still being delivered at exit\n",
               stderr);
  }
}

}  // namespace

bool ProcessState::EndDeliveries(int timeout_ms) {
  ProcessState* state = current.load(std::memory_order_acquire);
  return state == nullptr || state->delivery().Shutdown(timeout_ms);
}

ProcessState& ProcessState::Get() {
  ProcessState* state = current.load(std::memory_order_acquire);
  if (state != nullptr) return *state;
  static const bool forks_known =
      pthread_atfork(nullptr, nullptr, &InForkedChild) == 0;
  static_cast<void>(forks_known);
  auto* fresh = new ProcessState;
  if (!current.compare_exchange_strong(state, fresh,
                                       std::memory_order_acq_rel)) {
    delete fresh;
    return *state;
  }
  std::atexit(&AtExit);
  return *fresh;
}

uint32_t ProcessState::Generation() {
  return generation.load(std::memory_order_relaxed);
}

void ProcessState::AddRunning(const std::shared_ptr<ProfilerCore>& profiler) {
  std::lock_guard<std::mutex> lock(mutex_);
  running_.push_back(profiler);
}

void ProcessState::RemoveRunning(const ProfilerCore* profiler) {
  std::shared_ptr<ProfilerCore> last;  // released outside the lock
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = running_.begin(); it != running_.end(); ++it) {
    if (it->get() != profiler) continue;
    last = std::move(*it);
    running_.erase(it);
    break;
  }
}

std::shared_ptr<ProfilerCore> ProcessState::LastRunning() {
  std::lock_guard<std::mutex> lock(mutex_);
  return running_.empty() ? nullptr : running_.back();
}

}  // namespace stepscope::profiler
