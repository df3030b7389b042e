// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/short_names.h"

#include <gtest/gtest.h>

#include <map>

#include "trace/build/trace_builder.h"

namespace stepscope::server {
namespace {

std::map<std::string, std::string> ShortOf(
    const std::vector<std::string>& names) {
  TraceBuilder builder;
  builder.AddProcess({});
  for (const std::string& name : names) builder.Intern(name);
  const auto trace = *builder.Finish();
  std::map<std::string, std::string> shorts;
  for (const auto& [id, shown] : ShortNames(*trace))
    shorts[std::string(trace->str(id))] = shown;
  return shorts;
}

TEST(ShortNamesTest, TellNamesApartThatDifferInTheirArguments) {
  const std::string one = "void cudnn::norm<__half, float, 4, 1>(int)";
  const std::string other = "void cudnn::norm<__half, float, 4, 0>(int)";
  const std::string alone = "void cudnn::pool<float>(int)";
  auto shorts = ShortOf({one, other, alone});
  EXPECT_EQ(shorts[one], "norm <1>");
  EXPECT_EQ(shorts[other], "norm <0>");
  EXPECT_EQ(shorts[alone], "pool");
}

TEST(ShortNamesTest, FunctionsOfPythonKeepFileAndLine) {
  const std::string ours = "Net.forward (src/net.py:9)";
  const std::string torch = "torch/nn/modules/linear.py(114): forward";
  const std::string jax = "$profiler.py:91 start_trace";
  const std::string module = "nn.Module: Linear_0";
  auto shorts = ShortOf({ours, torch, jax, module, "aten::mm"});
  EXPECT_EQ(shorts[ours], "Net.forward (net.py:9)");
  EXPECT_EQ(shorts[torch], "forward (linear.py:114)");
  EXPECT_EQ(shorts[jax], "start_trace (profiler.py:91)");
  EXPECT_EQ(shorts[module], "Linear_0");
  EXPECT_EQ(shorts.size(), 4u);
}

TEST(ShortNamesTest, AreNeverAlike) {
  std::vector<std::string> names;
  for (const char* space : {"a", "b"})
    for (int i = 0; i < 50; ++i)
      names.push_back("void " + std::string(space) + "::f<1, 2, 3, 4, " +
                      std::to_string(i / 2) + ">(float*)");
  std::map<std::string, int> seen;
  for (const auto& [name, shown] : ShortOf(names)) ++seen[shown];
  for (const auto& [shown, count] : seen) EXPECT_EQ(count, 1) << shown;
}

}  // namespace
}  // namespace stepscope::server
