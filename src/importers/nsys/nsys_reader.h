// SPDX-License-Identifier: Apache-2.0
//
// NsysReader: the tables of an Nsight Systems export. Records are their rows;
// the offset that the ledger gives is the rowid. Columns vary with the version
// of the exporter, so each is asked for by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "importers/nsys/database.h"
#include "importers/nsys/nvtx_text.h"
#include "trace/build/trace_builder.h"

namespace stepscope::nsys {

// What a row says of one event.
struct RowEvent {
  uint32_t track = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  bool ended = true;  // false: a point in time
  StringId name;
  uint16_t type = 0;
  int64_t rowid = 0;
  // Of work on a device: the call that made it; 0: not known.
  uint32_t process = 0;
  int64_t correlation = 0;
};

class NsysReader {
 public:
  NsysReader(Database database, std::string path, TraceBuilder& builder);
  // Fails where there is no table that it knows.
  Status Read();

 private:
  void ReadMetadata();
  void ReadNames();
  void ReadRuntime();
  void ReadKernels();
  void ReadCopies();
  void ReadSets();
  void ReadSynchronization();
  void ReadGraphs();
  void ReadNvtx();
  void AddCall(Row row, const NvtxText& text);
  // Of a table of named ranges on threads.
  void ReadRanges(std::string_view table, uint16_t type,
                  std::string_view source = {});
  void ReadMemory();
  void ReadGpuMetrics();

  // But for its name, what a row says in a table that begins with "start",
  // "end", "deviceId", "streamId", "correlationId", "globalPid".
  RowEvent WorkOf(const Query& query, uint16_t type, int rowid_column);
  // Adds and counts; kNoRow if it was rejected.
  Row Add(const RowEvent& event);
  void Ends(const Query& query, std::string_view table);
  void Link(uint32_t process, int64_t correlation, Row row);
  void AddIfSet(Row row, const Query& query, int column, std::string_view key);
  void AddTriple(Row row, const Query& query, int column, std::string_view key);

  StringId Name(int64_t id) const;
  uint32_t Process(int64_t global_pid);
  uint32_t Thread(int64_t global_tid);
  uint32_t Stream(uint32_t process, int64_t device, int64_t stream);
  uint32_t FindTrack(uint32_t process, TrackKind kind, int64_t device,
                     int64_t id);

  Database database_;
  std::string path_;
  TraceBuilder& builder_;
  int64_t offset_ns_ = 0;
  std::unordered_map<int64_t, StringId> names_;
  std::unordered_map<int64_t, uint32_t> processes_;  // by global pid
  using TrackKey = std::tuple<uint32_t, TrackKind, int64_t, int64_t>;
  std::map<TrackKey, uint32_t> tracks_;
};

}  // namespace stepscope::nsys
