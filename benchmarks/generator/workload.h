// SPDX-License-Identifier: Apache-2.0
//
// Workload: a made-up training job whose every event is known. The same
// options give the same events on every machine, step by step in bounded
// memory, as often as wanted: writers of formats that need a length before its
// bytes simply walk it twice.
//
// A step runs on two threads and two streams:
//
//   main      step{ dataloader forward{ operator{ launch inner } * } optimizer
//   autograd             backward{ operator{ launch } * }
//   stream 7              kernel ...
//   stream 14   copy
//
// With more pairs of threads, each further pair does the same with other
// operators and times, without the step around it: a trace of many tracks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope::generator {

enum class Kind : uint8_t {
  kStep,
  kDataloader,
  kForward,
  kBackward,
  kOptimizer,
  kOperator,  // of the forward pass
  kInner,     // inside an operator
  kGradient,  // operator of the backward pass
  kLaunch,    // API call; `correlation`
  kKernel,
  kMemcpy,    // `bytes`
  kMemset,    // `bytes`
  kAllocate,  // point in time; `address`, `bytes`, `total` afterwards
  kFree,      // the same; `bytes` negative; `dur_ns` is the lifetime
};
inline constexpr int kKinds = 14;

enum Line : uint8_t { kMain, kAutograd, kComputeStream, kCopyStream };
inline constexpr int kLines = 4;
inline constexpr int64_t kLineIds[kLines] = {0, 1, 7, 14};  // threads: + pid

struct Record {
  Kind kind = Kind::kStep;
  Line line = kMain;
  uint32_t pair = 0;         // of threads
  uint8_t level = 0;         // host events: depth on the line, from 1
  uint32_t name = 0;         // number; Names makes text of it
  uint32_t correlation = 0;  // launches and what they launched
  uint64_t ordinal = 0;      // host events: among those of line and level
  uint64_t parent = 0;       // ordinal one level up
  uint64_t op = 0;           // running number of the operator it belongs to
  int64_t start_ns = 0;      // from epoch_ns
  int64_t dur_ns = 0;
  int64_t bytes = 0;
  int64_t total = 0;
  uint64_t address = 0;

  int64_t end_ns() const { return start_ns + dur_ns; }
  bool is_memory() const {
    return kind == Kind::kAllocate || kind == Kind::kFree;
  }
  bool on_host() const { return line == kMain || line == kAutograd; }
};

struct WorkloadOptions {
  uint64_t events = 100'000;  // about; whole steps are written
  uint64_t seed = 1;
  uint32_t names = 60;  // distinct operators
  uint32_t pairs = 1;   // of threads; more than one: captures alone
  int64_t rank = 0;
  bool memory = true;
  int64_t epoch_ns = 1'700'000'000'000'000'000;
};

class Workload {
 public:
  explicit Workload(const WorkloadOptions& options);

  const WorkloadOptions& options() const { return options_; }
  uint64_t steps() const { return steps_; }
  int64_t pid() const { return 1000 + options_.rank; }
  int64_t tid(Line line) const {
    return kLineIds[line] + (line <= kAutograd ? pid() : 0);
  }

  // Calls visit(const Record&) for every record: by step; within a step, those
  // of one line and level in order of time, parents before children.
  template <typename Visit>
  void Walk(Visit visit) const {
    for (uint32_t pair = 0; pair < options_.pairs; ++pair) {
      Maker maker(*this, pair);
      while (maker.NextStep())
        for (const Record& record : maker.records())
          if (pair == 0 || record.kind != Kind::kStep) visit(record);
    }
  }

 private:
  class Maker {
   public:
    Maker(const Workload& workload, uint32_t pair);
    bool NextStep();
    const std::vector<Record>& records() const { return records_; }

   private:
    int64_t Random(int64_t low, int64_t high);
    Record& Add(Kind kind, Line line, int64_t start, int64_t dur);
    Record& AddHost(Kind kind, Line line, uint8_t level, int64_t start,
                    int64_t dur);
    void Launch(Line from, Kind kind, Line stream, uint32_t name, int64_t start,
                int64_t bytes);
    int64_t Forward(int64_t now);
    int64_t Backward(int64_t now);

    struct Tensor {
      int64_t start_ns;
      int64_t bytes;
      uint64_t address;
    };

    const Workload& workload_;
    const uint32_t pair_;
    std::vector<Record> records_;
    std::vector<Tensor> tensors_;  // of this step
    uint64_t state_;
    uint64_t step_ = 0;
    uint32_t correlation_ = 0;
    uint64_t op_ = 0;
    int64_t now_ = 0;
    int64_t total_ = 0;
    int64_t stream_free_[kLines] = {};
    uint64_t ordinals_[2][6] = {};
  };

  WorkloadOptions options_;
  uint64_t steps_ = 0;
  uint64_t operators_ = 0;  // a step, forward; as many backward
};

// Names as the framework spells them that would have written the format.
// Fluid and StepStats name GPU work and API calls after the operator.
enum class Dialect { kTorch, kPaddle, kFluid, kTensorFlow, kStepStats };

class Names {
 public:
  Names(Dialect dialect, uint32_t count);
  const std::string& Of(const Record& record);

 private:
  Dialect dialect_;
  std::vector<std::string> by_kind_[kKinds];
  std::string step_;
};

const char* KindName(Kind kind);

}  // namespace stepscope::generator
