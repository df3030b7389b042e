// SPDX-License-Identifier: Apache-2.0
#include "importers/json/pipeline.h"

#include <utility>

namespace stepscope::json {
namespace {

constexpr int kPieces = 3;  // consumed, ready, being made
// With more jobs waiting, who brings another does it himself. Bounds what
// they hold, and keeps both threads busy.
constexpr size_t kMaxJobs = 32;

}  // namespace

Pipeline::Pipeline(size_t piece_bytes, Executor* executor) {
  if (executor != nullptr)
    producer_ = executor->TryStart([this] { WaitForRun(); });
  has_thread_ = producer_ != nullptr;
  for (int i = 0; i < (has_thread_ ? kPieces : 1); ++i) {
    pieces_.push_back(std::make_unique<Piece>(piece_bytes));
    empty_.push_back(pieces_.back().get());
  }
}

Pipeline::~Pipeline() { Stop(); }

void Pipeline::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void Pipeline::WaitForRun() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return produce_ != nullptr || stopped_; });
  const Step* const produce = produce_;
  lock.unlock();
  if (produce != nullptr) Produce(*produce);
}

void Pipeline::Run(const Step& produce, const Step& consume) {
  if (!has_thread_) {
    Piece& piece = *pieces_.front();
    consume_ = &consume;
    while (!piece.last) {
      produce(piece);
      consume(piece);
    }
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    produce_ = &produce;
    changed_.notify_all();
  }
  try {
    Consume(consume);
  } catch (...) {
    Stop();
    producer_.reset();
    throw;
  }
  producer_.reset();  // waits for its end
  if (thrown_ != nullptr) std::rethrow_exception(thrown_);
}

void Pipeline::Settle(Piece& piece) {
  if (!has_thread_) return (*consume_)(piece);
  std::unique_lock lock(mutex_);
  settling_ = &piece;
  full_.push_back(&piece);
  changed_.notify_all();
  changed_.wait(lock, [this] { return settling_ == nullptr || stopped_; });
}

void Pipeline::Do(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  if (!has_thread_ || jobs_.size() >= kMaxJobs) {
    lock.unlock();
    job();
    return;
  }
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void Pipeline::DoOne(std::unique_lock<std::mutex>& lock) {
  const std::function<void()> job = std::move(jobs_.front());
  jobs_.pop_front();
  ++jobs_begun_;
  lock.unlock();
  job();
  lock.lock();
  if (--jobs_begun_ == 0) changed_.notify_all();
}

// Pieces first: the consumer must not starve. Jobs while he has some to go on
// with.
void Pipeline::Produce(const Step& produce) {
  std::unique_lock lock(mutex_);
  bool last = false;
  while (!last && !stopped_) {
    if (!jobs_.empty() && !full_.empty()) {
      DoOne(lock);
      continue;
    }
    if (empty_.empty()) {
      changed_.wait(lock);
      continue;
    }
    Piece* const piece = empty_.front();
    empty_.pop_front();
    lock.unlock();
    std::exception_ptr thrown;
    try {
      produce(*piece);
    } catch (...) {
      thrown = std::current_exception();
      piece->last = true;
    }
    last = piece->last;
    lock.lock();
    thrown_ = std::move(thrown);
    full_.push_back(piece);
    changed_.notify_all();
  }
  // The rest of the jobs, while the consumer ends.
  while (!jobs_.empty()) DoOne(lock);
}

void Pipeline::Consume(const Step& consume) {
  std::unique_lock lock(mutex_);
  bool last = false;
  while (!last) {
    if (full_.empty()) {
      if (!jobs_.empty())
        DoOne(lock);
      else
        changed_.wait(lock);
      continue;
    }
    Piece* const piece = full_.front();
    full_.pop_front();
    lock.unlock();
    consume(*piece);
    lock.lock();
    if (piece == settling_) {
      settling_ = nullptr;
    } else {
      last = piece->last;
      empty_.push_back(piece);
    }
    changed_.notify_all();
  }
  while (!jobs_.empty()) DoOne(lock);
  changed_.wait(lock, [this] { return jobs_begun_ == 0; });
}

}  // namespace stepscope::json
