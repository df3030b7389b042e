// SPDX-License-Identifier: Apache-2.0
#include "cli/dataset/temporary_dataset.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace stepscope {
namespace {

constexpr int kWakeUp = SIGUSR1;  // ends the watching thread

sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int one : {SIGINT, SIGTERM, SIGHUP, kWakeUp})
    sigaddset(&signals, one);
  return signals;
}

void RemoveFolder(const std::string& folder) {
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
}

}  // namespace

TemporaryDataset::TemporaryDataset(std::string folder)
    : folder_(std::move(folder)) {
  const sigset_t signals = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  watcher_ = std::thread([this] { Watch(); });
}

TemporaryDataset::~TemporaryDataset() {
  pthread_kill(watcher_.native_handle(), kWakeUp);
  watcher_.join();
  RemoveFolder(folder_);
}

void TemporaryDataset::OnSignal(std::function<void()> handler) {
  const std::lock_guard lock(mutex_);
  handler_ = std::move(handler);
}

void TemporaryDataset::Watch() {
  const sigset_t signals = EndingSignals();
  for (;;) {
    int got = 0;
    if (sigwait(&signals, &got) != 0) continue;
    if (got == kWakeUp) return;
    const std::lock_guard lock(mutex_);
    if (handler_) {
      std::exchange(handler_, nullptr)();
      continue;
    }
    RemoveFolder(folder_);
    _exit(128 + got);
  }
}

}  // namespace stepscope
