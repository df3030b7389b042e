// SPDX-License-Identifier: Apache-2.0
//
// A trace, its capture, and what is read from that must be the same; and a
// damaged capture must give what is left of it, counted.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <string>

#include "base/file.h"
#include "exporters/capture/capture.h"
#include "format/block.h"
#include "format/table.h"
#include "importers/capture/capture_file.h"
#include "importers/capture/capture_writer_test_support.h"
#include "roundtrip/random_trace.h"
#include "roundtrip/same_trace.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::string CaptureOf(const Trace& trace) {
  MemorySink sink;
  EXPECT_TRUE(CaptureExporter().Export(trace, {}, sink));
  return sink.TakeText();
}

class CaptureRoundtrip : public testing::Test {
 protected:
  CaptureRoundtrip() {
    char name[] = "/tmp/stepscope_roundtrip_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~CaptureRoundtrip() override { std::filesystem::remove_all(folder_); }

  Result<std::shared_ptr<const Trace>> Load(std::string_view bytes) {
    const std::string path = folder_ + "/t.sscap";
    EXPECT_TRUE(ReplaceFile(path, bytes));
    return ImportCapture(path);
  }

  std::string folder_;
};

TEST_F(CaptureRoundtrip, NothingChanges) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const auto trace = RandomTrace(seed);
    const auto back = Load(CaptureOf(*trace));
    ASSERT_TRUE(back) << "seed " << seed << ": " << back.error().message;
    ASSERT_EQ(DifferenceOf(*trace, **back), "") << "seed " << seed;
  }
}

TEST_F(CaptureRoundtrip, ManyBlocksOfEveryTable) {
  const auto trace = RandomTrace(7, 70000);
  const auto back = Load(CaptureOf(*trace));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(DifferenceOf(*trace, **back), "");
}

TEST_F(CaptureRoundtrip, ComparisonSeesADifference) {
  const auto a = TraceFromText("thread 7 m\n 0..5 a\n");
  const auto b = TraceFromText("thread 7 m\n 0..6 a\n");
  const auto c = TraceFromText("thread 7 m\n 0..5 a k=1\n");
  EXPECT_EQ(DifferenceOf(*a, *b), "duration differs at 0");
  EXPECT_EQ(DifferenceOf(*a, *c), "args differs at 0");
}

TEST_F(CaptureRoundtrip, EmptyTrace) {
  TraceBuilder builder;
  const auto trace = builder.Finish();
  const auto back = Load(CaptureOf(**trace));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ((*back)->size(), 0u);
}

TEST_F(CaptureRoundtrip, LanesStayWhereTheyAre) {
  const auto trace = TraceFromText(
      "thread 7 m\n 0..10 a\n 5..15 b\n 6..20 c\nthread 8 n\n 0..5 d\n");
  ASSERT_EQ(trace->tracks().size(), 4u);
  const auto back = Load(CaptureOf(*trace));
  ASSERT_TRUE(back);
  EXPECT_EQ(DifferenceOf(*trace, **back), "");
}

TEST_F(CaptureRoundtrip, MergesWithAnotherOne) {
  const auto one = TraceFromText(
      "thread 7 m\n 0..10 a\n 5..15 b\nstream 3 GPU:0\n 2..4 k Kernel\n");
  TraceBuilder builder;
  for (const char* name : {"/a.sscap", "/b.sscap"}) {
    ASSERT_TRUE(ReplaceFile(folder_ + name, CaptureOf(*one)));
    auto file = File::OpenForReading(folder_ + name);
    ASSERT_TRUE(file);
    ASSERT_TRUE(capture::ReadCapture(*std::move(file), "", {}, builder));
  }
  const auto both = builder.Finish();
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ((*both)->size(), 2 * one->size());
  ASSERT_EQ((*both)->tracks().size(), 2 * one->tracks().size());
  for (size_t i = 0; i < one->tracks().size(); ++i)
    EXPECT_EQ((*both)->tracks()[i + 3].lane, one->tracks()[i].lane);
}

// Ledger and rows add up, whatever is left.
void ExpectSound(const Trace& whole, const Trace& left, size_t where) {
  ASSERT_EQ(left.ledger().seen(), whole.ledger().seen()) << where;
  const auto lost = left.ledger().rejected().find("damaged block");
  const uint64_t rejected =
      lost == left.ledger().rejected().end() ? 0 : lost->second.count;
  ASSERT_EQ(left.size() + rejected, whole.size()) << where;
  for (const Arg& arg : left.args()) ASSERT_LT(arg.row, left.size());
  for (const Link& link : left.links())
    ASSERT_TRUE(link.row == kNoRow || link.row < left.size());
}

// A trace whose ledger counts its events, small enough to damage everywhere.
std::shared_ptr<const Trace> SmallTrace() {
  TraceBuilder builder;
  BuildFromText(
      "process 100 rank=0 name=train host=a\nthread 7 main\n"
      " 0..100 step ProfileStep\n  10..40 forward Forward shape=[2,3] x=1\n"
      " 50..50 mark instant\nstream 3 GPU:0\n 20..35 gemm Kernel "
      "correlation=5\ncounter 15 loss 0.5\n"
      "memory 15 +1024 Place(cpu) 0x10 total=1024 reserved=2048\n",
      builder);
  builder.AddRawArgs(0, "\"a\": 1");
  builder.ledger().Keep(builder.event_count());
  auto trace = builder.Finish();
  return *trace;
}

TEST_F(CaptureRoundtrip, CutAtEveryByte) {
  const auto trace = SmallTrace();
  const std::string bytes = CaptureOf(*trace);
  size_t readable = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    // The header alone is a capture of nothing.
    if (size == sizeof(format::FileHeader)) continue;
    const auto left = Load(std::string_view(bytes).substr(0, size));
    if (!left) {
      EXPECT_EQ(left.error().message.find('\n'), std::string::npos);
      continue;
    }
    ++readable;
    ExpectSound(*trace, **left, size);
  }
  EXPECT_GT(readable, bytes.size() / 4);
}

TEST_F(CaptureRoundtrip, EveryByteDamaged) {
  const auto trace = SmallTrace();
  const std::string bytes = CaptureOf(*trace);
  size_t different = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto left = Load(damaged);
    if (!left) continue;
    ExpectSound(*trace, **left, at);
    if (!DifferenceOf(*trace, **left).empty()) ++different;
  }
  // Only padding and the copy of the first table may be damaged unnoticed.
  EXPECT_GT(different, bytes.size() / 4);
}

// Checksums that are right do not make the contents so.
TEST_F(CaptureRoundtrip, NonsenseWithRightChecksums) {
  std::mt19937_64 random(3);
  const std::string bytes = CaptureOf(*RandomTrace(11, 60));
  std::vector<size_t> blocks;
  for (size_t at = sizeof(format::FileHeader); at < bytes.size();) {
    format::BlockHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    blocks.push_back(at);
    at += sizeof(header) + format::PaddedBytes(header.bytes);
  }
  for (int round = 0; round < 500; ++round) {
    std::string damaged = bytes;
    const size_t block = blocks[random() % blocks.size()];
    format::BlockHeader header;
    std::memcpy(&header, bytes.data() + block, sizeof(header));
    for (int i = 0; i < 3; ++i) {
      const uint64_t reach = i == 0 ? 96 : header.bytes;
      damaged[block + sizeof(header) +
              random() % std::min<uint64_t>(reach, header.bytes)] =
          static_cast<char>(random());
    }
    capture::FixCrc(damaged, block);
    const auto left = Load(damaged);
    if (!left) continue;
    for (const Arg& arg : (*left)->args())
      ASSERT_LT(arg.row, (*left)->size()) << round;
    for (Row row = 0; row < (*left)->size(); ++row)
      ASSERT_LT((*left)->track()[row], (*left)->tracks().size()) << round;
  }
}

// Far into a block there is a name that is none: all of it is left out, what
// comes behind takes its place, and the rest is in order.
TEST_F(CaptureRoundtrip, BlockThatGoesWrongHalfway) {
  constexpr Row kRows = 3 * format::kTableRows;
  TraceBuilder builder;
  builder.AddProcess({});
  builder.AddTrack({});
  const StringId names[] = {builder.Intern("a"), builder.Intern("b")};
  for (Row i = 0; i < kRows; ++i)
    builder.AddEvent({0, int64_t{i} * 10, i % 7 + 1, names[i % 2], 0, 0});
  builder.ledger().Keep(kRows);
  const auto whole = builder.Finish();
  std::string bytes = CaptureOf(**whole);
  uint32_t event_blocks = 0;
  for (size_t at = sizeof(format::FileHeader); at < bytes.size();) {
    format::BlockHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    size_t column = at + sizeof(header);
    format::TableHeader table;
    std::memcpy(&table, bytes.data() + column, sizeof(table));
    column += sizeof(table);
    if (table.table == static_cast<uint32_t>(format::Table::kEvents) &&
        ++event_blocks == 2) {
      format::ColumnHeader values;
      for (int skipped = 0; skipped < 2; ++skipped) {  // start and duration
        std::memcpy(&values, bytes.data() + column, sizeof(values));
        column += sizeof(values) + static_cast<size_t>(format::PaddedBytes(
                                       uint64_t{table.rows} * values.width));
      }
      std::memcpy(&values, bytes.data() + column, sizeof(values));
      ASSERT_EQ(values.width, 1);
      bytes[column + sizeof(values) + 5000] = '\x7f';
      capture::FixCrc(bytes, at);
    }
    at += sizeof(header) + format::PaddedBytes(header.bytes);
  }
  ASSERT_EQ(event_blocks, 3u);
  const auto left = Load(bytes);
  ASSERT_TRUE(left) << left.error().message;
  ASSERT_EQ((*left)->size(), kRows - format::kTableRows);
  ExpectSound(**whole, **left, 0);
  ASSERT_EQ((*left)->tracks().size(), 1u);
  for (Row row = 0; row < (*left)->size(); ++row) {
    const Row from = row < format::kTableRows ? row : row + format::kTableRows;
    ASSERT_EQ((*left)->start_ns()[row], (*whole)->start_ns()[from]) << row;
    ASSERT_EQ((*left)->dur_ns()[row], (*whole)->dur_ns()[from]) << row;
  }
}

}  // namespace
}  // namespace stepscope
