// SPDX-License-Identifier: Apache-2.0
#include "exporters/paddle/node_messages.h"

#include <stepscope/c.h>

#include <string>

#include "exporters/arg_lookup.h"
#include "exporters/chrome/raw_members.h"
#include "trace/event_type.h"

namespace stepscope::paddle {
namespace {

using proto::Message;

uint64_t AtLeastZero(int64_t value) {
  return value < 0 ? 0 : static_cast<uint64_t>(value);
}

void FillKernel(Message& out, const ArgLookup& args) {
  for (const auto& [key, field] : {std::pair("block", 1u), {"grid", 4u}}) {
    const std::span<const int64_t> sizes = args.List(key);
    for (uint32_t i = 0; i < 3; ++i)
      out.Uint(field + i, i < sizes.size() ? AtLeastZero(sizes[i]) : 0);
  }
  const auto number = [&](std::string_view key) {
    return AtLeastZero(args.Int(key).value_or(0));
  };
  const uint64_t dynamic = number("dynamic shared memory");
  const uint64_t shared = number("shared memory");
  out.Uint(7, dynamic);
  out.Uint(8, shared > dynamic ? shared - dynamic : 0);
  out.Uint(9, number("registers per thread"));
  out.Uint(10, number("local memory per thread"));
  out.Uint(11, number("local memory total"));
  out.Uint(12, number("queued"));
  out.Uint(13, number("submitted"));
  out.Uint(14, number("completed"));
  const auto real = [&](std::string_view key) {
    return static_cast<float>(args.Double(key).value_or(0));
  };
  out.Float(15, real("blocks per SM"));
  out.Float(16, real("warps per SM"));
  const bool theoretical =
      args.Find("theoretical achieved occupancy %") != nullptr;
  // A part of one in this format, percent in all others.
  out.Float(17, real(theoretical ? "theoretical achieved occupancy %"
                                 : "est. achieved occupancy %") /
                    100);
}

// A message of {key 1 repeated, list 2 repeated} from the JSON object
// {key: [entry, ...]}; fill(list, value) appends the entries.
template <typename Fill>
Message KeyedLists(std::string_view object, Fill fill) {
  Message keys, lists;
  if (object.size() < 2 || object.front() != '{') return keys;
  object.remove_prefix(1);
  object.remove_suffix(1);
  chrome::ForEachMember(object,
                        [&](std::string_view key, std::string_view value) {
                          Message list;
                          fill(list, value);
                          keys.Text(1, key);
                          lists.Sub(2, list);
                        });
  return keys.Append(lists);
}

// [[32, 3], [64]] as shapes {size}*.
void FillShapes(Message& out, std::string_view text) {
  Message shape;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' && ++depth == 2) shape.Clear();
    if (c == ']' && depth-- == 2) out.Sub(1, shape);
    if (c < '0' || c > '9' || depth != 2) continue;
    uint64_t size = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      size = size * 10 + static_cast<uint64_t>(text[i] - '0');
    --i;
    shape.Uint(1, size);
  }
}

// ["float32", "int64"] as dtype*.
void FillTypes(Message& out, std::string_view text) {
  for (size_t at = text.find('"'); at != text.npos; at = text.find('"', at)) {
    const size_t end = text.find('"', at + 1);
    if (end == text.npos) return;
    out.Text(1, text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
}

}  // namespace

uint32_t PaddleType(uint16_t type) {
  switch (type) {
    case STEPSCOPE_PYTHON_FUNCTION:
      return STEPSCOPE_PYTHON_USER_DEFINED;
    case STEPSCOPE_SYNCHRONIZATION:
    case STEPSCOPE_GRAPH_LAUNCH:
      return STEPSCOPE_CUDA_RUNTIME;
    case kDygraphKernelLaunch:
    case kStaticKernelLaunch:
      return STEPSCOPE_OPERATOR_INNER;
    default:
      if (type <= STEPSCOPE_PYTHON_USER_DEFINED) return type;
      return STEPSCOPE_USER_DEFINED;
  }
}

// Ranks of several hosts may share a process id; readers know processes by it.
NodeMessages::NodeMessages(const Trace& trace) : trace_(trace) {
  PidPool pool;
  for (const Process& process : trace.processes())
    pids_.push_back(pool.Take(process.pid, kFirstFreeId));
}

int64_t NodeMessages::PidOf(uint32_t track) const {
  return pids_[trace_.tracks()[track].process];
}

void NodeMessages::FillHost(Message& out, Row row) const {
  const uint32_t track = trace_.track()[row];
  out.Text(1, trace_.str(trace_.name()[row]));
  const uint16_t type = trace_.type()[row];
  out.Uint(2, PaddleType(type));
  // Paddle's own schema does not have these, and its readers refuse an event
  // whose type they do not know. Of a field that comes twice they ignore what
  // they do not know; our importer takes the last.
  if (type == kDygraphKernelLaunch || type == kStaticKernelLaunch)
    out.Uint(2, type);
  out.Uint(3, Absolute(trace_.start_ns()[row]));
  out.Uint(4, Absolute(trace_.end_ns(row)));
  out.Int(5, PidOf(track)).Int(6, trace_.tracks()[track].id);
}

void NodeMessages::FillRoot(Message& out, int64_t pid, int64_t tid) const {
  out.Text(1, "root node").Uint(2, STEPSCOPE_USER_DEFINED);
  // From the beginning of time to its end, as Paddle has it.
  out.Uint(3, 0).Uint(4, UINT64_MAX).Int(5, pid).Int(6, tid);
}

void NodeMessages::FillCall(Message& out, Row row, uint64_t correlation) const {
  const uint32_t track = trace_.track()[row];
  out.Text(1, trace_.str(trace_.name()[row]));
  out.Uint(2, Absolute(trace_.start_ns()[row]));
  out.Uint(3, Absolute(trace_.end_ns(row)));
  out.Int(4, PidOf(track)).Int(5, trace_.tracks()[track].id);
  out.Uint(6, correlation & UINT32_MAX);
  out.Uint(7, AtLeastZero(ArgLookup(trace_, row).Int("cbid").value_or(0)));
}

void NodeMessages::FillDevice(Message& out, Row row,
                              uint64_t correlation) const {
  const Track& track = trace_.tracks()[trace_.track()[row]];
  const ArgLookup args(trace_, row);
  const uint16_t type = trace_.type()[row];
  out.Text(1, trace_.str(trace_.name()[row])).Uint(2, PaddleType(type));
  out.Uint(3, Absolute(trace_.start_ns()[row]));
  out.Uint(4, Absolute(trace_.end_ns(row)));
  out.Uint(5, AtLeastZero(track.device));
  out.Uint(6, AtLeastZero(args.Int("context").value_or(0)));
  out.Uint(7, AtLeastZero(track.id)).Uint(8, correlation & UINT32_MAX);
  Message info;
  const uint64_t bytes = AtLeastZero(args.Int("bytes").value_or(0));
  if (type == STEPSCOPE_MEMCPY) {
    info.Uint(1, bytes).Text(2, args.Text("copy kind"));
    info.Text(3, args.Text("src kind")).Text(4, args.Text("dst kind"));
    out.Sub(10, info);
  } else if (type == STEPSCOPE_MEMSET) {
    info.Uint(1, bytes).Text(2, args.Text("memory kind"));
    info.Uint(3, AtLeastZero(args.Int("value").value_or(0)));
    out.Sub(11, info);
  } else {
    FillKernel(info, args);
    out.Sub(9, info);
  }
}

void NodeMessages::FillMemory(Message& out, const MemoryEvent& event,
                              const Peak& peak) const {
  out.Uint(1, Absolute(event.time_ns));
  out.Uint(2, static_cast<uint64_t>(event.kind)).Uint(3, event.address);
  out.Int(4, PidOf(event.track)).Int(5, trace_.tracks()[event.track].id);
  out.Int(6, event.bytes).Text(7, trace_.str(event.place));
  out.Uint(8, event.total_allocated).Uint(9, event.total_reserved);
  out.Uint(10, peak.allocated).Uint(11, peak.reserved);
}

bool NodeMessages::FillSupplement(Message& out, Row row) const {
  const ArgLookup args(trace_, row);
  Message shapes = KeyedLists(args.Text("input_shapes"), FillShapes);
  const std::span<const int64_t> one = args.List("input_shapes");
  if (!one.empty()) {
    // What was recorded more simply is the input "X".
    Message shape, list;
    for (const int64_t size : one) shape.Uint(1, AtLeastZero(size));
    list.Sub(1, shape);
    shapes.Text(1, "X").Sub(2, list);
  }
  const Message types = KeyedLists(args.Text("input_dtypes"), FillTypes);
  const std::string_view stack = args.Text("callstack");
  if (shapes.empty() && types.empty() && stack.empty()) return false;
  const uint32_t track = trace_.track()[row];
  const std::string_view op_type = args.Text("op_type");
  out.Uint(1, Absolute(trace_.start_ns()[row]));
  out.Text(2, op_type.empty() ? trace_.str(trace_.name()[row]) : op_type);
  out.Int(3, PidOf(track)).Int(4, trace_.tracks()[track].id);
  out.Sub(5, shapes).Sub(6, types).Text(7, stack);
  out.Uint(8, AtLeastZero(args.Int("op_id").value_or(0)));
  return true;
}

}  // namespace stepscope::paddle
