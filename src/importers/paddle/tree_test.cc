// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "importers/proto/samples_test_support.h"
#include "importers/proto/whole_text_test_support.h"

namespace stepscope::proto::paddle {
namespace {

std::shared_ptr<const Trace> SampleTree() {
  return ImportBytes(ImportPaddleTree, PaddleTreeSample());
}

// One tree with one node, which holds `event`.
std::string TreeOf(const Pb& event) {
  return Pb()
      .Text(1, "1.0.2")
      .Int(2, 0)
      .Sub(3, Pb().Int(1, 7).Sub(2, Pb().Int(1, 1).Int(2, 0).Sub(3, event)))
      .str();
}

TEST(PaddleTreeTest, EveryRecordIsInItsPlace) {
  const auto trace = SampleTree();
  EXPECT_EQ(Drawn(*trace),
            "thread 7 MainThread\n"
            "  0..1000 ProfileStep#3 ProfileStep\n"
            "  100..500 matmul Operator\n"
            "  120..400 matmul dygraph DygraphKernelLaunch\n"
            "  200..250 cudaLaunchKernel_v7000 CudaRuntime\n"
            "  300..350 cudaLaunchKernel_v7000 CudaRuntime\n"
            "stream 13 GPU:0\n"
            "  400..700 gemm Kernel\n"
            "  720..800 MEMCPY_HtoD Memcpy\n");
  // 3 host, 2 runtime, 2 device, 1 memory, 1 supplement; no root.
  EXPECT_EQ(LedgerText(*trace), "kept 9");
  EXPECT_TRUE(trace->clock().epoch_known);
  EXPECT_TRUE(trace->complete());
  ASSERT_EQ(trace->processes().size(), 1u);
  EXPECT_EQ(trace->processes()[0].pid, 100);
  EXPECT_EQ(trace->cpu_usage().process, 0.5);
}

TEST(PaddleTreeTest, WorkIsLinkedToItsLaunch) {
  const auto trace = SampleTree();
  ASSERT_EQ(trace->links().size(), 4u);
  EXPECT_EQ(trace->links()[0].id, 5u);
  EXPECT_EQ(trace->links()[1].id, 5u);
  EXPECT_EQ(trace->str(trace->name()[trace->links()[1].row]), "gemm");
}

TEST(PaddleTreeTest, Arguments) {
  const auto trace = SampleTree();
  EXPECT_EQ(ArgText(*trace, "gemm", "grid"), "64,2,1");
  EXPECT_EQ(ArgText(*trace, "gemm", "block"), "128,1,1");
  EXPECT_EQ(ArgText(*trace, "gemm", "shared memory"), "1536");
  EXPECT_EQ(ArgText(*trace, "gemm", "registers per thread"), "32");
  EXPECT_EQ(ArgText(*trace, "gemm", "blocks per SM"), "1.5");
  EXPECT_EQ(ArgText(*trace, "gemm", "theoretical achieved occupancy %"), "50");
  EXPECT_EQ(ArgText(*trace, "MEMCPY_HtoD", "bytes"), "4096");
  EXPECT_EQ(ArgText(*trace, "matmul", "input_shapes"), R"({"X":[[32,3]]})");
  EXPECT_EQ(ArgText(*trace, "matmul", "input_dtypes"), R"({"X":["float32"]})");
  EXPECT_EQ(ArgText(*trace, "matmul", "callstack"), "model.py:3 \"f\"");
}

TEST(PaddleTreeTest, MemoryEvents) {
  const auto trace = SampleTree();
  ASSERT_EQ(trace->memory().size(), 1u);
  const MemoryEvent& event = trace->memory()[0];
  EXPECT_EQ(event.bytes, 256);
  EXPECT_EQ(event.total_reserved, 1024u);
  EXPECT_EQ(trace->str(event.place), "Place(gpu:0)");
  EXPECT_EQ(event.owner, FindRow(*trace, "matmul"));
}

// Where it hangs, whatever the time says; and the peaks of the process's life.
TEST(PaddleTreeTest, MemoryBelongsToItsNode) {
  const Pb memory = Pb().Int(1, 95)
                        .Int(2, 0)
                        .Int(3, 7)
                        .Int(4, 8)
                        .Int(5, 7)
                        .Int(6, 64)
                        .Text(7, "Place(cpu)")
                        .Int(8, 100)
                        .Int(9, 200)
                        .Int(10, 4096)
                        .Int(11, 8192);
  const Pb outer =
      Pb().Text(1, "outer").Int(2, 0).Int(3, 10).Int(4, 90).Int(5, 8).Int(6, 7);
  const Pb node =
      Pb().Int(1, 1).Int(2, 0).Sub(3, outer).Sub(5, Pb().Sub(1, memory));
  const Pb root = Pb().Int(1, 0)
                      .Int(2, -1)
                      .Sub(3, Pb().Text(1, "root node"))
                      .Sub(5, Pb().Sub(1, memory));
  const auto trace = ImportBytes(
      ImportPaddleTree, Pb().Text(1, "1.0.2")
                            .Int(2, 0)
                            .Sub(3, Pb().Int(1, 7).Sub(2, root).Sub(2, node))
                            .str());
  ASSERT_EQ(trace->memory().size(), 2u);
  EXPECT_EQ(trace->memory()[0].owner, kNoRow);
  EXPECT_EQ(trace->memory()[1].owner, FindRow(*trace, "outer"));
  EXPECT_EQ(trace->memory()[1].peak_allocated, 4096u);
  EXPECT_EQ(trace->memory()[1].peak_reserved, 8192u);
}

// A name is given to threads that are there, not to one of every process.
TEST(PaddleTreeTest, NamesOfThreadsOfSeveralProcesses) {
  const auto tree = [](int64_t id, int64_t pid, int64_t tid) {
    return Pb().Int(1, id).Sub(
        2,
        Pb().Int(1, 1).Int(2, 0).Sub(
            3,
            Pb().Text(1, "op").Int(2, 0).Int(3, 10).Int(4, 20).Int(5, pid).Int(
                6, tid)));
  };
  const auto trace = ImportBytes(
      ImportPaddleTree, Pb().Text(1, "1.0.2")
                            .Int(2, 0)
                            .Sub(3, tree(7, 100, 7))
                            .Sub(3, tree(0x10000000, 200, 7))
                            .Sub(4, Pb().Text(1, "7").Text(2, "main"))
                            .Sub(4, Pb().Text(1, "200:7").Text(2, "other"))
                            .str());
  ASSERT_EQ(trace->processes().size(), 2u);
  ASSERT_EQ(trace->tracks().size(), 2u);
  EXPECT_EQ(trace->tracks()[0].id, 7);
  EXPECT_EQ(trace->tracks()[1].id, 7);
  EXPECT_EQ(trace->str(trace->tracks()[0].name), "main");
  EXPECT_EQ(trace->str(trace->tracks()[1].name), "other");
}

TEST(PaddleTreeTest, MetadataIsKept) {
  const auto trace = SampleTree();
  std::string all;
  for (const auto& [key, value] : trace->processes()[0].metadata) {
    all += trace->str(key);
    all += "=";
    all += trace->str(value);
    all += "\n";
  }
  EXPECT_EQ(all,
            "schemaVersion=1.0.2\n"
            "span_indx=4\n"
            "deviceProperties=[{\"id\":0,\"name\":\"H200\",\"smCount\":132}]\n"
            "Process Cpu Utilization=0.5\n"
            "Peak Allocated Memory Place(gpu:0)=256\n"
            "Peak Reserved Memory Place(gpu:0)=1024\n");
}

TEST(PaddleTreeTest, UnknownTypesAreRepairedNotLost) {
  const auto trace =
      ImportBytes(ImportPaddleTree,
                  TreeOf(Pb().Text(1, "new").Int(2, 99).Int(3, 10).Int(4, 20)));
  EXPECT_EQ(LedgerText(*trace), "kept 0, unknown event type 1");
  EXPECT_EQ(ArgText(*trace, "new", "type"), "99");
}

TEST(PaddleTreeTest, OddTimes) {
  const auto ledger_of = [](int64_t start, int64_t end) {
    return LedgerText(*ImportBytes(
        ImportPaddleTree,
        TreeOf(Pb().Text(1, "e").Int(2, 0).Int(3, start).Int(4, end))));
  };
  EXPECT_EQ(ledger_of(10, 10), "kept 1");
  EXPECT_EQ(ledger_of(20, 10), "kept 0, end before start 1");
  EXPECT_EQ(ledger_of(10, -1), "kept 0, -time out of range 1");
  EXPECT_EQ(ledger_of(INT64_MAX, INT64_MAX), "kept 0, -time out of range 1");
  EXPECT_EQ(LedgerText(*ImportBytes(ImportPaddleTree,
                                    TreeOf(Pb().Text(1, "e").Int(3, 5)))),
            "kept 0, -no time 1");
}

TEST(PaddleTreeTest, WrongWireTypeIsRejectedWithItsOffset) {
  const auto trace =
      ImportBytes(ImportPaddleTree,
                  TreeOf(Pb().Text(1, "e").Int(2, 0).Double(3, 1).Int(4, 20)));
  EXPECT_EQ(LedgerText(*trace), "kept 0, -field with a wrong wire type 1");
  const auto& examples = trace->ledger().rejected().begin()->second.examples;
  ASSERT_EQ(examples.size(), 1u);
  // version 7, span 2, tree 4, node 6, event 2 bytes stand before it.
  EXPECT_EQ(examples[0].offset, 21u);
}

// What hangs on a node belongs to its event wherever that stands.
TEST(PaddleTreeTest, OrderOfFieldsMakesNoDifference) {
  const Pb event = Pb().Text(1, "op").Int(2, 0).Int(3, 10).Int(4, 90).Int(5, 8);
  const Pb call = Pb().Sub(1, Pb().Text(1, "call").Int(2, 20).Int(3, 30));
  const Pb supplement = Pb().Sub(1, Pb().Text(2, "matmul"));
  const auto tree = [](const Pb& node) {
    const Pb thread = Pb().Int(1, 7).Sub(2, node);
    return Pb().Text(1, "1.0.2").Int(2, 0).Sub(3, thread).str();
  };
  const Pb written =
      Pb().Int(1, 1).Int(2, 0).Sub(3, event).Sub(4, call).Sub(6, supplement);
  const Pb other =
      Pb().Sub(4, call).Sub(6, supplement).Sub(3, event).Int(2, 0).Int(1, 1);
  const auto trace = ImportBytes(ImportPaddleTree, tree(written));
  EXPECT_EQ(WholeText(*trace),
            WholeText(*ImportBytes(ImportPaddleTree, tree(other))));
  EXPECT_EQ(LedgerText(*trace), "kept 3");
  EXPECT_EQ(ArgText(*trace, "op", "op_type"), "matmul");
}

TEST(PaddleTreeTest, NewerVersionsAreRead) {
  std::string bytes = PaddleTreeSample();
  bytes += Pb().Text(9, "something new").Int(10, 3).str();
  EXPECT_EQ(LedgerText(*ImportBytes(ImportPaddleTree, bytes)), "kept 9");
}

TEST(PaddleTreeTest, TruncatedFileIsReadUpToTheCut) {
  const std::string bytes = PaddleTreeSample();
  const auto trace =
      ImportBytes(ImportPaddleTree, std::string_view(bytes).substr(0, 200));
  EXPECT_EQ(LedgerText(*trace), "kept 2, -record cut short 1");
  EXPECT_FALSE(trace->complete());
  ASSERT_EQ(trace->notes().size(), 1u);
  EXPECT_EQ(trace->notes()[0], "sample: byte 200: the file ends in a message");
}

}  // namespace
}  // namespace stepscope::proto::paddle
