// SPDX-License-Identifier: Apache-2.0
#include "importers/json/pipeline.h"

#include <thread>
#include <utility>

namespace stepscope::json {
namespace {

constexpr int kPieces = 3;  // consumed, ready, being made
// With more jobs waiting, who brings another does it himself. Bounds what
// they hold, and keeps both threads busy.
constexpr size_t kMaxJobs = 32;

}  // namespace

Pipeline::Pipeline(size_t piece_bytes, bool threads) : threads_(threads) {
  for (int i = 0; i < (threads ? kPieces : 1); ++i) {
    pieces_.push_back(std::make_unique<Piece>(piece_bytes));
    empty_.push_back(pieces_.back().get());
  }
}

void Pipeline::Run(const Step& produce, const Step& consume) {
  if (!threads_) {
    Piece& piece = *pieces_.front();
    consume_ = &consume;
    while (!piece.last) {
      produce(piece);
      consume(piece);
    }
    return;
  }
  std::thread producer([&] { Produce(produce); });
  Consume(consume);
  producer.join();
}

void Pipeline::Settle(Piece& piece) {
  if (!threads_) return (*consume_)(piece);
  std::unique_lock lock(mutex_);
  settling_ = &piece;
  full_.push_back(&piece);
  changed_.notify_all();
  changed_.wait(lock, [this] { return settling_ == nullptr; });
}

void Pipeline::Do(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  if (!threads_ || jobs_.size() >= kMaxJobs) {
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
  while (!last) {
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
    produce(*piece);
    last = piece->last;
    lock.lock();
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
