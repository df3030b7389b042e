// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/table_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"

namespace stepscope::capture {
namespace {

using format::Table;

// Columns of Table::kTrace.
enum TraceColumn : size_t {
  kEpoch,
  kBegin,
  kEnd,
  kEpochKnown,
  kComplete,
  kAnchors,
  kWorstError,
  kTicksPerSecond,
  kProcessUse,
  kSystemUse,
  kKept,
  kFormatBytes,
  kClockBytes,
  kSourceCount,
  kRowCounts = 14,
};

constexpr const char* kTableNames[format::kTables] = {"",
                                                      "trace",
                                                      "strings",
                                                      "processes",
                                                      "metadata",
                                                      "tracks",
                                                      "events",
                                                      "args",
                                                      "lists",
                                                      "links",
                                                      "flows",
                                                      "counters",
                                                      "memory",
                                                      "threads",
                                                      "losses",
                                                      "open scopes",
                                                      "ledger",
                                                      "examples",
                                                      "files",
                                                      "notes",
                                                      "raw arguments",
                                                      "raw arguments",
                                                      "sources"};

uint64_t Bits(const std::vector<uint64_t>& row, TraceColumn column) {
  return row[column];
}

}  // namespace

Result<bool> IsTableCapture(const File& file) {
  format::BlockHeader header;
  uint8_t bytes[sizeof(header)];
  STEPSCOPE_TRY_ASSIGN(const size_t got,
                       file.ReadAt(sizeof(format::FileHeader), bytes));
  if (got == sizeof(bytes)) {
    std::memcpy(&header, bytes, sizeof(header));
    if (header.magic == format::kBlockMagic)
      return header.kind == static_cast<uint16_t>(format::BlockKind::kTable);
  }
  // The first header is damaged: any other will tell.
  STEPSCOPE_TRY_ASSIGN(const BlockList list, ScanBlocks(file));
  return !list.blocks.empty() &&
         list.blocks.front().header.kind ==
             static_cast<uint16_t>(format::BlockKind::kTable);
}

std::string TableReader::At(uint64_t offset, const std::string& what) const {
  return Format("%s: byte %llu: ", file_.path().c_str(),
                static_cast<unsigned long long>(offset)) +
         what;
}

Status TableReader::Read(TraceBuilder& builder) {
  STEPSCOPE_TRY_ASSIGN(file_bytes_, file_.Size());
  STEPSCOPE_TRY_ASSIGN(list_, ScanBlocks(file_));
  if (list_.header && list_.header->version > format::kFileVersion)
    return Fail(ErrorCode::kUnsupported,
                At(8, Format("capture version %u; this program reads up to %u",
                             list_.header->version, format::kFileVersion)));
  lost_ = builder_.Intern("");
  STEPSCOPE_TRY(ReadBlocks());
  if (!tracks_added_) STEPSCOPE_TRY(AddTracks());
  const bool damaged = damaged_blocks_ > 0 || list_.skipped_bytes > 0 ||
                       !list_.header || !trace_;
  if (damaged && builder_.event_count() == 0)
    return Fail(ErrorCode::kCorrupt,
                At(first_damage_.value_or(list_.first_skipped),
                   "expected a table; no event can be read"));
  Report();
  order_.Finish(builder_);
  builder.Merge(std::move(builder_));
  return Ok();
}

Status TableReader::ReadBlocks() {
  for (const Block& block : list_.blocks) {
    if (options_.cancelled()) return Cancelled(file_.path());
    options_.Report(block.offset, file_bytes_);
    if (block.header.kind != static_cast<uint16_t>(format::BlockKind::kTable) ||
        block.header.version != 1) {
      ++unknown_blocks_;
      continue;
    }
    STEPSCOPE_TRY_ASSIGN(bool good, ReadPayload(file_, block, buffer_));
    std::optional<TableBlock> table;
    if (good)
      table = TableBlock::Parse(
          {buffer_.data(), static_cast<size_t>(block.header.bytes)});
    if (table && table->table() > Table::kTracks && !tracks_added_)
      STEPSCOPE_TRY(AddTracks());
    good = table && Take(*table);
    if (good) {
      read_[static_cast<size_t>(table->table())] += table->rows();
    } else {
      ++damaged_blocks_;
      if (!first_damage_) first_damage_ = block.offset;
    }
  }
  return Ok();
}

bool TableReader::Take(const TableBlock& block) {
  switch (block.table()) {
    case Table::kTrace:
      return TakeTrace(block);
    case Table::kStrings:
      return TakeStrings(block);
    case Table::kProcesses:
      return TakeProcesses(block);
    case Table::kMetadata:
      return TakeMetadata(block);
    case Table::kTracks:
      return TakeTracks(block);
    case Table::kEvents:
      return TakeEvents(block);
    case Table::kArgs:
      return TakeArgs(block);
    case Table::kArgInts:
      if (!MakeRoom(block, arg_ints_)) return false;
      block.Decode(0, arg_ints_.data() + block.first_row());
      return true;
    case Table::kLinks:
      return TakeLinks(block);
    case Table::kFlows:
      return TakeFlows(block);
    case Table::kCounters:
      return TakeCounters(block);
    case Table::kMemory:
      return TakeMemory(block);
    case Table::kThreads:
      return TakeThreads(block);
    case Table::kDropped:
      return TakeOwned(block, dropped_);
    case Table::kOpenScopes:
      return TakeOpenScopes(block);
    case Table::kBins:
      return TakeBins(block);
    case Table::kExamples:
      return TakeOwned(block, examples_);
    case Table::kFiles:
      return TakeTexts(block, files_);
    case Table::kNotes:
      return TakeTexts(block, notes_);
    case Table::kRawBlocks:
      return TakeRawBlocks(block);
    case Table::kRawRefs:
      return TakeRawRefs(block);
    case Table::kSources:
      return TakeSources(block);
  }
  return false;
}

void TableReader::DecodeAll(const TableBlock& block) {
  const uint32_t columns = format::ColumnsOf(block.table());
  if (values_.size() < columns) values_.resize(columns);
  for (uint32_t c = 0; c < columns; ++c) block.Decode(c, values_[c]);
}

// Every row takes a byte of the file at least.
bool TableReader::Fits(const TableBlock& block) const {
  return block.first_row() <= file_bytes_ &&
         block.first_row() + block.rows() <= file_bytes_;
}

bool TableReader::TakeTrace(const TableBlock& block) {
  if (trace_) return true;  // the copy
  DecodeAll(block);
  Values row(values_.size());
  for (size_t c = 0; c < row.size(); ++c) row[c] = values_[c][0];
  const std::string_view extra = block.extra();
  if (Bits(row, kFormatBytes) > extra.size() ||
      Bits(row, kClockBytes) > extra.size() - Bits(row, kFormatBytes))
    return false;
  const auto split = static_cast<size_t>(Bits(row, kFormatBytes));
  format_ = extra.substr(0, split);
  clock_source_ =
      extra.substr(split, static_cast<size_t>(Bits(row, kClockBytes)));
  trace_ = std::move(row);
  return true;
}

bool TableReader::TakeStrings(const TableBlock& block) {
  DecodeAll(block);
  std::string_view extra = block.extra();
  uint64_t total = 0;
  for (const uint64_t length : values_[0]) {
    if (length > extra.size() - total) return false;
    total += length;
  }
  if (!Fits(block)) return false;
  const auto end = static_cast<size_t>(block.first_row() + block.rows());
  if (strings_.size() < end) strings_.resize(end, lost_);
  for (uint32_t i = 0; i < block.rows(); ++i) {
    const auto length = static_cast<size_t>(values_[0][i]);
    const auto id = static_cast<uint32_t>(block.first_row() + i);
    strings_[id] = builder_.Intern(extra.substr(0, length));
    same_ids_ &= strings_[id].v == id;
    extra.remove_prefix(length);
  }
  return true;
}

bool TableReader::TakeTexts(const TableBlock& block,
                            std::vector<std::string>& texts) {
  if (!MakeRoom(block, texts)) return false;
  DecodeAll(block);
  std::string_view extra = block.extra();
  for (uint32_t i = 0; i < block.rows(); ++i) {
    if (values_[0][i] > extra.size()) return false;
    const auto length = static_cast<size_t>(values_[0][i]);
    texts[block.first_row() + i] = extra.substr(0, length);
    extra.remove_prefix(length);
  }
  return true;
}

StringId TableReader::StringOf(uint64_t id) const {
  return id < strings_.size() ? strings_[static_cast<size_t>(id)] : lost_;
}

// The row now of a row of the file; kNoRow if it was lost.
Row TableReader::RowOf(uint64_t file_row) const {
  auto after = std::upper_bound(
      stretches_.begin(), stretches_.end(), file_row,
      [](uint64_t row, const Stretch& s) { return row < s.file_first; });
  if (after == stretches_.begin()) return kNoRow;
  const Stretch& stretch = *--after;
  const uint64_t within = file_row - stretch.file_first;
  if (within >= stretch.rows) return kNoRow;
  return stretch.first + static_cast<Row>(within);
}

// Before the first event: those refer to tracks by number.
Status TableReader::AddTracks() {
  tracks_added_ = true;
  if (trace_ && (*trace_)[kRowCounts + static_cast<size_t>(Table::kTracks)] >
                    tracks_.size()) {
    // Tracks at the end were lost; events may still name them.
    const uint64_t wanted =
        (*trace_)[kRowCounts + static_cast<size_t>(Table::kTracks)];
    if (wanted <= file_bytes_) tracks_.resize(static_cast<size_t>(wanted));
  }
  uint32_t processes = static_cast<uint32_t>(processes_.size());
  for (const Track& track : tracks_)
    if (track.process < file_bytes_)
      processes = std::max(processes, track.process + 1);
  processes_.resize(processes);
  for (Process& process : processes_) builder_.AddProcess(std::move(process));
  for (const Track& track : tracks_) builder_.AddTrack(track);
  uint64_t events = 0;
  for (const Block& block : list_.blocks) {
    if (block.torn) continue;
    format::TableHeader header;
    if (block.ReadHead(&header) &&
        header.table == static_cast<uint32_t>(Table::kEvents))
      events += std::min<uint64_t>(header.rows, block.header.bytes);
  }
  return builder_.ReserveRows(events);
}

// A reason or a clock's name must outlast the builder: one of those that the
// recorder uses, or a string of the trace.
std::string_view TableReader::Lasting(std::string_view text) {
  static constexpr std::string_view kKnown[] = {
      "pool",     "reentrant", "threads", "io",     "file_limit", "exited",
      "reason_6", "reason_7",  "tsc",     "cntvct", "monotonic"};
  for (const std::string_view known : kKnown)
    if (known == text) return known;
  return builder_.strings().view(builder_.Intern(text));
}

void TableReader::FinishThreads() {
  for (const OwnedText& loss : dropped_)
    if (loss.owner < threads_.size())
      threads_[static_cast<size_t>(loss.owner)].dropped.emplace_back(
          Lasting(loss.text), loss.number);
  for (ThreadReport& thread : threads_)
    if (IsTrack(thread.track)) builder_.AddThread(std::move(thread));
}

void TableReader::AddBins(Ledger& ledger, size_t first, size_t last) const {
  std::vector<std::vector<const OwnedText*>> examples(bins_.size());
  for (const OwnedText& example : examples_)
    if (example.owner < examples.size())
      examples[static_cast<size_t>(example.owner)].push_back(&example);
  last = std::min(last, bins_.size());
  for (size_t i = first; i < last; ++i) {
    const Bin& bin = bins_[i];
    const auto count = [&](uint64_t offset, std::string_view what, uint64_t n) {
      if (bin.rejected)
        ledger.Reject(bin.reason, offset, what, n);
      else
        ledger.Repair(bin.reason, offset, what, n);
    };
    uint64_t left = bin.count;
    for (size_t e = 0; e < examples[i].size() && left > 0; ++e) {
      const bool is_last = e + 1 == examples[i].size();
      const uint64_t n = is_last ? left : 1;
      count(examples[i][e]->number, examples[i][e]->text, n);
      left -= n;
    }
    if (examples[i].empty()) count(0, {}, left);
  }
}

void TableReader::ReportClock() {
  if (!trace_) return;
  const Values& row = *trace_;
  builder_.SetEpoch({static_cast<int64_t>(row[kEpoch]), row[kEpochKnown] != 0});
  builder_.AddWindow(static_cast<int64_t>(row[kBegin]),
                     static_cast<int64_t>(row[kEnd]));
  builder_.MergeCpuUsage({std::bit_cast<double>(row[kProcessUse]),
                          std::bit_cast<double>(row[kSystemUse])});
}

void TableReader::ReportLosses() {
  if (!trace_) return;
  for (size_t table = 1; table < format::kCountedTables; ++table) {
    const uint64_t wanted = (*trace_)[kRowCounts + table];
    if (table == static_cast<size_t>(Table::kTrace) || read_[table] >= wanted)
      continue;
    const uint64_t lost = wanted - read_[table];
    builder_.AddNote(At(
        first_damage_.value_or(list_.first_skipped),
        CountText(lost, "row") + " lost of the table " + kTableNames[table]));
  }
}

// The ledgers of the first import go on; events that were lost since then are
// no longer kept.
void TableReader::ReportSources(uint64_t lost_events) {
  size_t bin = 0;
  size_t note = 0;
  for (SourceRow& row : sources_) {
    // What has no name would not be told from what comes next.
    if (sources_.size() > 1 && row.source.format.empty() &&
        row.source.path.empty())
      row.source.format = "unknown";
    builder_.AddSource(row.source.format, row.source.path);
    Source& source = builder_.source();
    source = std::move(row.source);
    const uint64_t no_longer = std::min(lost_events, row.kept);
    lost_events -= no_longer;
    source.ledger.Keep(row.kept - no_longer);
    source.ledger.Reject("damaged block", first_damage_.value_or(0), {},
                         no_longer);
    const size_t bins = std::min<uint64_t>(row.bins, bins_.size() - bin);
    AddBins(source.ledger, bin, bin + bins);
    bin += bins;
    for (uint64_t i = 0; i < row.notes && note < notes_.size(); ++i)
      source.notes.push_back(std::move(notes_[note++]));
  }
  for (; note < notes_.size(); ++note)
    builder_.AddTraceNote(std::move(notes_[note]));
}

// Captures without a table of sources know the files by name only.
void TableReader::ReportOnlySource(uint64_t lost_events) {
  if (trace_) {
    const Values& row = *trace_;
    builder_.AlignEpoch(static_cast<int64_t>(row[kEpoch]),
                        row[kEpochKnown] != 0);
    ClockInfo clock;
    clock.source = clock_source_;
    clock.anchors = row[kAnchors];
    clock.worst_error_ns = static_cast<int64_t>(row[kWorstError]);
    clock.ticks_per_second = std::bit_cast<double>(row[kTicksPerSecond]);
    builder_.MergeClock(clock);
    if (row[kComplete] == 0) builder_.SetIncomplete();
  }
  Ledger& ledger = builder_.ledger();
  const uint64_t kept = trace_ ? (*trace_)[kKept] : builder_.event_count();
  const uint64_t no_longer = trace_ ? std::min(lost_events, kept) : 0;
  ledger.Keep(kept - no_longer);
  ledger.Reject("damaged block", first_damage_.value_or(0), {}, no_longer);
  AddBins(ledger, 0, bins_.size());
  for (const std::string& file : files_) builder_.AddSource(format_, file);
  if (!trace_ && files_.empty()) builder_.AddSource("capture", file_.path());
  for (std::string& note : notes_) builder_.AddNote(std::move(note));
  // There, a process names the path of its file.
  for (uint32_t i = 0; i < builder_.process_count(); ++i) {
    Process& process = builder_.process(i);
    const std::string_view path =
        builder_.strings().view(StringOf(process.source));
    const auto file = std::find(files_.begin(), files_.end(), path);
    process.source =
        file == files_.end() ? 0 : static_cast<uint32_t>(file - files_.begin());
  }
}

void TableReader::Report() {
  ReportClock();
  uint64_t lost_events = 0;
  if (trace_)
    lost_events = (*trace_)[kRowCounts + static_cast<size_t>(Table::kEvents)];
  lost_events -=
      std::min(lost_events, read_[static_cast<size_t>(Table::kEvents)]);
  const bool has_sources =
      trace_ && (*trace_)[kSourceCount] > 0 &&
      read_[static_cast<size_t>(Table::kSources)] >= (*trace_)[kSourceCount];
  if (has_sources)
    ReportSources(lost_events);
  else
    ReportOnlySource(lost_events);
  ReportLosses();
  if (!trace_) builder_.AddNote(At(0, "clock and window are lost"));
  if (references_lost_ > 0)
    builder_.AddNote(
        CountText(references_lost_, "entry refers", "entries refer") +
        " to something that is lost, and left out");
  if (damaged_blocks_ > 0 || list_.skipped_bytes > 0)
    builder_.AddNote(At(first_damage_.value_or(list_.first_skipped),
                        CountText(damaged_blocks_, "damaged block") + ", " +
                            CountText(list_.skipped_bytes, "byte") +
                            " skipped"));
  if (unknown_blocks_ > 0)
    builder_.AddNote(CountText(unknown_blocks_, "block") +
                     " of another kind or version skipped");
  if (!list_.header) builder_.AddNote(At(0, "damaged file header"));
  FinishThreads();
}

}  // namespace stepscope::capture
