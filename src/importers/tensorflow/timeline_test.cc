// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/timeline.h"

#include <gtest/gtest.h>

#include "importers/proto/samples_test_support.h"

namespace stepscope::proto::tf {
namespace {

// "name: producer's row -> consumer's row" of each arrow, by track name.
std::string Arrows(const Trace& trace) {
  std::string text;
  for (const Flow& begin : trace.flows()) {
    if (begin.phase != FlowPhase::kBegin) continue;
    for (const Flow& end : trace.flows()) {
      if (end.phase != FlowPhase::kEnd || end.id != begin.id) continue;
      const auto where = [&](const Flow& flow) {
        const Track& track = trace.tracks()[flow.track];
        return std::to_string(track.process) + "." + std::to_string(track.id) +
               "@" +
               std::to_string((flow.time_ns + trace.epoch_ns() - kSampleTime) /
                              1000);
      };
      text += std::string(trace.str(begin.name)) + " " + where(begin) + " -> " +
              where(end) + "\n";
    }
  }
  return text;
}

constexpr std::string_view kDrawn =
    "thread 0\n"
    "  0..10000 Placeholder Operator\n"
    "  12000..40000 _Send Communication\n"
    "  50000..51000 _Retval Operator\n"
    "thread 1\n"
    "  1000..5000 RecvTensor Communication\n"
    "  20000..30000 Split Operator\n"
    "  30000..35000 Add Operator\n"
    "thread 0\n"
    "  13000..45000 _Recv Communication\n"
    "  45000..60000 MatMul Operator\n"
    "stream 13 GPU:0 /device:GPU:0/stream:13\n"
    "  48000..49000 MEMSET 4 bytes Memset\n"
    "  50000..90000 sgemm<float> Kernel\n"
    "stream -1 GPU:0 /device:GPU:0/stream:all\n"
    "  95000..97000 lone_kernel Kernel\n"
    "stream 14 GPU:0 /device:GPU:0/stream:14<MemcpyH2D>\n"
    "  42000..44000 MEMCPYHtoD 64 bytes Memcpy\n"
    "thread -1 Step\n"
    "  0..97000 ProfileStep#0 ProfileStep\n";

TEST(TfTimelineTest, DevicesAreProcessesAndRowsAreBins) {
  const auto trace = ImportBytes(ImportStepStats, StepStatsSample());
  EXPECT_EQ(Drawn(*trace), kDrawn);
  ASSERT_EQ(trace->processes().size(), 2u);
  EXPECT_EQ(trace->str(trace->processes()[0].name),
            "/job:localhost/replica:0/task:0/device:CPU:0 Compute");
  // Streams are of the device's process.
  EXPECT_EQ(trace->tracks()[3].process, 1u);
  // The step is not in the file.
  EXPECT_EQ(LedgerText(*trace),
            "kept 12, -duplicate of a stream's own record 2");
}

TEST(TfTimelineTest, ArgumentsSayWhatTheLabelSaid) {
  const auto trace = ImportBytes(ImportStepStats, StepStatsSample());
  EXPECT_EQ(ArgText(*trace, "Split", "name"), "split");
  EXPECT_EQ(ArgText(*trace, "Split", "input0"), "x");
  EXPECT_EQ(ArgText(*trace, "Split", "input1"), "^init");
  EXPECT_EQ(ArgText(*trace, "Split", "thread_id"), "7");
  EXPECT_EQ(ArgText(*trace, "Split", "scheduled_before_ns"), "2000");
  EXPECT_EQ(ArgText(*trace, "Split", "output1"), "float32[2,4]");
  EXPECT_EQ(ArgText(*trace, "RecvTensor", "bytes"), "1024");
  EXPECT_EQ(ArgText(*trace, "RecvTensor", "from"), "/job:ps/task:0");
}

TEST(TfTimelineTest, KernelsAreLinkedToTheirOperators) {
  const auto trace = ImportBytes(ImportStepStats, StepStatsSample());
  const Row kernel = FindRow(*trace, "sgemm<float>");
  uint64_t id = 0;
  for (const Link& link : trace->links())
    if (link.row == kernel) id = link.id;
  ASSERT_NE(id, 0u);
  for (const Link& link : trace->links())
    if (link.id == id && link.row != kernel) {
      EXPECT_EQ(link.row, FindRow(*trace, "MatMul"));
    }
}

TEST(TfTimelineTest, LabelsGiveArrowsWhereThereIsNoGraph) {
  const auto trace = ImportBytes(ImportStepStats, StepStatsSample());
  // The receiver's label names nothing; the matmul's input lies on its row.
  EXPECT_EQ(Arrows(*trace),
            "x 0.0@10 -> 0.1@20\n"
            "sum 0.1@35 -> 0.0@50\n");
}

TEST(TfTimelineTest, GraphGivesTheArrowsThatLabelsCannot) {
  const auto trace = ImportBytes(ImportRunMetadata, RunMetadataSample());
  EXPECT_EQ(Drawn(*trace), kDrawn);
  EXPECT_EQ(Arrows(*trace),
            "x 0.0@10 -> 0.1@20\n"
            "sum 0.1@35 -> 0.0@50\n"
            "x/_1 0.0@40 -> 1.0@40\n");
  ImportOptions options;
  options.formats.Set(TensorflowOptions{.dataflow = false});
  EXPECT_TRUE(ImportBytes(ImportRunMetadata, RunMetadataSample(), options)
                  ->flows()
                  .empty());
}

TEST(TfTimelineTest, NanosecondsWinOverMicroseconds) {
  const Pb node = Pb().Text(1, "n")
                      .Int(2, kSampleTime / 1000)
                      .Int(5, 1)
                      .Text(8, "n = NoOp()")
                      .Int(13, kSampleTime + 7)
                      .Int(16, 1234);
  const Pb step = Pb().Sub(1, Pb().Text(1, "/cpu:0").Sub(2, node));
  const auto trace = ImportBytes(ImportStepStats, step.str());
  EXPECT_EQ(Drawn(*trace),
            "thread 0\n  7..1241 NoOp Operator\n"
            "thread -1 Step\n  7..1241 ProfileStep#0 ProfileStep\n");
}

TEST(TfTimelineTest, LoopsTakeTheLatestExecution) {
  Pb device = Pb().Text(1, "/cpu:0");
  const auto node = [](std::string_view name, std::string_view label,
                       int64_t start, int64_t end) {
    return Pb()
        .Text(1, name)
        .Int(2, kSampleTime / 1000 + start)
        .Int(5, end - start)
        .Text(8, label);
  };
  for (int64_t i = 0; i < 3; ++i) {
    device.Sub(2, node("a", "a = A()", i * 10, i * 10 + 4));
    device.Sub(2, node("b", "b = B(a)", i * 10 + 5, i * 10 + 12));
  }
  const auto trace = ImportBytes(ImportStepStats, Pb().Sub(1, device).str());
  EXPECT_EQ(Arrows(*trace),
            "a 0.1@14 -> 0.0@15\n"
            "a 0.1@24 -> 0.0@25\n");
}

TEST(TfTimelineTest, OddTimesAreCounted) {
  Pb device = Pb().Text(1, "/cpu:0");
  device.Sub(2, Pb().Text(1, "none"));
  device.Sub(2, Pb().Text(1, "back").Int(2, 50).Int(5, -20));
  device.Sub(2, Pb().Text(1, "huge").Int(2, INT64_MAX).Int(5, 1));
  device.Sub(2, Pb().Text(1, "far").Int(13, INT64_MAX - 5).Int(16, 1));
  device.Sub(2, Pb().Text(1, "wrong").Double(2, 1));
  EXPECT_EQ(
      LedgerText(*ImportBytes(ImportStepStats, Pb().Sub(1, device).str())),
      "kept 0, end before start 1, -field with a wrong wire type 1, "
      "-no time 1, -time out of range 2");
}

std::string Memory(const Trace& trace) {
  std::string text;
  for (const MemoryEvent& event : trace.memory()) {
    text += std::to_string((event.time_ns + trace.epoch_ns() - kSampleTime) /
                           1000) +
            " " + std::to_string(event.bytes) + " = " +
            std::to_string(event.total_allocated) + "\n";
  }
  return text;
}

TEST(TfMemoryTest, TensorsLiveUntilTheirLastConsumer) {
  ImportOptions options;
  options.formats.Set(TensorflowOptions{.show_memory = true});
  const auto trace =
      ImportBytes(ImportRunMetadata, RunMetadataSample(), options);
  const std::string drawn = Drawn(*trace);
  EXPECT_EQ(drawn.substr(0, kDrawn.size()), kDrawn);
  // x: until the send is done. split: both until the sum. sum: is fetched, so
  // to the end of the step. What the receiver got: until the matmul is done.
  EXPECT_EQ(drawn.substr(kDrawn.size()),
            "async 0 Tensors\n"
            "  0..40000 x UserDefined\n"
            "  20000..35000 split UserDefined\n"
            "  20000..35000 split:1 UserDefined\n"
            "async 0 Tensors\n"
            "  30000..97000 sum UserDefined\n"
            "async 0 Tensors\n"
            "  13000..60000 x/_2 UserDefined\n"
            "counter 1 bfc\n");
  // sum took over the buffer of split:0, which is one allocation.
  EXPECT_EQ(Memory(*trace),
            "0 64 = 64\n"
            "13 64 = 128\n"
            "20 32 = 160\n"
            "20 32 = 192\n"
            "35 -32 = 160\n"
            "40 -64 = 96\n"
            "60 -64 = 32\n"
            "97 -32 = 0\n");
  EXPECT_EQ(trace->counters().size(), 8u);
  EXPECT_EQ(ArgText(*trace, "split:1", "bytes"), "32");
  EXPECT_EQ(ArgText(*trace, "split:1", "consumers"), "1");
  // Not asked for, not there.
  EXPECT_TRUE(
      ImportBytes(ImportRunMetadata, RunMetadataSample())->memory().empty());
}

TEST(TfMemoryTest, RecordsOfTheAllocatorWin) {
  const auto record = [](int64_t micros, int64_t bytes) {
    return Pb().Int(1, kSampleTime / 1000 + micros).Int(2, bytes);
  };
  const Pb node =
      Pb().Text(1, "n")
          .Int(2, kSampleTime / 1000)
          .Int(5, 10)
          .Sub(6, Pb().Text(1, "bfc")
                      .Sub(6, record(2, 100))
                      .Sub(6, record(8, -100)))
          .Sub(7, Pb().Sub(3, Pb().Sub(4, Pb().Int(1, 77).Text(3, "bfc"))));
  const Pb step = Pb().Sub(1, Pb().Text(1, "/cpu:0").Sub(2, node));
  ImportOptions options;
  options.formats.Set(TensorflowOptions{.show_memory = true});
  EXPECT_EQ(Memory(*ImportBytes(ImportStepStats, step.str(), options)),
            "2 100 = 100\n8 -100 = 0\n");
}

}  // namespace
}  // namespace stepscope::proto::tf
