// SPDX-License-Identifier: Apache-2.0
//
// Chrome JSON as Paddle 2.4 and later write it (*.paddle_trace.json): whole
// microseconds in "ts", nanoseconds in "start_time" and "end_time", and the
// duration in the name.
#include <string>

#include "base/text.h"
#include "exporters/chrome/json_text.h"
#include "generator/formats.h"
#include "generator/paddle_types.h"

namespace stepscope::generator {
namespace {

using chrome::AppendInt;
using chrome::AppendMicros;
using chrome::AppendUint;

class PaddleJsonWriter {
 public:
  PaddleJsonWriter(const Workload& workload, OutBuffer& out)
      : workload_(workload),
        out_(out),
        names_(Dialect::kPaddle, workload.options().names) {}

  Status Write() {
    out_.Append(
        "{\n  \"displayTimeUnit\": \"ms\",\n  \"schemaVersion\": \"1.0.2\",\n"
        "  \"span_indx\": \"0\",\n  \"deviceProperties\": [\n    {\"id\": 0, "
        "\"name\": \"Made-up GPU\", \"totalGlobalMem\": 85899345920, "
        "\"computeMajor\": 9, \"computeMinor\": 0, "
        "\"maxThreadsPerBlock\": 1024, "
        "\"maxThreadsPerMultiprocessor\": 2048, \"regsPerBlock\": 65536, "
        "\"regsPerMultiprocessor\": 65536, \"warpSize\": 32, "
        "\"sharedMemPerBlock\": 49152, "
        "\"sharedMemPerMultiprocessor\": 233472, \"smCount\": 132, "
        "\"sharedMemPerBlockOptin\": 232448}\n  ],\n  \"traceEvents\": [\n");
    workload_.Walk([&](const Record& record) {
      if (first_ns_ < 0) first_ns_ = record.start_ns;  // the first step
      text_.clear();
      if (record.is_memory())
        Memory(record);
      else
        Slice(record);
      if (record.correlation != 0) Flow(record);
      out_.Append(text_);
    });
    text_.clear();
    Meta();
    text_ += Format(
        "  {}\n  ],\n  \"ExtraInfo\": {\n"
        "    \"System Cpu Utilization\": \"0.250000\",\n"
        "    \"Process Cpu Utilization\": \"1.500000\",\n"
        "    \"%lld\": \"main\"\n  }\n}\n",
        static_cast<long long>(workload_.tid(kMain)));
    out_.Append(text_);
    return out_.Finish();
  }

 private:
  void Where(const Record& record) {
    text_ += R"("pid": )";
    AppendInt(text_, record.on_host() ? workload_.pid() : 0);
    text_ += R"(, "tid": )";
    if (record.on_host()) {
      text_ += '"';
      AppendInt(text_, workload_.tid(record.line));
      text_ += IsPython(record.kind) ? "(Python)\"" : "(C++)\"";
    } else {
      AppendInt(text_, workload_.tid(record.line));
    }
  }
  int64_t Micros(int64_t ns) const {
    return (workload_.options().epoch_ns + ns) / 1000;
  }
  void Slice(const Record& record) {
    text_ += R"(  {"name": ")";
    text_ += names_.Of(record);
    const auto dur = static_cast<double>(record.dur_ns);
    text_ += record.dur_ns > 1000000 ? Format("[%.3f ms]", dur / 1e6)
                                     : Format("[%.3f us]", dur / 1e3);
    text_ += R"(", )";
    Where(record);
    text_ += R"(, "ts": )";
    AppendInt(text_, Micros(record.start_ns));
    text_ += R"(, "dur": )";
    AppendMicros(text_, record.dur_ns);
    text_ += R"(, "ph": "X", "cat": ")";
    text_ += PaddleType(record.kind).name;
    text_ += R"(", "args": {"start_time": ")";
    AppendMicros(text_, record.start_ns - first_ns_);
    text_ += R"x( us", "end_time": ")x";
    AppendMicros(text_, record.end_ns() - first_ns_);
    text_ += R"( us")";
    if (record.correlation != 0) {
      text_ += R"(, "correlation id": )";
      AppendUint(text_, record.correlation);
    }
    if (!record.on_host()) {
      text_ += R"(, "device": 0, "context": 1, "stream": )";
      AppendInt(text_, kLineIds[record.line]);
    }
    if (record.kind == Kind::kKernel)
      text_ += R"(, "registers per thread": 32, "shared memory": 4096, )"
               R"("blocks per SM": 1.939394, "warps per SM": 15.515152, )"
               R"("grid": [256, 1, 1], "block": [256, 1, 1], )"
               R"("theoretical achieved occupancy %": 24.242)";
    if (record.kind == Kind::kMemcpy || record.kind == Kind::kMemset) {
      text_ += R"(, "bytes": )";
      AppendInt(text_, record.bytes);
    }
    if (PaddleType(record.kind).type == 0)
      text_ += R"(, "input_shapes": {"X": [[32, 3, 224, 224]]}, )"
               R"("input_dtypes": {"X": ["float32"]}, "callstack": "")";
    text_ += "}},\n";
  }
  void Flow(const Record& record) {
    const bool call = record.kind == Kind::kLaunch;
    const bool is_short = !call && record.dur_ns < 1000;
    text_ += R"(  {"name": "launch", "id": )";
    AppendUint(text_, record.correlation);
    text_ += ", ";
    Where(record);
    text_ += R"(, "ts": )";
    AppendMicros(text_, workload_.options().epoch_ns + record.start_ns +
                            (is_short ? 0 : record.dur_ns / 2));
    text_ += call ? R"(, "ph": "s", "cat": "async")"
                  : R"(, "ph": "f", "cat": "async")";
    text_ += call || is_short ? "},\n" : ", \"bp\": \"e\"},\n";
  }
  void Memory(const Record& record) {
    peak_ = std::max(peak_, record.total);
    text_ += R"(  {"name": "[memory]", )";
    Where(record);
    text_ += R"(, "ts": )";
    AppendInt(text_, Micros(record.start_ns));
    text_ += record.bytes > 0 ? R"(, "ph": "i", "cat": "Allocate")"
                              : R"(, "ph": "i", "cat": "Free")";
    text_ += R"x(, "args": {"place": "Place(gpu:0)", "addr": ")x";
    AppendUint(text_, record.address);
    text_ += R"(", "increase_bytes": )";
    AppendInt(text_, record.bytes);
    text_ += R"(, "current_allocated": )";
    AppendInt(text_, record.total);
    text_ += R"(, "current_reserved": 1073741824, "peak_allocated": )";
    AppendInt(text_, peak_);
    text_ += ", \"peak_reserved\": 1073741824}},\n";
  }
  void Meta() {
    for (const Line line : {kMain, kAutograd, kComputeStream, kCopyStream}) {
      const bool host = line <= kAutograd;
      const auto pid = static_cast<long long>(host ? workload_.pid() : 0);
      const auto tid = static_cast<long long>(workload_.tid(line));
      for (const char* side : {"(Python)", "(C++)"}) {
        const std::string id =
            host ? Format("\"%lld%s\"", tid, side) : Format("%lld", tid);
        text_ += Format(
            "  {\"name\": \"process_name\", \"pid\": %lld, "
            "\"tid\": %s, \"ph\": \"M\", \"args\": {\"name\": "
            "\"%s %lld (%s)\"}},\n",
            pid, id.c_str(), host ? "Process" : "Device", pid,
            host ? "CPU" : "GPU");
        text_ += Format(
            "  {\"name\": \"thread_name\", \"pid\": %lld, "
            "\"tid\": %s, \"ph\": \"M\", \"args\": {\"name\": "
            "\"%s %lld%s\"}},\n",
            pid, id.c_str(), host ? "thread" : "stream", tid,
            host ? Format(":%s", side).c_str() : "");
        if (!host) break;
      }
    }
  }

  const Workload& workload_;
  OutBuffer& out_;
  Names names_;
  std::string text_;
  int64_t first_ns_ = -1;
  int64_t peak_ = 0;
};

}  // namespace

Status WritePaddleJson(const Workload& workload, OutBuffer& out) {
  return PaddleJsonWriter(workload, out).Write();
}

}  // namespace stepscope::generator
