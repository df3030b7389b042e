// SPDX-License-Identifier: Apache-2.0
#include "profiler/environment.h"

#include <gtest/gtest.h>

#include <map>

namespace stepscope::profiler {
namespace {

Environment Read(const std::map<std::string, std::string>& variables) {
  return ReadEnvironment([&variables](const char* name) -> const char* {
    auto found = variables.find(name);
    return found != variables.end() ? found->second.c_str() : nullptr;
  });
}

TEST(Environment, NothingSetAsksForNothing) {
  Environment environment = Read({});
  EXPECT_FALSE(environment.steps.has_value());
  EXPECT_FALSE(environment.periodic());
  EXPECT_TRUE(environment.complaints.empty());
}

TEST(Environment, Steps) {
  Environment environment = Read({{"STEPSCOPE_STEPS", "3:14"}});
  ASSERT_TRUE(environment.steps.has_value());
  EXPECT_EQ(environment.steps->first, 3);
  EXPECT_EQ(environment.steps->last, 14);
}

TEST(Environment, PeriodInStepsAndInTime) {
  EXPECT_EQ(Read({{"STEPSCOPE_PERIOD", "10"}}).period_steps, 10);
  EXPECT_EQ(Read({{"STEPSCOPE_PERIOD", "10s"}}).period_ns, 10'000'000'000);
  EXPECT_EQ(Read({{"STEPSCOPE_PERIOD", "500ms"}}).period_ns, 500'000'000);
  EXPECT_FALSE(Read({{"STEPSCOPE_PERIOD", "0"}}).periodic());
  EXPECT_FALSE(Read({{"STEPSCOPE_PERIOD", ""}}).periodic());
}

TEST(Environment, OldFlagsAreAliases) {
  Environment environment =
      Read({{"FLAGS_rpc_server_profile_period", "10"},
            {"FLAGS_rpc_server_profile_path", "./tmp/pserver"}});
  EXPECT_EQ(environment.period_steps, 10);
  EXPECT_EQ(environment.path, "./tmp/pserver");
  environment = Read(
      {{"FLAGS_rpc_server_profile_period", "10"}, {"STEPSCOPE_PERIOD", "20"}});
  EXPECT_EQ(environment.period_steps, 20);
}

TEST(Environment, WhatMakesNoSenseIsIgnoredAndNamed) {
  for (const char* bad : {"x", "10h", "-5", "10 s", "9999999999999s", "s"}) {
    Environment environment = Read({{"STEPSCOPE_PERIOD", bad}});
    EXPECT_FALSE(environment.periodic()) << bad;
    ASSERT_EQ(environment.complaints.size(), 1u) << bad;
    EXPECT_NE(environment.complaints[0].find(bad), std::string::npos);
  }
  Environment environment = Read({{"STEPSCOPE_STEPS", "9:3"}});
  EXPECT_FALSE(environment.steps.has_value());
  EXPECT_EQ(environment.complaints.size(), 1u);
}

}  // namespace
}  // namespace stepscope::profiler
