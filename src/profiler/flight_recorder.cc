// SPDX-License-Identifier: Apache-2.0
#include "profiler/flight_recorder.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "base/text.h"

namespace stepscope::profiler {
namespace {

class Flight final : public Recorder {
 public:
  void Use(const stepscope_flight_options* given, const std::string& folder) {
    const std::lock_guard<std::mutex> lock(mutex_);
    options_ = {};
    if (given != nullptr)
      std::memcpy(&options_, given,
                  std::min<size_t>(given->struct_size, sizeof(options_)));
    options_.struct_size = sizeof(options_);
    on_demand_ = (options_.flags & STEPSCOPE_FLIGHT_ON_DEMAND) != 0;
    folder_ = options_.folder != nullptr ? options_.folder : folder;
    options_.folder = nullptr;
    options_.path = nullptr;
  }

  int64_t NowNs() override { return CollectorRecorder().NowNs(); }
  void Prepare(const std::string&, uint64_t) override {}
  void Unprepare() override {}

  Result<uint64_t> Start(const std::string& path, uint64_t memory_budget,
                         uint32_t) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    stepscope_flight_options options = options_;
    options.folder = folder_.empty() ? nullptr : folder_.c_str();
    options.path = path.c_str();
    if (memory_budget != 0) options.memory_budget = memory_budget;
    const int status = stepscope_flight_start(&options);
    if (status != STEPSCOPE_OK) {
      const std::string why = stepscope_last_error();
      return Fail(ErrorCode::kIo,
                  why.empty()
                      ? Format("%s: collector status %d", path.c_str(), status)
                      : why);
    }
    return on_demand_ ? kWaiting : stepscope_session();
  }

  void Stop(uint64_t session) override {
    if (session == kWaiting || stepscope_session() == session)
      stepscope_flight_stop();
  }
  Status Wait(uint64_t session, int timeout_ms) override {
    return CollectorRecorder().Wait(session, timeout_ms);
  }
  stepscope_scope BeginStep(int64_t number, bool rested) override {
    stepscope_flight_step(number);
    return CollectorRecorder().BeginStep(number, rested);
  }
  void EndStep(stepscope_scope scope, int64_t num_samples) override {
    CollectorRecorder().EndStep(scope, num_samples);
  }
  void TakeBackStep(stepscope_scope scope) override {
    CollectorRecorder().TakeBackStep(scope);
  }
  bool has_window() const override { return !on_demand_; }
  void UnrecordedStep(int64_t) override {}

 private:
  // What Start gives where no session runs yet.
  static constexpr uint64_t kWaiting = UINT64_MAX;

  std::mutex mutex_;
  stepscope_flight_options options_ = {};
  std::string folder_;
  std::atomic<bool> on_demand_ = false;
};

}  // namespace

Recorder& FlightRecorder(const stepscope_flight_options* given,
                         const std::string& folder) {
  static Flight* const flight = new Flight;
  flight->Use(given, folder);
  return *flight;
}

}  // namespace stepscope::profiler
