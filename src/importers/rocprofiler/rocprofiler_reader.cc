// SPDX-License-Identifier: Apache-2.0
#include "importers/rocprofiler/rocprofiler_reader.h"

#include <simdjson.h>
#include <stepscope/c.h>

#include <utility>

namespace stepscope::rocprofiler {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// The public enumeration: 1 is a CPU, 2 a GPU.
constexpr int64_t kGpuAgent = 2;

// Members that are missing or of another type are 0 and empty, since fields
// come and go with the version.
int64_t Int(const element& value, std::string_view key) {
  element member;
  if (value[key].get(member) != simdjson::SUCCESS) return 0;
  int64_t number = 0;
  if (member.get(number) == simdjson::SUCCESS) return number;
  uint64_t large = 0;
  if (member.get(large) == simdjson::SUCCESS)
    return static_cast<int64_t>(large);
  return 0;
}

std::string_view Text(const element& value, std::string_view key) {
  std::string_view text;
  return value[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

element Member(const element& value, std::string_view key) {
  element member;
  return value[key].get(member) == simdjson::SUCCESS ? member : element();
}

bool Has(const element& value, std::string_view key) {
  return value[key].error() == simdjson::SUCCESS;
}

// {"handle": 7}
int64_t Handle(const element& value, std::string_view key) {
  return Has(value, key) ? Int(Member(value, key), "handle") : 0;
}

template <typename Each>
void ForEach(const element& value, std::string_view key, Each each) {
  array list;
  if (value[key].get(list) != simdjson::SUCCESS) return;
  for (const element one : list) each(one);
}

std::string_view KernelName(const element& symbol) {
  for (const char* key : {"formatted_kernel_name", "demangled_kernel_name",
                          "truncated_kernel_name", "kernel_name"})
    if (const std::string_view name = Text(symbol, key); !name.empty())
      return name;
  return {};
}

uint16_t TypeOfCall(std::string_view list, std::string_view name) {
  if (list.starts_with("marker")) return STEPSCOPE_USER_DEFINED;
  if (list.starts_with("rccl")) return STEPSCOPE_COMMUNICATION;
  if (name.find("GraphLaunch") != name.npos) return STEPSCOPE_GRAPH_LAUNCH;
  if (list.starts_with("hip") || list.starts_with("hsa"))
    return STEPSCOPE_CUDA_RUNTIME;
  return STEPSCOPE_USER_DEFINED;
}

}  // namespace

class Reader::Parts {
 public:
  explicit Parts(Reader& reader) : r_(reader), builder_(reader.builder_) {}

  void ReadTool(const element& tool) {
    const element metadata = Member(tool, "metadata");
    Process process;
    process.pid = Has(tool, "metadata") ? Int(metadata, "pid") : 0;
    r_.process_ = builder_.AddProcess(std::move(process));
    ReadNames(tool);
    object lists;
    if (tool["buffer_records"].get(lists) != simdjson::SUCCESS) return;
    for (const auto [key, value] : lists) {
      array records;
      if (value.get(records) != simdjson::SUCCESS) continue;
      uint64_t number = 0;
      for (const element record : records) AddRecord(key, record, number++);
    }
  }

 private:
  void ReadNames(const element& tool) {
    ForEach(tool, "agents", [&](const element& agent) {
      Agent& known = r_.agents_[Handle(agent, "id")];
      known.is_gpu = Int(agent, "type") == kGpuAgent;
      known.device = Int(agent, "logical_node_type_id");
    });
    ForEach(tool, "kernel_symbols", [&](const element& symbol) {
      r_.kernels_[Int(symbol, "kernel_id")] =
          builder_.Intern(KernelName(symbol));
    });
    if (!Has(tool, "strings")) return;
    const element strings = Member(tool, "strings");
    ForEach(strings, "buffer_records", [&](const element& kind) {
      Kind& known = r_.kinds_.emplace_back();
      ForEach(kind, "operations", [&](const element& name) {
        std::string_view text;
        if (name.get(text) != simdjson::SUCCESS) text = {};
        known.operations.push_back(builder_.Intern(text));
      });
    });
    ForEach(strings, "marker_api", [&](const element& marker) {
      r_.markers_[Int(marker, "key")] = builder_.Intern(Text(marker, "value"));
    });
  }

  // What a record did, by the tables of the file; else the list it stands in.
  StringId OperationOf(const element& record, std::string_view list) {
    const auto kind = static_cast<size_t>(Int(record, "kind"));
    const auto operation = static_cast<size_t>(Int(record, "operation"));
    if (kind < r_.kinds_.size() &&
        operation < r_.kinds_[kind].operations.size())
      return r_.kinds_[kind].operations[operation];
    return builder_.Intern(list);
  }

  void AddRecord(std::string_view list, const element& record,
                 uint64_t number) {
    Ledger& ledger = builder_.ledger();
    if (!Has(record, "start_timestamp") || !Has(record, "end_timestamp")) {
      ledger.Reject("record without a time", number, list);
      return;
    }
    EventSpec event;
    event.start_ns = Int(record, "start_timestamp");
    const int64_t end = Int(record, "end_timestamp");
    constexpr int64_t kMostNs = int64_t{1} << 61;
    if (event.start_ns < 0 || event.start_ns >= kMostNs || end < 0 ||
        end >= kMostNs) {
      ledger.Reject("time out of range", number, list);
      return;
    }
    const bool backwards = end < event.start_ns;
    event.dur_ns = backwards ? 0 : end - event.start_ns;
    const Row row = list == "kernel_dispatch" ? AddKernel(event, record)
                    : list.starts_with("memory_cop")
                        ? AddCopy(event, record, list)
                        : AddCall(event, record, list);
    if (row == kNoRow) {
      ledger.Reject("no memory", number);  // Finish() fails
    } else if (backwards) {
      ledger.Repair("end before start", number, list);
    } else {
      ledger.Keep();
    }
    const int64_t id = Has(record, "correlation_id")
                           ? Int(Member(record, "correlation_id"), "internal")
                           : 0;
    if (row != kNoRow && id > 0)
      builder_.AddLink({r_.process_, LinkSpace::kCorrelation,
                        static_cast<uint64_t>(id), row});
  }

  Row AddKernel(EventSpec event, const element& record) {
    if (!Has(record, "dispatch_info")) return AddCall(event, record, "kernel");
    const element info = Member(record, "dispatch_info");
    const auto name = r_.kernels_.find(Int(info, "kernel_id"));
    event.name =
        name == r_.kernels_.end() ? builder_.Intern("kernel") : name->second;
    event.type = STEPSCOPE_KERNEL;
    const int64_t stream = Handle(record, "stream_id");
    event.track = r_.Track(TrackKind::kStream,
                           r_.agents_[Handle(info, "agent_id")].device,
                           stream != 0 ? stream : Handle(info, "queue_id"));
    const Row row = builder_.AddEvent(event);
    if (row != kNoRow) AddSizes(row, info);
    return row;
  }

  // The grid is stated in threads, and shown in blocks as elsewhere.
  void AddSizes(Row row, const element& info) {
    if (!Has(info, "workgroup_size") || !Has(info, "grid_size")) return;
    const element block = Member(info, "workgroup_size");
    const element grid = Member(info, "grid_size");
    int64_t blocks[3];
    int64_t threads[3];
    constexpr std::string_view kAxes[] = {"x", "y", "z"};
    for (size_t i = 0; i < 3; ++i) {
      threads[i] = Int(block, kAxes[i]);
      const int64_t all = Int(grid, kAxes[i]);
      if (threads[i] <= 0 || all < 0) return;
      blocks[i] = all / threads[i] + (all % threads[i] > 0 ? 1 : 0);
    }
    Arg arg;
    arg.row = row;
    arg.key = builder_.Intern("grid");
    builder_.AddListArg(arg, blocks);
    arg.key = builder_.Intern("block");
    builder_.AddListArg(arg, threads);
  }

  Row AddCopy(EventSpec event, const element& record, std::string_view list) {
    event.name = OperationOf(record, list);
    event.type = STEPSCOPE_MEMCPY;
    const Agent to = r_.agents_[Handle(record, "dst_agent_id")];
    const Agent from = r_.agents_[Handle(record, "src_agent_id")];
    event.track =
        r_.Track(TrackKind::kStream, to.is_gpu ? to.device : from.device,
                 Handle(record, "stream_id"));
    const Row row = builder_.AddEvent(event);
    if (row != kNoRow && Has(record, "bytes"))
      builder_.AddInt(row, "bytes", Int(record, "bytes"));
    return row;
  }

  Row AddCall(EventSpec event, const element& record, std::string_view list) {
    event.name = OperationOf(record, list);
    if (list.starts_with("marker") && Has(record, "correlation_id")) {
      const auto text =
          r_.markers_.find(Int(Member(record, "correlation_id"), "internal"));
      if (text != r_.markers_.end()) event.name = text->second;
    }
    event.type = TypeOfCall(list, builder_.strings().view(event.name));
    event.track = r_.Track(TrackKind::kThread, -1, Int(record, "thread_id"));
    return builder_.AddEvent(event);
  }

  Reader& r_;
  TraceBuilder& builder_;
};

uint32_t Reader::Track(TrackKind kind, int64_t device, int64_t id) {
  const auto [it, fresh] = tracks_.try_emplace({kind, device, id}, 0u);
  if (!fresh) return it->second;
  stepscope::Track track;
  track.process = process_;
  track.kind = kind;
  track.device = device;
  track.id = id;
  if (kind == TrackKind::kStream) track.device_type = builder_.Intern("GPU");
  it->second = builder_.AddTrack(track);
  return it->second;
}

Status Reader::Read(std::string_view text) {
  simdjson::dom::parser parser;
  element document;
  if (const auto error = parser.parse(text.data(), text.size()).get(document);
      error != simdjson::SUCCESS)
    return Fail(ErrorCode::kCorrupt,
                std::string("byte 0: not JSON of rocprofiler-sdk: ") +
                    simdjson::error_message(error));
  object tools;
  if (document.get(tools) != simdjson::SUCCESS)
    return Fail(ErrorCode::kCorrupt, "byte 0: JSON without a tool's records");
  // Of one process as an object, or as an array of one.
  const auto read = [&](const element& tool) {
    Reader one(builder_);  // names are those of a process
    Parts(one).ReadTool(tool);
  };
  for (const auto [key, value] : tools) {
    array several;
    if (value.get(several) != simdjson::SUCCESS) {
      read(value);
      continue;
    }
    for (const element tool : several) read(tool);
  }
  // Times are those of the machine's own clock.
  builder_.AlignEpoch(0, false);
  return Ok();
}

}  // namespace stepscope::rocprofiler
