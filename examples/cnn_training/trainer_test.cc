// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/trainer.h"

#include <gtest/gtest.h>

#include <vector>

#include "cnn_training/memory_pool.h"

namespace cnn {
namespace {

constexpr DataLoaderOptions kQuick{2, 16, std::chrono::milliseconds(0), 1};

std::vector<float> Losses(int steps) {
  const Dataset dataset(256, 1);
  DataLoader loader(dataset, kQuick);
  Trainer trainer(1);
  std::vector<float> losses;
  for (int i = 0; i < steps; ++i) {
    losses.push_back(trainer.Step(loader.Next()).loss);
  }
  return losses;
}

TEST(TrainerTest, LossFalls) {
  const std::vector<float> losses = Losses(60);
  float last_five = 0.0F;
  for (size_t i = 55; i < 60; ++i) last_five += losses[i] / 5.0F;
  // Guessing costs ln 10 = 2.3; untrained weights cost a little more.
  EXPECT_GT(losses[0], 2.0F);
  EXPECT_LT(last_five, 1.2F);
}

TEST(TrainerTest, SameSeedSameLosses) { EXPECT_EQ(Losses(5), Losses(5)); }

TEST(TrainerTest, StepsLeakNoTensor) {
  const uint64_t before = MemoryPool::Get().allocated_bytes();
  Losses(3);
  EXPECT_EQ(MemoryPool::Get().allocated_bytes(), before);
}

}  // namespace
}  // namespace cnn
