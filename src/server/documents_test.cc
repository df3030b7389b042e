// SPDX-License-Identifier: Apache-2.0
#include "server/documents.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/trace_from_text_test_support.h"

namespace stepscope::server {
namespace {

// Its clock counts from long before.
constexpr char kLate[] = R"(
  1790000000000000000..1790000000000000050 before Operator
  1790000000000000100..1790000000000000200 ProfileStep#7 ProfileStep
  memory 1790000000000000120 +1024 Place(gpu:0) 0x10000
  memory 1790000000000000150 -1024 Place(gpu:0) 0x10000)";

void ExpectHas(const Result<std::string>& text, const std::string& part) {
  ASSERT_TRUE(text);
  EXPECT_NE(text->find(part), text->npos) << part << " in " << *text;
}

// A page cannot hold such a number exactly.
TEST(DocumentsTest, TablesCountMomentsFromTheStartOfTheTrace) {
  const OpenTrace open(TraceFromText(kLate));
  ExpectHas(TableJson(open, "steps", {}), R"("rows":[[7,100,100,)");
  ExpectHas(TableJson(open, "steps", {.steps = "7:8"}),
            R"("rows":[[7,100,100,)");
  KeptTexts kept(1 << 20);
  ExpectHas(ViewTableDocument(open, "memory_events", {}, "", kept),
            "1024,120,");
  ExpectHas(ViewTableDocument(open, "memory_events", {}, "", kept), ",150,30,");
  ExpectHas(SummaryDocument(open, {.views = "steps"}),
            R"("start_ns":1790000000000000100)");
}

}  // namespace
}  // namespace stepscope::server
