// SPDX-License-Identifier: Apache-2.0
#include "generator/workload.h"

#include <algorithm>

namespace stepscope::generator {
namespace {

constexpr uint64_t kMostSteps = 1000;
constexpr uint64_t kLeastOperators = 50;  // a pass
// Slices of a step beside its operators': step, stages, copy, set.
constexpr uint64_t kFixedSlices = 9;
// An operator, its launch and its kernel, forward and backward; every fourth
// forward one has another inside.
constexpr uint64_t SlicesOf(uint64_t operators) {
  return kFixedSlices + 6 * operators + operators / 4;
}

}  // namespace

Workload::Workload(const WorkloadOptions& options) : options_(options) {
  options_.names = std::max(options_.names, 1u);
  options_.pairs = std::max(options_.pairs, 1u);
  const uint64_t events = options_.events / options_.pairs;
  operators_ = std::max(kLeastOperators, events / 6 / kMostSteps / 4 * 4);
  steps_ = std::max<uint64_t>(1, events / SlicesOf(operators_));
}

Workload::Maker::Maker(const Workload& workload, uint32_t pair)
    : workload_(workload),
      pair_(pair),
      state_((workload.options_.seed + pair) * 0x9e3779b97f4a7c15u +
             0x2545f4914f6cdd1du),
      now_(1000000) {
  if (state_ == 0) state_ = 1;
}

// xorshift64, then reduced without division.
int64_t Workload::Maker::Random(int64_t low, int64_t high) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  const auto range = static_cast<uint64_t>(high - low);
  return low + static_cast<int64_t>((state_ >> 32) * range >> 32);
}

Record& Workload::Maker::Add(Kind kind, Line line, int64_t start, int64_t dur) {
  Record& record = records_.emplace_back();
  record.kind = kind;
  record.line = line;
  record.pair = pair_;
  record.start_ns = start;
  record.dur_ns = dur;
  record.op = op_;
  return record;
}

Record& Workload::Maker::AddHost(Kind kind, Line line, uint8_t level,
                                 int64_t start, int64_t dur) {
  Record& record = Add(kind, line, start, dur);
  record.level = level;
  record.ordinal = ordinals_[line][level]++;
  // The latest of the level above: parents come before their children.
  if (level > 1) record.parent = ordinals_[line][level - 1] - 1;
  return record;
}

// A launch of 2 us on `from` and what it starts on `stream`, which works in
// order.
void Workload::Maker::Launch(Line from, Kind kind, Line stream, uint32_t name,
                             int64_t start, int64_t bytes) {
  Record& call = Add(Kind::kLaunch, from, start, 2000);
  call.correlation = ++correlation_;
  // Level and parent are those of the host event around it.
  call.name = kind == Kind::kKernel ? 0 : kind == Kind::kMemcpy ? 1 : 2;
  const int64_t begin = std::max(start + 3000, stream_free_[stream]);
  const int64_t dur = Random(900, 6000);
  stream_free_[stream] = begin + dur + 300;
  Record& work = Add(kind, stream, begin, dur);
  work.correlation = correlation_;
  work.name = name;
  work.bytes = bytes;
}

int64_t Workload::Maker::Forward(int64_t now) {
  const int64_t begin = now;
  const size_t stage = records_.size();
  AddHost(Kind::kForward, kMain, 2, begin, 0);
  now += 500;
  for (uint64_t i = 0; i < workload_.operators_; ++i) {
    const auto name = static_cast<uint32_t>(
        Random(0, static_cast<int64_t>(workload_.options_.names)));
    const int64_t dur = Random(8000, 30000);
    ++op_;
    AddHost(Kind::kOperator, kMain, 3, now, dur).name = name;
    if (workload_.options_.memory) {
      const int64_t bytes = Random(1, 4096) * 512;
      const uint64_t address = 0x7f0000000000 + op_ * 0x200000;
      total_ += bytes;
      Record& alloc = Add(Kind::kAllocate, kMain, now + 100, 0);
      alloc.bytes = bytes;
      alloc.address = address;
      alloc.total = total_;
      tensors_.push_back({now + 100, bytes, address});
    }
    Launch(kMain, Kind::kKernel, kComputeStream, name, now + 1000, 0);
    if (i % 4 == 3)
      AddHost(Kind::kInner, kMain, 4, now + 4000, dur - 5000).name = name;
    now += dur + Random(100, 900);
  }
  records_[stage].dur_ns = now - begin;
  return now;
}

int64_t Workload::Maker::Backward(int64_t now) {
  const int64_t begin = now;
  const size_t stage = records_.size();
  AddHost(Kind::kBackward, kAutograd, 1, begin, 0);
  now += 500;
  for (uint64_t i = 0; i < workload_.operators_; ++i) {
    const auto name = static_cast<uint32_t>(
        Random(0, static_cast<int64_t>(workload_.options_.names)));
    const int64_t dur = Random(8000, 30000);
    ++op_;
    AddHost(Kind::kGradient, kAutograd, 2, now, dur).name = name;
    Launch(kAutograd, Kind::kKernel, kComputeStream, name, now + 1000, 0);
    if (!tensors_.empty()) {
      const Tensor tensor = tensors_.back();
      tensors_.pop_back();
      total_ -= tensor.bytes;
      Record& free = Add(Kind::kFree, kAutograd, now + 5000, 0);
      free.dur_ns = free.start_ns - tensor.start_ns;
      free.bytes = -tensor.bytes;
      free.address = tensor.address;
      free.total = total_;
    }
    now += dur + Random(100, 900);
  }
  records_[stage].dur_ns = now - begin;
  return now;
}

bool Workload::Maker::NextStep() {
  records_.clear();
  if (step_ == workload_.steps_) return false;
  const int64_t begin = now_;
  AddHost(Kind::kStep, kMain, 1, begin, 0).name = static_cast<uint32_t>(step_);
  const int64_t loading = Random(20000, 80000);
  ++op_;
  AddHost(Kind::kDataloader, kMain, 2, begin + 1000, loading);
  Launch(kMain, Kind::kMemcpy, kCopyStream, 0, begin + 2000, 1 << 20);
  int64_t now = Forward(begin + loading + 5000);
  now = Backward(now + 2000);
  const int64_t update = Random(30000, 60000);
  ++op_;
  AddHost(Kind::kOptimizer, kMain, 2, now + 2000, update);
  Launch(kMain, Kind::kMemset, kComputeStream, 0, now + 3000, 4096);
  now += update + 5000;
  records_[0].dur_ns = now - begin;
  // The next step waits for the device.
  now_ =
      std::max({now, stream_free_[kComputeStream], stream_free_[kCopyStream]}) +
      2000;
  ++step_;
  return true;
}

Names::Names(Dialect dialect, uint32_t count) : dialect_(dialect) {
  const bool torch = dialect == Dialect::kTorch;
  const auto fill = [&](Kind kind, const std::string& before,
                        const std::string& after, uint32_t n) {
    auto& names = by_kind_[static_cast<size_t>(kind)];
    for (uint32_t i = 0; i < n; ++i)
      names.push_back(n == 1 ? before + after
                             : before + std::to_string(i) + after);
  };
  fill(Kind::kDataloader,
       torch ? "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
             : "Dataloader",
       "", 1);
  fill(Kind::kForward, torch ? "forward_pass" : "Forward", "", 1);
  fill(Kind::kBackward, torch ? "backward_pass" : "Gradient Backward", "", 1);
  fill(Kind::kOptimizer, torch ? "Optimizer.step#SGD.step" : "Optimization", "",
       1);
  fill(Kind::kOperator, torch ? "aten::op_" : "op_", "", count);
  fill(Kind::kInner, torch ? "aten::_inner_" : "inner_", "", count);
  if (torch)
    fill(Kind::kGradient, "autograd::engine::evaluate_function: Op",
         "Backward0", count);
  else
    fill(Kind::kGradient, "op_", "_grad", count);
  auto& calls = by_kind_[static_cast<size_t>(Kind::kLaunch)];
  calls = torch ? std::vector<std::string>{"cudaLaunchKernel",
                                           "cudaMemcpyAsync", "cudaMemsetAsync"}
                : std::vector<std::string>{"cudaLaunchKernel_v7000",
                                           "cudaMemcpyAsync_v3020",
                                           "cudaMemsetAsync_v3020"};
  fill(Kind::kKernel, "void gemm_kernel<float, ",
       ">(float const*, float*, int)", count);
  if (dialect == Dialect::kFluid || dialect == Dialect::kStepStats) {
    by_kind_[static_cast<size_t>(Kind::kKernel)].clear();
    calls.clear();
    fill(Kind::kKernel, "op_", "", count);
    fill(Kind::kLaunch, "op_", "", 3);
  }
  const bool tensorflow =
      dialect == Dialect::kTensorFlow || dialect == Dialect::kStepStats;
  fill(Kind::kMemcpy,
       torch        ? "Memcpy HtoD (Pageable -> Device)"
       : tensorflow ? "MemcpyH2D"
                    : "MEMCPY_HtoD",
       "", 1);
  fill(Kind::kMemset,
       torch        ? "Memset (Device)"
       : tensorflow ? "Memset"
                    : "MEMSET",
       "", 1);
  fill(Kind::kAllocate, "[memory]", "", 1);
  fill(Kind::kFree, "[memory]", "", 1);
}

const std::string& Names::Of(const Record& record) {
  if (record.kind == Kind::kStep) {
    step_ = dialect_ == Dialect::kTorch ? "ProfilerStep#" : "ProfileStep#";
    step_ += std::to_string(record.name);
    return step_;
  }
  const auto& names = by_kind_[static_cast<size_t>(record.kind)];
  return names[record.name % names.size()];
}

const char* KindName(Kind kind) {
  static constexpr const char* kNames[kKinds] = {
      "step",     "dataloader", "forward",  "backward", "optimizer",
      "operator", "inner",      "gradient", "launch",   "kernel",
      "memcpy",   "memset",     "allocate", "free"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace stepscope::generator
