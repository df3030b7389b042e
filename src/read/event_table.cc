// SPDX-License-Identifier: Apache-2.0
#include "read/event_table.h"

#include <vector>

#include "read/column_set.h"
#include "trace/event_type.h"
#include "trace/kind_names.h"

namespace stepscope {
namespace {

// What the columns refer to, beside the trace.
struct TraceColumns {
  std::shared_ptr<const Trace> trace;
  TextDictionary names, types, kinds, threads;
  std::vector<int32_t> name, type, kind, thread;
  std::vector<int64_t> pid, rank, tid, device, stream;
  Validity has_rank, has_tid, has_device, has_stream;
  std::vector<uint8_t> open;  // bits
};

// Where each event ran.
void AddTracks(TraceColumns& out) {
  const Trace& trace = *out.trace;
  std::vector<int32_t> kinds, threads;
  for (const Track& track : trace.tracks()) {
    kinds.push_back(out.kinds.Add(NameOf(track.kind)));
    threads.push_back(out.threads.Add(trace.str(track.name)));
  }
  for (std::vector<int32_t>* column : {&out.kind, &out.thread})
    column->reserve(trace.size());
  for (std::vector<int64_t>* column :
       {&out.pid, &out.rank, &out.tid, &out.device, &out.stream})
    column->reserve(trace.size());
  for (const uint32_t at : trace.track()) {
    const Track& track = trace.tracks()[at];
    const Process& process = trace.processes()[track.process];
    const bool stream = track.kind == TrackKind::kStream;
    out.kind.push_back(kinds[at]);
    out.thread.push_back(threads[at]);
    out.pid.push_back(process.pid);
    out.rank.push_back(process.rank);
    out.has_rank.Append(process.rank >= 0);
    out.tid.push_back(stream ? 0 : track.id);
    out.has_tid.Append(!stream);
    out.device.push_back(stream ? track.device : 0);
    out.has_device.Append(stream && track.device >= 0);
    out.stream.push_back(stream ? track.id : 0);
    out.has_stream.Append(stream);
  }
}

void AddNames(TraceColumns& out) {
  const Trace& trace = *out.trace;
  std::vector<int32_t> number(trace.strings().size(), -1);
  std::vector<int32_t> type_number(size_t{1} << 16, -1);
  out.name.reserve(trace.size());
  out.type.reserve(trace.size());
  out.open.resize((size_t{trace.size()} + 7) / 8);
  for (Row row = 0; row < trace.size(); ++row) {
    int32_t& name = number[trace.name()[row].v];
    if (name < 0) name = out.names.Add(trace.str(trace.name()[row]));
    out.name.push_back(name);
    const uint16_t type = trace.type()[row];
    int32_t& known = type_number[type];
    if (known < 0) known = out.types.Add(EventTypeName(type));
    out.type.push_back(known);
    if ((trace.flags()[row] & kEventOpenAtEnd) != 0) {
      out.open[row / 8] |= static_cast<uint8_t>(1u << row % 8);
    }
  }
}

std::vector<ColumnData> DescribeEvents(const TraceColumns& from) {
  const Trace& trace = *from.trace;
  const Nesting& nesting = trace.nesting();
  return {
      {"name", "i", "", "name of the event", from.name.data(), nullptr,
       &from.names},
      {"type", "i", "", "kind of event, as Paddle names them", from.type.data(),
       nullptr, &from.types},
      {"start_ns", "l", "ns", "when it began, from the trace's time 0",
       trace.start_ns().data()},
      {"dur_ns", "l", "ns", "how long it took; 0 for a point in time",
       trace.dur_ns().data()},
      {"self_ns", "l", "ns", "the same less its direct children",
       trace.self_ns().data()},
      {"depth", "i", "", "how many events of its track are around it",
       nesting.depth.data()},
      {"pid", "l", "", "number of the process", from.pid.data()},
      {"rank", "l", "", "rank of the process in its job", from.rank.data(),
       &from.has_rank},
      {"kind", "i", "", "thread, stream or async: where it ran",
       from.kind.data(), nullptr, &from.kinds},
      {"tid", "l", "", "number of the thread", from.tid.data(), &from.has_tid},
      {"thread", "i", "", "name of the thread or stream", from.thread.data(),
       nullptr, &from.threads},
      {"device", "l", "", "number of the device", from.device.data(),
       &from.has_device},
      {"stream", "l", "", "number of the stream of the device",
       from.stream.data(), &from.has_stream},
      {"open", "b", "", "never ended: it lasts until recording ended",
       from.open.data()},
  };
}

}  // namespace

Result<std::shared_ptr<const ArrowTable>> MakeEventTable(
    std::shared_ptr<const Trace> trace) {
  auto columns = std::make_shared<TraceColumns>();
  columns->trace = std::move(trace);
  AddTracks(*columns);
  AddNames(*columns);
  if (columns->names.too_large() || columns->threads.too_large()) {
    return Fail(ErrorCode::kInvalidArgument,
                "events: the names have more than 2 GiB of text");
  }
  std::vector<ColumnData> described = DescribeEvents(*columns);
  const auto rows = static_cast<int64_t>(columns->trace->size());
  return MakeArrowTable(rows, std::move(described), std::move(columns));
}

}  // namespace stepscope
