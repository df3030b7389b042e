// SPDX-License-Identifier: Apache-2.0
#include "server/kept_texts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "server/documents.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::server {
namespace {

TEST(KeptTextsTest, MakesOnceHoweverManyAskAtATime) {
  KeptTexts kept(1000);
  std::atomic<int> calls{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto text = kept.Get("a", [&]() -> Result<std::string> {
        ++calls;
        return std::string("text");
      });
      EXPECT_EQ(**text, "text");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(kept.made(), 1u);
}

TEST(KeptTextsTest, WhatWasNotAskedForLongestGoesFirst) {
  KeptTexts kept(3 * 101);
  std::vector<std::string> made;
  const auto get = [&](const std::string& key) {
    EXPECT_TRUE(kept.Get(key, [&]() -> Result<std::string> {
      made.push_back(key);
      return std::string(100, 'x');
    }));
    EXPECT_LE(kept.bytes(), 3u * 101u);
  };
  for (const char* key : {"a", "b", "c", "a", "d"}) get(key);
  made.clear();
  for (const char* key : {"a", "c", "d", "b"}) get(key);
  EXPECT_EQ(made, std::vector<std::string>{"b"});
}

TEST(KeptTextsTest, WhatIsTooLongIsGivenAndNotKept) {
  KeptTexts kept(50);
  for (int i = 0; i < 2; ++i) {
    const auto text = kept.Get(
        "a", []() -> Result<std::string> { return std::string(100, 'x'); });
    EXPECT_EQ((*text)->size(), 100u);
    EXPECT_EQ(kept.bytes(), 0u);
  }
  EXPECT_EQ(kept.made(), 2u);
}

TEST(KeptTextsTest, FailuresAreMadeAnew) {
  KeptTexts kept(1000);
  const auto refuse = []() -> Result<std::string> {
    return Fail(ErrorCode::kNotFound, "not there");
  };
  EXPECT_FALSE(kept.Get("a", refuse));
  EXPECT_THROW((void)kept.Get("a",
                              []() -> Result<std::string> {
                                throw std::runtime_error("no memory");
                              }),
               std::runtime_error);
  const auto text =
      kept.Get("a", []() -> Result<std::string> { return std::string("b"); });
  EXPECT_EQ(**text, "b");
  EXPECT_EQ(kept.made(), 1u);
}

// The tables of a view are computed once of a trace, whatever asks again.
TEST(ViewTableDocumentTest, IsComputedOnceForWhatIsAsked) {
  const OpenTrace open(TraceFromText(R"(
    0..100 ProfileStep#0 ProfileStep
      0..50 a Operator
    memory 10 +64 Place(cpu) 0x10
    200..300 ProfileStep#1 ProfileStep)"));
  KeptTexts kept(1 << 20);
  const auto ask = [&](const std::string& key, const ViewQuery& query,
                       const std::string& steps) {
    const auto text = ViewTableDocument(open, key, query, steps, kept);
    EXPECT_TRUE(text);
    return *text;
  };
  const ViewQuery all = {.place = "Place(cpu)"};
  ViewQuery part = all;
  part.range = Interval{0, 5};
  const std::string first = ask("memory_owners", all, "");
  EXPECT_NE(first.find("[\"a\",\"Allocated\",1,0,64,0,64]"), std::string::npos)
      << first;
  EXPECT_EQ(ask("memory_owners", all, ""), first);
  EXPECT_EQ(kept.made(), 1u);
  EXPECT_NE(ask("memory_owners", part, ""), first);
  EXPECT_EQ(kept.made(), 2u);
  EXPECT_NE(ask("memory_owners", all, "1:2"), first);
  EXPECT_EQ(kept.made(), 3u);
  ask("step_parts", all, "");
  ask("step_parts", all, "");
  EXPECT_EQ(kept.made(), 4u);
  // Another trace has its own, also if it is the same file.
  const OpenTrace again(open.shared());
  EXPECT_TRUE(ViewTableDocument(again, "memory_owners", all, "", kept));
  EXPECT_EQ(kept.made(), 5u);
}

}  // namespace
}  // namespace stepscope::server
