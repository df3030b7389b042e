// SPDX-License-Identifier: Apache-2.0
#include "snapshot/snapshot_check.h"

#include <algorithm>
#include <cstring>

#include "snapshot/snapshot_sections.h"
#include "trace/trace.h"

namespace stepscope {
namespace {

// A piece is a buffer of bytes: values are copied out of it.
template <typename T, typename Good>
bool All(std::span<const std::byte> piece, const Good& good) {
  bool all = true;
  for (size_t at = 0; at + sizeof(T) <= piece.size(); at += sizeof(T)) {
    T value;
    std::memcpy(static_cast<void*>(&value), piece.data() + at, sizeof value);
    all &= good(value);
  }
  return all;
}

bool Below(std::span<const std::byte> piece, uint64_t limit) {
  return All<uint32_t>(piece, [limit](uint32_t id) { return id < limit; });
}

bool RowOrNone(const SnapshotLimits& limits, Row row) {
  return row == kNoRow || row < limits.rows;
}

bool CheckArg(const SnapshotLimits& limits, const Arg& arg) {
  if (arg.row >= limits.rows || arg.key.v >= limits.strings) return false;
  if (arg.has_text()) return arg.text.v < limits.strings;
  if (arg.kind != ArgKind::kIntList) return arg.kind <= ArgKind::kJson;
  return arg.list_first <= limits.arg_ints &&
         arg.list_count <= limits.arg_ints - arg.list_first;
}

bool CheckTrack(const SnapshotLimits& limits, const Track& track) {
  return track.process < limits.processes && track.kind <= TrackKind::kAsync &&
         track.name.v < limits.strings &&
         track.device_type.v < limits.strings && track.first <= track.last &&
         track.last <= limits.rows;
}

bool CheckMemory(const SnapshotLimits& limits, const StoredMemoryEvent& event) {
  return event.place.v < limits.strings && event.track < limits.tracks &&
         RowOrNone(limits, event.owner);
}

// A parent lies before its children, so that going up ends.
bool CheckParents(std::span<const std::byte> piece, uint64_t row) {
  return All<Row>(piece, [&row](Row parent) {
    const bool good = parent == kNoRow || parent < row;
    ++row;
    return good;
  });
}

template <typename T>
std::optional<uint64_t> CountOf(const SnapshotFile& file, uint32_t kind) {
  const auto section = file.Section<T>(kind);
  if (!section) return std::nullopt;
  return section->size();
}

}  // namespace

std::optional<SnapshotLimits> ReadLimits(const SnapshotFile& file) {
  SnapshotLimits limits;
  const auto rows = CountOf<int64_t>(file, kStart);
  const auto strings = CountOf<uint64_t>(file, kStringEnds);
  const auto tracks = CountOf<Track>(file, kTracks);
  const auto ints = CountOf<int64_t>(file, kArgInts);
  const auto refs = CountOf<RawRef>(file, kRawRefs);
  const auto blocks = CountOf<StoredRawBlock>(file, kRawBlocks);
  if (!rows || !strings || !tracks || !ints || !refs || !blocks ||
      *rows >= kNoRow || *refs > *rows ||
      CountOf<int64_t>(file, kDuration) != rows ||
      CountOf<uint32_t>(file, kName) != rows ||
      CountOf<uint32_t>(file, kTrackOf) != rows ||
      CountOf<uint16_t>(file, kType) != rows ||
      CountOf<uint16_t>(file, kFlags) != rows ||
      CountOf<Row>(file, kParent) != rows ||
      CountOf<uint32_t>(file, kDepth) != rows ||
      CountOf<int64_t>(file, kSelf) != rows)
    return std::nullopt;
  const auto text = file.Section<char>(kFacts);
  const auto facts = text ? DecodeFacts({text->data(), text->size()})
                          : std::optional<TraceFacts>();
  if (!facts) return std::nullopt;
  limits.rows = *rows;
  limits.strings = *strings;
  limits.tracks = *tracks;
  limits.processes = facts->processes.size();
  limits.arg_ints = *ints;
  limits.raw_blocks = *blocks;
  return limits;
}

bool CheckPiece(const SnapshotLimits& limits, uint32_t kind, uint64_t first,
                std::span<const std::byte> piece) {
  switch (kind) {
    case kName:
      return Below(piece, limits.strings);
    case kTrackOf:
      return Below(piece, limits.tracks);
    case kTracks:
      return All<Track>(
          piece, [&](const Track& track) { return CheckTrack(limits, track); });
    case kFlows:
      return All<Flow>(piece, [&](const Flow& flow) {
        return flow.name.v < limits.strings && flow.track < limits.tracks &&
               flow.phase <= FlowPhase::kEnd;
      });
    case kLinks:
      return All<Link>(piece, [&](const Link& link) {
        return link.process < limits.processes &&
               link.space <= LinkSpace::kSequence &&
               RowOrNone(limits, link.row);
      });
    case kCounters:
      return All<CounterSample>(piece, [&](const CounterSample& sample) {
        return sample.track < limits.tracks;
      });
    case kMemory:
      return All<StoredMemoryEvent>(piece, [&](const StoredMemoryEvent& event) {
        return CheckMemory(limits, event);
      });
    case kArgs:
      return All<Arg>(piece,
                      [&](const Arg& arg) { return CheckArg(limits, arg); });
    case kRawRefs:
      return All<RawRef>(piece, [&](RawRef ref) {
        return ref == 0 || RawArgs::BlockOf(ref) < limits.raw_blocks;
      });
    case kParent:
      return CheckParents(piece, first);
    default:
      return true;  // no ids
  }
}

bool CheckFacts(const SnapshotLimits& limits, const TraceFacts& facts) {
  const auto text = [&](StringId id) { return id.v < limits.strings; };
  for (const Process& process : facts.processes) {
    if (!text(process.name) || !text(process.host) ||
        process.source >= facts.sources.size())
      return false;
    for (const auto& [key, value] : process.metadata)
      if (!text(key) || !text(value)) return false;
  }
  for (const ThreadReport& thread : facts.threads) {
    if (thread.track >= limits.tracks) return false;
    for (const Row row : thread.open_scopes)
      if (!RowOrNone(limits, row)) return false;
  }
  return true;
}

}  // namespace stepscope
