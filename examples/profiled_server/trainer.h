// SPDX-License-Identifier: Apache-2.0
//
// A simulated trainer: in place of a network and a socket it draws the
// parameters towards a fixed target and calls the server directly.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "profiled_server/parameter_server.h"

namespace pserver {

// Value the trainers pull every parameter to.
inline constexpr float kTarget = 1.0F;

// Runs on its own thread from construction until the server stops.
class Trainer {
 public:
  // The server must outlive the trainer. `compute` is how long the simulated
  // computation of one gradient takes.
  Trainer(ParameterServer& server, int index,
          std::chrono::microseconds compute);
  // Waits for the thread. REQUIRES: the server was stopped.
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Mean distance from the target when the parameters were last fetched.
  float distance() const { return distance_.load(); }

 private:
  void Work(int index);

  ParameterServer& server_;
  const std::chrono::microseconds compute_;
  std::atomic<float> distance_{kTarget};
  std::thread thread_;
};

}  // namespace pserver
