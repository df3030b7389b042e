// SPDX-License-Identifier: Apache-2.0
//
// What trainers ask of the server, in the order of arrival.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <vector>

namespace pserver {

struct Request {
  enum class Kind {
    kSend,  // here is a gradient
    kGet,   // give me the parameters
  };

  Kind kind = Kind::kSend;
  uint64_t id = 0;              // joins both ends of the arrow in a timeline
  std::vector<float> gradient;  // kSend
  std::promise<std::vector<float>> reply;  // kGet
};

// Thread-safe.
class RequestQueue {
 public:
  // A request pushed after Close() is dropped.
  void Push(Request request);
  // Waits for a request; nothing once the queue is closed and empty.
  std::optional<Request> Pop();
  void Close();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> requests_;
  bool closed_ = false;
};

}  // namespace pserver
