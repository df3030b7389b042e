// SPDX-License-Identifier: Apache-2.0
//
// A synchronous parameter server. In every round each trainer sends one
// gradient; when all have arrived the server updates the parameters, and the
// trainers fetch them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "profiled_server/request_queue.h"

namespace pserver {

struct ServerOptions {
  int trainers = 4;  // gradients that complete a round
  int handlers = 2;  // threads that handle requests
  int64_t parameters = 65'536;
  float learning_rate = 0.01F;
};

// Send, Get and WaitForRound are for any thread; RunRound is for one.
class ParameterServer {
 public:
  explicit ParameterServer(ServerOptions options);
  // REQUIRES: no other thread is in a call.
  ~ParameterServer();
  ParameterServer(const ParameterServer&) = delete;
  ParameterServer& operator=(const ParameterServer&) = delete;

  // Queues a gradient of options.parameters values.
  void Send(std::vector<float> gradient);
  // Queues a request for the parameters. The future breaks its promise if the
  // server stops first.
  std::future<std::vector<float>> Get();
  // Waits until `round` rounds are done. False if the server stopped first.
  bool WaitForRound(int64_t round);

  // Waits for the gradients of all trainers, then updates the parameters.
  // False if the server was stopped.
  bool RunRound();
  // Ends every wait; requests already queued are still handled.
  void Stop();

 private:
  void Handle();
  void HandleSend(const Request& request);
  void HandleGet(Request request);
  void Update();  // REQUIRES: mutex_ is held

  const ServerOptions options_;
  std::atomic<uint64_t> next_request_id_{1};
  RequestQueue queue_;

  std::mutex mutex_;                 // guards what follows
  std::condition_variable changed_;  // gradients_, rounds_ or stopped_
  std::vector<float> parameters_;
  std::vector<float> gradient_sum_;
  int gradients_ = 0;  // in gradient_sum_
  int64_t rounds_ = 0;
  bool stopped_ = false;

  std::vector<std::thread> handlers_;
};

}  // namespace pserver
