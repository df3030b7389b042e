// SPDX-License-Identifier: Apache-2.0
//
// The C interface as its user has it.
#include "read/read.h"

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "importers/capture/sample_capture_test_support.h"
#include "query/duckdb_test_support.h"
#include "report/arrow_abi.h"

namespace stepscope {
namespace {

struct Reply {
  std::string text;
  stepscope_reply to() {
    return {[](void* user, const char* data, size_t size) {
              static_cast<Reply*>(user)->text.assign(data, size);
            },
            this};
  }
};

class ReadTest : public testing::Test {
 protected:
  void SetUp() override {
    bytes_ = capture::EndedSample().bytes;
    ASSERT_EQ(stepscope_read_bytes(bytes_.data(), bytes_.size(), "sample",
                                   nullptr, nullptr, &trace_, reply_.to()),
              STEPSCOPE_READ_OK)
        << reply_.text;
  }
  void TearDown() override { stepscope_trace_free(trace_); }

  stepscope_table* Table(const char* key,
                         std::vector<const char*> options = {}) {
    options.push_back(nullptr);
    stepscope_table* table = nullptr;
    code_ =
        stepscope_trace_table(trace_, key, options.data(), &table, reply_.to());
    return table;
  }
  int Ask(const char* question, std::vector<const char*> options = {}) {
    options.push_back(nullptr);
    return stepscope_trace_ask(trace_, nullptr, question, options.data(),
                               reply_.to());
  }

  std::string bytes_;
  stepscope_trace* trace_ = nullptr;
  int code_ = 0;
  Reply reply_;
};

TEST_F(ReadTest, EventsOutliveTheTraceAndTheTable) {
  stepscope_table* table = Table("events");
  ASSERT_NE(table, nullptr) << reply_.text;
  EXPECT_EQ(stepscope_table_rows(table),
            static_cast<int64_t>(capture::kSampleEvents));
  ArrowArrayStream first = {};
  ArrowArrayStream second = {};
  ASSERT_EQ(stepscope_table_stream(table, &first, reply_.to()), 0);
  ASSERT_EQ(stepscope_table_stream(table, &second, reply_.to()), 0);
  stepscope_table_free(table);
  stepscope_trace_free(std::exchange(trace_, nullptr));

  ArrowArray one = {};
  ArrowArray two = {};
  ASSERT_EQ(first.get_next(&first, &one), 0);
  ASSERT_EQ(second.get_next(&second, &two), 0);
  constexpr int kStart = 2;
  EXPECT_EQ(one.children[kStart]->buffers[1], two.children[kStart]->buffers[1])
      << "streams share the memory";
  one.release(&one);
  const auto* starts =
      static_cast<const int64_t*>(two.children[kStart]->buffers[1]);
  int64_t sum = 0;
  for (int64_t i = 0; i < two.length; ++i) sum += starts[i];
  EXPECT_GT(sum, 0);
  ArrowArray end = {};
  ASSERT_EQ(second.get_next(&second, &end), 0);
  EXPECT_EQ(end.release, nullptr);
  // A child that is moved out keeps the memory too.
  ArrowArray child = *two.children[kStart];
  two.children[kStart]->release = nullptr;
  two.release(&two);
  EXPECT_EQ(static_cast<const int64_t*>(child.buffers[1])[0], starts[0]);
  child.release(&child);
  first.release(&first);
  second.release(&second);
}

TEST_F(ReadTest, EveryTableAnswersEveryQuestion) {
  ASSERT_EQ(Ask("tables"), 0);
  std::vector<std::string> keys = {"events"};
  const std::string list = reply_.text;
  for (size_t at = list.find("\"key\":"); at != list.npos;
       at = list.find("\"key\":", at + 1)) {
    const size_t begin = list.find('"', at + 6) + 1;
    keys.push_back(list.substr(begin, list.find('"', begin) - begin));
  }
  EXPECT_GT(keys.size(), 20u);
  for (const std::string& key : keys) {
    stepscope_table* table = Table(key.c_str());
    ASSERT_NE(table, nullptr) << key << ": " << reply_.text;
    for (const char* question : {"columns", "rows"}) {
      EXPECT_EQ(stepscope_table_ask(table, question, nullptr, reply_.to()), 0)
          << key;
      EXPECT_EQ(reply_.text.front(), '[') << key;
    }
    if (key != "events") {
      EXPECT_EQ(stepscope_table_ask(table, "text", nullptr, reply_.to()), 0);
    }
    stepscope_table_free(table);
  }
}

TEST_F(ReadTest, OptionsThatMakeNoSenseAreNamed) {
  EXPECT_EQ(Table("nonsense"), nullptr);
  EXPECT_EQ(code_, STEPSCOPE_READ_INVALID);
  EXPECT_NE(reply_.text.find("there is no table \"nonsense\""),
            std::string::npos);
  EXPECT_EQ(Table("kernel", {"steps", "some"}), nullptr);
  EXPECT_EQ(Ask("summary", {"format", "xml"}), STEPSCOPE_READ_INVALID);
  EXPECT_EQ(reply_.text,
            "format: unknown value \"xml\"; choose from text, "
            "json, csv, md");
  EXPECT_EQ(Ask("summary", {"colour", "red"}), STEPSCOPE_READ_INVALID);
  EXPECT_NE(reply_.text.find("unknown option \"colour\""), std::string::npos);
  EXPECT_EQ(Ask("why"), STEPSCOPE_READ_INVALID);
}

TEST_F(ReadTest, AnswersAreThoseOfTheVerbs) {
  for (const char* question : {"summary", "advise", "whatif", "info"}) {
    EXPECT_EQ(Ask(question), 0) << question << ": " << reply_.text;
    EXPECT_FALSE(reply_.text.empty()) << question;
  }
  EXPECT_EQ(
      stepscope_trace_ask(trace_, trace_, "compare", nullptr, reply_.to()), 0)
      << reply_.text;
  EXPECT_EQ(Ask("timeline"), 0);
  EXPECT_EQ(reply_.text.rfind("<svg", 0), 0u);
}

TEST(Read, BadInputIsOneLine) {
  Reply reply;
  stepscope_trace* trace = nullptr;
  const char* missing[] = {"/nonexistent/trace.json"};
  EXPECT_EQ(
      stepscope_read_files(missing, 1, nullptr, nullptr, &trace, reply.to()),
      STEPSCOPE_READ_NOT_FOUND);
  EXPECT_EQ(reply.text.find('\n'), std::string::npos);
  const std::string garbage = "this is no trace";
  EXPECT_EQ(stepscope_read_bytes(garbage.data(), garbage.size(), "bytes",
                                 nullptr, nullptr, &trace, reply.to()),
            STEPSCOPE_READ_INVALID);
  EXPECT_NE(reply.text.find("bytes"), std::string::npos);
  EXPECT_EQ(reply.text.find('\n'), std::string::npos);
  EXPECT_EQ(
      stepscope_read_files(nullptr, 0, nullptr, nullptr, &trace, reply.to()),
      STEPSCOPE_READ_INVALID);
  EXPECT_EQ(trace, nullptr);
}

TEST(Read, CanBeCancelled) {
  const std::string bytes = capture::EndedSample().bytes;
  stepscope_watch* const watch = stepscope_watch_new();
  stepscope_watch_cancel(watch);
  Reply reply;
  stepscope_trace* trace = nullptr;
  EXPECT_EQ(stepscope_read_bytes(bytes.data(), bytes.size(), "sample", nullptr,
                                 watch, &trace, reply.to()),
            STEPSCOPE_READ_CANCELLED)
      << reply.text;
  EXPECT_EQ(trace, nullptr);
  stepscope_watch_free(watch);
}

double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

TEST(Read, AQueryThatWasCancelledEnds) {
  STEPSCOPE_NEED_DUCKDB();
  const std::string path = testing::TempDir() + "/read_test_query.sscap";
  std::ofstream(path, std::ios::binary) << capture::EndedSample().bytes;
  const char* const paths[] = {path.c_str()};
  const char* const options[] = {
      "sql",
      "SELECT sum(a.i * b.i % 7) FROM range(100000000) a(i), "
      "range(100000000) b(i)",
      nullptr};
  for (const bool at_once : {true, false}) {
    stepscope_watch* const watch = stepscope_watch_new();
    if (at_once) stepscope_watch_cancel(watch);
    Reply reply;
    stepscope_table* table = nullptr;
    int code = 0;
    std::thread asking([&] {
      code = stepscope_query(paths, 1, options, watch, &table, reply.to());
    });
    if (!at_once) {
      // The query would take days, and all before it takes milliseconds.
      const double begin = CpuSeconds();
      while (CpuSeconds() < begin + 0.5)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      stepscope_watch_cancel(watch);
    }
    asking.join();
    EXPECT_EQ(code, STEPSCOPE_READ_CANCELLED) << reply.text;
    EXPECT_EQ(table, nullptr);
    stepscope_watch_free(watch);
  }
  std::remove(path.c_str());
}

TEST_F(ReadTest, ThreadsMayAskAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> texts(4);
  for (std::string& text : texts) {
    threads.emplace_back([this, &text] {
      Reply reply;
      stepscope_trace_ask(trace_, nullptr, "summary", nullptr, reply.to());
      text = reply.text;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

// Of one call alone: a program reads many traces.
TEST(ReadStepRangeTest, StepsAreTheRangesThatTheCallerNames) {
  const std::string bytes = R"({"traceEvents": [
    {"ph": "X", "name": "decode 1", "pid": 1, "tid": 1, "ts": 0, "dur": 5},
    {"ph": "X", "name": "decode 2", "pid": 1, "tid": 1, "ts": 6, "dur": 5},
    {"ph": "X", "name": "other", "pid": 1, "tid": 1, "ts": 12, "dur": 5}]})";
  const auto steps = [&](std::vector<const char*> options) -> int64_t {
    options.push_back(nullptr);
    Reply reply;
    stepscope_trace* trace = nullptr;
    EXPECT_EQ(stepscope_read_bytes(bytes.data(), bytes.size(), "a.json",
                                   options.data(), nullptr, &trace, reply.to()),
              STEPSCOPE_READ_OK)
        << reply.text;
    if (trace == nullptr) return -1;
    stepscope_table* table = nullptr;
    EXPECT_EQ(
        stepscope_trace_table(trace, "steps", nullptr, &table, reply.to()),
        STEPSCOPE_READ_OK)
        << reply.text;
    const int64_t rows = table == nullptr ? -1 : stepscope_table_rows(table);
    if (table != nullptr) stepscope_table_free(table);
    stepscope_trace_free(trace);
    return rows;
  };
  EXPECT_EQ(steps({"step_range", "decode*"}), 2);
  EXPECT_EQ(steps({"step_range", "other"}), 1);
  EXPECT_EQ(steps({}), 0);
}

}  // namespace
}  // namespace stepscope
