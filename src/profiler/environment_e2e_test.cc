// SPDX-License-Identifier: Apache-2.0
//
// Programs that are profiled by environment variables alone, each in a process
// of its own (environment_e2e_program.cc).
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "profiler/e2e_test_support.h"

namespace {

using stepscope_test::Count;
using stepscope_test::Entries;
using stepscope_test::Files;
using stepscope_test::ReadAll;

class EnvironmentE2e : public stepscope_test::InOwnFolder {};

using Variables = std::vector<std::pair<std::string, std::string>>;

// Runs the test program here; true if it exits with 0.
bool RunProgram(const std::string& program, const Variables& variables) {
  pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : variables)
      setenv(name.c_str(), value.c_str(), 1);
    execl(STEPSCOPE_TEST_PROGRAM, STEPSCOPE_TEST_PROGRAM, program.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(EnvironmentE2e, NothingSetWritesNothing) {
  ASSERT_TRUE(RunProgram("Server25", {}));
  EXPECT_EQ(Entries("."), 0u);
}

TEST_F(EnvironmentE2e, PeriodInSteps) {
  ASSERT_TRUE(RunProgram("Server25", {{"STEPSCOPE_PERIOD", "10"},
                                      {"STEPSCOPE_PATH", "deep/server.json"}}));
  // The last whole period; the five steps after it make no file.
  std::string json = ReadAll("deep/server.json");
  EXPECT_EQ(Count(json, "\"name\":\"request\""), 10u);
  EXPECT_EQ(Count(json, "\"name\":\"ProfileStep#"), 10u);
  EXPECT_EQ(Count(json, "\"span_indx\": \"1\""), 1u);
  EXPECT_EQ(Entries("deep"), 1u);
}

TEST_F(EnvironmentE2e, PeriodLongerThanTheRun) {
  ASSERT_TRUE(RunProgram("Server25", {{"STEPSCOPE_PERIOD", "1000"},
                                      {"STEPSCOPE_PATH", "server.json"}}));
  EXPECT_EQ(Count(ReadAll("server.json"), "\"name\":\"request\""), 25u);
  EXPECT_EQ(Entries("."), 1u);
}

TEST_F(EnvironmentE2e, OldFlags) {
  ASSERT_TRUE(RunProgram("Server25",
                         {{"FLAGS_rpc_server_profile_period", "10"},
                          {"FLAGS_rpc_server_profile_path", "./tmp/pserver"}}));
  EXPECT_EQ(Count(ReadAll("tmp/pserver"), "\"name\":\"request\""), 10u);
}

TEST_F(EnvironmentE2e, FileTypeByItsName) {
  ASSERT_TRUE(RunProgram("Server25", {{"STEPSCOPE_PERIOD", "10"},
                                      {"STEPSCOPE_PATH", "server.sscap"},
                                      {"STEPSCOPE_OUT", "captures"}}));
  EXPECT_GT(std::filesystem::file_size("server.sscap"), 100u);
  EXPECT_NE(ReadAll("server.sscap")[0], '{');
  EXPECT_EQ(Entries("captures"), 0u);
  ASSERT_TRUE(RunProgram(
      "Server25",
      {{"STEPSCOPE_PERIOD", "10"}, {"STEPSCOPE_PATH", "server.%p.json.gz"}}));
  auto files = Files(".", ".json.gz");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(ReadAll(files[0]).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(files[0].string().find("%p"), std::string::npos);
}

TEST_F(EnvironmentE2e, PeriodInTime) {
  ASSERT_TRUE(RunProgram("BusyServer", {{"STEPSCOPE_PERIOD", "200ms"},
                                        {"STEPSCOPE_PATH", "server.json"}}));
  // The program ends when it has seen a second period come.
  std::string json = ReadAll("seen.json");
  EXPECT_GT(Count(json, "\"name\":\"request\""), 0u);
  EXPECT_EQ(Count(json, "\"ProfileStep#0\""), 1u);
  EXPECT_EQ(Count(json, "\"span_indx\": \"0\""), 0u);
  EXPECT_NE(ReadAll("server.json").find("traceEvents"), std::string::npos);
  EXPECT_EQ(Entries("."), 2u);
}

TEST_F(EnvironmentE2e, IdleServerIsDeliveredInTime) {
  ASSERT_TRUE(RunProgram("IdleServer", {{"STEPSCOPE_PERIOD", "300ms"},
                                        {"STEPSCOPE_PATH", "server.json"}}));
  EXPECT_NE(ReadAll("server.json").find("traceEvents"), std::string::npos);
  EXPECT_EQ(Entries("."), 1u);
}

TEST_F(EnvironmentE2e, StepsOfAProgramWithoutProfiler) {
  ASSERT_TRUE(RunProgram(
      "Server25", {{"STEPSCOPE_STEPS", "2:5"}, {"STEPSCOPE_OUT", "out"}}));
  auto files = Files("out", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"name\":\"request\""), 3u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"ProfileStep#4\""), 1u);
  EXPECT_EQ(Files("out", ".sscap").size(), 1u);  // for the command line
}

TEST_F(EnvironmentE2e, StepsToTheEnd) {
  ASSERT_TRUE(RunProgram(
      "Server25", {{"STEPSCOPE_STEPS", "0:"}, {"STEPSCOPE_OUT", "out"}}));
  auto files = Files("out", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"name\":\"request\""), 25u);
}

TEST_F(EnvironmentE2e, StepsOverruleTheScheduler) {
  ASSERT_TRUE(RunProgram("Trainer", {{"STEPSCOPE_STEPS", "0:6"}}));
  auto files = Files("out", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"name\":\"work\""), 6u);
  // The environment's own profiler gave way.
  EXPECT_TRUE(Files("profiler_log", "").empty());
}

TEST_F(EnvironmentE2e, CapturesGoToStepscopeOut) {
  ASSERT_TRUE(RunProgram("Trainer", {{"STEPSCOPE_OUT", "captures"}}));
  EXPECT_EQ(Entries("captures"), 0u);  // came and went
  EXPECT_EQ(Entries("out"), 1u);
}

TEST_F(EnvironmentE2e, NonsenseIsIgnored) {
  ASSERT_TRUE(RunProgram("Server25", {{"STEPSCOPE_PERIOD", "soon"},
                                      {"STEPSCOPE_STEPS", "5"},
                                      {"STEPSCOPE_PATH", "server.json"}}));
  EXPECT_EQ(Entries("."), 0u);
}

TEST_F(EnvironmentE2e, FolderThatCannotBeMade) {
  ASSERT_TRUE(RunProgram("Server25", {{"STEPSCOPE_PERIOD", "10"},
                                      {"STEPSCOPE_PATH", "/dev/null/x.json"}}));
}

TEST_F(EnvironmentE2e, ProcessExitWaitsForDelivery) {
  ASSERT_TRUE(RunProgram("LeaveAtOnce", {}));
  auto files = Files("out", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"name\":\"work\""), 1u);
  EXPECT_EQ(Entries("out"), 1u);
}

TEST_F(EnvironmentE2e, StaticProfilerIsDeliveredAtExit) {
  ASSERT_TRUE(RunProgram("StaticProfiler", {}));
  auto files = Files("out", ".paddle_trace.json");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Count(ReadAll(files[0]), "\"name\":\"work\""), 1u);
  EXPECT_EQ(Entries("out"), 1u);
}

}  // namespace
