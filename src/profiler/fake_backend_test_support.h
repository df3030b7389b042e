// SPDX-License-Identifier: Apache-2.0
//
// For tests: a recorder and trace tools that only write down what was asked of
// them, on a clock that the test moves. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "base/text.h"
#include "profiler/recorder.h"
#include "profiler/trace_tools.h"
#include "trace/build/trace_builder.h"

namespace stepscope::profiler {

// The calls in order, in one line: "prepare start step#0 ...".
class CallLog {
 public:
  void Add(const std::string& call) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!text_.empty()) text_ += ' ';
    text_ += call;
  }
  std::string Take() {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(text_, "");
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

class FakeRecorder final : public Recorder {
 public:
  int64_t NowNs() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return now_ns_;
  }
  void Advance(int64_t ns) {
    std::lock_guard<std::mutex> lock(mutex_);
    now_ns_ += ns;
  }
  void Prepare(const std::string&, uint64_t) override { log.Add("prepare"); }
  void Unprepare() override { log.Add("unprepare"); }
  Result<uint64_t> Start(const std::string& path, uint64_t, uint32_t) override {
    if (fail_start) {
      log.Add("refused");
      return Fail(ErrorCode::kIo, path + ": no space left");
    }
    log.Add("start");
    std::ofstream(path) << "capture";
    return ++sessions_;
  }
  void Stop(uint64_t) override { log.Add("stop"); }
  Status Wait(uint64_t, int) override { return Ok(); }
  stepscope_scope BeginStep(int64_t number, bool rested) override {
    log.Add(Format(rested ? "rested#%lld" : "step#%lld",
                   static_cast<long long>(number)));
    return {nullptr, 1};
  }
  void EndStep(stepscope_scope scope, int64_t) override {
    if (scope.begin != 0) log.Add("end");
  }
  void TakeBackStep(stepscope_scope scope) override {
    if (scope.begin != 0) log.Add("taken-back");
  }
  std::string WriteProblem() override { return write_problem; }
  void UnrecordedStep(int64_t ns) override {
    if (ns == 0)
      unrecorded.clear();
    else
      unrecorded.push_back(ns);
  }

  CallLog log;
  bool fail_start = false;
  std::string write_problem;
  std::vector<int64_t> unrecorded;  // steps; the profiler's lock guards it

 private:
  std::mutex mutex_;
  int64_t now_ns_ = 1'000'000'000;
  uint64_t sessions_ = 0;
};

class FakeTools final : public TraceTools {
 public:
  Result<std::shared_ptr<const Trace>> Load(
      const std::string& capture) override {
    if (!std::ifstream(capture))
      return Fail(ErrorCode::kNotFound, capture + ": no such file");
    ++loads;
    if (no_memory) throw std::bad_alloc();
    return TraceBuilder().Finish();
  }
  Status Write(const Trace&, const std::string& path, std::string_view,
               int index) override {
    std::ofstream file(path);
    file << "chrome " << index;
    if (!file) return Fail(ErrorCode::kIo, path + ": cannot be written");
    return Ok();
  }
  std::string Lost(const std::string&) override { return lost; }
  Result<std::string> Summarize(const Trace&,
                                const stepscope_summary_options&) override {
    return std::string("tables\n");
  }

  std::atomic<int> loads{0};
  std::atomic<bool> no_memory{false};
  std::string lost;
};

}  // namespace stepscope::profiler
