// SPDX-License-Identifier: Apache-2.0
//
// RunMetadata of TensorFlow 1 with its StepStats: operators as the executor
// saw them, kernels by stream and once more under "stream:all", copies once
// more under "memcpy".
#include <string>
#include <vector>

#include "exporters/proto/wire.h"
#include "generator/formats.h"

namespace stepscope::generator {
namespace {

using proto::Message;

struct Device {
  const char* name;
  uint32_t kinds;
  bool host;
};
constexpr uint32_t kOperators = Mask({Kind::kOperator, Kind::kGradient});
constexpr uint32_t kKernels = Mask({Kind::kKernel, Kind::kMemset});
constexpr Device kDevices[] = {
    {"/job:localhost/replica:0/task:0/device:CPU:0", kOperators, true},
    {"/device:GPU:0/stream:7", kKernels, false},
    {"/device:GPU:0/stream:14", Mask({Kind::kMemcpy}), false},
    {"/device:GPU:0/stream:all", kKernels, false},
    {"/device:GPU:0/memcpy", Mask({Kind::kMemcpy}), false},
};

class StepStatsWriter {
 public:
  explicit StepStatsWriter(const Workload& workload)
      : workload_(workload),
        names_(Dialect::kStepStats, workload.options().names),
        kernels_(Dialect::kTensorFlow, workload.options().names) {}

  template <typename Take>
  void Nodes(const Device& device, Take take) {
    Message node, field;
    workload_.Walk([&](const Record& record) {
      const auto bit = static_cast<uint32_t>(record.kind);
      if ((device.kinds >> bit & 1) == 0) return;
      node.Clear();
      Fill(node, device, record);
      field.Clear();
      field.Sub(2, node);
      take(field.view());
    });
  }

 private:
  void Fill(Message& node, const Device& device, const Record& record) {
    const std::string& name = names_.Of(record);
    const int64_t start = workload_.options().epoch_ns + record.start_ns;
    const int64_t micros =
        (start + record.dur_ns) / 1000 - start / 1000;  // of both ends
    node.Text(1, device.host ? name : name + ":" + name);
    node.Int(2, start / 1000).Int(3, 0).Int(4, micros).Int(5, micros);
    node.Text(8, Label(device, record, name));
    node.Int(9, start / 1000);
    node.Uint(10, record.line == kAutograd ? 1 : 0);
    node.Int(13, start).Int(14, 0).Int(15, record.dur_ns);
    node.Int(16, record.dur_ns).Int(17, start);
  }
  std::string Label(const Device& device, const Record& record,
                    const std::string& name) {
    if (device.host) {
      // The operator before is an input.
      const std::string input = "op_" + std::to_string(last_op_);
      last_op_ = record.name;
      return name + " = " + name + "(" + input + ")";
    }
    if (record.kind == Kind::kKernel)
      return kernels_.Of(record) + " regs:32 shm:4096 grid:256,1,1 " +
             "block:256,1,1@@" + name + ":" + name + "#id=1#";
    return name + " " + std::to_string(record.bytes) + " bytes";
  }

  const Workload& workload_;
  Names names_;
  Names kernels_;
  uint32_t last_op_ = 0;
};

}  // namespace

Status WriteStepStats(const Workload& workload, OutBuffer& out) {
  std::vector<std::string> heads;
  uint64_t total = 0;
  for (const Device& device : kDevices) {
    Message name, head;
    name.Text(1, device.name);
    uint64_t bytes = name.view().size();
    StepStatsWriter(workload).Nodes(
        device, [&](std::string_view node) { bytes += node.size(); });
    head.Head(1, bytes);
    heads.push_back(std::string(head.view()) + std::string(name.view()));
    total += head.view().size() + bytes;
  }
  Message stats;
  stats.Head(1, total);
  out.Append(stats.view());
  for (size_t i = 0; i < std::size(kDevices); ++i) {
    out.Append(heads[i]);
    StepStatsWriter(workload).Nodes(
        kDevices[i], [&](std::string_view node) { out.Append(node); });
  }
  return out.Finish();
}

}  // namespace stepscope::generator
