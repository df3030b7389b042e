// SPDX-License-Identifier: Apache-2.0
//
// Raw arguments in captures are LZ4 blocks; captures from before that still
// read, and are not said to be what they are not when they are written again.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/lz.h"
#include "exporters/capture/capture.h"
#include "format/table.h"
#include "importers/capture/block_scanner.h"
#include "importers/capture/capture_importer.h"
#include "importers/capture/table_block.h"
#include "roundtrip/same_trace.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

constexpr uint32_t kRows = 24;

std::string MembersOf(uint32_t row) {
  const std::string number = std::to_string(row);
  return "\"External id\": " + number +
         ", \"note\": \"the same words in every event, the same words in every "
         "event\", \"Ev Idx\": " +
         number;
}

class Lz4Blocks : public testing::Test {
 protected:
  Lz4Blocks() {
    char name[] = "/tmp/stepscope_lz4_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Lz4Blocks() override { std::filesystem::remove_all(folder_); }

  std::string Save(const Trace& trace) {
    MemorySink sink;
    EXPECT_TRUE(CaptureExporter().Export(trace, {}, sink));
    const std::string path = folder_ + "/t.sscap";
    EXPECT_TRUE(ReplaceFile(path, sink.TakeText()));
    return path;
  }

  std::string folder_;
};

struct StoredBlock {
  uint64_t packing;  // format::Packing
  uint64_t plain_size;
  std::vector<uint8_t> bytes;
};

std::vector<StoredBlock> RawBlocksOf(const std::string& path) {
  std::vector<StoredBlock> found;
  const auto file = File::OpenForReading(path);
  const auto list = capture::ScanBlocks(*file);
  std::vector<uint8_t> payload;
  for (const capture::Block& block : list->blocks) {
    EXPECT_TRUE(*capture::ReadPayload(*file, block, payload));
    const auto table = capture::TableBlock::Parse(
        std::span(payload).first(block.header.bytes));
    if (!table || table->table() != format::Table::kRawBlocks) continue;
    std::vector<uint64_t> lengths, sizes, packings;
    table->Decode(0, lengths);
    table->Decode(1, sizes);
    table->Decode(2, packings);
    size_t at = 0;
    for (uint32_t i = 0; i < table->rows(); ++i) {
      const std::string_view bytes = table->extra().substr(at, lengths[i]);
      found.push_back({packings[i], sizes[i], {bytes.begin(), bytes.end()}});
      at += lengths[i];
    }
  }
  return found;
}

TEST_F(Lz4Blocks, OlderCapturesStillRead) {
  const std::string old =
      std::string(STEPSCOPE_FIXTURES) + "/capture/before_lz4.sscap";
  const auto blocks = RawBlocksOf(old);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].packing, 1u);
  EXPECT_FALSE(IsLz4Block(blocks[0].bytes, blocks[0].plain_size));

  const auto trace = ImportCapture(old);
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ((*trace)->size(), kRows);
  for (uint32_t row = 0; row < kRows; ++row)
    EXPECT_EQ((*trace)->raw_args(row),
              MembersOf(row == kRows - 1 ? row - 1 : row));

  const std::string again = Save(**trace);
  ASSERT_EQ(RawBlocksOf(again).size(), 1u);
  EXPECT_EQ(RawBlocksOf(again)[0].packing, 1u);
  const auto back = ImportCapture(again);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(DifferenceOf(**trace, **back), "");
}

TEST_F(Lz4Blocks, NewCapturesHoldLz4) {
  TraceBuilder builder;
  builder.AddProcess({});
  builder.AddTrack({});
  for (uint32_t i = 0; i < 5000; ++i) {
    EventSpec event;
    event.start_ns = i;
    event.name = builder.Intern("e");
    builder.AddRawArgs(builder.AddEvent(event), MembersOf(i));
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace) << trace.error().message;
  const auto blocks = RawBlocksOf(Save(**trace));
  EXPECT_GT(blocks.size(), 5u);
  for (const StoredBlock& block : blocks) {
    EXPECT_EQ(block.packing, 2u);
    EXPECT_TRUE(IsLz4Block(block.bytes, block.plain_size));
  }
}

}  // namespace
}  // namespace stepscope
