// SPDX-License-Identifier: Apache-2.0
#include "snapshot/snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "snapshot/snapshot_check.h"
#include "snapshot/snapshot_facts.h"
#include "snapshot/snapshot_sections.h"

namespace stepscope {

template <>
inline constexpr bool kNamesEveryByte<CounterSample> =
    sizeof(CounterSample) == offsetof(CounterSample, zeros) + 3 + 8 + 8;
template <>
inline constexpr bool kNamesEveryByte<Arg> = sizeof(Arg) == 4 + 4 + 4 + 4 + 8;

namespace {

void WriteStrings(const StringPool& strings, SnapshotWriter& writer) {
  const uint32_t count = strings.size();
  std::vector<uint64_t> ends(count);
  std::vector<uint64_t> hashes(count);
  uint64_t end = 0;
  for (uint32_t i = 0; i < count; ++i) {
    ends[i] = end += strings.view({i}).size();
    hashes[i] = strings.hash({i});
  }
  writer.Add(kStringEnds, std::span<const uint64_t>(ends));
  writer.Add(kStringHashes, std::span<const uint64_t>(hashes));
  writer.Begin(kStringText);
  for (uint32_t i = 0; i < count; ++i)
    writer.Append(std::as_bytes(std::span(strings.view({i}))));
}

void WriteRawArgs(const RawArgs& raw, SnapshotWriter& writer) {
  std::vector<StoredRawBlock> blocks;
  uint64_t end = 0;
  for (uint32_t i = 0; i < raw.block_count(); ++i) {
    const RawArgs::Block& block = raw.block(i);
    end += block.stored().size();
    blocks.push_back({end, block.plain_size, block.packed ? 1u : 0u});
  }
  writer.Add(kRawBlocks, std::span<const StoredRawBlock>(blocks));
  writer.Begin(kRawBytes);
  for (uint32_t i = 0; i < raw.block_count(); ++i)
    writer.Append(std::as_bytes(raw.block(i).stored()));
}

template <typename T>
bool Take(const SnapshotFile& file, uint32_t kind, std::vector<T>& table) {
  const auto section = file.Section<T>(kind);
  if (section) table.assign(section->begin(), section->end());
  return section.has_value();
}

template <typename T>
bool Take(const SnapshotFile& file, uint32_t kind, Column<T>& column) {
  const auto section = file.Section<T>(kind);
  if (section) column = Column<T>::Borrow(*section);
  return section.has_value();
}

bool TakeStrings(const SnapshotFile& file, StringPool& pool) {
  const auto ends = file.Section<uint64_t>(kStringEnds);
  const auto hashes = file.Section<uint64_t>(kStringHashes);
  const auto text = file.Section<char>(kStringText);
  if (!ends || !hashes || !text || ends->empty() ||
      ends->size() != hashes->size() || ends->size() > UINT32_MAX / 2 ||
      (*ends)[0] != 0)
    return false;
  std::vector<std::string_view> views;
  views.reserve(ends->size());
  uint64_t begin = 0;
  for (const uint64_t end : *ends) {
    if (end < begin || end > text->size()) return false;
    views.emplace_back(text->data() + begin, static_cast<size_t>(end - begin));
    begin = end;
  }
  pool = StringPool::Borrow(std::move(views), {hashes->begin(), hashes->end()});
  return true;
}

Error BadTable(std::string_view what) {
  return Fail(ErrorCode::kCorrupt,
              "the snapshot has a bad table: " + std::string(what));
}

bool TakeRawArgs(const std::shared_ptr<const SnapshotFile>& file,
                 RawArgs& raw) {
  const auto blocks = file->Section<StoredRawBlock>(kRawBlocks);
  const auto bytes = file->Section<uint8_t>(kRawBytes);
  if (!blocks || !bytes) return false;
  uint64_t begin = 0;
  for (const StoredRawBlock& stored : *blocks) {
    if (stored.end < begin || stored.end > bytes->size()) return false;
    RawArgs::Block block;
    block.elsewhere = bytes->subspan(static_cast<size_t>(begin),
                                     static_cast<size_t>(stored.end - begin));
    block.owner = file;
    block.plain_size = stored.plain_size;
    block.packed = stored.packed != 0;
    if (!block.packed && block.plain_size > block.elsewhere.size())
      return false;
    raw.AddBlock(std::move(block));
    begin = stored.end;
  }
  return true;
}

}  // namespace

void TraceSnapshot::Write(const Trace& trace, SnapshotWriter& writer) {
  const std::string facts = EncodeFacts(trace.facts());
  writer.Add(kFacts, std::span<const char>(facts));
  WriteStrings(trace.strings(), writer);
  writer.Add(kTracks, std::span<const Track>(trace.tracks()));
  writer.Add(kStart, trace.start_ns());
  writer.Add(kDuration, trace.dur_ns());
  writer.Add(kName, trace.name());
  writer.Add(kTrackOf, trace.track());
  writer.Add(kType, trace.type());
  writer.Add(kFlags, trace.flags());
  writer.Add(kFlows, std::span<const Flow>(trace.flows()));
  writer.Add(kLinks, trace.links());
  writer.Add(kCounters, std::span<const CounterSample>(trace.counters()));
  writer.Add(kMemory, trace.memory().stored());
  writer.Add(kMemoryTotals, trace.memory().totals());
  writer.Add(kArgs, trace.args());
  writer.Add(kArgInts, trace.arg_ints());
  writer.Add(kRawRefs, trace.args_.raw_refs.view());
  WriteRawArgs(trace.raw_args(), writer);
  const Nesting& nesting = trace.nesting();
  writer.Add(kParent, nesting.parent.view());
  writer.Add(kDepth, nesting.depth.view());
  writer.Add(kSelf, trace.self_ns());
}

void TraceSnapshot::AddPages(const SnapshotFile& file, FilePages& pages) {
  for (const uint32_t kind :
       {kStart, kDuration, kName, kTrackOf, kType, kFlags, kLinks, kArgs,
        kArgInts, kRawRefs, kRawBytes, kParent, kDepth, kSelf})
    pages.Add(file.bytes(kind));
}

void TraceSnapshot::MoveInto(const Trace& trace, const SnapshotFile& file,
                             FilePages& pages) {
  if (trace.backing_ != nullptr) return;  // they lie in a file already
  // Columns of that size are mappings of their own: base/column.cc.
  constexpr size_t kLarge = size_t{4} << 20;
  const auto move = [&](uint32_t kind, const auto& column) {
    const auto view = column.view();
    if (view.size_bytes() >= kLarge &&
        file.MapOver(kind, view.data(), view.size_bytes()))
      pages.Add(std::as_bytes(view));
  };
  move(kStart, trace.events_.start_ns);
  move(kDuration, trace.events_.dur_ns);
  move(kName, trace.events_.name);
  move(kTrackOf, trace.events_.track);
  move(kType, trace.events_.type);
  move(kFlags, trace.events_.flags);
  move(kLinks, trace.links_);
  move(kArgs, trace.args_.typed);
  move(kArgInts, trace.args_.ints);
  move(kRawRefs, trace.args_.raw_refs);
  const Nesting& nesting = trace.nesting();
  move(kParent, nesting.parent);
  move(kDepth, nesting.depth);
  (void)trace.self_ns();  // it is written by now, so it is there
  move(kSelf, trace.self_ns_);
}

Result<std::shared_ptr<const Trace>> TraceSnapshot::Read(
    std::shared_ptr<const SnapshotFile> file, Executor& executor,
    const CancelToken* cancel) {
  STEPSCOPE_TRY(Check(*file, executor, cancel));
  return ReadUnchecked(std::move(file));
}

Status TraceSnapshot::Check(const SnapshotFile& file, Executor& executor,
                            const CancelToken* cancel) {
  const std::optional<SnapshotLimits> limits = ReadLimits(file);
  if (!limits) return BadTable("sizes");
  return file.Verify(
      executor,
      [&](uint32_t kind, uint64_t first, std::span<const std::byte> piece) {
        return CheckPiece(*limits, kind, first, piece);
      },
      cancel);
}

Result<std::shared_ptr<const Trace>> TraceSnapshot::ReadUnchecked(
    std::shared_ptr<const SnapshotFile> file) {
  const std::optional<SnapshotLimits> limits = ReadLimits(*file);
  if (!limits) return BadTable("sizes");
  std::unique_ptr<Trace> trace(new Trace);
  Trace& t = *trace;
  t.backing_ = file;
  const auto text = file->Section<char>(kFacts);
  if (!text) return BadTable("facts");
  std::optional<TraceFacts> facts = DecodeFacts({text->data(), text->size()});
  if (!facts || !CheckFacts(*limits, *facts)) return BadTable("facts");
  t.facts_ = *std::move(facts);

  if (!TakeStrings(*file, t.strings_)) return BadTable("strings");
  if (!TakeRawArgs(file, t.args_.raw)) return BadTable("raw arguments");
  auto nesting = std::make_unique<Nesting>();
  Column<int64_t> self_ns;
  if (!Take(*file, kTracks, t.tracks_) ||
      !Take(*file, kStart, t.events_.start_ns) ||
      !Take(*file, kDuration, t.events_.dur_ns) ||
      !Take(*file, kName, t.events_.name) ||
      !Take(*file, kTrackOf, t.events_.track) ||
      !Take(*file, kType, t.events_.type) ||
      !Take(*file, kFlags, t.events_.flags) || !Take(*file, kFlows, t.flows_) ||
      !Take(*file, kLinks, t.links_) || !Take(*file, kCounters, t.counters_) ||
      !Take(*file, kMemory, t.memory_.events()) ||
      !Take(*file, kMemoryTotals, t.memory_.event_totals()) ||
      !Take(*file, kArgs, t.args_.typed) ||
      !Take(*file, kArgInts, t.args_.ints) ||
      !Take(*file, kRawRefs, t.args_.raw_refs) ||
      !Take(*file, kParent, nesting->parent) ||
      !Take(*file, kDepth, nesting->depth) || !Take(*file, kSelf, self_ns))
    return BadTable("a table is missing");
  std::call_once(t.nesting_once_, [&] { t.nesting_ = std::move(nesting); });
  std::call_once(t.self_once_, [&] { t.self_ns_ = std::move(self_ns); });
  return std::shared_ptr<const Trace>(std::move(trace));
}

}  // namespace stepscope
