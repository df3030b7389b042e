// SPDX-License-Identifier: Apache-2.0
#include "profiled_server/parameter_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "profiled_server/trainer.h"

namespace pserver {
namespace {

TEST(ParameterServerTest, UpdatesByTheMeanOfAllGradients) {
  ParameterServer server({2, 2, 3, 0.5F});
  server.Send({1.0F, 2.0F, 3.0F});
  server.Send({3.0F, 2.0F, -3.0F});
  ASSERT_TRUE(server.RunRound());
  EXPECT_TRUE(server.WaitForRound(1));
  EXPECT_EQ(server.Get().get(), (std::vector<float>{-1.0F, -1.0F, 0.0F}));
}

TEST(ParameterServerTest, ARoundWaitsForEveryTrainer) {
  ParameterServer server({2, 1, 1, 1.0F});
  server.Send({1.0F});
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(server.Get().get(), std::vector<float>{0.0F});
    server.Send({1.0F});
  });
  EXPECT_TRUE(server.RunRound());
  late.join();
  EXPECT_EQ(server.Get().get(), std::vector<float>{-1.0F});
}

TEST(ParameterServerTest, StopEndsEveryWait) {
  ParameterServer server({2, 1, 1, 1.0F});
  std::thread waiter([&] { EXPECT_FALSE(server.WaitForRound(1)); });
  std::thread stopper([&] { server.Stop(); });
  EXPECT_FALSE(server.RunRound());
  waiter.join();
  stopper.join();
  EXPECT_THROW(server.Get().get(), std::future_error);
}

TEST(TrainerTest, TrainersReachTheTarget) {
  ParameterServer server({3, 2, 16, 0.5F});
  Trainer a(server, 0, std::chrono::microseconds(0));
  Trainer b(server, 1, std::chrono::microseconds(0));
  Trainer c(server, 2, std::chrono::microseconds(0));
  for (int round = 0; round < 30; ++round) ASSERT_TRUE(server.RunRound());
  // Halved 29 times at least: the last update may not be fetched yet.
  EXPECT_LT(a.distance(), 1e-6F);
  server.Stop();
}

}  // namespace
}  // namespace pserver
