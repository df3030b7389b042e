// SPDX-License-Identifier: Apache-2.0
//
// What both of Paddle's files hold of traces that are not its own. That they
// come back as they were is the matter of tests/roundtrip.
#include "exporters/paddle/paddle.h"

#include <gtest/gtest.h>

#include "exporters/sink.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::string Exported(const Trace& trace, const std::string& path,
                     int span_index = 0) {
  MemorySink sink;
  ExportOptions options;
  options.path = path;
  options.span_index = span_index;
  EXPECT_TRUE(PaddleExporter().Export(trace, options, sink));
  return sink.TakeText();
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(PaddleExportTest, BothUtilisationsAlways) {
  const auto trace =
      TraceFromText("process 1\nthread 1 main\n  0..10 op Operator\n");
  for (const char* path : {"x.json", "x.pb"}) {
    const std::string text = Exported(*trace, path);
    EXPECT_GE(Count(text, "Process Cpu Utilization"), 1u) << path;
    EXPECT_GE(Count(text, "System Cpu Utilization"), 1u) << path;
    EXPECT_EQ(Count(text, "Not Measured"), 1u) << path;
  }
}

TEST(PaddleExportTest, BothSpellingsOfTheWindow) {
  const auto trace =
      TraceFromText("process 1\nthread 1 main\n  0..10 op Operator\n");
  const std::string text = Exported(*trace, "x.json", 3);
  EXPECT_EQ(Count(text, "\"span_indx\": \"3\""), 1u);
  EXPECT_EQ(Count(text, "\"span_index\": \"3\""), 1u);
}

// VisualDL finds no name in what begins with the bracket or has two lines.
TEST(PaddleExportTest, NamesThatVisualDlReads) {
  TraceBuilder builder;
  builder.AddProcess({});
  builder.AddTrack({});
  builder.AddEvent({0, 0, 10, builder.Intern(""), 0, 0});
  builder.AddEvent({0, 20, 10, builder.Intern("two\nlines"), 0, 0});
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  const std::string text = Exported(**trace, "x.json");
  EXPECT_EQ(Count(text, "\"name\":\"(empty name)[0.010 us]\""), 1u) << text;
  EXPECT_EQ(Count(text, "\"name_bytes\":\"\""), 1u);
  EXPECT_EQ(Count(text, "\"name\":\"two lines[0.010 us]\""), 1u);
  EXPECT_EQ(Count(text, "\"name_bytes\":\"74776f0a6c696e6573\""), 1u);
}

// A bracket in a name ends nothing.
TEST(PaddleExportTest, EveryDeviceOfTheList) {
  TraceBuilder builder;
  Process process;
  process.metadata.emplace_back(
      builder.Intern("deviceProperties"),
      builder.Intern(R"([{"id": 0, "name": "A} {B]"}, {"id": 1, )"
                     R"("name": "second"}])"));
  builder.AddProcess(std::move(process));
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace);
  const std::string bytes = Exported(**trace, "x.pb");
  EXPECT_EQ(Count(bytes, "A} {B]"), 1u);
  EXPECT_EQ(Count(bytes, "second"), 1u);
}

// It looks for an event at zero, of a type that it knows for a host's.
TEST(PaddleExportTest, TimesCountFromAHostEvent) {
  const auto trace = TraceFromText(
      "process 1\nthread 1 main\n  0..9 call CudaRuntime\n"
      "  20..90 op Operator\n");
  const std::string text = Exported(*trace, "x.json");
  // The operator, and the step that is made up because there is none.
  EXPECT_EQ(Count(text, "\"start_time\":\"0.000 us\""), 2u) << text;
  EXPECT_EQ(Count(text, "\"made_up\":true"), 1u);
  EXPECT_EQ(Count(text, "\"start_time\":\"-0.020 us\""), 1u);
}

// Its trees begin with a step, and a stage is in one.
TEST(PaddleExportTest, WhatStandsBeforeOrAroundTheSteps) {
  const auto trace = TraceFromText(
      "process 1\nthread 7 main\n  0..9 before Operator\n"
      "  10..90 loop\n    20..40 first ProfileStep\n      21..30 op Operator\n"
      "    50..60 step#2 ProfileStep\n"
      "thread 8 other\n  12..80 backward Backward\n");
  const std::string text = Exported(*trace, "x.json");
  EXPECT_EQ(Count(text, "\"tid\":\"7(C++) lane 1000000\""), 2u) << text;
  EXPECT_EQ(Count(text, "\"first#0["), 1u);
  EXPECT_EQ(Count(text, "\"step#2["), 1u);
  EXPECT_EQ(Count(text, "\"Backward outside steps\""), 1u);
  EXPECT_EQ(Count(text, "made_up"), 0u);
}

// Behind their event, and before all if they have none.
TEST(PaddleExportTest, MemoryFollowsItsOwner) {
  const auto trace = TraceFromText(
      "process 1\nthread 1 main\n  10..50 first Operator\n"
      "  60..90 second Operator\n"
      "memory 5 +1 Place(cpu) 0x1\nmemory 20 +2 Place(cpu) 0x2\n"
      "memory 70 +3 Place(cpu) 0x3\n");
  const std::string text = Exported(*trace, "x.json");
  std::string order;
  for (const char* part :
       {"\"increase_bytes\":1", "\"first[", "\"increase_bytes\":2", "\"second[",
        "\"increase_bytes\":3"}) {
    const size_t at = text.find(part);
    ASSERT_NE(at, text.npos) << part << "\n" << text;
    EXPECT_GT(std::to_string(at + 100000), order) << part;
    order = std::to_string(at + 100000);
  }
  EXPECT_EQ(Count(text, "\"[memory]\""), 3u);
  EXPECT_EQ(Count(text, "\"statedPeaks\": false"), 1u);
}

}  // namespace
}  // namespace stepscope
