// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/iteration_mark.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace stepscope {
namespace {

// "engine kind requests context generation padded", "-" where it is not said.
std::string Said(std::string_view name) {
  const std::optional<IterationMark> mark = ParseIterationMark(name);
  if (!mark) return "no mark";
  if (!mark->parsed) return std::string(mark->engine) + " unparsed";
  std::string text = std::string(mark->engine) + " ";
  text += NameOf(mark->kind);
  for (const std::optional<int64_t>& count :
       {mark->requests, mark->tokens_context, mark->tokens_generation,
        mark->padded_requests})
    text += count ? " " + std::to_string(*count) : " -";
  return text;
}

TEST(IterationMarkTest, EveryFormOfVllm) {
  EXPECT_EQ(Said("execute_new_2_cached_5"), "vLLM mixed 7 - - -");
  EXPECT_EQ(Said("execute_new_0_cached_5"), "vLLM decode 5 - - -");
  EXPECT_EQ(Said("execute_context_1(888)_generation_37(37)"),
            "vLLM mixed 38 888 37 -");
  EXPECT_EQ(Said("execute_context_1(888_788544)_generation_0(0)"),
            "vLLM prefill 1 888 0 -");
  EXPECT_EQ(Said("execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_"
                 "generation_37(sq37sk34489sqsq37sqsk34489)"),
            "vLLM mixed 46 8155 37 -");
  EXPECT_EQ(Said("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32("
                 "sq32sk55086sqsq32sqsk55086)"),
            "vLLM decode 32 0 32 -");
  EXPECT_EQ(Said("execute_context_0(0)_generation_0(0)"), "vLLM idle 0 0 0 -");
  EXPECT_EQ(Said("capture_32_FULL"), "vLLM capture - - - 32");
  EXPECT_EQ(Said("capture_8_PIECEWISE"), "vLLM capture - - - 8");
}

TEST(IterationMarkTest, EveryFormOfSglang) {
  EXPECT_EQ(Said("step[EXTEND bs=15 toks=15360]"),
            "SGLang prefill 15 15360 - -");
  EXPECT_EQ(Said("step[DECODE bs=32]"), "SGLang decode 32 - 32 -");
  EXPECT_EQ(Said("step[MIXED bs=66 c=2 g=64 c_sq=2048 c_sk=4096 g_sq=64 "
                 "g_sk=9000]"),
            "SGLang mixed 66 2048 64 -");
  EXPECT_EQ(Said("step[IDLE bs=0]"), "SGLang idle 0 - - -");
  EXPECT_EQ(Said("step[TARGET_VERIFY bs=8]"), "SGLang verify 8 - - -");
  EXPECT_EQ(Said("step[DRAFT_EXTEND_V2 bs=8]"), "SGLang draft 8 - - -");
  EXPECT_EQ(Said("step[PREBUILT bs=4]"), "SGLang unknown 4 - - -");
  EXPECT_EQ(Said("step[SPLIT_PREFILL bs=4 toks=100]"),
            "SGLang prefill 4 100 - -");
  EXPECT_EQ(Said("step[DLLM_EXTEND bs=4 toks=128]"),
            "SGLang prefill 4 128 - -");
  EXPECT_EQ(Said("scheduler.run_batch"), "SGLang unknown - - - -");
}

TEST(IterationMarkTest, EveryFormOfTheOthers) {
  EXPECT_EQ(Said("[Executor] _forward_step 42: 2 ctx reqs, 30 gen reqs"),
            "TensorRT-LLM mixed 32 - 30 -");
  EXPECT_EQ(Said("[Executor] _forward_step: 0 ctx reqs, 30 gen reqs"),
            "TensorRT-LLM decode 30 0 30 -");
  EXPECT_EQ(
      Said(
          "[Executor] _forward_step 7: 2 ctx reqs, 0 gen reqs, 900 ctx tokens"),
      "TensorRT-LLM prefill 2 900 0 -");
  EXPECT_EQ(Said("prefill[bs=2 tok=14721 ctx=[7803, 6918]]"),
            "ATOM prefill 2 14721 0 -");
  EXPECT_EQ(Said("decode[bs=117/128 tok=117 d=117]"),
            "ATOM decode 117 0 117 128");
}

TEST(IterationMarkTest, OtherNamesAreNotMarks) {
  for (const char* name : {"",
                           "execute",
                           "execute_model",
                           "execute_plan",
                           "executecontext_1(2)",
                           "capture_stream",
                           "capture_",
                           "stepping",
                           "ProfileStep#3",
                           "gpu_model_runner: preprocess",
                           "gpu_model_runner: forward",
                           "gpu_model_runner: postprocess",
                           "gpu_model_runner: sample",
                           "gpu_model_runner: draft",
                           "gpu_model_runner: bookkeep",
                           "gpu_model_runner: eplb",
                           "schedule: allocate_slots",
                           "llm_engine step: schedule",
                           "scheduler.recv_requests",
                           "scheduler.process_input_requests",
                           "scheduler.get_next_batch_to_run",
                           "scheduler.process_batch_result",
                           "prefill",
                           "decode[0]",
                           "[Executor] _fetch_new_requests"})
    EXPECT_EQ(Said(name), "no mark") << name;
}

TEST(IterationMarkTest, WhatIsCutOrAbsurdIsUnparsed) {
  for (const char* name :
       {"execute_context_1(888)_generation_37(", "execute_new_2_cached_",
        "execute_context_99999999999999999999(1)_generation_1(1)",
        "execute_context_-1(1)_generation_1(1)",
        "execute_context_1(888)_generation_37(37)x"})
    EXPECT_EQ(Said(name), "vLLM unparsed") << name;
  EXPECT_EQ(Said("step[DECODE bs="), "SGLang unparsed");
  EXPECT_EQ(Said("step[DECODE"), "SGLang unparsed");
  EXPECT_EQ(Said("[Executor] _forward_step 42: 2 ctx"),
            "TensorRT-LLM unparsed");
  EXPECT_EQ(Said("decode[bs=/128"), "ATOM unparsed");
}

// Cut and changed anywhere, a name is read without a fault and no count is
// negative.
TEST(IterationMarkTest, DamagedNamesAreRead) {
  std::mt19937 rng(7);
  for (const std::string whole :
       {"execute_8192_context_9(sq8155sk8430)_generation_37(sq37sk34489)",
        "step[MIXED bs=66 c=2 g=64 c_sq=2048 c_sk=1 g_sq=64 g_sk=2]",
        "[Executor] _forward_step 42: 2 ctx reqs, 30 gen reqs, 5 ctx tokens",
        "decode[bs=117/128 tok=117 d=117]"}) {
    for (size_t cut = 0; cut <= whole.size(); ++cut) {
      std::string name = whole.substr(0, cut);
      if (!name.empty() && rng() % 2 == 0)
        name[rng() % name.size()] = static_cast<char>(rng());
      const std::optional<IterationMark> mark = ParseIterationMark(name);
      if (!mark) continue;
      EXPECT_GE(mark->requests.value_or(0), 0);
      EXPECT_GE(mark->tokens_context.value_or(0), 0);
      EXPECT_GE(mark->tokens_generation.value_or(0), 0);
    }
  }
}

}  // namespace
}  // namespace stepscope
