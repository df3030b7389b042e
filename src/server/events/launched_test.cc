// SPDX-License-Identifier: Apache-2.0
//
// What an event launched: the first of it, and how much there is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

// An operator that launches so many kernels.
std::string OperatorWith(int kernels) {
  std::string text = R"({"schemaVersion":1,"traceEvents":[
  {"ph":"X","cat":"cpu_op","name":"many","pid":3,"tid":4,"ts":0,"dur":9000})";
  for (int i = 0; i < kernels; ++i) {
    const std::string id = std::to_string(i + 1);
    text += R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel",)";
    text += R"("pid":3,"tid":4,"dur":2,"ts":)" + std::to_string(i * 10 + 1);
    text += R"(,"args":{"correlation":)" + id + "}}";
    text += R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,)";
    text += R"("dur":3,"ts":)" + std::to_string(i * 10 + 5);
    text += R"(,"args":{"device":0,"stream":7,"correlation":)" + id + "}}";
  }
  return text + "]}";
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

// The answer for the operator, from "launched_count" to "flows".
std::string LaunchedOf(int kernels) {
  TestFolder folder;
  folder.Write("a.json", OperatorWith(kernels));
  TestServer server(folder.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  EXPECT_EQ(Open(server, id), "ready");
  const std::string found = BodyOf(server.Api("find?q=many&t=" + id));
  const int row = std::atoi(found.c_str() + found.find("\"row\":") + 6);
  const std::string event =
      BodyOf(server.Api("event?row=" + std::to_string(row) + "&t=" + id));
  const size_t at = event.find("\"launched_count\":");
  if (at == event.npos) return "";
  return event.substr(at, event.find("\"flows\":") - at);
}

TEST(LaunchedTest, AllAreListedWhereTheyAreFew) {
  const std::string launched = LaunchedOf(3);
  EXPECT_EQ(launched.rfind("\"launched_count\":3,", 0), 0u) << launched;
  EXPECT_EQ(Count(launched, "\"row\":"), 3u);
}

TEST(LaunchedTest, TheCountIsOfAllWhereTheListIsCut) {
  const std::string launched = LaunchedOf(300);
  EXPECT_EQ(launched.rfind("\"launched_count\":300,", 0), 0u) << launched;
  EXPECT_EQ(Count(launched, "\"row\":"), 100u);
}

}  // namespace
}  // namespace stepscope::server
