// SPDX-License-Identifier: Apache-2.0
//
// A planted leak and a planted hole are named with their line; what was live
// at the peak adds up to it; the replay reserves what torch reserved.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/headline.h"
#include "analysis/replay/memory_whatif.h"
#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "analysis/tables/memory_peak.h"
#include "report/summary.h"
#include "snapshot_trace.h"

namespace stepscope {
namespace {

using torch_memory::EventOfSnapshot;
using torch_memory::SnapshotSpec;

constexpr int64_t kMiB = 1 << 20;
constexpr uint64_t kBase = 0x7f0000000000;

class Table {
 public:
  Table(const Trace& trace, std::string_view key) : schema_(*FindTable(key)) {
    SummaryOptions options;
    options.views = schema_.view;
    summary_ = ComputeSummary(trace, options);
    rows_ = schema_.rows(summary_);
  }
  size_t size() const { return rows_.size(); }
  const Summary& summary() const { return summary_; }
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

// 6 MiB are asked for while 4 are free in each of two segments: both are given
// back first. A call of empty_cache() does the same, and is no retry.
TEST(MemorySnapshotTest, ARetryHasItsLineAndItsTime) {
  for (const bool by_program : {false, true}) {
    SnapshotSpec spec;
    const uint64_t other = kBase + (uint64_t{1} << 32);
    const uint64_t more = kBase + (uint64_t{1} << 33);
    const char* const who = by_program ? "empty_cache.py" : "retry.py";
    spec.events = {{"segment_alloc", kBase, 20 * kMiB, 0, 1},
                   {"segment_alloc", other, 20 * kMiB, 0, 2},
                   {"segment_free", kBase, 20 * kMiB, 0, 100, who, 9},
                   {"segment_free", other, 20 * kMiB, 0, 150, who, 9},
                   {"segment_alloc", more, 30 * kMiB, 0, 170, "retry.py", 9},
                   {"alloc", more, 30 * kMiB, 0, 171, "retry.py", 9}};
    const auto trace = TraceOf(spec);
    const Table segments(*trace, "memory_segments");
    if (by_program) {
      ASSERT_GT(segments.size(), 0u);
      EXPECT_EQ(segments.Text(0, "what"), "segment");
      continue;
    }
    EXPECT_EQ(segments.Text(0, "what"), "retry");
    EXPECT_EQ(segments.Text(0, "line"), "retry.py:9");
    EXPECT_EQ(segments.Int(0, "asked_bytes"), 30 * kMiB);
    EXPECT_EQ(segments.Int(0, "released_bytes"), 40 * kMiB);
    EXPECT_EQ(segments.Int(0, "segment_bytes"), 30 * kMiB);
    EXPECT_EQ(segments.Int(0, "took_ns"), 71'000);
    SummaryOptions options;
    options.views = kAdviceView;
    const Summary summary = ComputeSummary(*trace, options);
    ASSERT_EQ(summary.advice.findings.size(), 1u);
    EXPECT_EQ(summary.advice.findings[0].id, "memory_retries");
    EXPECT_EQ(summary.advice.findings[0].evidence[0].time_ns, 71'000);
  }
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

// Somebody else has the address, so it was freed, though nothing says when.
TEST(MemorySnapshotTest, AnAddressThatIsUsedAgain) {
  SnapshotSpec spec;
  spec.events = {{"segment_alloc", kBase, 2 * kMiB, 0, 1},
                 {"alloc", kBase, 512, 0, 2, "first.py"},
                 {"alloc", kBase, 1000, 0, 3, "second.py"},
                 {"free_requested", kBase, 1000, 0, 4},
                 {"free_completed", kBase, 1000, 0, 4}};
  const auto trace = TraceOf(spec);
  const auto whatif = ComputeMemoryWhatif(*trace, {});
  ASSERT_TRUE(whatif) << whatif.error().message;
  EXPECT_EQ(whatif->rows[0].peak_allocated_bytes, 1024);
  const Table lives(*trace, "memory_lifetimes");
  ASSERT_EQ(lives.size(), 2u);
  for (const size_t row : {size_t{0}, size_t{1}}) {
    EXPECT_EQ(lives.Int(row, "kept"), 0) << lives.Text(row, "line");
    EXPECT_EQ(lives.Int(row, "median_life_ns"), 1000);
  }
  // The sum of the events has both, and what holds it says so.
  const std::vector<PeakOfDevice> peaks = ComputeMemoryPeaks(*trace);
  ASSERT_EQ(peaks.size(), 1u);
  int64_t sum = 0;
  for (const HeldRow& row : peaks[0].live) sum += row.bytes;
  EXPECT_EQ(sum, peaks[0].allocated_bytes);
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

// Two ranks, each with a first GPU: the one that holds more is named first,
// and what fits is said of each.
TEST(MemorySnapshotTest, RanksAreASet) {
  std::vector<SnapshotSpec> specs(3, WithHole());
  for (const size_t rank : {size_t{0}, size_t{2}})
    specs[rank].events.resize(rank == 2 ? 3 : specs[rank].events.size() - 2);
  const auto trace = RanksOf(specs);
  const Table ranks(*trace, "memory_processes");
  ASSERT_EQ(ranks.size(), 3u);
  EXPECT_EQ(ranks.Text(0, "process"), "rank 1");
  EXPECT_EQ(ranks.Int(0, "reserved_bytes"), 40 * kMiB);
  EXPECT_EQ(ranks.Int(0, "allocated_bytes"), 20 * kMiB);
  EXPECT_EQ(ranks.Text(1, "process"), "rank 0");
  EXPECT_EQ(ranks.Int(1, "reserved_bytes"), 20 * kMiB);
  EXPECT_EQ(ranks.Int(1, "allocated_bytes"), 20 * kMiB);
  EXPECT_EQ(ranks.Int(2, "allocated_bytes"), 8 * kMiB);
  MemoryWhatifOptions options;
  options.device_bytes = 32 * kMiB;
  const auto whatif = ComputeMemoryWhatif(*trace, options);
  ASSERT_TRUE(whatif) << whatif.error().message;
  ASSERT_EQ(whatif->rows.size(), 3u);
  EXPECT_EQ(whatif->rows[0].process, "rank 1");
  EXPECT_EQ(whatif->rows[0].rank, 1);
  EXPECT_FALSE(*whatif->rows[0].fits);
  EXPECT_TRUE(*whatif->rows[1].fits);
  EXPECT_TRUE(*whatif->rows[2].fits);
  TableOptions screen;
  screen.layout = TextLayout::kScreen;
  const std::string text = RenderSummary(*trace, screen);
  EXPECT_LT(text.find("rank 1"), text.find("rank 0")) << text;
  EXPECT_NE(text.find("rank 2"), text.npos) << text;
}

// Each of two ranks is full while the other one is empty, at addresses that
// both have: together they never held more than one of them.
TEST(MemorySnapshotTest, PeaksOfRanksDoNotAddUp) {
  std::vector<SnapshotSpec> specs(2);
  for (const size_t rank : {size_t{0}, size_t{1}}) {
    const auto time = static_cast<int64_t>(1000 * rank);
    const auto size = static_cast<int64_t>(4 + rank) * kMiB;
    const char* const file = rank == 0 ? "zero.py" : "one.py";
    specs[rank].events = {
        {"segment_alloc", kBase, 20 * kMiB, 0, 1},
        {"alloc", kBase, kMiB, 0, 2, "both.py"},
        {"alloc", kBase + 2 * kMiB, size, 0, time + 10, file},
        {"free_requested", kBase + 2 * kMiB, size, 0, time + 20, file},
        {"free_completed", kBase + 2 * kMiB, size, 0, time + 20, file},
        {"snapshot", 0, 0, 0, 3000}};
  }
  const auto trace = RanksOf(specs);
  const Table memory(*trace, "memory");
  ASSERT_EQ(memory.size(), 2u);
  for (const size_t rank : {size_t{0}, size_t{1}}) {
    const int64_t most = (5 + static_cast<int64_t>(rank)) * kMiB;
    EXPECT_EQ(memory.Text(rank, "place"), "Place(gpu:0)");
    EXPECT_EQ(memory.Text(rank, "process"), "rank " + std::to_string(rank));
    EXPECT_EQ(memory.Int(rank, "peak_allocated_bytes"), most);
    EXPECT_EQ(memory.Int(rank, "peak_reserved_bytes"), 20 * kMiB);
    const MemoryLife& life = memory.summary().memory[rank].life;
    EXPECT_EQ(life.before_bytes, 0);
    ASSERT_EQ(life.live_at_peak.size(), 2u);
    EXPECT_EQ(life.live_at_peak[0].bytes, most - kMiB);
    EXPECT_EQ(life.live_at_peak[1].bytes, kMiB);
  }
  const std::vector<PeakOfDevice> peaks = ComputeMemoryPeaks(*trace);
  ASSERT_EQ(peaks.size(), 2u);
  EXPECT_EQ(peaks[0].process, "rank 1");
  EXPECT_EQ(peaks[0].live[0].owner, "forward (one.py:18)");
  for (const PeakOfDevice& peak : peaks) {
    int64_t sum = 0;
    for (const HeldRow& row : peak.live) sum += row.bytes;
    EXPECT_EQ(sum, peak.allocated_bytes) << peak.process;
  }
  // Rows inside say whose they are.
  TableOptions csv;
  csv.format = TableFormat::kCsv;
  csv.views = kMemoryView | kMemoryLifeView;
  const std::string text = RenderSummary(*trace, csv);
  EXPECT_NE(text.find("\nmemory_rows,\"Place(gpu:0), rank 1\","), text.npos)
      << text;
}

// No operator of a snapshot takes time.
TEST(MemorySnapshotTest, ThatNothingElseWasRecordedIsNoNews) {
  const auto trace = TraceOf(Leaking());
  SummaryOptions options;
  options.views = kAdviceView;
  for (const std::string& said : HeadlineOf(ComputeSummary(*trace, options)))
    EXPECT_EQ(said.find("Nothing was recorded"), said.npos) << said;
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
