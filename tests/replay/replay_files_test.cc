// SPDX-License-Identifier: Apache-2.0
//
// Every real recording with a GPU: an unchanged replay gives the recorded step
// back, and no change promises more than there is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "analysis/replay/whatif.h"
#include "importers/import_many.h"

namespace stepscope {
namespace {

const std::string kTraces = STEPSCOPE_SHARED_TRACES;

class ReplayFilesTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kTraces + "/" + GetParam())) {
      GTEST_SKIP() << "no ../shared/traces";
    }
    const auto trace = ImportPath(kTraces + "/" + GetParam(), {});
    ASSERT_TRUE(trace) << trace.error().message;
    trace_ = *trace;
  }

  Whatif Ask(std::initializer_list<const char*> changes,
             std::optional<int64_t> unprofiled_ns = std::nullopt) const {
    WhatifOptions options;
    options.unprofiled_ns = unprofiled_ns;
    for (const char* text : changes) {
      options.changes.push_back(*ParseChange(text));
    }
    const Result<Whatif> whatif = ComputeWhatif(*trace_, options);
    EXPECT_TRUE(whatif) << whatif.error().message;
    return whatif ? *whatif : Whatif{};
  }

  std::shared_ptr<const Trace> trace_;
};

TEST_P(ReplayFilesTest, GivesTheRecordedStepBack) {
  const Whatif whatif = Ask({"host=1", "kernel:*=1"});
  EXPECT_GT(whatif.recorded_step_ns, 0);
  EXPECT_LE(std::abs(whatif.replay_error), 0.02);
  EXPECT_EQ(whatif.changes.at(0).saving_ns, 0);
  EXPECT_EQ(whatif.changes.at(1).saving_ns, 0);
}

TEST_P(ReplayFilesTest, SavesNoMoreThanThereIs) {
  const Whatif whatif =
      Ask({"data_ready", "no_sync", "graph", "fuse_small", "tensor_cores",
           "no_comm", "host=0.5", "kernel:*=0.5", "op:*=0.5"});
  for (const WhatifChange& change : whatif.changes) {
    EXPECT_GE(change.step_ns, 0) << change.change;
    EXPECT_LE(change.low_ns, change.saving_ns) << change.change;
    EXPECT_GE(change.high_ns, change.saving_ns) << change.change;
    EXPECT_LE(change.saving_ns, whatif.replay_step_ns) << change.change;
  }
  // Half of all host work cannot save more than half of the step.
  EXPECT_LE(whatif.changes.at(6).saving_ratio, 0.5001);
  EXPECT_LE(whatif.changes.at(7).saving_ratio, 0.5001);
}

// A step that was longer without a recorder than with one: nothing is taken
// out, and nothing breaks.
TEST_P(ReplayFilesTest, AnyUnprofiledStepIsSurvived) {
  for (const int64_t ns : {int64_t{1}, int64_t{1'000'000}, int64_t{1} << 40}) {
    const Whatif whatif = Ask({"host=0.5"}, ns);
    EXPECT_EQ(whatif.unprofiled_step_ns, ns);
    EXPECT_GE(whatif.changes.at(0).step_ns, 0);
    EXPECT_LE(whatif.changes[0].saving_ns, ns);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shared, ReplayFilesTest,
    testing::Values("torch_cnn.json.gz", "torch_cuda_graph.json.gz",
                    "torch_resnet50_amp.json.gz",
                    "torch_ddp_gloo_rank0.json.gz",
                    "torch_ddp_gloo_rank1.json.gz", "hta_nccl.json.gz",
                    "hta_event_sync.json.gz",
                    "kineto_2021_resnet50.pt.trace.json.gz", "jax.xplane.pb",
                    "jax.trace.json.gz", "tf_gpu_worker.xplane.pb"),
    [](const auto& tested) {
      std::string name = tested.param;
      for (char& c : name) {
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      }
      return name;
    });

}  // namespace
}  // namespace stepscope
