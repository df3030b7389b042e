// SPDX-License-Identifier: Apache-2.0
#include "profiled_server/parameter_server.h"

#include <stepscope/stepscope.h>

#include <algorithm>
#include <string>
#include <utility>

namespace pserver {
namespace {

using stepscope::EventType;

enum FlowPhase : uint32_t { kFlowBegins = 0, kFlowEnds = 1 };

void RecordFlow(uint64_t id, FlowPhase phase) {
  if (stepscope_enabled()) stepscope_flow("request", id, phase);
}

}  // namespace

ParameterServer::ParameterServer(ServerOptions options)
    : options_(options),
      parameters_(static_cast<size_t>(options.parameters), 0.0F),
      gradient_sum_(static_cast<size_t>(options.parameters), 0.0F) {
  handlers_.reserve(static_cast<size_t>(options_.handlers));
  for (int i = 0; i < options_.handlers; ++i) {
    handlers_.emplace_back([this, i] {
      stepscope::SetThreadName(("handler " + std::to_string(i)).c_str());
      Handle();
    });
  }
}

ParameterServer::~ParameterServer() {
  Stop();
  for (std::thread& handler : handlers_) handler.join();
}

void ParameterServer::Send(std::vector<float> gradient) {
  Request request;
  request.kind = Request::Kind::kSend;
  request.id = next_request_id_++;
  request.gradient = std::move(gradient);
  RecordFlow(request.id, kFlowBegins);
  queue_.Push(std::move(request));
}

std::future<std::vector<float>> ParameterServer::Get() {
  Request request;
  request.kind = Request::Kind::kGet;
  request.id = next_request_id_++;
  std::future<std::vector<float>> reply = request.reply.get_future();
  RecordFlow(request.id, kFlowBegins);
  queue_.Push(std::move(request));
  return reply;
}

bool ParameterServer::WaitForRound(int64_t round) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || rounds_ >= round; });
  return rounds_ >= round;
}

bool ParameterServer::RunRound() {
  std::unique_lock<std::mutex> lock(mutex_);
  {
    STEPSCOPE_EVENT("wait_for_gradients", EventType::kUserDefined);
    changed_.wait(lock,
                  [&] { return stopped_ || gradients_ >= options_.trainers; });
  }
  if (gradients_ < options_.trainers) return false;
  Update();
  changed_.notify_all();
  return true;
}

void ParameterServer::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  queue_.Close();
}

void ParameterServer::Handle() {
  while (std::optional<Request> request = queue_.Pop()) {
    switch (request->kind) {
      case Request::Kind::kSend:
        HandleSend(*request);
        break;
      case Request::Kind::kGet:
        HandleGet(std::move(*request));
        break;
    }
  }
}

void ParameterServer::HandleSend(const Request& request) {
  stepscope::RecordEvent event("RequestSend", EventType::kCommunication);
  event.Arg("bytes",
            static_cast<int64_t>(request.gradient.size() * sizeof(float)));
  RecordFlow(request.id, kFlowEnds);
  const std::lock_guard<std::mutex> lock(mutex_);
  STEPSCOPE_EVENT("sum", EventType::kOperator);
  for (size_t i = 0; i < gradient_sum_.size(); ++i) {
    gradient_sum_[i] += request.gradient[i];
  }
  ++gradients_;
  changed_.notify_all();
}

void ParameterServer::HandleGet(Request request) {
  stepscope::RecordEvent event("RequestGet", EventType::kCommunication);
  RecordFlow(request.id, kFlowEnds);
  std::vector<float> copy;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    copy = parameters_;
  }
  event.Arg("bytes", static_cast<int64_t>(copy.size() * sizeof(float)));
  request.reply.set_value(std::move(copy));
}

void ParameterServer::Update() {
  STEPSCOPE_EVENT("sgd", EventType::kOptimization);
  const float rate =
      options_.learning_rate / static_cast<float>(options_.trainers);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i] -= rate * gradient_sum_[i];
  }
  std::ranges::fill(gradient_sum_, 0.0F);
  gradients_ = 0;
  ++rounds_;
}

}  // namespace pserver
