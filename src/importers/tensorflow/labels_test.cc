// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/labels.h"

#include <gtest/gtest.h>

#include <string>

#include "importers/proto/bins.h"

namespace stepscope::proto::tf {
namespace {

std::string Text(const OpLabel& label) {
  std::string text(label.op);
  for (const std::string_view input : label.inputs)
    text += "|" + std::string(input);
  return text;
}

TEST(TfLabelsTest, Operators) {
  EXPECT_EQ(Text(ParseOpLabel("a/b = MatMul(x, y:1, ^z)")), "MatMul|x|y:1|^z");
  EXPECT_EQ(Text(ParseOpLabel("[cpu 1.2MB 3.4MB] [x 0.1MB] a = Const()")),
            "Const");
  EXPECT_EQ(Text(ParseOpLabel("a = b = Op(c)")), "Op|c");
  EXPECT_EQ(Text(ParseOpLabel("x/_1 = _Send(x @/job:a/device:GPU:0")),
            "_Send|x");
  EXPECT_EQ(Text(ParseOpLabel("RecvTensor")), "");
  EXPECT_EQ(Text(ParseOpLabel("a = b")), "");
  EXPECT_EQ(Text(ParseOpLabel("f(x)")), "");
  EXPECT_EQ(Text(ParseOpLabel("")), "");
}

TEST(TfLabelsTest, Kernels) {
  const KernelLabel label = ParseKernelLabel(
      "other", "void f<int> regs:3 grid:1,1,1 @@a/b:MatMul:x#k=v,w=1#");
  EXPECT_EQ(label.kernel, "void f<int>");
  EXPECT_EQ(label.node, "a/b");
  EXPECT_EQ(label.op, "MatMul");
  const KernelLabel bare = ParseKernelLabel("a:Add", "");
  EXPECT_EQ(bare.kernel, "a:Add");
  EXPECT_EQ(bare.node, "a");
  EXPECT_EQ(bare.op, "Add");
  EXPECT_EQ(ParseKernelLabel("_Z3fooPf", "").node, "");
  EXPECT_EQ(ParseKernelLabel("x", "MEMCPYHtoD 64 bytes").kernel,
            "MEMCPYHtoD 64 bytes");
}

TEST(TfLabelsTest, Transfers) {
  const TransferLabel label = ParseTransferLabel(
      "[1024B] edge_160_conv2/read from /job:ps/task:0 to /job:worker/task:1");
  EXPECT_EQ(label.bytes, 1024);
  EXPECT_EQ(label.edge, "edge_160_conv2/read");
  EXPECT_EQ(label.from, "/job:ps/task:0");
  EXPECT_EQ(label.to, "/job:worker/task:1");
  EXPECT_EQ(ParseTransferLabel("[12").edge, "");
  EXPECT_EQ(ParseTransferLabel("something else").edge, "");
}

TEST(TfLabelsTest, Inputs) {
  EXPECT_EQ(ParseInput("a:2").slot, 2);
  EXPECT_EQ(ParseInput("a:2").node, "a");
  EXPECT_EQ(ParseInput("^a").slot, -1);
  EXPECT_EQ(ParseInput("a:b").node, "a:b");
  EXPECT_EQ(ParseInput("a:-3").node, "a:-3");
}

TEST(TfLabelsTest, Devices) {
  using Role = DeviceName::Role;
  const auto role = [](std::string_view n) { return ParseDevice(n).role; };
  const DeviceName cpu = ParseDevice("/job:a/replica:0/task:0/device:CPU:2");
  EXPECT_EQ(cpu.role, Role::kExecutor);
  EXPECT_EQ(cpu.type, "CPU");
  EXPECT_EQ(cpu.number, 2);
  const DeviceName old = ParseDevice("/gpu:1/stream:56");
  EXPECT_EQ(old.role, Role::kStream);
  EXPECT_EQ(old.type, "GPU");
  EXPECT_EQ(old.number, 1);
  EXPECT_EQ(old.stream, 56);
  EXPECT_EQ(old.base, "/gpu:1");
  const DeviceName copies = ParseDevice("/device:GPU:0/stream:14<MemcpyH2D>");
  EXPECT_EQ(copies.stream, 14);
  EXPECT_EQ(copies.stream_kind, "MemcpyH2D");
  EXPECT_EQ(role("/device:GPU:0/stream:all"), Role::kAllStreams);
  EXPECT_EQ(role("/device:GPU:0/memcpy"), Role::kCopies);
  EXPECT_EQ(role("/device:GPU:0/sync"), Role::kSync);
  EXPECT_EQ(ParseDevice("/device:GPU:0/stream:").stream, -1);
}

TEST(TfLabelsTest, DataTypes) {
  EXPECT_EQ(DataTypeName(1), "float32");
  EXPECT_EQ(DataTypeName(101), "float32");
  EXPECT_EQ(DataTypeName(14), "bfloat16");
  EXPECT_EQ(DataTypeName(12345), "");
}

TEST(BinsTest, LowestFreeRowAndTouchingEventsShareOne) {
  Bins bins;
  EXPECT_EQ(bins.Place(0, 10), 0u);
  EXPECT_EQ(bins.Place(0, 4), 1u);
  EXPECT_EQ(bins.Place(2, 3), 2u);
  EXPECT_EQ(bins.Place(4, 9), 1u);
  EXPECT_EQ(bins.Place(10, 11), 0u);
  EXPECT_EQ(bins.Place(10, 10), 1u);
}

}  // namespace
}  // namespace stepscope::proto::tf
