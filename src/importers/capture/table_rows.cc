// SPDX-License-Identifier: Apache-2.0
//
// The part of TableReader that makes entries of a trace from rows. An entry
// that makes no sense fails its block: the CRC was right, so somebody wrote it.
#include <algorithm>
#include <bit>

#include "importers/capture/table_reader.h"

namespace stepscope::capture {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;
constexpr uint64_t kTimeBound = uint64_t{1} << 62;

int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

uint64_t Largest(const uint32_t* values, uint32_t rows) {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < rows; ++i) largest = std::max(largest, values[i]);
  return largest;
}

// No negative duration, and no time with which sums might overflow.
bool AreTimes(const int64_t* start_ns, const int64_t* dur_ns, uint32_t rows) {
  uint64_t bad = 0;
  for (uint32_t i = 0; i < rows; ++i) {
    const auto start = static_cast<uint64_t>(start_ns[i]);
    const auto dur = static_cast<uint64_t>(dur_ns[i]);
    bad |= (start + kTimeBound) | dur | (dur << 1);
  }
  return (bad & kSign) == 0;
}

}  // namespace

bool TableReader::TakeProcesses(const TableBlock& block) {
  if (tracks_added_ || !MakeRoom(block, processes_)) return false;
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i) {
    Process& process = processes_[block.first_row() + i];
    process.pid = Signed(values_[0][i]);
    process.rank = Signed(values_[1][i]);
    process.name = StringOf(values_[2][i]);
    process.host = StringOf(values_[3][i]);
    process.source = static_cast<uint32_t>(values_[4][i]);
    process.start_ns = Signed(values_[5][i]);
  }
  return true;
}

bool TableReader::TakeMetadata(const TableBlock& block) {
  if (tracks_added_) return false;
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i) {
    if (values_[0][i] >= processes_.size())
      ++references_lost_;
    else
      processes_[static_cast<size_t>(values_[0][i])].metadata.emplace_back(
          StringOf(values_[1][i]), StringOf(values_[2][i]));
  }
  return true;
}

bool TableReader::TakeTracks(const TableBlock& block) {
  DecodeAll(block);
  // A process is named by a number that the file has room for.
  for (uint32_t i = 0; i < block.rows(); ++i)
    if (values_[0][i] >= file_bytes_ || values_[0][i] > UINT32_MAX - 1 ||
        values_[1][i] > static_cast<uint64_t>(TrackKind::kAsync))
      return false;
  if (tracks_added_ || !MakeRoom(block, tracks_)) return false;
  for (uint32_t i = 0; i < block.rows(); ++i) {
    Track& track = tracks_[block.first_row() + i];
    track.process = static_cast<uint32_t>(values_[0][i]);
    track.kind = static_cast<TrackKind>(values_[1][i]);
    track.id = Signed(values_[2][i]);
    track.device = Signed(values_[3][i]);
    track.lane = static_cast<uint32_t>(values_[4][i]);
    track.name = StringOf(values_[5][i]);
    track.device_type = StringOf(values_[6][i]);
  }
  return true;
}

// The path whose speed counts: columns are decoded where they stay, and looked
// at while they are in the cache.
bool TableReader::TakeEvents(const TableBlock& block) {
  if (!stretches_.empty() &&
      block.first_row() < stretches_.back().file_first + stretches_.back().rows)
    return false;  // out of order, or twice
  if (!builder_.ReserveRows(block.rows())) return false;
  const TraceBuilder::Rows rows = builder_.rows();
  const uint32_t count = block.rows();
  static_assert(sizeof(StringId) == sizeof(uint32_t));
  auto* const names = reinterpret_cast<uint32_t*>(rows.name);
  // Zero already, and on pages that then need not be there.
  if (!block.IsZero(3)) block.Decode(3, rows.track);
  if (!block.IsZero(4)) block.Decode(4, rows.type);
  if (!block.IsZero(5)) block.Decode(5, rows.flags);
  bool good =
      Largest(rows.track, block.IsConstant(3) ? 1 : count) < tracks_.size();
  const uint64_t known_names = std::max<size_t>(strings_.size(), 1);
  TableBlock::Values start(block, 0);
  TableBlock::Values dur(block, 1);
  TableBlock::Values name(block, 2);
  constexpr uint32_t kStep = 1024;
  for (uint32_t i = 0; good && i < count; i += kStep) {
    const uint32_t n = std::min(kStep, count - i);
    start.Next(n, rows.start_ns + i);
    dur.Next(n, rows.dur_ns + i);
    name.Next(n, names + i);
    CheckOrder(block, rows, i, i + n);
    // What is in order is in range, and most is.
    good = Largest(names + i, n) < known_names &&
           (order_.ordered_so_far() ||
            AreTimes(rows.start_ns + i, rows.dur_ns + i, n));
  }
  if (!good) {
    // Some of these rows were checked, and others take their place.
    order_.GiveUp();
    // Rows beyond the size stay zero.
    std::fill_n(rows.track, count, 0u);
    std::fill_n(rows.type, count, uint16_t{0});
    std::fill_n(rows.flags, count, uint16_t{0});
    return false;
  }
  if (!same_ids_)
    for (uint32_t i = 0; i < count; ++i) names[i] = StringOf(names[i]).v;
  builder_.CommitRows(count);
  if (!stretches_.empty() &&
      stretches_.back().file_first + stretches_.back().rows ==
          block.first_row())
    stretches_.back().rows += count;
  else
    stretches_.push_back({block.first_row(), count, rows.first});
  return true;
}

void TableReader::CheckOrder(const TableBlock& block,
                             const TraceBuilder::Rows& rows, uint32_t first,
                             uint32_t last) {
  if (order_.given_up()) return;
  TraceBuilder::Rows all;
  all.start_ns = rows.start_ns - rows.first;
  all.dur_ns = rows.dur_ns - rows.first;
  order_.Use(all);
  while (first < last) {
    const uint32_t track = rows.track[first];
    order_.StartRun(track, rows.first + first);
    if (block.IsConstant(3))
      first = last;
    else
      while (first < last && rows.track[first] == track) ++first;
    order_.FinishRun(rows.first + first);
  }
}

bool TableReader::TakeArgs(const TableBlock& block) {
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i)
    if (values_[2][i] > static_cast<uint64_t>(ArgKind::kJson)) return false;
  for (uint32_t i = 0; i < block.rows(); ++i) {
    Arg arg;
    arg.row = RowOf(values_[0][i]);
    arg.key = StringOf(values_[1][i]);
    arg.kind = static_cast<ArgKind>(values_[2][i]);
    arg.clipped = values_[3][i] != 0;
    const uint64_t value = values_[4][i];
    const uint64_t length = values_[5][i];
    const bool list = arg.kind == ArgKind::kIntList;
    if (arg.row == kNoRow || (list && (value > arg_ints_.size() ||
                                       length > arg_ints_.size() - value))) {
      ++references_lost_;
      continue;
    }
    if (list) {
      builder_.AddListArg(
          arg, {arg_ints_.data() + value, static_cast<size_t>(length)});
      continue;
    }
    if (arg.kind == ArgKind::kInt) arg.int_value = Signed(value);
    if (arg.kind == ArgKind::kDouble)
      arg.double_value = std::bit_cast<double>(value);
    if (arg.kind == ArgKind::kText || arg.kind == ArgKind::kJson)
      arg.text = StringOf(value);
    builder_.AddArg(arg);
  }
  return true;
}

bool TableReader::TakeRawBlocks(const TableBlock& block) {
  // What a byte can stand for at most when packed.
  constexpr uint64_t kMostExpanded = 256;
  DecodeAll(block);
  uint64_t total = 0;
  for (uint32_t i = 0; i < block.rows(); ++i) {
    const uint64_t bytes = values_[0][i];
    const uint64_t plain = values_[1][i];
    if (bytes > block.extra().size() - total) return false;
    total += bytes;
    const auto packing = static_cast<format::Packing>(values_[2][i]);
    if (packing == format::Packing::kPlain
            ? plain != bytes
            : plain > (bytes + 1) * kMostExpanded)
      return false;
  }
  RawArgs& raw = builder_.raw_args();
  if (!Fits(block) || block.first_row() < raw.block_count()) return false;
  // Lost ones are empty, so that the others keep their numbers.
  while (raw.block_count() < block.first_row()) raw.AddBlock({});
  const char* at = block.extra().data();
  for (uint32_t i = 0; i < block.rows(); ++i) {
    RawArgs::Block packed;
    packed.bytes.assign(at, at + values_[0][i]);
    packed.plain_size = static_cast<uint32_t>(values_[1][i]);
    // Whatever the packing: LzUnpack reads both, and refuses what is neither.
    packed.packed = values_[2][i] != 0;
    raw.AddBlock(std::move(packed));
    at += values_[0][i];
  }
  return true;
}

bool TableReader::TakeRawRefs(const TableBlock& block) {
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i) {
    const Row row = RowOf(values_[0][i]);
    const RawRef ref = values_[1][i];
    if (row == kNoRow || ref >> 32 == 0 ||
        RawArgs::BlockOf(ref) >= builder_.raw_args().block_count())
      ++references_lost_;
    else
      builder_.SetRawRef(row, ref);
  }
  return true;
}

bool TableReader::TakeLinks(const TableBlock& block) {
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i) {
    if (values_[2][i] > static_cast<uint64_t>(LinkSpace::kSequence))
      return false;
  }
  for (uint32_t i = 0; i < block.rows(); ++i) {
    Link link;
    const bool no_row = values_[0][i] == kNoRow;
    link.row = no_row ? kNoRow : RowOf(values_[0][i]);
    if (values_[1][i] >= processes_.size() || (link.row == kNoRow && !no_row)) {
      ++references_lost_;
      continue;
    }
    link.process = static_cast<uint32_t>(values_[1][i]);
    link.space = static_cast<LinkSpace>(values_[2][i]);
    link.id = values_[3][i];
    builder_.AddLink(link);
  }
  return true;
}

bool TableReader::TakeFlows(const TableBlock& block) {
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i)
    if (values_[4][i] > static_cast<uint64_t>(FlowPhase::kEnd)) return false;
  for (uint32_t i = 0; i < block.rows(); ++i) {
    if (!IsTrack(values_[3][i])) {
      ++references_lost_;
      continue;
    }
    Flow flow;
    flow.time_ns = Signed(values_[0][i]);
    flow.id = values_[1][i];
    flow.name = StringOf(values_[2][i]);
    flow.track = static_cast<uint32_t>(values_[3][i]);
    flow.phase = static_cast<FlowPhase>(values_[4][i]);
    builder_.AddFlow(flow);
  }
  return true;
}

bool TableReader::TakeCounters(const TableBlock& block) {
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i) {
    if (!IsTrack(values_[1][i])) {
      ++references_lost_;
      continue;
    }
    CounterSample sample;
    sample.time_ns = Signed(values_[0][i]);
    sample.track = static_cast<uint32_t>(values_[1][i]);
    sample.integer = values_[2][i] != 0;
    sample.int_value = Signed(values_[3][i]);
    sample.value = std::bit_cast<double>(values_[4][i]);
    builder_.AddCounter(sample);
  }
  return true;
}

bool TableReader::TakeMemory(const TableBlock& block) {
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i)
    if (values_[7][i] > static_cast<uint64_t>(MemoryKind::kReservedFree))
      return false;
  for (uint32_t i = 0; i < block.rows(); ++i) {
    if (!IsTrack(values_[6][i])) {
      ++references_lost_;
      continue;
    }
    MemoryEvent event;
    event.time_ns = Signed(values_[0][i]);
    event.address = values_[1][i];
    event.bytes = Signed(values_[2][i]);
    event.total_allocated = values_[3][i];
    event.total_reserved = values_[4][i];
    event.place = StringOf(values_[5][i]);
    event.track = static_cast<uint32_t>(values_[6][i]);
    event.kind = static_cast<MemoryKind>(values_[7][i]);
    builder_.AddMemory(event);
  }
  return true;
}

bool TableReader::TakeThreads(const TableBlock& block) {
  if (!MakeRoom(block, threads_)) return false;
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i) {
    ThreadReport& thread = threads_[block.first_row() + i];
    thread.track =
        static_cast<uint32_t>(std::min<uint64_t>(values_[0][i], UINT32_MAX));
    thread.recorded = values_[1][i];
    thread.side_recorded = values_[2][i];
    thread.side_dropped = values_[3][i];
    thread.exited = values_[4][i] != 0;
  }
  return true;
}

bool TableReader::TakeOpenScopes(const TableBlock& block) {
  DecodeAll(block);
  for (uint32_t i = 0; i < block.rows(); ++i) {
    const Row row = RowOf(values_[1][i]);
    if (values_[0][i] >= threads_.size() || row == kNoRow)
      ++references_lost_;
    else
      threads_[static_cast<size_t>(values_[0][i])].open_scopes.push_back(row);
  }
  return true;
}

bool TableReader::TakeOwned(const TableBlock& block,
                            std::vector<OwnedText>& owned) {
  DecodeAll(block);
  std::string_view extra = block.extra();
  for (uint32_t i = 0; i < block.rows(); ++i) {
    if (values_[2][i] > extra.size()) return false;
    const auto length = static_cast<size_t>(values_[2][i]);
    owned.push_back(
        {values_[0][i], values_[1][i], std::string(extra.substr(0, length))});
    extra.remove_prefix(length);
  }
  return true;
}

bool TableReader::TakeBins(const TableBlock& block) {
  if (!MakeRoom(block, bins_)) return false;
  DecodeAll(block);
  std::string_view extra = block.extra();
  for (uint32_t i = 0; i < block.rows(); ++i) {
    if (values_[2][i] > extra.size()) return false;
    const auto length = static_cast<size_t>(values_[2][i]);
    bins_[block.first_row() + i] = {values_[0][i] != 0, values_[1][i],
                                    std::string(extra.substr(0, length))};
    extra.remove_prefix(length);
  }
  return true;
}

bool TableReader::TakeSources(const TableBlock& block) {
  if (!MakeRoom(block, sources_)) return false;
  DecodeAll(block);
  std::string_view extra = block.extra();
  const auto take = [&](uint64_t length, std::string& text) {
    if (length > extra.size()) return false;
    text = extra.substr(0, static_cast<size_t>(length));
    extra.remove_prefix(static_cast<size_t>(length));
    return true;
  };
  for (uint32_t i = 0; i < block.rows(); ++i) {
    SourceRow& row = sources_[block.first_row() + i];
    Source& source = row.source;
    if (!take(values_[0][i], source.path) ||
        !take(values_[1][i], source.format) ||
        !take(values_[2][i], source.clock.source))
      return false;
    source.epoch_ns = Signed(values_[3][i]);
    source.clock.epoch_known = values_[4][i] != 0;
    source.complete = values_[5][i] != 0;
    source.clock.anchors = values_[6][i];
    source.clock.worst_error_ns = Signed(values_[7][i]);
    source.clock.ticks_per_second = std::bit_cast<double>(values_[8][i]);
    source.to_trace = stepscope::ClockMap::FromParts(
        Signed(values_[9][i]), Signed(values_[10][i]), Signed(values_[11][i]),
        Signed(values_[12][i]));
    row.kept = values_[13][i];
    row.bins = values_[14][i];
    row.notes = values_[15][i];
  }
  return true;
}

}  // namespace stepscope::capture
