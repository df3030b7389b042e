// SPDX-License-Identifier: Apache-2.0
//
// JSON as torch.profiler writes it since 2.4: three decimals from a base time.
#include <string>

#include "exporters/chrome/json_text.h"
#include "generator/formats.h"

namespace stepscope::generator {
namespace {

using chrome::AppendInt;
using chrome::AppendMicros;
using chrome::AppendUint;

constexpr int64_t kQuarterYearNs = 7'889'238'000'000'000;

const char* Category(const Record& record) {
  switch (record.kind) {
    case Kind::kOperator:
    case Kind::kInner:
    case Kind::kGradient:
      return "cpu_op";
    case Kind::kLaunch:
      return "cuda_runtime";
    case Kind::kKernel:
      return "kernel";
    case Kind::kMemcpy:
      return "gpu_memcpy";
    case Kind::kMemset:
      return "gpu_memset";
    case Kind::kAllocate:
    case Kind::kFree:
      return "cpu_instant_event";
    default:
      return "user_annotation";
  }
}

class KinetoWriter {
 public:
  KinetoWriter(const Workload& workload, OutBuffer& out)
      : workload_(workload),
        out_(out),
        names_(Dialect::kTorch, workload.options().names),
        base_(workload.options().epoch_ns / kQuarterYearNs * kQuarterYearNs),
        shift_(workload.options().epoch_ns - base_) {}

  void Head() {
    text_ =
        "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {"
        "\"id\": 0, \"name\": \"Made-up GPU\", "
        "\"totalGlobalMem\": 85899345920, \"computeMajor\": 9, "
        "\"computeMinor\": 0, \"maxThreadsPerBlock\": 1024, "
        "\"maxThreadsPerMultiprocessor\": 2048, \"warpSize\": 32, "
        "\"numSms\": 132}\n  ],\n  \"record_shapes\": 1,\n"
        "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ";
    AppendInt(text_, workload_.options().rank);
    text_ +=
        ", \"world_size\": 8},\n  \"displayTimeUnit\": \"ms\",\n"
        "  \"baseTimeNanoseconds\": ";
    AppendInt(text_, base_);
    text_ += ",\n  \"traceEvents\": [\n";
    Meta("process_name", workload_.pid(), 0, "python");
    Meta("thread_name", workload_.pid(), workload_.tid(kMain), "main");
    Meta("thread_name", workload_.pid(), workload_.tid(kAutograd), "autograd");
    Meta("process_name", 0, 0, "python");
    Meta("thread_name", 0, workload_.tid(kComputeStream), "stream 7 ");
    Meta("thread_name", 0, workload_.tid(kCopyStream), "stream 14 ");
    out_.Append(text_);
  }

  void Add(const Record& record) {
    text_.clear();
    if (record.is_memory())
      Memory(record);
    else
      Slice(record);
    if (record.kind == Kind::kLaunch) Flow(record, 's');
    if (record.kind == Kind::kKernel) Flow(record, 'f');
    out_.Append(text_);
  }

  // The last event has no comma behind it.
  Status Finish(int64_t last_ns) {
    text_ = R"(  {"ph": "i", "s": "g", "name": "Record Window End", )"
            R"("pid": "", "tid": "", "ts": )";
    AppendMicros(text_, shift_ + last_ns);
    text_ += "}\n  ],\n  \"traceName\": \"generated.json\"\n}\n";
    out_.Append(text_);
    return out_.Finish();
  }

 private:
  void Meta(const char* what, int64_t pid, int64_t tid, const char* name) {
    text_ += R"(  {"name": ")";
    text_ += what;
    text_ += R"(", "ph": "M", "ts": )";
    AppendMicros(text_, shift_);
    Where(pid, tid);
    text_ += R"(, "args": {"name": ")";
    text_ += name;
    text_ += "\"}},\n";
  }
  void Where(int64_t pid, int64_t tid) {
    text_ += R"(, "pid": )";
    AppendInt(text_, pid);
    text_ += R"(, "tid": )";
    AppendInt(text_, tid);
  }
  void WhereOf(const Record& record) {
    Where(record.on_host() ? workload_.pid() : 0, workload_.tid(record.line));
  }
  void Slice(const Record& record) {
    text_ += R"(  {"ph": "X", "cat": ")";
    text_ += Category(record);
    text_ += R"(", "name": ")";
    text_ += names_.Of(record);
    text_ += '"';
    WhereOf(record);
    text_ += R"(, "ts": )";
    AppendMicros(text_, shift_ + record.start_ns);
    text_ += R"(, "dur": )";
    AppendMicros(text_, record.dur_ns);
    text_ += R"(, "args": {)";
    Args(record);
    text_ += "}},\n";
  }
  void Args(const Record& record) {
    text_ += R"("External id": )";
    AppendUint(text_, record.op);
    switch (record.kind) {
      case Kind::kLaunch:
        text_ += R"(, "cbid": 211, "correlation": )";
        AppendUint(text_, record.correlation);
        break;
      case Kind::kKernel:
        Device(record);
        text_ += R"(, "registers per thread": 32, "shared memory": 4096, )"
                 R"("blocks per SM": 1.939394, "warps per SM": 15.515152, )"
                 R"("grid": [256, 1, 1], "block": [256, 1, 1], )"
                 R"("est. achieved occupancy %": 24)";
        break;
      case Kind::kMemcpy:
      case Kind::kMemset:
        Device(record);
        text_ += R"(, "bytes": )";
        AppendInt(text_, record.bytes);
        break;
      case Kind::kOperator:
      case Kind::kInner:
        text_ += R"(, "Record function id": 0, "Ev Idx": )";
        AppendUint(text_, record.op);
        text_ += R"(, "Input Dims": [[32, 3, 224, 224], [64, 3, 7, 7], []], )"
                 R"("Input type": ["float", "float", "Scalar"])";
        break;
      default:
        break;
    }
  }
  void Device(const Record& record) {
    text_ += R"(, "queued": 0, "device": 0, "context": 1, "stream": )";
    AppendInt(text_, kLineIds[record.line]);
    text_ += R"(, "correlation": )";
    AppendUint(text_, record.correlation);
  }
  void Flow(const Record& record, char phase) {
    text_ += R"(  {"ph": ")";
    text_ += phase;
    text_ += R"(", "id": )";
    AppendUint(text_, record.correlation);
    WhereOf(record);
    text_ += R"(, "ts": )";
    AppendMicros(text_, shift_ + record.start_ns);
    text_ += R"(, "cat": "ac2g", "name": "ac2g")";
    text_ += phase == 'f' ? ", \"bp\": \"e\"},\n" : "},\n";
  }
  void Memory(const Record& record) {
    text_ += R"(  {"ph": "i", "cat": "cpu_instant_event", "s": "t", )"
             R"("name": "[memory]")";
    WhereOf(record);
    text_ += R"(, "ts": )";
    AppendMicros(text_, shift_ + record.start_ns);
    text_ += R"(, "args": {"Total Reserved": 1073741824, )"
             R"("Total Allocated": )";
    AppendInt(text_, record.total);
    text_ += R"(, "Bytes": )";
    AppendInt(text_, record.bytes);
    text_ += R"(, "Addr": )";
    AppendUint(text_, record.address);
    text_ += R"(, "Device Id": 0, "Device Type": 1, "Ev Idx": )";
    AppendUint(text_, record.op);
    text_ += "}},\n";
  }

  const Workload& workload_;
  OutBuffer& out_;
  Names names_;
  int64_t base_;
  int64_t shift_;  // of the workload's time 0 from the base
  std::string text_;
};

}  // namespace

Status WriteKineto(const Workload& workload, OutBuffer& out) {
  KinetoWriter writer(workload, out);
  writer.Head();
  int64_t last = 0;
  workload.Walk([&](const Record& record) {
    if (record.kind == Kind::kForward || record.kind == Kind::kBackward) return;
    writer.Add(record);
    last = std::max(last, record.end_ns());
  });
  return writer.Finish(last);
}

}  // namespace stepscope::generator
