// SPDX-License-Identifier: Apache-2.0
//
// Thousands of random documents of good, odd and broken records: every element
// of the array is in exactly one bin of the ledger, whatever it is.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "importers/chrome/json_test_support.h"

namespace stepscope::json {
namespace {

// Elements of an array; "@" stands for a number.
constexpr std::array<const char*, 22> kRecords = {
    R"({"ph":"X","name":"op","pid":1,"tid":@,"ts":@,"dur":@})",
    R"({"ph":"X","name":"k","cat":"kernel","pid":0,"tid":7,"ts":@,"dur":@})",
    R"({"ph":"X","name":"late","pid":1,"tid":2,"ts":@,"dur":-@})",
    R"({"ph":"X","name":"no time","pid":1,"tid":2,"dur":@})",
    R"({"ph":"X","name":"text","pid":"one","tid":"two","ts":"@","dur":"@"})",
    R"({"ph":"X","name":"null","pid":null,"tid":null,"ts":@,"dur":null})",
    R"({"ph":"X","pid":1,"tid":2,"ts":@.@,"dur":@.@})",
    R"({"ph":"X","name":"far","pid":1,"tid":2,"ts":1e300,"dur":@})",
    R"({"ph":"B","name":"open","pid":1,"tid":3,"ts":@})",
    R"({"ph":"E","pid":1,"tid":3,"ts":@})",
    R"({"ph":"i","name":"mark","pid":1,"tid":2,"ts":@,"s":"t"})",
    R"({"ph":"C","name":"loss","pid":1,"tid":0,"ts":@,"args":{"value":@}})",
    R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"t"}})",
    R"({"ph":"s","name":"f","id":@,"pid":1,"tid":2,"ts":@})",
    R"({"ph":"f","name":"f","id":@,"pid":1,"tid":2,"ts":@,"bp":"e"})",
    R"({"ph":"b","name":"a","cat":"x","id":@,"pid":1,"tid":2,"ts":@})",
    R"({"ph":"?","name":"unknown","pid":1,"tid":2,"ts":@})",
    R"({"name":"no phase","ts":@})",
    R"({})",
    R"(@)",
    R"(["an","array"])",
    R"("a string")"};

std::string Record(std::mt19937& random) {
  std::string text;
  for (const char* c = kRecords[random() % kRecords.size()]; *c != 0; ++c) {
    text += *c == '@' ? std::to_string(1 + random() % 500) : std::string(1, *c);
  }
  return text;
}

TEST(LedgerPropertyTest, EveryElementIsInOneBin) {
  constexpr uint32_t kDocuments = 3000;
  for (uint32_t seed = 0; seed < kDocuments; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const size_t elements = 1 + random() % 30;
    std::string text = R"({"traceEvents":[)";
    for (size_t i = 0; i < elements; ++i) {
      if (i > 0) text += ',';
      text += Record(random);
    }
    text += "]}";
    const auto trace = ReadText(text);
    if (!trace) continue;  // nothing in it could be kept: said as an error
    const Ledger& ledger = (*trace)->ledger();
    uint64_t bins = ledger.kept();
    for (const auto& [reason, bin] : ledger.repaired()) bins += bin.count;
    for (const auto& [reason, bin] : ledger.rejected()) bins += bin.count;
    ASSERT_EQ(bins, elements) << LedgerLine(**trace) << '\n' << text;
    ASSERT_EQ(ledger.seen(), elements);
  }
}

}  // namespace
}  // namespace stepscope::json
