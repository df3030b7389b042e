// SPDX-License-Identifier: Apache-2.0
//
// TableReader: reads a capture that was made from a trace, not by the
// recorder. What is damaged is left out and counted; rows keep their
// identity, so that what refers to lost rows is left out as well. Single use,
// not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "importers/capture/block_scanner.h"
#include "importers/capture/run_order.h"
#include "importers/capture/table_block.h"
#include "importers/importer.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {

// Whether the file holds Table blocks.
Result<bool> IsTableCapture(const File& file);

class TableReader {
 public:
  TableReader(File file, const ImportOptions& options)
      : file_(std::move(file)), options_(options) {}

  // Adds the trace to `builder`. Fails where nothing can be read.
  Status Read(TraceBuilder& builder);

 private:
  using Values = std::vector<uint64_t>;
  // Rows of the file that were read, and where they are now.
  struct Stretch {
    uint64_t file_first = 0;
    uint64_t rows = 0;
    Row first = 0;
  };
  // Entries that wait for the table they belong to.
  struct OwnedText {
    uint64_t owner = 0;
    uint64_t number = 0;
    std::string text;
  };

  Status ReadBlocks();
  bool Take(const TableBlock& block);
  bool TakeTrace(const TableBlock& block);
  bool TakeStrings(const TableBlock& block);
  bool TakeTexts(const TableBlock& block, std::vector<std::string>& texts);
  bool TakeProcesses(const TableBlock& block);
  bool TakeMetadata(const TableBlock& block);
  bool TakeTracks(const TableBlock& block);
  bool TakeEvents(const TableBlock& block);
  void CheckOrder(const TableBlock& block, const TraceBuilder::Rows& rows,
                  uint32_t first, uint32_t last);
  bool TakeArgs(const TableBlock& block);
  bool TakeRawBlocks(const TableBlock& block);
  bool TakeRawRefs(const TableBlock& block);
  bool TakeLinks(const TableBlock& block);
  bool TakeFlows(const TableBlock& block);
  bool TakeCounters(const TableBlock& block);
  bool TakeMemory(const TableBlock& block);
  bool TakeThreads(const TableBlock& block);
  bool TakeOwned(const TableBlock& block, std::vector<OwnedText>& owned);
  bool TakeOpenScopes(const TableBlock& block);
  bool TakeBins(const TableBlock& block);
  bool TakeSources(const TableBlock& block);

  // Decodes all columns of the block into values_.
  void DecodeAll(const TableBlock& block);
  // Makes `table` large enough for the block; false: it claims too much.
  template <typename T>
  bool MakeRoom(const TableBlock& block, std::vector<T>& table) const {
    if (!Fits(block)) return false;
    const auto end = static_cast<size_t>(block.first_row() + block.rows());
    if (table.size() < end) table.resize(end);
    return true;
  }
  bool Fits(const TableBlock& block) const;
  Status AddTracks();
  Row RowOf(uint64_t file_row) const;
  StringId StringOf(uint64_t id) const;
  bool IsTrack(uint64_t track) const { return track < tracks_.size(); }
  std::string_view Lasting(std::string_view text);
  void FinishThreads();
  void ReportLosses();
  void ReportClock();
  void ReportSources(uint64_t lost_events);
  void ReportOnlySource(uint64_t lost_events);
  void AddBins(Ledger& ledger, size_t first, size_t last) const;
  void Report();
  std::string At(uint64_t offset, const std::string& what) const;

  File file_;
  const ImportOptions& options_;
  TraceBuilder builder_;
  BlockList list_;
  uint64_t file_bytes_ = 0;
  std::vector<uint8_t> buffer_;
  std::vector<Values> values_;
  std::optional<Values> trace_;  // the one row of Table::kTrace
  std::array<uint64_t, format::kTables> read_ = {};  // rows, by table
  std::vector<StringId> strings_;
  bool same_ids_ = true;  // strings have their numbers
  StringId lost_;
  std::vector<Process> processes_;
  std::vector<Track> tracks_;
  bool tracks_added_ = false;
  std::vector<Stretch> stretches_;
  RunOrder order_;
  std::vector<int64_t> arg_ints_;
  std::vector<ThreadReport> threads_;
  std::vector<OwnedText> dropped_;
  std::vector<OwnedText> examples_;
  struct Bin {
    bool rejected = false;
    uint64_t count = 0;
    std::string reason;
  };
  std::vector<Bin> bins_;
  struct SourceRow {
    Source source;
    uint64_t kept = 0;
    uint64_t bins = 0;
    uint64_t notes = 0;
  };
  std::vector<SourceRow> sources_;
  std::vector<std::string> files_;
  std::vector<std::string> notes_;
  std::string format_;
  std::string clock_source_;
  uint64_t references_lost_ = 0;
  uint64_t damaged_blocks_ = 0;
  uint64_t unknown_blocks_ = 0;
  std::optional<uint64_t> first_damage_;
};

}  // namespace stepscope::capture
