// SPDX-License-Identifier: Apache-2.0
//
// Samples of TensorFlow's formats, for tests.
#include "importers/proto/samples_test_support.h"

namespace stepscope::proto {
namespace {

constexpr std::string_view kCpu =
    "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr std::string_view kGpu =
    "/job:localhost/replica:0/task:0/device:GPU:0";

// Times in microseconds from kSampleTime, as old files have them.
Pb Node(std::string_view name, std::string_view label, int64_t start,
        int64_t end) {
  return Pb()
      .Text(1, name)
      .Int(2, kSampleTime / 1000 + start)
      .Int(5, end - start)
      .Text(8, label);
}

Pb Output(int64_t slot, int64_t bytes, int64_t address) {
  const Pb shape = Pb().Sub(2, Pb().Int(1, 2)).Sub(2, Pb().Int(1, bytes / 8));
  return Pb().Int(1, slot).Sub(
      3, Pb().Int(1, 1).Sub(2, shape).Sub(
             4, Pb().Int(1, bytes).Text(3, "bfc").Int(6, address)));
}

Pb Cpu() {
  return Pb()
      .Text(1, kCpu)
      .Sub(2, Node("x", "x = Placeholder()", 0, 10).Sub(7, Output(0, 64, 256)))
      // Overlaps the next; old senders lack the parenthesis.
      .Sub(2, Node("x/_1", "x/_1 = _Send(x @/device:GPU:0", 12, 40))
      .Sub(2, Node("split", "[bfc 0.1MB] split = Split(x, ^init)", 20, 30)
                  .Int(9, kSampleTime / 1000 + 18)
                  .Int(10, 7)
                  .Sub(7, Output(0, 32, 512))
                  .Sub(7, Output(1, 32, 544)))
      .Sub(2, Node("sum", "sum = Add(split:1, split)", 30, 35)
                  .Sub(7, Output(0, 32, 512)))
      .Sub(2, Node("_retval_sum_0_0", "_retval_sum_0_0 = _Retval(sum)", 50, 51))
      .Sub(2, Node("RecvTensor",
                   "[1024B] edge_9_w/read from /job:ps/task:0 to /job:worker",
                   1, 5))
      .Sub(3, Pb().Int(1, 7).Text(2, "tf_Compute"));
}

Pb Gpu() {
  return Pb()
      .Text(1, kGpu)
      .Sub(2, Node("x/_2", "x/_2 = _Recv()", 13, 45).Sub(7, Output(0, 64, 0)))
      .Sub(2, Node("mm", "mm = MatMul(x/_2, w)", 45, 60));
}

Pb KernelNode() {
  return Node("mm:MatMul", "sgemm<float> regs:32 grid:8,1,1 @@mm:MatMul#id=1#",
              50, 90);
}

}  // namespace

std::string StepStatsSample() {
  return Pb()
      .Sub(1, Cpu())
      .Sub(1, Gpu())
      .Sub(1, Pb().Text(1, "/device:GPU:0/stream:13")
                  .Sub(2, KernelNode())
                  .Sub(2, Node("memset", "MEMSET 4 bytes", 48, 49)))
      .Sub(1, Pb().Text(1, "/device:GPU:0/stream:all")
                  .Sub(2, KernelNode())
                  .Sub(2, Node("lone_kernel", "", 95, 97)))
      .Sub(1, Pb().Text(1, "/device:GPU:0/stream:14<MemcpyH2D>")
                  .Sub(2, Node("x:MEMCPYHtoD", "MEMCPYHtoD 64 bytes", 42, 44)))
      .Sub(1, Pb().Text(1, "/device:GPU:0/memcpy")
                  .Sub(2, Node("x:MEMCPYHtoD", "MEMCPYHtoD 64 bytes", 42, 44)))
      .str();
}

std::string RunMetadataSample() {
  const auto transfer = [](std::string_view name, std::string_view op,
                           std::string_view input, std::string_view device) {
    const auto attribute = [](std::string_view key, std::string_view value) {
      return Pb().Text(1, key).Sub(2, Pb().Text(2, value));
    };
    Pb node = Pb().Text(1, name).Text(2, op);
    if (!input.empty()) node.Text(3, input);
    return node.Text(4, device)
        .Sub(5, attribute("tensor_name", "edge_1_x"))
        .Sub(5, attribute("send_device", kCpu))
        .Sub(5, attribute("recv_device", kGpu));
  };
  const auto node = [](std::string_view name, std::string_view op,
                       std::string_view device) {
    return Pb().Text(1, name).Text(2, op).Text(4, device);
  };
  const Pb cpu =
      Pb().Sub(1, node("x", "Placeholder", kCpu))
          .Sub(1, transfer("x/_1", "_Send", "x", kCpu))
          .Sub(1, node("split", "Split", kCpu).Text(3, "x"))
          .Sub(1,
               node("sum", "AddV2", kCpu).Text(3, "split:1").Text(3, "split"))
          .Sub(1, node("_retval_sum_0_0", "_Retval", kCpu).Text(3, "sum"));
  const Pb gpu =
      Pb().Sub(1, transfer("x/_2", "_Recv", "", kGpu))
          .Sub(1, node("mm", "MatMul", kGpu).Text(3, "x/_2").Text(3, "^x/_2"));
  return Pb()
      .Text(1, StepStatsSample())
      .Sub(3, cpu)
      .Sub(4, Pb().Sub(1, gpu))
      .str();
}

}  // namespace stepscope::proto
