// SPDX-License-Identifier: Apache-2.0
#include "exporters/pipelined_sink.h"

#include <atomic>

#include "base/executor.h"

namespace stepscope {
namespace {

constexpr int kBlocksBeforeThread = 2;

class PipelinedSink : public Sink {
 public:
  explicit PipelinedSink(std::unique_ptr<Sink> next) : next_(std::move(next)) {}
  PipelinedSink(const PipelinedSink&) = delete;
  PipelinedSink& operator=(const PipelinedSink&) = delete;
  ~PipelinedSink() override { Join(); }

  Status Write(Block& block) override {
    if (thread_ == nullptr && !StartThread()) return next_->Write(block);
    WaitForPlace();
    if (failed_.load(std::memory_order_acquire)) return status_;
    Block& place = blocks_[filled_ % kBlocks];
    if (place.capacity < block.capacity) place = Block(block.capacity);
    std::swap(place, block);
    block.size = 0;
    filled_ = (filled_ + 1) & ~kDone;
    Give(filled_);
    return Ok();
  }

  Status Close() override {
    Join();
    if (!status_) return status_;
    return next_->Close();
  }

 private:
  // Waiting to be written. With one, whoever is ahead waits for the other at
  // every block; more than two gain nothing.
  static constexpr uint32_t kBlocks = 2;
  static constexpr uint32_t kDone = uint32_t{1} << 31;  // no more will come

  // False: not yet, or no thread is free.
  bool StartThread() {
    if (++calls_ <= kBlocksBeforeThread) return false;
    thread_ = Executor::Shared().TryStart([this] { Run(); });
    if (thread_ == nullptr) calls_ = 0;
    return thread_ != nullptr;
  }

  // Never spins: where processors are few, it is the other that needs them.
  void WaitForPlace() {
    uint32_t taken = taken_.load(std::memory_order_acquire);
    while (((filled_ - taken) & ~kDone) == kBlocks) {
      taken_.wait(taken, std::memory_order_acquire);
      taken = taken_.load(std::memory_order_acquire);
    }
  }
  void Give(uint32_t given) {
    given_.store(given, std::memory_order_release);
    given_.notify_one();
  }

  void Run() {
    for (uint32_t taken = 0;;) {
      const uint32_t given = given_.load(std::memory_order_acquire);
      if ((given & ~kDone) == taken) {
        if ((given & kDone) != 0) return;
        given_.wait(given, std::memory_order_acquire);
        continue;
      }
      Block& block = blocks_[taken % kBlocks];
      if (status_) status_ = next_->Write(block);
      block.size = 0;
      if (!status_) failed_.store(true, std::memory_order_release);
      taken = (taken + 1) & ~kDone;
      taken_.store(taken, std::memory_order_release);
      taken_.notify_one();
    }
  }

  void Join() {
    if (thread_ == nullptr) return;
    Give(filled_ | kDone);
    thread_.reset();  // waits for its end
  }

  std::unique_ptr<Sink> next_;
  int calls_ = 0;
  uint32_t filled_ = 0;             // blocks so far, the caller's count
  std::atomic<uint32_t> given_{0};  // the same, and kDone
  std::atomic<uint32_t> taken_{0};  // blocks written
  std::atomic<bool> failed_{false};
  Status status_ = Ok();  // the thread's until it failed or was joined
  Block blocks_[kBlocks];
  std::unique_ptr<Executor::Companion> thread_;  // last: it uses the rest
};

}  // namespace

std::unique_ptr<Sink> MakePipelinedSink(std::unique_ptr<Sink> next) {
  return std::make_unique<PipelinedSink>(std::move(next));
}

}  // namespace stepscope
