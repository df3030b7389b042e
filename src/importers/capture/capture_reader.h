// SPDX-License-Identifier: Apache-2.0
//
// CaptureReader: the reading of one capture, step by step. Single use, not
// thread-safe. Keeps to this order: scan blocks, read the tables, join the
// live file, decode the runs thread by thread, report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "importers/capture/allocator_history.h"
#include "importers/capture/block_scanner.h"
#include "importers/capture/clock_map.h"
#include "importers/capture/device_records.h"
#include "importers/capture/event_decoder.h"
#include "importers/capture/live_reader.h"
#include "importers/capture/metadata.h"
#include "importers/importer.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {

class CaptureReader {
 public:
  // `path` as ReadCapture() has it.
  CaptureReader(File file, std::string path, const ImportOptions& options,
                TraceBuilder& builder);

  // Fails, with nothing added to the builder, where no event can be read from
  // a damaged file.
  Status Read();

 private:
  // One run of slots, in the file or in the live file.
  struct Run {
    format::EventsHeader header = {};
    uint64_t offset = 0;               // of the block, for messages
    const Block* block = nullptr;      // in the file
    const LiveChunk* chunk = nullptr;  // in the live file
  };

  Status Scan();
  Status ReadTables();
  void ReadTable(const Block& block, Bytes payload);
  void AddFileRun(const Block& block);
  void JoinLive();
  void OrderRuns();
  Result<bool> AnythingReadable();
  Status AddToBuilder();
  void AddTracks(uint32_t process);
  Status DecodeRuns(EventDecoder& decoder);
  Status DecodeFileRun(const Run& run, const RunInfo& info,
                       EventDecoder& decoder);
  Status AddDevices(uint32_t process, int64_t offset_ns);
  Result<bool> AddHistoryBlock(const Block& block);
  void JoinHistory(HistoryTarget target, int64_t latest_ns);
  void ReportDevices();
  void ReportFlight();
  void Count(uint32_t uid, const RunCounts& counts);
  void Report(EventDecoder& decoder, int64_t offset_ns);
  void AddProcessNote(const std::string& text);
  void ReportWrites();
  void ReportClock();
  void ReportThreads(const std::vector<Row>& open);
  void ReportDamage();
  void Damaged(const Block& block);
  std::string At(uint64_t offset, const std::string& what) const;

  File file_;
  const std::string path_;
  const ImportOptions& options_;
  TraceBuilder& builder_;
  BlockList list_;
  Metadata tables_;
  std::optional<LiveData> live_;
  bool recording_ = false;  // into the live file, when it was read
  ClockMap clock_;
  std::vector<Run> runs_;
  std::vector<const Block*> device_blocks_;
  AllocatorHistory history_;
  std::vector<std::pair<Run, std::string_view>> rejected_;  // and why
  std::vector<uint8_t> buffer_;
  std::map<uint32_t, uint32_t> tracks_;     // by thread uid
  std::map<uint32_t, RunCounts> recorded_;  // by thread uid
  uint64_t live_events_ = 0;
  uint64_t unknown_blocks_ = 0;
  uint64_t damaged_blocks_ = 0;
  std::optional<uint64_t> first_damage_;
};

}  // namespace stepscope::capture
