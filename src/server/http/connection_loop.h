// SPDX-License-Identifier: Apache-2.0
//
// ConnectionLoop: all sockets of the server on one thread. It reads heads of
// requests, hands whole ones to whoever answers, and sends the answers. No
// other thread ever waits for a client, so slow ones cost a few kilobytes
// each and nothing else. Every wait has a deadline that single bytes do not
// move.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/http/exchange.h"

namespace stepscope::server {

struct LoopLimits {
  size_t connections = 2048;  // more: the oldest that says nothing is closed
  // For a whole head; for a body again, and a second more for each 32 KiB.
  std::chrono::milliseconds head{5000};
  std::chrono::milliseconds idle{60'000};  // between two requests
  // For an answer, and a second more for each 32 KiB of it.
  std::chrono::milliseconds answer{10'000};
};

class ConnectionLoop {
 public:
  // Answers a request in time through the exchange, on whatever thread. It
  // must call Finish(). REQUIRES: returns at once.
  using Answer = std::function<void(std::string head, std::string body,
                                    std::shared_ptr<Exchange>)>;
  // The most bytes that the body of this request may have. It is asked before
  // any of them is kept.
  using MostBody = std::function<size_t(std::string_view head)>;
  // What to send for a head that is refused; complete, with headers.
  using Refusal = std::function<std::string(int status, std::string_view why)>;

  ConnectionLoop(Answer answer, Refusal refusal, MostBody most_body,
                 LoopLimits limits = {});
  ~ConnectionLoop();
  ConnectionLoop(const ConnectionLoop&) = delete;
  ConnectionLoop& operator=(const ConnectionLoop&) = delete;

  // Takes over a socket that listens.
  Status Listen(int socket);
  // Until Stop().
  void Run();
  // From any thread, also from a signal handler.
  void Stop();

 private:
  struct Connection;
  using Clock = std::chrono::steady_clock;

  // Numbers of connections whose exchange has something new. Outlives the
  // loop, as answers may.
  struct Woken {
    explicit Woken(int fd) : event(fd) {}
    ~Woken();
    void Add(uint64_t number);
    std::mutex mutex;
    std::vector<uint64_t> numbers;
    const int event;
  };

  void Accept(int socket);
  bool MakeRoom();
  void OnReadable(Connection& connection);
  void NextRequest(Connection& connection);
  void Refuse(Connection& connection, int status, std::string_view why);
  void Send(Connection& connection);
  void Watch(Connection& connection);
  void Close(uint64_t number);
  void CloseLate();
  void AnswerWoken();

  const Answer answer_;
  const Refusal refusal_;
  const MostBody most_body_;
  const LoopLimits limits_;
  int epoll_ = -1;
  std::shared_ptr<Woken> woken_;
  std::vector<int> listening_;
  std::map<uint64_t, std::unique_ptr<Connection>> connections_;  // by age
  uint64_t next_number_ = 1;
  Clock::time_point last_check_{};
  std::atomic<bool> stop_{false};
};

}  // namespace stepscope::server
