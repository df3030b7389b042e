// SPDX-License-Identifier: Apache-2.0
#include "profiled_server/trainer.h"

#include <stepscope/stepscope.h>

#include <cmath>
#include <future>
#include <string>
#include <utility>

namespace pserver {
namespace {

float MeanDistance(const std::vector<float>& parameters) {
  double sum = 0.0;
  for (float p : parameters) sum += std::abs(static_cast<double>(p - kTarget));
  return static_cast<float>(sum / static_cast<double>(parameters.size()));
}

}  // namespace

Trainer::Trainer(ParameterServer& server, int index,
                 std::chrono::microseconds compute)
    : server_(server), compute_(compute) {
  thread_ = std::thread([this, index] { Work(index); });
}

Trainer::~Trainer() { thread_.join(); }

void Trainer::Work(int index) {
  stepscope::SetThreadName(("trainer " + std::to_string(index)).c_str());
  for (int64_t round = 1;; ++round) {
    std::vector<float> parameters;
    {
      STEPSCOPE_EVENT("fetch_parameters", stepscope::EventType::kUserDefined);
      std::future<std::vector<float>> reply = server_.Get();
      try {
        parameters = reply.get();
      } catch (const std::future_error&) {
        return;  // the server stopped before it answered
      }
    }
    distance_ = MeanDistance(parameters);
    {
      STEPSCOPE_EVENT("compute_gradient", stepscope::EventType::kUserDefined);
      std::this_thread::sleep_for(compute_);
      for (float& p : parameters) p -= kTarget;
    }
    server_.Send(std::move(parameters));
    if (!server_.WaitForRound(round)) return;
  }
}

}  // namespace pserver
