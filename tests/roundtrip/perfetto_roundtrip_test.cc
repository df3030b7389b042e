// SPDX-License-Identifier: Apache-2.0
//
// A trace, its Perfetto file, and what is read from that say the same. Numbers
// of rows, tracks and strings may differ; what they stand for may not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/random_trace.h"
#include "base/text.h"
#include "exporters/perfetto/perfetto.h"
#include "importers/perfetto/perfetto_importer.h"
#include "importers/proto/whole_text_test_support.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::string FileOf(const Trace& trace) {
  MemorySink sink;
  EXPECT_TRUE(PerfettoExporter().Export(trace, {}, sink));
  return sink.TakeText();
}

std::shared_ptr<const Trace> ThereAndBack(const Trace& trace) {
  return proto::ImportBytes(pftrace::ImportPerfetto, FileOf(trace));
}

// All of a trace as lines in an order of their own. Times are absolute, or
// from the first event where the trace does not know.
class Lines {
 public:
  explicit Lines(const Trace& trace) : trace_(trace) {
    shift_ = trace.clock().epoch_known ? trace.epoch_ns() : 0;
    if (!trace.clock().epoch_known && trace.size() > 0)
      shift_ =
          -*std::min_element(trace.start_ns().begin(), trace.start_ns().end());
    Add(Format("window %lld %lld", Time(trace.begin_ns()),
               Time(trace.end_ns())));
    for (const Process& process : trace.processes()) AddProcess(process);
    for (uint32_t i = 0; i < trace.tracks().size(); ++i)
      Add("track " + TrackText(i) + Format(" lane %u", trace.tracks()[i].lane));
    for (Row row = 0; row < trace.size(); ++row) AddRow(row);
    AddSide();
    std::sort(lines_.begin(), lines_.end());
  }

  std::string text() const {
    std::string all;
    for (const std::string& line : lines_) all += line + "\n";
    return all;
  }

 private:
  void Add(std::string line) { lines_.push_back(std::move(line)); }
  long long Time(int64_t time_ns) const {
    return static_cast<long long>(static_cast<uint64_t>(time_ns) +
                                  static_cast<uint64_t>(shift_));
  }
  std::string Text(StringId id) const {
    return "'" + std::string(trace_.str(id)) + "'";
  }
  std::string TrackText(uint32_t index) const {
    const Track& track = trace_.tracks()[index];
    return Format("p%u k%d id %lld dev %lld ", track.process,
                  static_cast<int>(track.kind),
                  static_cast<long long>(track.id),
                  static_cast<long long>(track.device)) +
           Text(track.name) + Text(track.device_type);
  }
  std::string RowText(Row row) const {
    return TrackText(trace_.track()[row]) +
           Format(" %lld+%lld ", Time(trace_.start_ns()[row]),
                  static_cast<long long>(trace_.dur_ns()[row])) +
           Text(trace_.name()[row]);
  }
  void AddProcess(const Process& process) {
    std::string line =
        Format("process %lld rank %lld start %lld ",
               static_cast<long long>(process.pid),
               static_cast<long long>(process.rank), Time(process.start_ns)) +
        Text(process.name) + Text(process.host);
    for (const auto& [key, value] : process.metadata)
      line += " " + Text(key) + "=" + Text(value);
    Add(line);
  }
  void AddRow(Row row) {
    std::string line =
        "event " + RowText(row) +
        Format(" type %u flags %u raw ", unsigned{trace_.type()[row]},
               unsigned{trace_.flags()[row]}) +
        trace_.raw_args(row);
    for (const Arg& arg : trace_.args_of(row)) {
      const std::string value = proto::ValueText(trace_, arg);
      // Without the number of the string.
      line += " " + Text(arg.key) +
              Format("%d%d ", static_cast<int>(arg.kind),
                     static_cast<int>(arg.clipped)) +
              (arg.has_text() ? value.substr(value.find(' ')) : value);
    }
    Add(line);
  }
  void AddSide() {
    for (const Link& link : trace_.links())
      if (link.row != kNoRow)
        Add(Format("link p%u %d %llu ", link.process,
                   static_cast<int>(link.space),
                   static_cast<unsigned long long>(link.id)) +
            RowText(link.row));
    for (const Flow& flow : trace_.flows())
      Add(Format("flow %lld %llu %d ", Time(flow.time_ns),
                 static_cast<unsigned long long>(flow.id),
                 static_cast<int>(flow.phase)) +
          Text(flow.name) + TrackText(flow.track));
    for (const CounterSample& sample : trace_.counters())
      Add(Format("counter %lld %d %lld %a ", Time(sample.time_ns),
                 static_cast<int>(sample.integer),
                 static_cast<long long>(sample.int_value), sample.value) +
          TrackText(sample.track));
    for (const MemoryEvent& memory : trace_.memory())
      Add(Format("memory %lld %llx %lld %llu %llu %d ", Time(memory.time_ns),
                 static_cast<unsigned long long>(memory.address),
                 static_cast<long long>(memory.bytes),
                 static_cast<unsigned long long>(memory.total_allocated),
                 static_cast<unsigned long long>(memory.total_reserved),
                 static_cast<int>(memory.kind)) +
          Text(memory.place) + TrackText(memory.track) +
          (memory.owner == kNoRow ? "" : RowText(memory.owner)));
  }

  const Trace& trace_;
  int64_t shift_ = 0;
  std::vector<std::string> lines_;
};

void ExpectSame(const Trace& trace) {
  const auto back = ThereAndBack(trace);
  EXPECT_EQ(Lines(trace).text(), Lines(*back).text());
  EXPECT_TRUE(back->ledger().rejected().empty());
  EXPECT_TRUE(back->ledger().repaired().empty());
}

// Processes that share a pid, a thread id used twice, lanes, everything that a
// track, an event and an argument can be; with and without a known epoch.
std::shared_ptr<const Trace> Everything(bool epoch_known) {
  TraceBuilder builder;
  builder.AlignEpoch(1'700'000'000'000'000'000, epoch_known);
  BuildFromText(
      "process 100 rank=0 name=train host=a\n"
      "thread 100 main\n"
      " 1000..9000 ProfileStep#0 ProfileStep\n"
      "  1100..5000 conv2d Operator shape=[32,3] x=-1\n"
      "   1200..1300 cudaLaunchKernel CudaRuntime correlation=5\n"
      "   1400..1400 mark instant\n"
      " 6000..9000 wait open\n"
      "thread 101 loader\n 1000..3000 read\n 2000..4000 overlapping\n"
      "memory 1500 +1024 Place(cpu) 0x10 total=1024 reserved=2048\n"
      "stream 7 GPU:3\n 2000..3000 gemm Kernel correlation=5\n"
      " 2500..3500 other Kernel\n"
      "process 100\nthread 4294967299 worker\n 1000..2000 a\n"
      "thread 4294967299 later\n 3000..4000 b\n"
      "counter 1100 loss 2.5\ncounter 1200 loss 3\n",
      builder);
  builder.process(0).metadata.emplace_back(builder.Intern("key"),
                                           builder.Intern("value \"x\""));
  builder.process(0).start_ns = 900;
  const Row odd = builder.AddEvent(
      {0, 9500, 10, builder.Intern("not \xff utf-8"), 77, kEventInferred});
  // Keys that the file uses for other things.
  for (const char* key : {"args", "name_bytes"})
    builder.AddText(odd, key, "{text}");
  builder.AddInt(odd, "correlation id", 3);
  builder.AddInt(odd, "open_at_end", 1);
  builder.AddDouble(odd, "real", -0.25);
  Arg list;
  list.row = odd;
  list.key = builder.Intern("empty");
  list.kind = ArgKind::kIntList;
  builder.AddListArg(list, {});
  Arg json;
  json.row = odd;
  json.key = builder.Intern("json");
  json.kind = ArgKind::kJson;
  json.clipped = true;
  json.text = builder.Intern(R"({"a": [1]})");
  builder.AddArg(json);
  builder.AddRawArgs(odd, R"("raw": [1, {"b": null}], "c": "d")");
  for (const LinkSpace space :
       {LinkSpace::kExternal, LinkSpace::kGraphNode, LinkSpace::kSequence})
    builder.AddLink({0, space, 0xffffffffffffffffu, odd});
  builder.AddFlow({1250, 9, builder.Intern("batch"), 0, FlowPhase::kBegin});
  builder.AddFlow({1600, 9, builder.Intern("batch"), 1, FlowPhase::kStep});
  builder.AddFlow({20, 9, {}, 1, FlowPhase::kEnd});  // of no event
  for (const MemoryKind kind :
       {MemoryKind::kFree, MemoryKind::kReservedAllocate,
        MemoryKind::kReservedFree})
    builder.AddMemory({.time_ns = 1600,
                       .address = 0xfff0000000000000u,
                       .bytes = -7,
                       .total_allocated = 1,
                       .total_reserved = 0xffffffffffffffffu,
                       .place = builder.Intern("Place(gpu:0)"),
                       .track = 1,
                       .kind = kind});
  Track aside;
  aside.kind = TrackKind::kAsync;
  aside.id = -5;
  aside.device = 2;
  aside.name = builder.Intern("aside");
  builder.AddEvent({builder.AddTrack(aside), 1000, 5, builder.Intern("x"),
                    STEPSCOPE_USER_DEFINED, 0});
  builder.AddWindow(500, 12000);
  builder.MergeCpuUsage({1.5, 0.25});
  auto trace = builder.Finish();
  return *trace;
}

TEST(PerfettoRoundtrip, Everything) {
  ExpectSame(*Everything(true));
  ExpectSame(*Everything(false));
}

TEST(PerfettoRoundtrip, UseOfTheProcessorComesBack) {
  const auto back = ThereAndBack(*Everything(true));
  EXPECT_EQ(back->cpu_usage().process, 1.5);
  EXPECT_EQ(back->cpu_usage().system, 0.25);
}

TEST(PerfettoRoundtrip, RandomTraces) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    ExpectSame(*RandomTrace(seed).Make());
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PerfettoRoundtrip, ComparisonSeesADifference) {
  const auto a = TraceFromText("thread 7 m\n 0..5 a k=1\n");
  const auto b = TraceFromText("thread 7 m\n 0..5 a k=2\n");
  EXPECT_NE(Lines(*a).text(), Lines(*b).text());
}

// Cut at every byte: each byte more never costs an event.
TEST(PerfettoRoundtrip, CutAtEveryByte) {
  const std::string bytes = FileOf(*Everything(true));
  Row before = 0;
  uint64_t kept = 0;
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const auto trace =
        proto::ImportBytes(pftrace::ImportPerfetto, bytes.substr(0, size));
    ASSERT_GE(trace->size(), before) << size;
    before = trace->size();
    uint64_t rejected = 0;
    for (const auto& [reason, bin] : trace->ledger().rejected())
      rejected += bin.count;
    ASSERT_LE(rejected, 1u) << size;
    ASSERT_GE(trace->ledger().seen() - rejected, kept) << size;
    kept = trace->ledger().seen() - rejected;
  }
  EXPECT_EQ(before, Everything(true)->size());
}

}  // namespace
}  // namespace stepscope
