// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/allocator_history.h"

#include <gtest/gtest.h>
#include <stepscope/external.h>
#include <stepscope/plugin.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "base/file.h"
#include "importers/capture/capture_file.h"
#include "importers/capture/capture_writer_test_support.h"
#include "importers/capture/sample_capture_test_support.h"
#include "importers/torch_memory/pickle_writer_test_support.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::capture {
namespace {

using torch_memory::EventOfSnapshot;
using torch_memory::SnapshotSpec;

constexpr int64_t kBeganNs = 1'700'000'000'000'000'000;
constexpr uint64_t kMilli = 1'000'000;
constexpr int64_t kMebi = 1 << 20;

enum HistoryName : uint32_t {
  kStepRange = 2,
  kMulOp,
  kAddOp,
  kNodeOp,
  kInnerOp,
  kGpuPlace,
  kCpuPlace,
};

int64_t Us(uint64_t tick) {
  return kBeganNs / 1000 + static_cast<int64_t>(tick / 1000);
}

std::string PartsOf(const std::string& file, size_t part_bytes) {
  const format::DeviceHeader header = {};
  std::string payload(reinterpret_cast<const char*>(&header), sizeof(header));
  for (size_t at = 0; at < file.size(); at += part_bytes) {
    std::string bytes = file.substr(at, part_bytes);
    stepscope_record_part part = {};
    part.head.kind = STEPSCOPE_RECORD_PART;
    part.offset = at;
    part.total = file.size();
    part.kind = STEPSCOPE_FILE_TORCH_MEMORY;
    part.count = static_cast<uint32_t>(bytes.size());
    bytes.resize((bytes.size() + 7) / 8 * 8);
    part.head.bytes = static_cast<uint16_t>(sizeof(part) + bytes.size());
    payload.append(reinterpret_cast<const char*>(&part), sizeof(part));
    payload += bytes;
  }
  return payload;
}

// A step of the main thread (uid 1) from 1 to 21 ms with two operators, and
// one of a node of the backward pass on another thread (uid 2).
class AllocatorHistoryTest : public testing::Test {
 protected:
  AllocatorHistoryTest() {
    history_.segments = {
        {0x1000'0000,
         20 * kMebi,
         {{0x1000'0000, 2 * kMebi, 2 * kMebi, "active_allocated"},
          {0x1020'0000, 18 * kMebi, 0, "inactive"}}}};
    main_.Event(1 * kMilli, 20 * kMilli, kStepRange);
    main_.Event(2 * kMilli, 2 * kMilli, kMulOp);
    main_.Event(5 * kMilli, 2 * kMilli, kAddOp);
    other_.Event(10 * kMilli, 4 * kMilli, kNodeOp);
    other_.Event(11 * kMilli, 2 * kMilli, kInnerOp);
  }

  void Allocates(uint64_t tick, uint64_t address, int64_t size,
                 const std::string& file = "", int64_t line = 0) {
    history_.events.push_back(
        {"alloc", address, size, 0, Us(tick), file, line});
  }
  void Frees(uint64_t tick, uint64_t address, int64_t size) {
    history_.events.push_back(
        {"free_requested", address, size, 0, Us(tick), "", 0});
    history_.events.push_back(
        {"free_completed", address, size, 0, Us(tick), "", 0});
  }
  static format::MemoryPayload Told(uint64_t address, uint64_t bytes,
                                    uint32_t place, uint32_t kind) {
    format::MemoryPayload told = {};
    told.address = address;
    told.bytes = bytes;
    told.place_site = place;
    told.kind = kind;
    return told;
  }

  std::shared_ptr<const Trace> Import(const std::string& parts) {
    CaptureWriter out;
    out.Process({{"pid", "77"}});
    const auto ns = static_cast<int64_t>(end_);
    const format::Anchor begin = {0, 0, began_ns_, 0, 0};
    const format::Anchor end = {end_, ns, began_ns_ + ns, 0, 0};
    out.Clock(format::ClockKind::kMonotonic, 1'000'000'000, {begin, end});
    out.Names({{kStepRange, STEPSCOPE_PROFILE_STEP, "ProfileStep#0"},
               {kMulOp, STEPSCOPE_OPERATOR, "aten::mul"},
               {kAddOp, STEPSCOPE_OPERATOR, "aten::add"},
               {kNodeOp, STEPSCOPE_BACKWARD, "MulBackward0"},
               {kInnerOp, STEPSCOPE_OPERATOR, "aten::mm"},
               {kGpuPlace, STEPSCOPE_USER_DEFINED, "Place(gpu:0)"},
               {kCpuPlace, STEPSCOPE_USER_DEFINED, "Place(cpu)"}});
    out.Thread(MakeThread(1, 501, "main"));
    out.Thread(MakeThread(2, 502, "autograd"));
    out.Events(1, 0, 0, 1, 0, main_.slots());
    out.Events(2, 0, 1, 2, 0, other_.slots());
    if (!parts.empty())
      out.Block(static_cast<uint16_t>(format::BlockKind::kDevice), 1, parts);
    out.End(end_);
    const TempFolder folder;
    const auto trace = ImportCapture(folder.Write("x.sscap", out.bytes()));
    if (!trace) ADD_FAILURE() << trace.error().message;
    return trace ? *trace : TraceFromText("");
  }
  std::shared_ptr<const Trace> Joined() {
    return Import(PartsOf(torch_memory::WriteSnapshot(history_), 1000));
  }

  // "name bytes" of each event of a place.
  static std::string Owners(const Trace& trace, std::string_view place) {
    std::string text;
    for (const MemoryEvent& event : trace.memory()) {
      if (trace.str(event.place) != place) continue;
      text +=
          event.owner == kNoRow ? "-" : trace.str(trace.name()[event.owner]);
      text += " " + std::to_string(event.bytes) + "\n";
    }
    return text;
  }

  int64_t began_ns_ = kBeganNs;
  uint64_t end_ = 30 * kMilli;
  SlotList main_;
  SlotList other_;
  SnapshotSpec history_;
};

TEST_F(AllocatorHistoryTest, BelongsToTheOperatorThatRanThen) {
  history_.events.push_back({"segment_alloc", 0x1000'0000, 20 * kMebi, 0,
                             Us(2 * kMilli + 1000), "", 0});
  Allocates(2 * kMilli + 2000, 0x1000'0000, 2 * kMebi - 100);
  Allocates(11 * kMilli + 2000, 0x1020'0000, kMebi + 1);  // on the other thread
  Allocates(18 * kMilli, 0x1040'0000, 3 * kMebi);         // between operators
  Frees(19 * kMilli, 0x1040'0000, 3 * kMebi);
  Frees(20 * kMilli, 0x1020'0000, kMebi + 1);
  const auto trace = Joined();
  EXPECT_EQ(Owners(*trace, "Place(gpu:0)"),
            "aten::mul 20971520\n"
            "aten::mul 2097152\n"
            "aten::mm 1049088\n"
            "ProfileStep#0 3145728\n"
            "ProfileStep#0 -3145728\n"
            "ProfileStep#0 -1049088\n");
  EXPECT_TRUE(trace->complete());
  EXPECT_TRUE(trace->notes().empty());
}

TEST_F(AllocatorHistoryTest, WhatWasToldSaysWhichThreadItWas) {
  // At the time of an operator of each thread, so that time cannot tell.
  main_.Event(11 * kMilli, 3 * kMilli, kAddOp);
  Allocates(11 * kMilli + 500'000, 0x1000'0000, 2 * kMebi);
  Allocates(11 * kMilli + 600'000, 0x1020'0000, 2 * kMebi);
  Allocates(11 * kMilli + 700'000, 0x1040'0000, 2 * kMebi);
  other_.Memory(11 * kMilli + 500'200,
                Told(0x1000'0000, 2 * kMebi, kGpuPlace, STEPSCOPE_ALLOCATE));
  main_.Memory(11 * kMilli + 600'200,
               Told(0x1020'0000, 2 * kMebi, kGpuPlace, STEPSCOPE_ALLOCATE));
  main_.Memory(11 * kMilli + 800'000,
               Told(0x2000'0000, 64, kCpuPlace, STEPSCOPE_ALLOCATE));
  const auto trace = Joined();
  // Nothing twice; the last one is nobody's.
  EXPECT_EQ(Owners(*trace, "Place(gpu:0)"),
            "(before the recording) 20971520\n"
            "aten::mm 2097152\naten::add 2097152\n- 2097152\n");
  EXPECT_EQ(Owners(*trace, "Place(cpu)"), "aten::add 64\n");
}

TEST_F(AllocatorHistoryTest, OperatorsSayTheirLines) {
  Allocates(2 * kMilli + 2000, 0x1000'0000, 2 * kMebi, "train.py", 7);
  Allocates(18 * kMilli, 0x1020'0000, kMebi, "train.py", 9);
  const auto trace = Joined();
  std::map<std::string, std::string> lines;
  for (const MemoryEvent& event : trace->memory())
    for (const Arg& arg : trace->args_of(event.owner))
      if (trace->str(arg.key) == "line")
        lines[std::string(trace->str(trace->name()[event.owner]))] =
            trace->str(arg.text);
  EXPECT_EQ(lines["aten::mul"], "train.py:7");
  // Between operators, the function is better than the step.
  EXPECT_EQ(lines["forward (train.py:9)"], "train.py:9");
}

TEST_F(AllocatorHistoryTest, BeginsWithWhatWasThere) {
  Allocates(2 * kMilli + 2000, 0x1020'0000, kMebi + 1);
  const auto trace = Joined();
  EXPECT_EQ(Owners(*trace, "Place(gpu:0)"),
            "(before the recording) 20971520\n"
            "(before the recording) 2097152\n"
            "aten::mul 1049088\n");
  EXPECT_EQ(trace->memory()[0].time_ns, 0);
}

TEST_F(AllocatorHistoryTest, OfWhatWasBeforeTheWindowCountsWhatIsLeft) {
  began_ns_ += 8 * static_cast<int64_t>(kMilli);
  const std::string file = "train.py";
  history_.events.push_back(
      {"segment_alloc", 0x1000'0000, 20 * kMebi, 0, Us(1 * kMilli), "", 0});
  history_.events.push_back(
      {"segment_alloc", 0x3000'0000, 20 * kMebi, 0, Us(1 * kMilli), "", 0});
  Allocates(2 * kMilli, 0x1000'0000, 2 * kMebi, file, 7);
  Allocates(3 * kMilli, 0x1020'0000, 2 * kMebi);
  Allocates(4 * kMilli, 0x3000'0000, 12 * kMebi);
  Frees(5 * kMilli, 0x3000'0000, 12 * kMebi);
  history_.events.push_back(
      {"segment_free", 0x3000'0000, 20 * kMebi, 0, Us(6 * kMilli), "", 0});
  // 2 ms into the window, whose clock began 8 ms later.
  Frees(10 * kMilli, 0x1020'0000, 2 * kMebi);
  const auto trace = Joined();
  EXPECT_EQ(Owners(*trace, "Place(gpu:0)"),
            "(before the recording) 20971520\n"
            "forward (train.py:7) 2097152\n"
            "(before the recording) 2097152\n"
            "aten::mul -2097152\n");
  EXPECT_EQ(trace->memory()[2].time_ns, 0);
}

// As torch itself said: traces/memory/truth.json.
TEST_F(AllocatorHistoryTest, TheTotalsOfARealHistory) {
  const Result<std::string> pickle =
      ReadFile(STEPSCOPE_SHARED_TRACES "/memory/train.pickle");
  if (!pickle) GTEST_SKIP() << pickle.error().message;
  began_ns_ = 1'794'934'335'954'000'000;
  end_ = 10'000 * kMilli;
  const auto trace = Import(PartsOf(*pickle, 60'000));
  uint64_t allocated = 0;
  uint64_t reserved = 0;
  for (const MemoryEvent& event : trace->memory()) {
    allocated = std::max(allocated, event.total_allocated);
    reserved = std::max(reserved, event.total_reserved);
  }
  EXPECT_EQ(allocated, 215'390'720u);
  EXPECT_EQ(reserved, 241'172'480u);
  EXPECT_EQ(trace->memory().back().total_allocated, 68'157'440u);
}

TEST_F(AllocatorHistoryTest, WhatCameAfterTheWindowIsLeftOut) {
  Allocates(2 * kMilli + 2000, 0x1020'0000, kMebi);
  Allocates(40 * kMilli, 0x1040'0000, kMebi);
  const auto trace = Joined();
  EXPECT_EQ(trace->memory().size(), 3u);
}

TEST_F(AllocatorHistoryTest, ADamagedHistoryCostsNothingElse) {
  Allocates(2 * kMilli + 2000, 0x1000'0000, 2 * kMebi);
  main_.Memory(2 * kMilli + 2000,
               Told(0x1000'0000, 2 * kMebi, kGpuPlace, STEPSCOPE_ALLOCATE));
  const std::string pickle = torch_memory::WriteSnapshot(history_);
  const auto expect_told = [&](const std::string& parts) {
    const auto trace = Import(parts);
    EXPECT_EQ(Owners(*trace, "Place(gpu:0)"), "aten::mul 2097152\n");
    EXPECT_EQ(trace->size(), 5u);
    EXPECT_EQ(trace->notes().size(), 1u)
        << testing::PrintToString(trace->notes());
  };
  expect_told(PartsOf(pickle.substr(0, pickle.size() / 2), 1000));
  std::string gap = PartsOf(pickle, 64);
  gap.erase(sizeof(format::DeviceHeader), sizeof(stepscope_record_part) + 64);
  expect_told(gap);
  expect_told(
      PartsOf("\x80\x04"
              "cos\nsystem\n.",
              1000));
}

}  // namespace
}  // namespace stepscope::capture
