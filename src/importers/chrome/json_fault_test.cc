// SPDX-License-Identifier: Apache-2.0
//
// A small document cut at every byte, and with every bit flipped: never a
// crash, and never more lost than what the damage touches.
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "importers/chrome/json_test_support.h"

namespace stepscope::json {
namespace {

constexpr size_t kEvents = 12;

// Pretty-printed as torch does it.
std::string Sample() {
  std::string text = "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
  for (size_t i = 0; i < kEvents; ++i) {
    text += "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op" +
            std::to_string(i) + "\", \"pid\": 1, \"tid\": 2,\n    \"ts\": " +
            std::to_string(i * 10) +
            ".5, \"dur\": 5,\n    \"args\": {\n      "
            "\"External id\": 3, \"Input Dims\": [[2, 3], []], \"s\": \"{\"\n"
            "    }\n  }";
    text += i + 1 < kEvents ? ",\n" : "\n";
  }
  return text + "  ], \"traceName\": \"x\"\n}\n";
}

TEST(JsonFaultTest, CutAtEveryByte) {
  const std::string text = Sample();
  const size_t begin = text.find("[\n") + 1;
  for (size_t size = begin; size <= text.size(); ++size) {
    const std::string part = text.substr(0, size);
    const auto trace = ReadText(part);
    ASSERT_TRUE(trace) << size;
    // Events end with a brace on a line of its own, two blanks in.
    size_t whole = 0;
    for (size_t at = part.find("\n  }"); at != part.npos;
         at = part.find("\n  }", at + 1))
      ++whole;
    EXPECT_EQ((*trace)->size(), whole) << size;
    EXPECT_EQ((*trace)->ledger().kept(), whole) << size;
    EXPECT_LE((*trace)->ledger().seen(), whole + 1) << size;
    EXPECT_EQ((*trace)->complete(), size + 2 > text.size()) << size;
  }
}

TEST(JsonFaultTest, EveryBitFlipped) {
  const std::string text = Sample();
  const size_t begin = text.find("[\n") + 1;
  size_t lost_most = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      const auto trace = ReadText(damaged);
      ASSERT_TRUE(trace) << at << " " << bit;
      const size_t kept = (*trace)->size();
      ASSERT_LE(kept, kEvents + 1) << at << " " << bit;
      if (kept < kEvents) lost_most = std::max(lost_most, kEvents - kept);
      // A flip may break off the array or the document: ']' and '}' are near
      // to others. Inside of the first event it costs that event alone.
      if (at > begin + 30 && at < text.find("\n  },")) {
        EXPECT_GE(kept, kEvents - 2) << at << " " << bit;
      }
    }
  }
  EXPECT_GE(lost_most, 1u);
}

TEST(JsonFaultTest, GzipCutAtEveryByte) {
  const std::string text = Sample();
  std::string packed(compressBound(text.size()) + 32, '\0');
  z_stream stream = {};
  ASSERT_EQ(
      deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  size_t most = 0;
  for (size_t size = 0; size < packed.size(); ++size) {
    const auto trace = ReadText(packed.substr(0, size));
    if (!trace) continue;
    most = std::max<size_t>(most, (*trace)->size());
    EXPECT_FALSE((*trace)->notes().empty());
  }
  EXPECT_EQ(most, kEvents);
}

}  // namespace
}  // namespace stepscope::json
