// SPDX-License-Identifier: Apache-2.0
//
// The part of NsysReader that reads CUPTI's tables.
#include <stepscope/c.h>

#include "importers/nsys/nsys_reader.h"

namespace stepscope::nsys {
namespace {

constexpr std::string_view kCopyKinds[] = {
    "Unknown", "HtoD", "DtoH", "HtoA", "AtoH",     "AtoA",     "AtoD",
    "DtoA",    "DtoD", "HtoH", "PtoP", "UVM HtoD", "UVM DtoH", "UVM DtoD"};
// Unlike CUPTI's own numbers, these begin with pageable.
constexpr std::string_view kMemoryKinds[] = {
    "Pageable", "Pinned",        "Device",         "Array",
    "Managed",  "Device Static", "Managed Static", "Unknown"};
constexpr std::string_view kSyncTypes[] = {
    "Unknown", "Event Synchronize", "Stream Wait Event", "Stream Synchronize",
    "Context Synchronize"};

template <size_t kSize>
std::string_view NameOf(const std::string_view (&names)[kSize], int64_t value) {
  return value >= 0 && static_cast<size_t>(value) < kSize ? names[value]
                                                          : "Unknown";
}

bool IsGraphLaunch(std::string_view name) {
  return name.find("GraphLaunch") != name.npos;
}

}  // namespace

void NsysReader::ReadRuntime() {
  Query query = database_.Select(
      "CUPTI_ACTIVITY_KIND_RUNTIME",
      {"start", "end", "globalTid", "correlationId", "nameId", "returnValue"});
  while (query.Next()) {
    RowEvent event;
    event.start_ns = query.Int(0);
    event.end_ns = query.Int(1);
    event.track = Thread(query.Int(2));
    event.name = Name(query.Int(4));
    event.type = IsGraphLaunch(builder_.strings().view(event.name))
                     ? STEPSCOPE_GRAPH_LAUNCH
                     : STEPSCOPE_CUDA_RUNTIME;
    event.rowid = query.Int(6);
    const Row row = Add(event);
    if (row == kNoRow) continue;
    Link(Process(query.Int(2)), query.Int(3), row);
    if (query.Int(5) != 0) builder_.AddInt(row, "return value", query.Int(5));
  }
  Ends(query, "CUPTI_ACTIVITY_KIND_RUNTIME");
}

RowEvent NsysReader::WorkOf(const Query& query, uint16_t type,
                            int rowid_column) {
  RowEvent event;
  event.process = Process(query.Int(5));
  event.start_ns = query.Int(0);
  event.end_ns = query.Int(1);
  event.track = Stream(event.process, query.Int(2), query.Int(3));
  event.correlation = query.Int(4);
  event.type = type;
  event.rowid = query.Int(rowid_column);
  return event;
}

void NsysReader::ReadKernels() {
  Query query = database_.Select(
      "CUPTI_ACTIVITY_KIND_KERNEL",
      {"start", "end", "deviceId", "streamId", "correlationId", "globalPid",
       "demangledName", "shortName", "registersPerThread", "gridX", "gridY",
       "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory",
       "dynamicSharedMemory", "contextId", "graphNodeId"});
  while (query.Next()) {
    RowEvent event = WorkOf(query, STEPSCOPE_KERNEL, 19);
    event.name = Name(query.Int(6));
    if (event.name.v == 0) event.name = Name(query.Int(7));
    const Row row = Add(event);
    if (row == kNoRow) continue;
    AddIfSet(row, query, 8, "registers per thread");
    AddTriple(row, query, 9, "grid");
    AddTriple(row, query, 12, "block");
    if (!query.IsNull(15) || !query.IsNull(16))
      builder_.AddInt(row, "shared memory", query.Int(15) + query.Int(16));
    AddIfSet(row, query, 17, "context");
    if (!query.IsNull(18) && query.Int(18) != 0)
      builder_.AddLink({event.process, LinkSpace::kGraphNode,
                        static_cast<uint64_t>(query.Int(18)), row});
  }
  Ends(query, "CUPTI_ACTIVITY_KIND_KERNEL");
}

void NsysReader::ReadCopies() {
  Query query = database_.Select(
      "CUPTI_ACTIVITY_KIND_MEMCPY",
      {"start", "end", "deviceId", "streamId", "correlationId", "globalPid",
       "bytes", "copyKind", "srcKind", "dstKind", "contextId"});
  while (query.Next()) {
    RowEvent event = WorkOf(query, STEPSCOPE_MEMCPY, 11);
    event.name = builder_.Intern("MEMCPY_" +
                                 std::string(NameOf(kCopyKinds, query.Int(7))));
    const Row row = Add(event);
    if (row == kNoRow) continue;
    AddIfSet(row, query, 6, "bytes");
    if (!query.IsNull(8))
      builder_.AddText(row, "src kind", NameOf(kMemoryKinds, query.Int(8)));
    if (!query.IsNull(9))
      builder_.AddText(row, "dst kind", NameOf(kMemoryKinds, query.Int(9)));
    AddIfSet(row, query, 10, "context");
  }
  Ends(query, "CUPTI_ACTIVITY_KIND_MEMCPY");
}

void NsysReader::ReadSets() {
  Query query =
      database_.Select("CUPTI_ACTIVITY_KIND_MEMSET",
                       {"start", "end", "deviceId", "streamId", "correlationId",
                        "globalPid", "bytes", "value", "memKind"});
  while (query.Next()) {
    RowEvent event = WorkOf(query, STEPSCOPE_MEMSET, 9);
    event.name = builder_.Intern("MEMSET");
    const Row row = Add(event);
    if (row == kNoRow) continue;
    AddIfSet(row, query, 6, "bytes");
    AddIfSet(row, query, 7, "value");
    if (!query.IsNull(8))
      builder_.AddText(row, "memory kind", NameOf(kMemoryKinds, query.Int(8)));
  }
  Ends(query, "CUPTI_ACTIVITY_KIND_MEMSET");
}

void NsysReader::ReadSynchronization() {
  Query query = database_.Select("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                 {"start", "end", "deviceId", "streamId",
                                  "correlationId", "globalPid", "syncType"});
  while (query.Next()) {
    RowEvent event = WorkOf(query, STEPSCOPE_SYNCHRONIZATION, 7);
    event.name = builder_.Intern(NameOf(kSyncTypes, query.Int(6)));
    Add(event);
  }
  Ends(query, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
}

// Graphs that were traced as a whole: the work of their kernels is this row.
void NsysReader::ReadGraphs() {
  Query query =
      database_.Select("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                       {"start", "end", "deviceId", "streamId", "correlationId",
                        "globalPid", "graphId", "graphExecId"});
  while (query.Next()) {
    RowEvent event = WorkOf(query, STEPSCOPE_KERNEL, 8);
    event.name = builder_.Intern("CUDA graph " + std::to_string(query.Int(6)));
    const Row row = Add(event);
    if (row == kNoRow) continue;
    AddIfSet(row, query, 7, "graph exec id");
  }
  Ends(query, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
}

void NsysReader::ReadMemory() {
  Query query = database_.Select("CUDA_GPU_MEMORY_USAGE_EVENTS",
                                 {"start", "globalPid", "deviceId", "address",
                                  "bytes", "memKind", "memoryOperationType"});
  std::map<std::pair<uint32_t, StringId>, uint64_t> totals;
  while (query.Next()) {
    const uint32_t process = Process(query.Int(1));
    MemoryEvent event;
    const auto rowid = static_cast<uint64_t>(query.Int(7));
    if (__builtin_add_overflow(query.Int(0), offset_ns_, &event.time_ns)) {
      builder_.ledger().Reject("time out of range", rowid);
      continue;
    }
    const bool freed = query.Int(6) == 1;
    const uint64_t bytes = static_cast<uint64_t>(query.Int(4));
    event.place =
        builder_.Intern("GPU" + std::to_string(query.Int(2)) + " " +
                        std::string(NameOf(kMemoryKinds, query.Int(5))));
    uint64_t& total = totals[{process, event.place}];
    // What was allocated before the recording began may be freed in it.
    total = freed ? (total < bytes ? 0 : total - bytes) : total + bytes;
    event.total_allocated = total;
    event.bytes = static_cast<int64_t>(freed ? 0 - bytes : bytes);
    event.address = static_cast<uint64_t>(query.Int(3));
    event.kind = freed ? MemoryKind::kFree : MemoryKind::kAllocate;
    event.track = Thread(query.Int(1));
    builder_.AddMemory(event);
    builder_.ledger().Keep();
  }
  Ends(query, "CUDA_GPU_MEMORY_USAGE_EVENTS");
}

}  // namespace stepscope::nsys
