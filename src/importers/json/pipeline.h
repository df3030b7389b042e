// SPDX-License-Identifier: Apache-2.0
//
// Pipeline: makes pieces of a file on a second thread and hands them to the
// caller in order, so that reading, decompressing and parsing run beside the
// building of the trace. Small jobs of the caller are done on either thread,
// wherever there is time. Memory: three pieces. Single use.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/executor.h"
#include "importers/json/piece.h"

namespace stepscope::json {

class Pipeline {
 public:
  // Takes a thread of `executor`, if one is free. Else, or if it is null, all
  // happens on the caller's, one piece after the other.
  Pipeline(size_t piece_bytes, Executor* executor);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Whether pieces are made on another thread than the caller's.
  bool has_thread() const { return has_thread_; }

  // Calls produce(piece) until it sets `last`, and consume(piece) on this
  // thread after each. All jobs are done when it returns. What either of the
  // two throws is thrown here.
  using Step = std::function<void(Piece&)>;
  void Run(const Step& produce, const Step& consume);

  // Called by `produce` before it changes what a piece refers to: returns
  // when what the piece holds so far has been consumed.
  void Settle(Piece& piece);
  // Called by `consume`: does `job` some time before Run() returns.
  void Do(std::function<void()> job);

 private:
  void WaitForRun();
  void Produce(const Step& produce);
  void Consume(const Step& consume);
  void Stop();
  // Does the oldest job; `lock` is let go meanwhile.
  void DoOne(std::unique_lock<std::mutex>& lock);

  bool has_thread_ = false;
  std::vector<std::unique_ptr<Piece>> pieces_;
  const Step* consume_ = nullptr;  // without a thread

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece*> empty_;
  std::deque<Piece*> full_;
  std::deque<std::function<void()>> jobs_;
  Piece* settling_ = nullptr;
  int jobs_begun_ = 0;             // and not done
  const Step* produce_ = nullptr;  // from Run() on
  std::exception_ptr thrown_;      // by produce_
  bool stopped_ = false;           // nobody consumes any more

  // Last: it uses all the rest until it ends.
  std::unique_ptr<Executor::Companion> producer_;
};

}  // namespace stepscope::json
