// SPDX-License-Identifier: Apache-2.0
#include "snapshot/snapshot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "snapshot/snapshot_facts.h"
#include "snapshot/snapshot_sections.h"
#include "trace/build/trace_builder.h"
#include "trace/raw_args.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr uint32_t kOther = kFirstFreeSection;

// Something of everything.
std::shared_ptr<const Trace> Sample() {
  TraceBuilder builder;
  builder.AddSource("kineto", "a.json");
  BuildFromText(R"(
    process 100 rank=3 name=train host=a
    thread 7 main
      0..100 ProfileStep#0 ProfileStep
        10..40 forward Forward shape=[2,3] bytes=64 note="a b"
          15..20 launch CudaRuntime correlation=5
        50..50 "mark here" instant
        60..100 late open
    stream 3 GPU:0
      20..35 gemm Kernel correlation=5
    counter 15 loss 0.5
    memory 15 +1024 Place(cpu) 0x10 total=1024 reserved=2048
    cpu 1.5 0.25
    flow 12 5 begin arrow
    window 0 120
  )",
                builder);
  builder.AddRawArgs(1, "\"Ev Idx\": 7");
  builder.process(0).metadata.emplace_back(builder.Intern("key"),
                                           builder.Intern("value"));
  builder.AddThread({.track = 0,
                     .recorded = 5,
                     .dropped = {{"ring full", 2}},
                     .open_scopes = {3},
                     .exited = true});
  builder.ledger().Keep(9);
  builder.ledger().Reject("no name", 12, "first");
  builder.ledger().Reject("no name", 99, "second", 7);
  builder.ledger().Repair("negative", 4, "x", 3);
  builder.AddNote("a note");
  builder.AlignEpoch(1'700'000'000'000'000'000, true);
  auto trace = builder.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

File MemoryFile(std::string_view bytes) {
  const int fd = memfd_create("snapshot", MFD_CLOEXEC);
  EXPECT_TRUE(WriteAll(fd, bytes, "snapshot"));
  return File::FromDescriptor(fd, "snapshot");
}

std::string Contents(const File& file) {
  std::string bytes(static_cast<size_t>(*file.Size()), '\0');
  EXPECT_TRUE(
      file.ReadAt(0, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()}));
  return bytes;
}

std::string Snapshot(const Trace& trace) {
  const File file = MemoryFile("");
  SnapshotWriter writer(file.fd(), "snapshot");
  TraceSnapshot::Write(trace, writer);
  const std::string_view more = "of somebody else";
  writer.Add(kOther, std::span<const char>(more));
  EXPECT_TRUE(writer.Finish());
  return Contents(file);
}

std::string_view WithoutHeader(std::string_view snapshot) {
  constexpr size_t kFirstSection = 65'536;
  return snapshot.substr(kFirstSection);
}

Result<std::shared_ptr<const Trace>> ReadFrom(File from) {
  STEPSCOPE_TRY_ASSIGN(auto file, SnapshotFile::Open(std::move(from)));
  return TraceSnapshot::Read(std::move(file), Executor::Shared());
}

Result<std::shared_ptr<const Trace>> Read(std::string_view bytes) {
  return ReadFrom(MemoryFile(bytes));
}

TEST(SnapshotTest, ATraceComesBackAsItWas) {
  const auto trace = Sample();
  const std::string bytes = Snapshot(*trace);
  auto again = Read(bytes);
  ASSERT_TRUE(again) << again.error().message;
  const Trace& t = **again;
  EXPECT_EQ(TraceToText(t), TraceToText(*trace));
  EXPECT_EQ(t.raw_args(1), "\"Ev Idx\": 7");
  EXPECT_EQ(t.raw_args(0), "");
  EXPECT_EQ(t.strings().Find("gemm"), trace->strings().Find("gemm"));
  EXPECT_EQ(t.strings().Find("no such"), StringId{});
  ASSERT_EQ(t.threads().size(), 1u);
  EXPECT_EQ(t.threads()[0].dropped[0].first, "ring full");
  EXPECT_EQ(t.threads()[0].open_scopes, trace->threads()[0].open_scopes);
  EXPECT_EQ(t.ledger().seen(), trace->ledger().seen());
  EXPECT_EQ(t.ledger().rejected().at("no name").examples[1].what, "second");
  EXPECT_EQ(t.processes()[0].rank, 3);
  EXPECT_EQ(t.str(t.processes()[0].metadata[0].second), "value");
  EXPECT_EQ(t.sources()[0].path, "a.json");
  EXPECT_EQ(t.epoch_ns(), trace->epoch_ns());
  EXPECT_EQ(t.notes(), trace->notes());
  EXPECT_EQ(t.flows().size(), 1u);
  EXPECT_EQ(t.counters().size(), 1u);
  EXPECT_EQ(t.memory().size(), 1u);
  EXPECT_EQ(t.links().size(), 2u);
  EXPECT_EQ(t.bytes(), trace->bytes());
  // Every table is the same to the byte; the header holds the second in which
  // it was written.
  const std::string copy = Snapshot(t);
  EXPECT_TRUE(WithoutHeader(copy) == WithoutHeader(bytes));
}

TEST(SnapshotTest, AnEmptyTraceToo) {
  const auto trace = *TraceBuilder().Finish();
  auto again = Read(Snapshot(*trace));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*again)->size(), 0u);
}

TEST(SnapshotTest, LongTablesAreHashedInPieces) {
  TraceBuilder builder;
  builder.AddProcess({});
  builder.AddTrack({});
  for (int i = 0; i < 400'000; ++i) {
    const Row row = builder.AddEvent(
        {.start_ns = i, .dur_ns = 1, .name = builder.Intern("work")});
    builder.AddInt(row, "value", i);
  }
  const auto trace = *builder.Finish();
  std::string bytes = Snapshot(*trace);
  auto again = Read(bytes);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*again)->start_ns()[399'999], 399'999);
  EXPECT_EQ((*again)->args_of(399'999)[0].int_value, 399'999);
  // In the middle of every megabyte.
  for (size_t at = 1 << 19; at < bytes.size() - (1 << 16); at += 1 << 20) {
    bytes[at] ^= 4;
    EXPECT_FALSE(Read(bytes)) << at;
    bytes[at] ^= 4;
  }
}

TEST(SnapshotTest, RawArgumentsLiveOnInAMergedTrace) {
  TraceBuilder merged;
  {
    auto mapped = Read(Snapshot(*Sample()));
    ASSERT_TRUE(mapped);
    merged.Add(**mapped, {});
  }
  const auto trace = *merged.Finish();
  EXPECT_EQ(trace->raw_args(1), "\"Ev Idx\": 7");
  EXPECT_EQ(TraceToText(*trace), TraceToText(*Sample()));
}

// How many pages of a column this process holds, by the system's account.
size_t PagesHeld(std::span<const int64_t> column) {
  constexpr uint64_t kPresent = uint64_t{1} << 63;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(column.data()) / page;
  std::vector<uint64_t> entries(column.size_bytes() / page + 1);
  const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  const ssize_t got = pread(fd, entries.data(), entries.size() * 8,
                            static_cast<off_t>(first * 8));
  close(fd);
  EXPECT_EQ(got, static_cast<ssize_t>(entries.size() * 8));
  return static_cast<size_t>(
      std::count_if(entries.begin(), entries.end(),
                    [](uint64_t entry) { return (entry & kPresent) != 0; }));
}

TEST(SnapshotTest, TablesMoveIntoTheFileUnderTheirReaders) {
  TraceBuilder builder;
  builder.AddProcess({});
  builder.AddTrack({});
  constexpr int kManyEvents = 1'500'001;
  EventSpec event;
  for (event.start_ns = 0; event.start_ns < kManyEvents; ++event.start_ns)
    builder.AddEvent(event);
  const auto trace = *builder.Finish();
  (void)trace->nesting();
  const std::vector<int64_t> before(trace->start_ns().begin(),
                                    trace->start_ns().end());
  const std::string bytes = Snapshot(*trace);
  const File file = MemoryFile(bytes);
  const auto snapshot =
      *SnapshotFile::Open(File::FromDescriptor(dup(file.fd()), "snapshot"));
  std::atomic<bool> done{false};
  std::atomic<bool> same{true};
  std::thread reader([&] {
    while (!done)
      for (int i = 0; i < kManyEvents; i += 64)
        if (trace->start_ns()[static_cast<Row>(i)] != i) same = false;
  });
  FilePages pages;
  TraceSnapshot::MoveInto(*trace, *snapshot, pages);
  pages.GiveBack();
  done = true;
  reader.join();
  EXPECT_TRUE(same);
  EXPECT_TRUE(
      std::equal(before.begin(), before.end(), trace->start_ns().begin()));
  EXPECT_GT(PagesHeld(trace->start_ns()), 0u);
  pages.GiveBack();
  EXPECT_LE(PagesHeld(trace->start_ns()), 1u);  // the last is not the file's
  EXPECT_TRUE(
      std::equal(before.begin(), before.end(), trace->start_ns().begin()));
  // What is in the file is what is read: they are the same pages.
  const size_t at = bytes.find(std::string("\x05\0\0\0\0\0\0\0\x06", 9));
  ASSERT_NE(at, bytes.npos);
  const char other = 77;
  ASSERT_EQ(pwrite(file.fd(), &other, 1, static_cast<off_t>(at)), 1);
  EXPECT_EQ(trace->start_ns()[5], 77);
}

// Whether no section has that byte.
bool IsPadding(const std::string& bytes, size_t at) {
  auto file = SnapshotFile::Open(MemoryFile(bytes));
  if (!file) return false;
  std::string changed = bytes;
  changed[at] ^= 1;
  auto other = SnapshotFile::Open(MemoryFile(changed));
  if (!other) return false;
  for (uint32_t kind = 0; kind <= kOther; ++kind) {
    const auto a = (*file)->bytes(kind);
    const auto b = (*other)->bytes(kind);
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) return false;
  }
  return true;
}

TEST(SnapshotTest, AFlippedBitIsFoundWhereverItIs) {
  const std::string bytes = Snapshot(*Sample());
  const File file = MemoryFile(bytes);
  size_t harmless = 0;
  const auto flip = [&](size_t at) {
    const auto place = static_cast<off_t>(at);
    const char damaged = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    ASSERT_EQ(pwrite(file.fd(), &damaged, 1, place), 1);
    if (ReadFrom(File::FromDescriptor(dup(file.fd()), "snapshot"))) {
      ++harmless;
      EXPECT_TRUE(IsPadding(bytes, at)) << at;
    }
    ASSERT_EQ(pwrite(file.fd(), &bytes[at], 1, place), 1);
  };
  for (size_t at = 0; at < 64; ++at) flip(at);
  EXPECT_EQ(harmless, 0u);
  // Sections begin at a multiple of 65,536 and are short here.
  for (size_t page = 65536; page < bytes.size(); page += 65536)
    for (size_t at = page; at < std::min(page + 256, bytes.size()); at += 7)
      flip(at);
  for (size_t at = bytes.size() - 1024; at < bytes.size(); ++at) flip(at);
}

TEST(SnapshotTest, ACutFileIsNone) {
  const std::string bytes = Snapshot(*Sample());
  for (size_t size = 0; size < bytes.size(); size += size < 128 ? 1 : 16381)
    EXPECT_FALSE(Read(bytes.substr(0, size))) << size;
  EXPECT_FALSE(Read(bytes + "x"));
}

TEST(SnapshotTest, OtherVersionsAndMachinesAreToldApart) {
  const std::string bytes = Snapshot(*Sample());
  for (const size_t at : {8u, 12u}) {
    std::string other = bytes;
    std::swap(other[at], other[at + 3]);
    const auto read = Read(other);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message,
              "snapshot: a snapshot of another version or machine");
  }
}

// The same file with other bytes in one section, and with right hashes.
std::string Rewritten(const std::string& bytes, uint32_t kind, size_t at,
                      std::string_view with) {
  const auto file = *SnapshotFile::Open(MemoryFile(bytes));
  const File fresh = MemoryFile("");
  SnapshotWriter writer(fresh.fd(), "snapshot");
  const auto copy = [&](uint32_t k, uint32_t element) {
    const auto section = file->bytes(k);
    std::string copied(reinterpret_cast<const char*>(section.data()),
                       section.size());
    if (k == kind) copied.replace(at, with.size(), with);
    writer.Begin(k, element);
    writer.Append(std::as_bytes(std::span(copied)));
  };
  const uint32_t elements[] = {0,
                               1,
                               8,
                               8,
                               1,
                               sizeof(Track),
                               8,
                               8,
                               4,
                               4,
                               2,
                               2,
                               sizeof(Flow),
                               sizeof(Link),
                               sizeof(CounterSample),
                               sizeof(StoredMemoryEvent),
                               sizeof(Arg),
                               8,
                               8,
                               sizeof(StoredRawBlock),
                               1,
                               4,
                               4,
                               8,
                               sizeof(StoredMemoryTotals)};
  for (uint32_t k = kFacts; k <= kMemoryTotals; ++k) copy(k, elements[k]);
  EXPECT_TRUE(writer.Finish());
  return Contents(fresh);
}

TEST(SnapshotTest, IdsOfNothingAreFoundAlsoWhereHashesAreRight) {
  const std::string bytes = Snapshot(*Sample());
  const std::string same = Rewritten(bytes, kOther, 0, "");
  EXPECT_TRUE(Read(same));
  constexpr std::string_view kBad("\xfe\xff\xff\x7f", 4);
  const std::pair<uint32_t, size_t> bad[] = {
      {kName, 0},
      {kTrackOf, 4},
      {kTracks, offsetof(Track, process)},
      {kTracks, offsetof(Track, name)},
      {kTracks, offsetof(Track, last)},
      {kFlows, offsetof(Flow, track)},
      {kFlows, offsetof(Flow, name)},
      {kLinks, offsetof(Link, row)},
      {kLinks, offsetof(Link, process)},
      {kCounters, offsetof(CounterSample, track)},
      {kMemory, offsetof(StoredMemoryEvent, owner)},
      {kMemory, offsetof(StoredMemoryEvent, place)},
      {kArgs, offsetof(Arg, row)},
      {kArgs, offsetof(Arg, key)},
      {kArgs, offsetof(Arg, list_count)},
      {kRawRefs, 8 + 4},
      {kRawBlocks, offsetof(StoredRawBlock, plain_size)},
      {kRawBlocks, offsetof(StoredRawBlock, end)},
      {kStringEnds, 8},
      {kParent, 0},
  };
  for (const auto& [kind, at] : bad)
    EXPECT_FALSE(Read(Rewritten(same, kind, at, kBad))) << kind << " " << at;
}

TEST(SnapshotTest, FactsAreReadWhateverTheyAre) {
  const std::string bytes = EncodeFacts(Sample()->facts());
  EXPECT_TRUE(DecodeFacts(bytes));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(DecodeFacts(bytes.substr(0, size)));
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {1, 64, 128}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      (void)DecodeFacts(damaged);
    }
  }
}

TEST(SnapshotTest, WritingAndReadingCanBeCancelled) {
  const auto trace = Sample();
  CancelToken cancel;
  cancel.Cancel();
  const File file = MemoryFile("");
  SnapshotWriter writer(file.fd(), "snapshot", &cancel);
  TraceSnapshot::Write(*trace, writer);
  const Status written = writer.Finish();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kCancelled);
  const auto opened = SnapshotFile::Open(MemoryFile(Snapshot(*trace)));
  ASSERT_TRUE(opened);
  const auto read = TraceSnapshot::Read(*opened, Executor::Shared(), &cancel);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace stepscope
