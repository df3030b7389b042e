// SPDX-License-Identifier: Apache-2.0
//
// Pipeline: makes pieces of a file on a thread of its own and hands them to
// the caller in order, so that reading, decompressing and parsing run beside
// the building of the trace. Small jobs of the caller are done on either
// thread, wherever there is time. Memory: three pieces.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "importers/json/piece.h"

namespace stepscope::json {

class Pipeline {
 public:
  // `threads`: else all happens on the caller's, one piece after the other.
  Pipeline(size_t piece_bytes, bool threads);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Calls produce(piece) until it sets `last`, and consume(piece) on this
  // thread after each. All jobs are done when it returns.
  using Step = std::function<void(Piece&)>;
  void Run(const Step& produce, const Step& consume);

  // Called by `produce` before it changes what a piece refers to: returns
  // when what the piece holds so far has been consumed.
  void Settle(Piece& piece);
  // Called by `consume`: does `job` some time before Run() returns.
  void Do(std::function<void()> job);

 private:
  void Produce(const Step& produce);
  void Consume(const Step& consume);
  // Does the oldest job; `lock` is let go meanwhile.
  void DoOne(std::unique_lock<std::mutex>& lock);

  const bool threads_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  const Step* consume_ = nullptr;  // without threads

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece*> empty_;
  std::deque<Piece*> full_;
  std::deque<std::function<void()>> jobs_;
  Piece* settling_ = nullptr;
  int jobs_begun_ = 0;  // and not done
};

}  // namespace stepscope::json
