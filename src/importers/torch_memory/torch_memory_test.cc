// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "importers/input/input_source.h"
#include "importers/torch_memory/pickle_writer_test_support.h"
#include "importers/torch_memory/torch_memory_importer.h"

namespace stepscope {
namespace {

using torch_memory::PickleWriter;
using torch_memory::SnapshotSpec;
using torch_memory::WriteSnapshot;

Result<std::shared_ptr<const Trace>> ReadBytes(const std::string& bytes) {
  auto input = InputSource::FromBytes(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
      "a.pickle");
  if (!input) return input.error();
  TraceBuilder builder;
  const Status status = TorchMemoryImporter().Import(**input, {}, builder);
  if (!status) return status.error();
  return builder.Finish();
}

// The peak of one kind, by the sums of the events.
int64_t Peak(const Trace& trace, bool reserved) {
  int64_t now = 0;
  int64_t peak = 0;
  for (const MemoryEvent& event : trace.memory()) {
    const bool is = event.kind == MemoryKind::kReservedAllocate ||
                    event.kind == MemoryKind::kReservedFree;
    if (is != reserved) continue;
    now += event.bytes;
    peak = std::max(peak, now);
  }
  return peak;
}

void ExpectRefused(const std::string& bytes, const std::string& part) {
  const auto trace = ReadBytes(bytes);
  ASSERT_FALSE(trace) << part;
  const std::string& message = trace.error().message;
  EXPECT_NE(message.find(part), message.npos) << message;
  EXPECT_EQ(message.find('\n'), message.npos) << message;
  EXPECT_EQ(message.find("a.pickle: byte "), 0u) << message;
}

constexpr uint64_t kBase = 0x7f0000000000;

SnapshotSpec Sample() {
  SnapshotSpec spec;
  spec.events = {
      {"segment_alloc", kBase, 2 << 20, 0, 1000},
      {"alloc", kBase, 100, 0, 1001},
      {"alloc", kBase + 512, 700, 0, 1002},
      {"free_requested", kBase, 100, 0, 1003},
      {"free_completed", kBase, 100, 0, 1003},
      {"oom", 5, 1 << 30, 0, 1004},
  };
  spec.segments = {{kBase,
                    2 << 20,
                    {{kBase, 512, 100, "inactive"},
                     {kBase + 512, 1024, 700, "active_allocated"},
                     {kBase + 1536, (2 << 20) - 1536, 0, "inactive"}}}};
  return spec;
}

TEST(TorchMemoryTest, EventsOfEveryProtocol) {
  for (const int protocol : {2, 3, 4, 5}) {
    SnapshotSpec spec = Sample();
    spec.protocol = protocol;
    const auto trace = ReadBytes(WriteSnapshot(spec));
    ASSERT_TRUE(trace) << trace.error().message;
    const Trace& t = **trace;
    EXPECT_EQ(t.format(), "torch_memory");
    // The free is one event, though the file has two.
    ASSERT_EQ(t.memory().size(), 4u);
    EXPECT_EQ(t.memory()[1].bytes, 512);
    EXPECT_EQ(t.memory()[1].padding_bytes, 412);
    EXPECT_EQ(t.memory()[3].bytes, -512);
    EXPECT_EQ(t.str(t.memory()[1].place), "Place(gpu:0)");
    EXPECT_EQ(Peak(t, false), 512 + 1024);
    EXPECT_EQ(Peak(t, true), 2 << 20);
    EXPECT_EQ(t.memory()[1].time_ns, 1000);
    EXPECT_EQ(t.epoch_ns(), 1'000'000);
    const Row owner = t.memory()[1].owner;
    ASSERT_NE(owner, kNoRow);
    EXPECT_EQ(t.str(t.name()[owner]), "forward (train.py:18)");
    EXPECT_EQ(t.ledger().seen(), 6u + 4u);
    EXPECT_EQ(t.ledger().kept(), t.ledger().seen());
  }
}

// torch 2.15 can leave actions out of a recording: without the request of a
// free, or without its end, the other one is the free.
TEST(TorchMemoryTest, FreesOfWhichOneHalfIsLeftOut) {
  for (const char* left_out : {"free_requested", "free_completed"}) {
    SnapshotSpec spec = Sample();
    spec.events.insert(spec.events.end() - 1,
                       {{"alloc", kBase, 200, 0, 1003},
                        {"free_requested", kBase, 200, 0, 1003},
                        {"alloc", kBase + 1536, 300, 0, 1003},
                        {"free_completed", kBase, 200, 0, 1003}});
    std::erase_if(spec.events,
                  [&](const auto& event) { return event.action == left_out; });
    const auto trace = ReadBytes(WriteSnapshot(spec));
    ASSERT_TRUE(trace) << trace.error().message;
    int64_t live = 0;
    for (const MemoryEvent& event : (*trace)->memory())
      if (event.kind == MemoryKind::kAllocate ||
          event.kind == MemoryKind::kFree)
        live += event.bytes;
    EXPECT_EQ(live, 1024 + 512) << left_out;
  }
}

TEST(TorchMemoryTest, WhatTheProgramSaysOfATensor) {
  SnapshotSpec spec = Sample();
  spec.events.push_back({"annotate", kBase + 512, 700, 0, 1005});
  const auto trace = ReadBytes(WriteSnapshot(spec));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->ledger().kept(), (*trace)->ledger().seen());
  EXPECT_EQ((*trace)->memory().size(), 4u);
  const auto names = (*trace)->name();
  EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](StringId name) {
    return (*trace)->str(name) == "annotation";
  }));
}

// Two blocks were there: one that is still, and one that was freed.
TEST(TorchMemoryTest, ATraceThatBeginsInTheMiddle) {
  SnapshotSpec spec = Sample();
  spec.events.erase(spec.events.begin(), spec.events.begin() + 3);
  const auto trace = ReadBytes(WriteSnapshot(spec));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(Peak(**trace, false), 512 + 1024);
  EXPECT_EQ(Peak(**trace, true), 2 << 20);
  const MemoryEvent first = (*trace)->memory()[0];
  EXPECT_EQ(first.kind, MemoryKind::kReservedAllocate);
  EXPECT_NE((*trace)->flags()[first.owner] & kEventInferred, 0);
}

// A large block keeps a rest of at most 1 MiB.
TEST(TorchMemoryTest, BlocksThatWereNotSplit) {
  SnapshotSpec spec;
  spec.events = {{"segment_alloc", 1 << 30, 12 << 20, 0, 1},
                 {"alloc", 1 << 30, 11 << 20, 0, 2},
                 {"free_requested", 1 << 30, 11 << 20, 0, 3},
                 {"free_completed", 1 << 30, 11 << 20, 0, 3}};
  const auto trace = ReadBytes(WriteSnapshot(spec));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(Peak(**trace, false), 12 << 20);
  EXPECT_EQ((*trace)->memory()[2].bytes, -(12 << 20));
}

TEST(TorchMemoryTest, OldVersionsLackKeys) {
  SnapshotSpec spec = Sample();
  spec.has_times = false;
  const auto trace = ReadBytes(WriteSnapshot(spec));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->memory().size(), 4u);
  EXPECT_FALSE((*trace)->notes().empty());
  // Segments alone.
  spec.only_segments = true;
  const auto segments = ReadBytes(WriteSnapshot(spec));
  ASSERT_TRUE(segments) << segments.error().message;
  EXPECT_EQ(Peak(**segments, true), 2 << 20);
  EXPECT_EQ(Peak(**segments, false), 1024);
}

// What a snapshot says of who allocated what, in the order of the file.
std::string Told(const Trace& trace) {
  std::string text;
  for (const MemoryEvent& event : trace.memory()) {
    text += std::to_string(static_cast<int>(event.kind)) + " " +
            std::to_string(event.address) + " " + std::to_string(event.bytes) +
            " " + std::string(trace.str(event.place)) + " " +
            std::string(trace.str(trace.name()[event.owner])) + "\n";
  }
  return text;
}

// The keys of torch 2.0 to 2.10, and the two writers that torch has, say the
// same of the same program. It begins in the middle, so that blocks count.
TEST(TorchMemoryTest, VersionsOfTorch) {
  SnapshotSpec now = Sample();
  now.events.erase(now.events.begin(), now.events.begin() + 3);
  now.segments[0].blocks[1].file = "model.py";
  now.with_settings = true;
  const auto expected = ReadBytes(WriteSnapshot(now));
  ASSERT_TRUE(expected) << expected.error().message;
  const std::string told = Told(**expected);
  EXPECT_NE(told.find("forward (model.py:7)"), told.npos) << told;
  EXPECT_EQ(told.find("before.py"), told.npos);
  for (const bool with_settings : {false, true})
    for (const bool with_history : {false, true})
      for (const bool by_torch : {false, true})
        for (const bool has_times : {false, true}) {
          SnapshotSpec spec = now;
          spec.with_settings = with_settings;
          spec.with_history = with_history;
          spec.by_torch = by_torch;
          spec.has_times = has_times;
          if (by_torch) spec.protocol = 2;
          const auto trace = ReadBytes(WriteSnapshot(spec));
          ASSERT_TRUE(trace) << trace.error().message;
          EXPECT_EQ(Told(**trace), told);
          EXPECT_EQ((*trace)->ledger().kept(), (*trace)->ledger().seen());
          EXPECT_EQ((*trace)->ledger().seen(), 3u + 4u);
        }
}

// Torch takes both settings. Blocks of expandable segments are always split, so
// that the replay has no limit then.
TEST(TorchMemoryTest, SettingsThatContradictEachOther) {
  for (const bool expandable : {false, true}) {
    SnapshotSpec spec = Sample();
    spec.with_settings = true;
    spec.expandable = expandable;
    const auto trace = ReadBytes(WriteSnapshot(spec));
    ASSERT_TRUE(trace) << trace.error().message;
    std::string settings;
    for (const auto& [key, value] : (*trace)->processes()[0].metadata)
      if ((*trace)->str(key) == "allocator_settings")
        settings = (*trace)->str(value);
    EXPECT_EQ(settings,
              expandable ? "expandable_segments:True" : "max_split_size_mb:64");
  }
}

TEST(TorchMemoryTest, WhatWasFreeWhenMemoryWasOut) {
  const auto trace = ReadBytes(WriteSnapshot(Sample()));
  ASSERT_TRUE(trace) << trace.error().message;
  std::map<std::string, int64_t> stated;
  for (const Arg& arg : (*trace)->args())
    if ((*trace)->str((*trace)->name()[arg.row]) == "out of memory" &&
        arg.kind == ArgKind::kInt)
      stated[std::string((*trace)->str(arg.key))] = arg.int_value;
  EXPECT_EQ(stated, (std::map<std::string, int64_t>{{"bytes", 1 << 30},
                                                    {"device_free_bytes", 5}}));
}

TEST(TorchMemoryTest, TheRankIsInTheNameOfTheFile) {
  const std::string bytes = WriteSnapshot(Sample());
  const std::pair<const char*, int64_t> cases[] = {
      {"rank3.pickle", 3},
      {"/rank7/a.pickle", -1},
      {"mem/snapshot_rank_12.pickle", 12},
      {"rank-0.rank.pickle", 0},
      {"frank.pickle", -1},
      {"rank12345678901234567890.pickle", -1},
      {"train.pickle", -1}};
  for (const auto& [name, rank] : cases) {
    auto input = InputSource::FromBytes(
        {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, name);
    TraceBuilder builder;
    ASSERT_TRUE(TorchMemoryImporter().Import(**input, {}, builder));
    EXPECT_EQ((*builder.Finish())->processes()[0].rank, rank) << name;
  }
}

TEST(TorchMemoryTest, OfTorchWithoutAGpu) {
  const auto trace = ReadBytes(WriteSnapshot({}));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_TRUE((*trace)->memory().empty());
  EXPECT_EQ((*trace)->notes().size(), 1u);
}

TEST(TorchMemoryTest, NothingIsEverRun) {
  const std::string path = testing::TempDir() + "torch_memory_planted";
  std::filesystem::remove(path);
  const std::string command = "touch " + path;
  // os.system(command), in the ways that pickles say it.
  ExpectRefused(
      "\x80\x02"
      "cposix\nsystem\nX" +
          PickleWriter::Little(command.size(), 4) + command + "\x85R.",
      "imports a name (posix.system)");
  ExpectRefused(std::string("\x80\x04") + "\x8c\x05posix\x8c\x06system\x93" +
                    "\x8c" + static_cast<char>(command.size()) + command +
                    "\x85R.",
                "imports a name (posix.system)");
  for (const char opcode : {'R', 'b', 'i', 'o', 'P', 'Q', '\x81', '\x92',
                            '\x82', '\x83', '\x84', '\x97', '\x98'})
    ExpectRefused(std::string("\x80\x04}}") + opcode + ".",
                  "so nothing of it was run");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TorchMemoryTest, CutAtEveryByte) {
  SnapshotSpec spec = Sample();
  const std::string whole = WriteSnapshot(spec);
  for (size_t size = 3; size < whole.size(); ++size) {
    const auto trace = ReadBytes(whole.substr(0, size));
    ASSERT_FALSE(trace) << size;
    ASSERT_EQ(trace.error().message.find("a.pickle: byte "), 0u);
  }
}

TEST(TorchMemoryTest, EveryByteChanged) {
  const std::string whole = WriteSnapshot(Sample());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const unsigned change : {1u, 0x80u, 0xffu}) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(static_cast<uint8_t>(bytes[i]) ^ change);
      const auto trace = ReadBytes(bytes);
      if (!trace) {
        EXPECT_EQ(trace.error().message.find('\n'), std::string::npos);
      }
    }
  }
}

// Each frame would make a stack of all before it.
TEST(TorchMemoryTest, AStackThatGrowsFrameByFrame) {
  std::string bytes = "\x80\x04]";
  for (int i = 0; i < 100'000; ++i) bytes += "}\x8c\x04lineK\x01sa";
  ExpectRefused(bytes + ".", "another program");
}

TEST(TorchMemoryTest, CyclesAndDepthEnd) {
  ExpectRefused("\x80\x02}.", "another program");
  // A list that has itself, and a dict that is its own value.
  ExpectRefused(std::string("\x80\x04]\x94h\0a.", 8), "another program");
  EXPECT_TRUE(ReadBytes(std::string("\x80\x04}\x94\x8c\x08segmentsh\0s.", 18)));
  ExpectRefused("\x80\x04" + std::string(3'000'000, ']') + ".",
                "more than a million values");
  ExpectRefused("\x80\x04" + std::string(3'000'000, '(') + ".", "too deep");
  ExpectRefused(std::string("\x80\x04r\xff\xff\xff\x7f.", 8), "");
  ExpectRefused(std::string("\x80\x04Nr\xff\xff\xff\x7f.", 9), "memo index");
  ExpectRefused(std::string("\x80\x04\x8d\xff\xff\xff\xff\xff\0\0\0ab", 13),
                "ends inside a text");
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// To the byte what the allocator itself said.
TEST(TorchMemoryTest, RealSnapshots) {
  const std::string folder = STEPSCOPE_SHARED_TRACES "/memory/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared traces";
  const auto train = ReadBytes(Contents(folder + "train.pickle"));
  ASSERT_TRUE(train) << train.error().message;
  EXPECT_EQ(Peak(**train, true), 241'172'480);
  EXPECT_EQ(Peak(**train, false), 215'390'720);
  const auto oom = ReadBytes(Contents(folder + "oom.pickle"));
  ASSERT_TRUE(oom) << oom.error().message;
  EXPECT_EQ(Peak(**oom, true), 2'787'115'008);
  EXPECT_EQ(Peak(**oom, false), 2'768'159'744);
}

}  // namespace
}  // namespace stepscope
