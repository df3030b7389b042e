// SPDX-License-Identifier: Apache-2.0
//
// A planted leak and a planted hole are named with their line; what was live
// at the peak adds up to it; the replay reserves what torch reserved.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "analysis/replay/memory_whatif.h"
#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "analysis/tables/memory_peak.h"
#include "importers/registry.h"
#include "importers/torch_memory/pickle_writer_test_support.h"
#include "report/summary.h"

namespace stepscope {
namespace {

using torch_memory::EventOfSnapshot;
using torch_memory::SnapshotSpec;

constexpr int64_t kMiB = 1 << 20;
constexpr uint64_t kBase = 0x7f0000000000;

std::shared_ptr<const Trace> TraceOf(const SnapshotSpec& spec) {
  const std::string bytes = torch_memory::WriteSnapshot(spec);
  const auto input = InputSource::FromBytes(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
      "a.pickle");
  EXPECT_TRUE(input);
  const auto trace = ImportSource(**input);
  EXPECT_TRUE(trace) << trace.error().message;
  return *trace;
}

std::shared_ptr<const Trace> Shared(const std::string& name) {
  const std::string path = STEPSCOPE_SHARED_TRACES "/memory/" + name;
  if (!std::filesystem::exists(path)) return nullptr;
  const auto trace = ImportFile(path);
  EXPECT_TRUE(trace) << trace.error().message;
  return *trace;
}

class Table {
 public:
  Table(const Trace& trace, std::string_view key) : schema_(*FindTable(key)) {
    SummaryOptions options;
    options.views = schema_.view;
    summary_ = ComputeSummary(trace, options);
    rows_ = schema_.rows(summary_);
  }
  size_t size() const { return rows_.size(); }
  std::string Text(size_t row, std::string_view column) const {
    const Cell cell = At(row, column);
    return IsNull(cell) ? "" : std::string(std::get<std::string_view>(cell));
  }
  int64_t Int(size_t row, std::string_view column) const {
    const Cell cell = At(row, column);
    return IsNull(cell) ? -1 : std::get<int64_t>(cell);
  }

 private:
  Cell At(size_t row, std::string_view column) const {
    for (const TableColumn& c : schema_.columns)
      if (c.name == column) return c.cell(rows_[row]);
    ADD_FAILURE() << "no column " << column;
    return {};
  }

  const TableSchema& schema_;
  Summary summary_;
  RowList rows_;
};

// Six steps; in each a block of train.py:42 stays.
SnapshotSpec Leaking() {
  SnapshotSpec spec;
  spec.events.push_back({"segment_alloc", kBase, 2 * kMiB, 0, 1});
  for (uint64_t step = 0; step < 6; ++step) {
    const auto time = static_cast<int64_t>(100 + 100 * step);
    const uint64_t kept = kBase + 4096 * step;
    const uint64_t temporary = kBase + (uint64_t{1} << 20);
    spec.events.push_back({"alloc", kept, 3000, 0, time, "train.py", 42});
    spec.events.push_back(
        {"alloc", temporary, 900, 0, time + 1, "train.py", 7});
    spec.events.push_back({"free_requested", temporary, 900, 0, time + 2});
    spec.events.push_back({"free_completed", temporary, 900, 0, time + 2});
    spec.ranges.push_back({"Optimizer.step#SGD.step", time + 50, time + 60});
  }
  return spec;
}

TEST(MemorySnapshotTest, APlantedLeakHasItsLine) {
  const auto trace = TraceOf(Leaking());
  const Table growth(*trace, "memory_growth");
  ASSERT_EQ(growth.size(), 1u);
  EXPECT_EQ(growth.Text(0, "line"), "train.py:42");
  EXPECT_EQ(growth.Int(0, "bytes_per_step"), 3072);
  EXPECT_EQ(growth.Int(0, "steps"), 4);
  SnapshotSpec sound = Leaking();
  for (uint64_t step = 0; step < 6; ++step)
    sound.events.push_back(
        {"free_requested", kBase + 4096 * step, 3000, 0, 2000});
  EXPECT_EQ(Table(*TraceOf(sound), "memory_growth").size(), 0u);
}

TEST(MemorySnapshotTest, LifetimesKnowWhatStays) {
  const auto trace = TraceOf(Leaking());
  const Table lives(*trace, "memory_lifetimes");
  ASSERT_EQ(lives.size(), 2u);
  EXPECT_EQ(lives.Text(0, "line"), "train.py:42");
  EXPECT_EQ(lives.Int(0, "kept"), 6);
  EXPECT_EQ(lives.Int(1, "kept"), 0);
  EXPECT_EQ(lives.Int(1, "median_life_ns"), 1000);
}

// Five blocks of 4 MiB fill a segment; two that do not touch are freed, and
// 6 MiB do not fit into either.
SnapshotSpec WithHole() {
  SnapshotSpec spec;
  spec.events.push_back({"segment_alloc", kBase, 20 * kMiB, 0, 1});
  int64_t time = 2;
  const auto at = [](uint64_t i) { return kBase + i * (uint64_t{4} << 20); };
  for (uint64_t i = 0; i < 5; ++i)
    spec.events.push_back({"alloc", at(i), 4 * kMiB, 0, time++});
  for (const uint64_t i : {uint64_t{1}, uint64_t{3}}) {
    spec.events.push_back({"free_requested", at(i), 4 * kMiB, 0, time});
    spec.events.push_back({"free_completed", at(i), 4 * kMiB, 0, time++});
  }
  const uint64_t more = kBase + (uint64_t{1} << 32);
  spec.events.push_back({"segment_alloc", more, 20 * kMiB, 0, time++});
  spec.events.push_back({"alloc", more, 6 * kMiB, 0, time++, "hole.py", 7});
  return spec;
}

TEST(MemorySnapshotTest, APlantedHoleHasItsLine) {
  const auto trace = TraceOf(WithHole());
  const Table segments(*trace, "memory_segments");
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments.Text(0, "line"), "hole.py:7");
  EXPECT_EQ(segments.Int(0, "asked_bytes"), 6 * kMiB);
  EXPECT_EQ(segments.Int(0, "segment_bytes"), 20 * kMiB);
  EXPECT_EQ(segments.Int(0, "free_bytes"), 8 * kMiB);
  EXPECT_EQ(segments.Int(0, "largest_hole_bytes"), 4 * kMiB);
}

TEST(MemorySnapshotTest, WhetherItFits) {
  const auto trace = TraceOf(WithHole());
  MemoryWhatifOptions options;
  options.device_bytes = 32 * kMiB;
  options.settings = {"expandable_segments:True"};
  const auto whatif = ComputeMemoryWhatif(*trace, options);
  ASSERT_TRUE(whatif) << whatif.error().message;
  ASSERT_EQ(whatif->recorded.size(), 1u);
  EXPECT_TRUE(whatif->recorded[0].exact());
  ASSERT_EQ(whatif->rows.size(), 2u);
  EXPECT_FALSE(*whatif->rows[0].fits);
  EXPECT_EQ(whatif->rows[0].short_bytes, 8 * kMiB);
  EXPECT_EQ(whatif->rows[0].line, "hole.py:7");
  options.device_bytes = 40 * kMiB;
  EXPECT_TRUE(*ComputeMemoryWhatif(*trace, options)->rows[0].fits);
  options.settings = {"max_split_size_mb:2"};
  EXPECT_FALSE(ComputeMemoryWhatif(*trace, options));
}

TEST(MemorySnapshotTest, ABlockThatAStreamStillUses) {
  SnapshotSpec spec;
  spec.events = {{"segment_alloc", kBase, 2 * kMiB, 0, 1},
                 {"alloc", kBase, 512, 0, 2},
                 {"free_requested", kBase, 512, 0, 3},
                 {"alloc", kBase + 512, 512, 0, 4},
                 {"free_completed", kBase, 512, 0, 5},
                 {"alloc", kBase, 512, 0, 6}};
  const auto whatif = ComputeMemoryWhatif(*TraceOf(spec), {});
  ASSERT_TRUE(whatif);
  EXPECT_EQ(whatif->recorded[0].peak_allocated_bytes, 1024);
  EXPECT_EQ(whatif->recorded[0].allocations, 3u);
  // In the replay it is in use until it was given back.
  EXPECT_EQ(whatif->rows[0].peak_allocated_bytes, 1024);
}

TEST(MemorySnapshotTest, RealSnapshotsToTheByte) {
  struct Truth {
    const char* file;
    int64_t reserved;
    int64_t allocated;
    const char* screen;
  };
  for (const Truth& truth :
       {Truth{"train.pickle", 241'172'480, 215'390'720,
              "Peak memory: gpu:0 205.4 MiB allocated, 230.0 MiB reserved"},
        Truth{"oom.pickle", 2'787'115'008, 2'768'159'744,
              "Peak memory: gpu:0 2.58 GiB allocated, 2.60 GiB reserved"}}) {
    const auto trace = Shared(truth.file);
    if (trace == nullptr) GTEST_SKIP() << "no shared traces";
    const auto whatif = ComputeMemoryWhatif(*trace, {});
    ASSERT_TRUE(whatif) << whatif.error().message;
    ASSERT_EQ(whatif->recorded.size(), 1u);
    EXPECT_EQ(whatif->recorded[0].peak_reserved_bytes, truth.reserved);
    EXPECT_EQ(whatif->recorded[0].peak_allocated_bytes, truth.allocated);
    EXPECT_EQ(whatif->rows[0].peak_reserved_bytes, truth.reserved);
    EXPECT_EQ(whatif->rows[0].peak_allocated_bytes, truth.allocated);
    const std::vector<PeakOfDevice> peaks = ComputeMemoryPeaks(*trace);
    ASSERT_EQ(peaks.size(), 1u);
    EXPECT_EQ(peaks[0].device, "gpu:0");
    EXPECT_EQ(peaks[0].allocated_bytes, truth.allocated);
    EXPECT_EQ(peaks[0].reserved_bytes, truth.reserved);
    int64_t sum = 0;
    for (const HeldRow& row : peaks[0].live) sum += row.bytes;
    EXPECT_EQ(sum, truth.allocated);
    const Table table(*trace, "memory_peak");
    ASSERT_EQ(table.size(), 1u);
    EXPECT_EQ(table.Int(0, "allocated_bytes"), truth.allocated);
    // One screen says the same, whichever steps its other figures are of.
    TableOptions options;
    options.layout = TextLayout::kScreen;
    EXPECT_NE(RenderSummary(*trace, options).find(truth.screen),
              std::string::npos)
        << RenderSummary(*trace, options);
  }
}

TEST(MemorySnapshotTest, OutOfMemoryIsListedFirst) {
  const auto trace = Shared("oom.pickle");
  if (trace == nullptr) GTEST_SKIP() << "no shared traces";
  const Table segments(*trace, "memory_segments");
  ASSERT_GT(segments.size(), 0u);
  EXPECT_EQ(segments.Text(0, "what"), "out of memory");
  EXPECT_EQ(segments.Text(0, "line"), "train/snapshots.py:23");
}

}  // namespace
}  // namespace stepscope
