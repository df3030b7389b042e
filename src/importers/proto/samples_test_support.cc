// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/samples_test_support.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "trace/event_type.h"

namespace stepscope::proto {
namespace {

Pb HostEvent(std::string_view name, int type, int64_t start, int64_t end) {
  return Pb()
      .Text(1, name)
      .Int(2, type)
      .Int(3, kSampleTime + start)
      .Int(4, kSampleTime + end)
      .Int(5, 100)
      .Int(6, 7);
}

Pb Kernel() {
  const Pb info = Pb().Int(1, 128)
                      .Int(2, 1)
                      .Int(3, 1)
                      .Int(4, 64)
                      .Int(5, 2)
                      .Int(6, 1)
                      .Int(7, 1024)
                      .Int(8, 512)
                      .Int(9, 32)
                      .Float(15, 1.5f)
                      .Float(16, 6)
                      .Float(17, 0.5F);
  return Pb().Sub(1, Pb().Text(1, "gemm")
                         .Int(2, 4)
                         .Int(3, kSampleTime + 400)
                         .Int(4, kSampleTime + 700)
                         .Int(5, 0)
                         .Int(6, 1)
                         .Int(7, 13)
                         .Int(8, 5)
                         .Sub(9, info));
}

Pb Copy() {
  return Pb().Sub(1, Pb().Text(1, "MEMCPY_HtoD")
                         .Int(2, 5)
                         .Int(3, kSampleTime + 720)
                         .Int(4, kSampleTime + 800)
                         .Int(5, 0)
                         .Int(7, 13)
                         .Int(8, 6)
                         .Sub(10, Pb().Int(1, 4096).Text(2, "HtoD")));
}

Pb Supplement() {
  const Pb shape = Pb().Int(1, 32).Int(1, 3);
  return Pb().Sub(1,
                  Pb().Int(1, kSampleTime + 101)
                      .Text(2, "matmul")
                      .Sub(5, Pb().Text(1, "X").Sub(2, Pb().Sub(1, shape)))
                      .Sub(6, Pb().Text(1, "X").Sub(2, Pb().Text(1, "float32")))
                      .Text(7, "model.py:3 \"f\"")
                      .Int(8, 9));
}

Pb MemoryNode() {
  return Pb().Sub(1, Pb().Int(1, kSampleTime + 150)
                         .Int(2, 0)
                         .Int(3, 0x1000)
                         .Int(4, 100)
                         .Int(5, 7)
                         .Int(6, 256)
                         .Text(7, "Place(gpu:0)")
                         .Int(8, 256)
                         .Int(9, 1024)
                         .Int(10, 256)
                         .Int(11, 1024));
}

Pb Runtime(int64_t start, int64_t correlation, const Pb& device) {
  return Pb()
      .Sub(1, Pb().Text(1, "cudaLaunchKernel_v7000")
                  .Int(2, kSampleTime + start)
                  .Int(3, kSampleTime + start + 50)
                  .Int(4, 100)
                  .Int(5, 7)
                  .Int(6, correlation)
                  .Int(7, 211))
      .Sub(2, device);
}

}  // namespace

std::string PaddleTreeSample() {
  const Pb root = Pb().Int(1, 0).Int(2, -1).Sub(
      3, Pb().Text(1, "root node").Int(2, 7).Int(3, 0).Int(4, -1).Int(6, 7));
  const Pb step =
      Pb().Int(1, 1).Int(2, 0).Sub(3, HostEvent("ProfileStep#3", 2, 0, 1000));
  const Pb op = Pb().Int(1, 2)
                    .Int(2, 1)
                    .Sub(3, HostEvent("matmul", 0, 100, 500))
                    .Sub(4, Runtime(200, 5, Kernel()))
                    .Sub(4, Runtime(300, 6, Copy()))
                    .Sub(5, MemoryNode())
                    .Sub(6, Supplement());
  const Pb launch = Pb().Int(1, 3).Int(2, 2).Sub(
      3, HostEvent("matmul dygraph", 15, 120, 400));
  return Pb()
      .Text(1, "1.0.2")
      .Int(2, 4)
      .Sub(3,
           Pb().Int(1, 7).Sub(2, root).Sub(2, step).Sub(2, op).Sub(2, launch))
      .Sub(4, Pb().Text(1, "7").Text(2, "MainThread"))
      .Sub(4, Pb().Text(1, "Process Cpu Utilization").Text(2, "0.5"))
      .Sub(5, Pb().Int(1, 0).Text(2, "H200").Int(13, 132))
      .str();
}

std::string FluidProfileSample() {
  const auto event = [](std::string_view name, int64_t start, int64_t end,
                        int64_t device, int64_t sub_device) {
    return Pb().Text(1, name).Int(2, start).Int(3, end).Int(5, device).Int(
        6, sub_device);
  };
  return Pb()
      .Sub(1,
           event("conv2d", 1000, 3000, 0, 7).Int(8, 1).Text(9, "conv_kernel"))
      .Sub(1, event("ParallelExecutor::Run/conv2d", 500, 1500, 0, 0).Int(8, 0))
      .Sub(1, event("conv2d", 600, 700, -1, 0)
                  .Int(8, 0)
                  .Text(9, "cudaLaunchKernel_v7000"))
      .Sub(1, event("MEMCPY_HtoD", 200, 300, 0, 7)
                  .Sub(7, Pb().Int(1, 4096))
                  .Int(8, 1))
      .Int(2, 100)
      .Int(3, 4000)
      .Sub(4, Pb().Int(1, 550).Int(2, 900).Int(3, 256).Int(4, 0).Int(5, 0).Int(
                  6, 0))
      .Sub(4, Pb().Int(1, 560).Int(2, 900).Int(3, 64).Int(4, 1).Int(5, 0).Int(
                  6, 0))
      .str();
}

std::string XSpaceSample() {
  const auto entry = [](int64_t id, const Pb& value) {
    return Pb().Int(1, id).Sub(2, value);
  };
  const auto named = [](int64_t id, std::string_view name) {
    return Pb().Int(1, id).Text(2, name);
  };
  const auto event = [](int64_t id, int64_t offset_ns, int64_t dur_ns) {
    return Pb().Int(1, id).Int(2, offset_ns * 1000).Int(3, dur_ns * 1000);
  };
  const Pb host =
      Pb().Int(1, 1)
          .Text(2, "/host:CPU")
          .Sub(3,
               Pb().Int(1, 40)
                   .Text(2, "python3")
                   .Int(3, 5000)
                   .Sub(4, event(1, 0, 1000).Sub(4, Pb().Int(1, 1).Int(4, 3)))
                   .Sub(4, event(2, 100, 400))
                   .Sub(4, event(3, 200, 50)
                               .Sub(4, Pb().Int(1, 2).Int(3, 77))
                               .Sub(4, Pb().Int(1, 10).Int(4, 1))
                               .Sub(4, Pb().Int(1, 11).Int(4, 9)))
                   .Sub(4, event(4, 300, 0)
                               .Sub(4, Pb().Int(1, 3).Text(5, "bfc"))
                               .Sub(4, Pb().Int(1, 4).Int(4, 2048))
                               .Sub(4, Pb().Int(1, 5).Int(4, 256)))
                   .Sub(4, Pb().Int(1, 2).Int(3, 9000).Int(5, 6)))
          .Sub(3, Pb().Int(1, 41)
                      .Text(2, "worker")
                      .Int(3, 5000)
                      .Sub(4, event(5, 600, 10)
                                  .Sub(4, Pb().Int(1, 12).Int(4, 1))
                                  .Sub(4, Pb().Int(1, 13).Int(4, 9))))
          .Sub(4, entry(1, named(1, "train")))
          .Sub(4, entry(2, named(2, "dense/MatMul:MatMul").Text(4, "MatMul")))
          .Sub(4, entry(3, named(3, "cuLaunchKernel")))
          .Sub(4, entry(4, named(4, "MemoryAllocation")))
          .Sub(4, entry(5, named(5, "$train.py:3 step")))
          .Sub(5, entry(1, named(1, "step_num")))
          .Sub(5, entry(2, named(2, "correlation_id")))
          .Sub(5, entry(3, named(3, "allocator_name")))
          .Sub(5, entry(4, named(4, "bytes_allocated")))
          .Sub(5, entry(5, named(5, "allocation_bytes")))
          .Sub(5, entry(10, named(10, "_pt")))
          .Sub(5, entry(11, named(11, "_p")))
          .Sub(5, entry(12, named(12, "_ct")))
          .Sub(5, entry(13, named(13, "_c")));
  const Pb device =
      Pb().Int(1, 2)
          .Text(2, "/device:GPU:1")
          .Sub(3, Pb().Int(1, 14)
                      .Text(2, "Stream #14(Compute)")
                      .Int(3, 5000)
                      .Sub(4, Pb().Int(1, 1)
                                  .Int(2, 500'999)
                                  .Int(3, 100'002)
                                  .Sub(4, Pb().Int(1, 1).Int(3, 77))
                                  .Sub(4, Pb().Int(1, 2).Int(7, 3))
                                  .Sub(4, Pb().Int(1, 4).Double(2, 12.5))))
          .Sub(3, Pb().Int(1, static_cast<int32_t>(0xdeadbeef) + 3)
                      .Text(2, "TensorFlow Ops")
                      .Int(3, 5000)
                      .Sub(4, event(2, 500, 100)))
          .Sub(4, entry(1, named(1, "sgemm")))
          .Sub(4, entry(2, named(2, "MatMul")))
          .Sub(5, entry(1, named(1, "correlation_id")))
          .Sub(5, entry(2, named(2, "kernel_details")))
          .Sub(5, entry(3, named(3,
                                 "regs:38 shm:16 grid:160,1,1 "
                                 "block:1024,1,1")))
          .Sub(5, entry(4, named(4, "fraction")))
          .Sub(5, entry(5, named(5, "gpu_device_name")))
          .Sub(6, Pb().Int(1, 5).Text(5, "H200"));
  const Pb environment = Pb().Int(1, 3)
                             .Text(2, "Task Environment")
                             .Sub(5, entry(1, named(1, "profile_start_time")))
                             .Sub(6, Pb().Int(1, 1).Int(3, kSampleTime));
  return Pb()
      .Sub(1, host)
      .Sub(1, device)
      .Sub(1, environment)
      .Text(4, "node7")
      .str();
}

std::shared_ptr<const Trace> ImportBytes(ImportFunction import,
                                         std::string_view bytes,
                                         const ImportOptions& options) {
  TraceBuilder builder;
  import({AsBytes(bytes), "sample", &options}, builder);
  const uint64_t seen = builder.ledger().seen();
  auto trace = builder.Finish();
  EXPECT_TRUE(trace);
  if (!trace) return *TraceBuilder().Finish();
  EXPECT_EQ((*trace)->ledger().seen(), seen);
  return *trace;
}

std::string Drawn(const Trace& trace) {
  std::string text;
  for (const Track& track : trace.tracks()) {
    const char* const kinds[] = {"thread", "stream", "counter", "async"};
    text += Format("%s %lld", kinds[static_cast<int>(track.kind)],
                   static_cast<long long>(track.id));
    if (track.kind == TrackKind::kStream)
      text +=
          Format(" %s:%lld", std::string(trace.str(track.device_type)).c_str(),
                 static_cast<long long>(track.device));
    if (track.name.v != 0) text += ' ';
    text += trace.str(track.name);
    text += "\n";
    for (Row row = track.first; row < track.last; ++row) {
      int64_t start = trace.start_ns()[row] + trace.epoch_ns();
      if (start > kSampleTime / 2) start -= kSampleTime;
      text += Format("  %lld..%lld ", static_cast<long long>(start),
                     static_cast<long long>(start + trace.dur_ns()[row]));
      text += trace.str(trace.name()[row]);
      text += " ";
      text += EventTypeName(trace.type()[row]);
      text += "\n";
    }
  }
  return text;
}

std::string LedgerText(const Trace& trace) {
  const Ledger& ledger = trace.ledger();
  std::string text = "kept " + std::to_string(ledger.kept());
  const auto add = [&](const auto& bins, const char* sign) {
    for (const auto& [reason, bin] : bins) {
      text += ", ";
      text += sign + reason + " " + std::to_string(bin.count);
    }
  };
  add(ledger.repaired(), "");
  add(ledger.rejected(), "-");
  return text;
}

Row FindRow(const Trace& trace, std::string_view event) {
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.str(trace.name()[row]) == event) return row;
  return kNoRow;
}

std::string ArgText(const Trace& trace, std::string_view event,
                    std::string_view key) {
  const Row row = FindRow(trace, event);
  if (row == kNoRow) return "no event";
  for (const Arg& arg : trace.args_of(row)) {
    if (trace.str(arg.key) != key) continue;
    switch (arg.kind) {
      case ArgKind::kInt:
        return std::to_string(arg.int_value);
      case ArgKind::kDouble:
        return Format("%g", arg.double_value);
      case ArgKind::kText:
      case ArgKind::kJson:
        return std::string(trace.str(arg.text));
      case ArgKind::kIntList: {
        std::string text;
        for (uint32_t i = 0; i < arg.list_count; ++i) {
          if (i > 0) text += ',';
          text += std::to_string(trace.arg_ints()[arg.list_first + i]);
        }
        return text;
      }
    }
  }
  return "-";
}

}  // namespace stepscope::proto
