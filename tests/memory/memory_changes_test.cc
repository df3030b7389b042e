// SPDX-License-Identifier: Apache-2.0
//
// What a changed program would hold, of programs whose answer is known: by hand
// each allocation of theirs is added up.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/replay/memory_whatif.h"
#include "analysis/summary.h"
#include "report/render_memory_whatif.h"
#include "snapshot_trace.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

using torch_memory::SnapshotSpec;

constexpr int64_t kKiB = 1024;
constexpr uint64_t kFirst = 0x7f0000000000;

// Writes a program as torch would record it; all in the small pool, whose
// blocks are as large as what is asked for.
class Program {
 public:
  // In the forward pass, each from a line of its own; without frames in the
  // backward pass.
  uint64_t Make(int64_t kib, bool backward = false) {
    const uint64_t address = kFirst + next_++ * (uint64_t{1} << 20);
    spec_.events.push_back({"alloc", address, kib * kKiB, 0, ++time_,
                            backward ? "" : "train.py",
                            static_cast<int64_t>(next_)});
    sizes_.push_back(kib * kKiB);
    return address;
  }
  void Free(uint64_t address, bool backward = false) {
    const int64_t size = sizes_[(address - kFirst) >> 20];
    ++time_;
    for (const char* action : {"free_requested", "free_completed"})
      spec_.events.push_back(
          {action, address, size, 0, time_, backward ? "" : "train.py", 30});
  }
  void FreeInBackward(uint64_t address) { Free(address, true); }
  uint64_t MakeInBackward(int64_t kib) { return Make(kib, true); }

  // The device had no more.
  void OutOfMemory(int64_t kib) {
    spec_.events.push_back({"oom", 0, kib * kKiB, 0, ++time_, "train.py", 40});
  }

  int64_t now() { return ++time_; }
  void Range(const std::string& name, int64_t begin) {
    spec_.ranges.push_back({name, begin, ++time_});
  }
  void Optimizer() {
    const int64_t begin = ++time_;
    Range("Optimizer.step#SGD.step", begin);
  }
  std::shared_ptr<const Trace> Recorded() const { return TraceOf(spec_); }
  const SnapshotSpec& spec() const { return spec_; }

 private:
  SnapshotSpec spec_;
  std::vector<int64_t> sizes_;
  uint64_t next_ = 0;
  int64_t time_ = 1000;
};

struct Block {
  uint64_t first, second, result;
};

// Keeps 700 KiB, 100 of it its result, and needs 300 more meanwhile.
Block Forward(Program& program) {
  const int64_t begin = program.now();
  Block block{};
  block.first = program.Make(400);
  const uint64_t temporary = program.Make(300);
  program.Free(temporary);
  block.second = program.Make(200);
  block.result = program.Make(100);
  program.Range("block", begin);
  return block;
}

void Backward(Program& program, const Block& block) {
  const uint64_t gradient = program.MakeInBackward(100);
  program.FreeInBackward(block.result);
  program.FreeInBackward(block.second);
  program.FreeInBackward(block.first);
  program.FreeInBackward(gradient);
}

MemoryWhatif Ask(const Trace& trace, const MemoryWhatifOptions& options) {
  Result<MemoryWhatif> whatif = ComputeMemoryWhatif(trace, options);
  EXPECT_TRUE(whatif) << whatif.error().message;
  return *std::move(whatif);
}

TEST(MemoryChangesTest, ACheckpointKeepsResults) {
  Program program;
  for (int step = 0; step < 2; ++step) {
    std::vector<Block> blocks;
    for (int i = 0; i < 3; ++i) blocks.push_back(Forward(program));
    for (int i = 3; i-- > 0;) Backward(program, blocks[static_cast<size_t>(i)]);
    program.Optimizer();
  }
  const auto trace = program.Recorded();
  MemoryWhatifOptions options;
  options.checkpoints = {"block", "bl*k"};
  const MemoryWhatif whatif = Ask(*trace, options);
  ASSERT_EQ(whatif.rows.size(), 3u);
  // Three blocks, and the first gradient.
  EXPECT_EQ(whatif.rows[0].peak_allocated_bytes, (3 * 700 + 100) * kKiB);
  // Two results and a gradient; a block that is made again.
  EXPECT_EQ(whatif.rows[1].peak_allocated_bytes, (2 * 100 + 100 + 700) * kKiB);
  EXPECT_EQ(whatif.rows[2].peak_allocated_bytes,
            whatif.rows[1].peak_allocated_bytes);
  EXPECT_EQ(whatif.rows[1].change, "checkpoint block");
  ASSERT_TRUE(whatif.rows[1].made_again);
  const MadeAgain& again = *whatif.rows[1].made_again;
  EXPECT_EQ(again.calls, 6u);
  EXPECT_EQ(again.steps, 2u);
  EXPECT_EQ(again.dropped_bytes, 6 * 600 * kKiB);
  // From the range's begin to its end, in microseconds.
  EXPECT_EQ(again.host_ns, 6 * 6'000);
  const std::string text = RenderMemoryWhatifText(whatif);
  EXPECT_NE(
      text.find("6 calls made again in 2 steps, which adds 18.0 us of the "
                "host to a step."),
      text.npos)
      << text;
  const std::string json = RenderMemoryWhatifJson(whatif);
  EXPECT_NE(json.find("\"made_again\":{\"calls\":6,\"steps\":2,"
                      "\"dropped_bytes\":3686400,\"host_ns\":36000,"
                      "\"device_ns\":null}"),
            json.npos)
      << json;
}

// What a call got has to be there when it is made again.
TEST(MemoryChangesTest, ACheckpointKeepsItsInput) {
  Program program;
  const uint64_t input = program.Make(500);
  const int64_t begin = program.now();
  const uint64_t kept = program.Make(400);
  const uint64_t result = program.Make(100);
  program.Range("block", begin);
  program.Free(input);
  const uint64_t gradient = program.MakeInBackward(100);
  program.FreeInBackward(result);
  program.FreeInBackward(kept);
  program.FreeInBackward(gradient);
  MemoryWhatifOptions options;
  options.checkpoints = {"block"};
  const MemoryWhatif whatif = Ask(*program.Recorded(), options);
  EXPECT_EQ(whatif.rows[0].peak_allocated_bytes, 1000 * kKiB);
  EXPECT_EQ(whatif.rows[1].peak_allocated_bytes,
            (500 + 100 + 400 + 100) * kKiB);
}

// Where nothing is kept for a backward pass, nothing is made again.
TEST(MemoryChangesTest, ACheckpointWithoutABackwardPass) {
  Program program;
  const int64_t begin = program.now();
  const uint64_t kept = program.Make(400);
  program.Range("block", begin);
  program.Free(kept);
  MemoryWhatifOptions options;
  options.checkpoints = {"block"};
  const MemoryWhatif whatif = Ask(*program.Recorded(), options);
  EXPECT_EQ(whatif.rows[1].peak_allocated_bytes, 400 * kKiB);
  EXPECT_EQ(whatif.rows[1].made_again->calls, 0u);
}

TEST(MemoryChangesTest, ANameThatNothingHas) {
  Program program;
  Forward(program);
  MemoryWhatifOptions options;
  options.checkpoints = {"blocks"};
  const auto whatif = ComputeMemoryWhatif(*program.Recorded(), options);
  ASSERT_FALSE(whatif);
  EXPECT_NE(whatif.error().message.find("--checkpoint \"blocks\""),
            std::string::npos);
}

// Of a recording: modules by class or instance, the operator that made the
// result, the time of the work that a call launched.
TEST(MemoryChangesTest, ACheckpointOfAModule) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..1000 ProfileStep#0 ProfileStep
        10..400 "nn.Module: Block_0" PythonFunction
          20..100 aten::first Operator
            30..40 launch CudaRuntime correlation=1
          110..200 aten::norm Operator
            120..190 aten::native_norm Operator
        420..900 backward Backward
          430..500 aten::norm_backward Operator
    memory 50 +409600 Place(gpu:0) 0x10000000
    memory 130 +102400 Place(gpu:0) 0x11000000
    memory 140 +512 Place(gpu:0) 0x12000000
    memory 450 -102400 Place(gpu:0) 0x11000000
    memory 460 -512 Place(gpu:0) 0x12000000
    memory 470 -409600 Place(gpu:0) 0x10000000
    stream 7 GPU:0
      60..160 kernel Kernel correlation=1
  )");
  for (const char* name : {"Block_0", "Block"}) {
    MemoryWhatifOptions options;
    options.checkpoints = {name};
    const MemoryWhatif whatif = Ask(*trace, options);
    ASSERT_TRUE(whatif.rows[1].made_again);
    const MadeAgain& again = *whatif.rows[1].made_again;
    EXPECT_EQ(again.calls, 1u);
    EXPECT_EQ(again.dropped_bytes, 409600);
    EXPECT_EQ(again.host_ns, 390);
    EXPECT_TRUE(whatif.has_device_work);
    EXPECT_EQ(again.device_ns, 100);
  }
}

// A gradient until zero_grad() of the next step, and the result of the model
// until its name gets the next one.
TEST(MemoryChangesTest, WhatAStepLeavesToTheNext) {
  Program program;
  uint64_t result = 0;
  uint64_t gradient = 0;
  for (int step = 0; step < 3; ++step) {
    const uint64_t activation = program.Make(400);
    const uint64_t next = program.Make(200);
    if (step > 0) {
      program.Free(result);
      program.Free(gradient);
    }
    result = next;
    gradient = program.MakeInBackward(300);
    program.FreeInBackward(activation);
    program.Optimizer();
  }
  MemoryWhatifOptions options;
  options.free_early = true;
  const MemoryWhatif whatif = Ask(*program.Recorded(), options);
  ASSERT_EQ(whatif.rows.size(), 2u);
  EXPECT_EQ(whatif.rows[0].peak_allocated_bytes,
            (300 + 200 + 400 + 200) * kKiB);
  EXPECT_EQ(whatif.rows[1].peak_allocated_bytes, (400 + 200 + 300) * kKiB);
  ASSERT_TRUE(whatif.rows[1].freed_early);
  EXPECT_EQ(whatif.rows[1].freed_early->allocations, 4u);
  EXPECT_EQ(whatif.rows[1].freed_early->bytes, 2 * 500 * kKiB);
}

// Three steps, each of which leaves `left` blocks of 1,000 KiB to the next one.
Program Leaving(int left) {
  Program program;
  std::vector<uint64_t> results;
  for (int step = 0; step < 3; ++step) {
    const uint64_t activation = program.Make(400);
    std::vector<uint64_t> made;
    for (int i = 0; i < left; ++i) made.push_back(program.Make(1000));
    for (const uint64_t result : results) program.Free(result);
    results = made;
    program.FreeInBackward(activation);
    program.Optimizer();
  }
  return program;
}

std::vector<Finding> AdviceFor(const Trace& trace) {
  SummaryOptions options;
  options.views = kAdviceView | kMemoryView;
  return ComputeSummary(trace, options).advice.findings;
}

bool SaysToFreeEarly(const Finding& finding) {
  return std::any_of(finding.to_try.begin(), finding.to_try.end(),
                     [](const std::string& what) {
                       return what.find("--free-early") != what.npos;
                     });
}

// Six blocks of the step before are in the way when memory is out: 6 MiB.
TEST(MemoryChangesTest, AdviceToFreeWhatAStepLeaves) {
  for (const int64_t asked : {4 * kKiB, 40 * kKiB}) {
    Program program = Leaving(6);
    program.OutOfMemory(asked);
    const std::vector<Finding> findings = AdviceFor(*program.Recorded());
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].id, "out_of_memory");
    // Where it makes too little room, it is no advice.
    EXPECT_EQ(SaysToFreeEarly(findings[0]), asked == 4 * kKiB) << asked;
    bool says = false;
    for (const Evidence& evidence : findings[0].evidence)
      says |= evidence.what ==
              "If what a step leaves to the next one were freed when it ends, "
              "6.00 MiB less would be reserved.";
    EXPECT_EQ(says, asked == 4 * kKiB) << asked;
  }
}

// What another rank leaves to its next step makes no room on the device of the
// one that has no more, and neither does it hold that memory.
TEST(MemoryChangesTest, AdviceIsForTheRankThatIsOutOfMemory) {
  for (const bool itself : {false, true}) {
    Program full = Leaving(itself ? 6 : 0);
    full.OutOfMemory(4 * kKiB);
    const std::vector<Finding> findings =
        AdviceFor(*RanksOf({Leaving(6).spec(), full.spec()}));
    const auto out = std::find_if(
        findings.begin(), findings.end(),
        [](const Finding& one) { return one.id == "out_of_memory"; });
    ASSERT_NE(out, findings.end());
    EXPECT_EQ(SaysToFreeEarly(*out), itself);
    // The request, and the lines of this rank.
    EXPECT_EQ(out->evidence.size(), itself ? 5u : 2u);
  }
}

// 300 KiB whatever the batch, and 50 and 100 for each of it.
std::shared_ptr<const Trace> WithBatch(int64_t batch) {
  Program program;
  program.Make(300);
  const uint64_t activation = program.Make(50 + 100 * batch);
  const uint64_t gradient = program.MakeInBackward(20);
  program.FreeInBackward(activation);
  program.FreeInBackward(gradient);
  return program.Recorded();
}

TEST(MemoryChangesTest, HowMemoryGrowsIsFitted) {
  const auto one = WithBatch(1);
  MemoryWhatifOptions options;
  options.batch = 3;
  // As many times the batch, where nothing else is known.
  EXPECT_EQ(Ask(*one, options).rows[0].peak_allocated_bytes,
            (300 + 3 * 150 + 3 * 20) * kKiB);
  options.recorded = {{2, WithBatch(2)}};
  MemoryWhatif whatif = Ask(*one, options);
  EXPECT_EQ(whatif.rows[0].peak_allocated_bytes, (300 + 350 + 20) * kKiB);
  ASSERT_TRUE(whatif.recorded[0].fit);
  const BatchFit& fit = *whatif.recorded[0].fit;
  EXPECT_NEAR(fit.fixed_bytes(MemoryCategory::kActivations), 50 * kKiB, 1);
  EXPECT_NEAR(fit.bytes_per_batch(MemoryCategory::kActivations), 100 * kKiB, 1);
  EXPECT_FALSE(fit.error());
  EXPECT_NE(RenderMemoryWhatifText(whatif).find(
                "fitted over batches x 1, x 2: activations 50.0 KiB and 100.0 "
                "KiB x batch. Two sizes say nothing"),
            std::string::npos)
      << RenderMemoryWhatifText(whatif);
  // A third size that lies on the line, then one that does not.
  options.recorded.push_back({4, WithBatch(4)});
  whatif = Ask(*one, options);
  EXPECT_EQ(whatif.rows[0].peak_allocated_bytes, (300 + 350 + 20) * kKiB);
  EXPECT_NEAR(whatif.recorded[0].fit->error().value(), 0, 1e-9);
  options.recorded.back().second = WithBatch(8);
  whatif = Ask(*one, options);
  EXPECT_GT(whatif.recorded[0].fit->error().value(), 0.3);
  EXPECT_NE(RenderMemoryWhatifText(whatif).find("is off by at most"),
            std::string::npos);
}

}  // namespace
}  // namespace stepscope
