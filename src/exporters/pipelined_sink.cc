// SPDX-License-Identifier: Apache-2.0
#include "exporters/pipelined_sink.h"

#include <signal.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace stepscope {
namespace {

constexpr int kBlocksBeforeThread = 4;

class PipelinedSink : public Sink {
 public:
  explicit PipelinedSink(std::unique_ptr<Sink> next)
      : next_(std::move(next)) {}
  PipelinedSink(const PipelinedSink&) = delete;
  PipelinedSink& operator=(const PipelinedSink&) = delete;
  ~PipelinedSink() override { Join(); }

  Status Write(Block& block) override {
    if (!thread_.joinable() && !StartThread()) return next_->Write(block);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
    if (!status_) return status_;
    if (pending_.capacity < block.capacity) pending_ = Block(block.capacity);
    std::swap(pending_, block);
    block.size = 0;
    busy_ = true;
    lock.unlock();
    changed_.notify_all();
    return Ok();
  }

  Status Close() override {
    Join();
    if (!status_) return status_;
    return next_->Close();
  }

 private:
  // False: not yet, or the system has no thread for us.
  bool StartThread() {
    if (++blocks_ <= kBlocksBeforeThread) return false;
    // The program's signals are none of this thread's business.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { Run(); });
    } catch (const std::system_error&) {
      blocks_ = 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread_.joinable();
  }

  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return busy_ || done_; });
      if (!busy_) return;
      lock.unlock();
      Status status = next_->Write(pending_);
      lock.lock();
      busy_ = false;
      if (!status) status_ = std::move(status);
      changed_.notify_all();
    }
  }

  void Join() {
    if (!thread_.joinable()) return;
    {
      std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  std::unique_ptr<Sink> next_;
  std::thread thread_;
  int blocks_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false;     // pending_ belongs to the thread
  bool done_ = false;     // no more blocks will come
  Status status_ = Ok();  // of the last write that failed
  Block pending_;
};

}  // namespace

std::unique_ptr<Sink> MakePipelinedSink(std::unique_ptr<Sink> next) {
  return std::make_unique<PipelinedSink>(std::move(next));
}

}  // namespace stepscope
