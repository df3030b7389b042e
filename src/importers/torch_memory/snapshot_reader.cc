// SPDX-License-Identifier: Apache-2.0
#include "importers/torch_memory/snapshot_reader.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace stepscope::torch_memory {
namespace {

enum Role : uint8_t {
  kNoRole,
  // Keys.
  kAction,
  kAddr,
  kSize,
  kStream,
  kTimeUs,
  kFrames,
  kName,
  kFilename,
  kLine,
  kDevice,
  kAddress,
  kTotalSize,
  kRequestedSize,
  kState,
  kBlocks,
  kHistory,
  kRealSize,
  kIsExpandable,
  kStage,
  kSegmentsKey,
  kDeviceTraces,
  kDeviceFree,
  kUserMetadata,
  kSetting,
  kRoles,
  // Values.
  kAlloc = 64,
  kFreeRequested,
  kFreeCompleted,
  kSegmentAlloc,
  kSegmentFree,
  kOom,
  kSnapshot,
  kAnnotate,
  kActive,
  kStart,
};
constexpr uint8_t kNotLookedUp = 0xff;

constexpr std::pair<std::string_view, Role> kRoleNames[] = {
    {"action", kAction},
    {"addr", kAddr},
    {"size", kSize},
    {"stream", kStream},
    {"time_us", kTimeUs},
    {"frames", kFrames},
    {"name", kName},
    {"filename", kFilename},
    {"line", kLine},
    {"device", kDevice},
    {"address", kAddress},
    {"total_size", kTotalSize},
    {"requested_size", kRequestedSize},
    {"state", kState},
    {"blocks", kBlocks},
    {"history", kHistory},
    {"real_size", kRealSize},
    {"is_expandable", kIsExpandable},
    {"stage", kStage},
    {"segments", kSegmentsKey},
    {"device_traces", kDeviceTraces},
    {"device_free", kDeviceFree},
    {"user_metadata", kUserMetadata},
    {"expandable_segments", kSetting},
    {"garbage_collection_threshold", kSetting},
    {"max_split_size", kSetting},
    {"PYTORCH_CUDA_ALLOC_CONF", kSetting},
    {"alloc", kAlloc},
    {"free", kFreeRequested},
    {"free_requested", kFreeRequested},
    {"free_completed", kFreeCompleted},
    {"segment_alloc", kSegmentAlloc},
    {"segment_map", kSegmentAlloc},
    {"segment_free", kSegmentFree},
    {"segment_unmap", kSegmentFree},
    {"oom", kOom},
    {"snapshot", kSnapshot},
    {"annotate", kAnnotate},
    {"active_allocated", kActive},
    {"active_pending_free", kActive},
    {"active_awaiting_free", kActive},
    {"START", kStart},
};

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

// Sizes and times beyond these are not those of a device.
constexpr int64_t kMostBytes = int64_t{1} << 50;
constexpr int64_t kMostTimeUs = int64_t{1} << 52;
// Of each there are few; more are of a damaged file.
constexpr uint32_t kMostDevices = 1024;
constexpr size_t kMostIncidents = 1 << 20;

}  // namespace

// The values of a dict by what their keys mean.
struct SnapshotReader::Fields {
  std::span<const Value> items;
  const uint32_t* places;  // by role: which item; 0: none

  bool Has(Role role) const { return places[role] != 0; }
  // REQUIRES: Has().
  const Value& At(Role role) const { return items[places[role]]; }
  bool HasInt(Role role) const {
    return Has(role) && At(role).type == ValueType::kInt;
  }
  int64_t Int(Role role) const { return HasInt(role) ? At(role).number : 0; }
  StringId Text(Role role) const {
    return Has(role) && At(role).type == ValueType::kText ? At(role).text
                                                          : StringId{};
  }
};

SnapshotReader::SnapshotReader(TraceBuilder& builder) : builder_(builder) {
  stacks.emplace_back();
  members.emplace_back();
}

uint32_t SnapshotReader::Handle(Kind kind, size_t number) {
  if (number >= size_t{1} << kNumberBits) return 0xffffffffu;
  return static_cast<uint32_t>(kind) << kNumberBits |
         static_cast<uint32_t>(number);
}
SnapshotReader::Kind SnapshotReader::KindOf(uint32_t handle) {
  return static_cast<Kind>(handle >> kNumberBits);
}

uint8_t SnapshotReader::RoleOf(StringId text) {
  if (text.v >= roles_.size()) roles_.resize(text.v + 1, kNotLookedUp);
  uint8_t& role = roles_[text.v];
  if (role == kNotLookedUp) {
    role = kNoRole;
    for (const auto& [name, known] : kRoleNames)
      if (builder_.strings().view(text) == name) role = known;
  }
  return role;
}

// Nearly all dicts have the keys of the one before.
bool SnapshotReader::HasKnownKeys(std::span<const Value> items) const {
  if (items.size() != 2 * known_keys_.size()) return false;
  for (size_t i = 0; i < known_keys_.size(); ++i)
    if (items[2 * i].type != ValueType::kText ||
        items[2 * i].text != known_keys_[i])
      return false;
  return true;
}

void SnapshotReader::LearnKeys(std::span<const Value> items) {
  constexpr size_t kMostKeys = 64;
  known_keys_.clear();
  places_.assign(kRoles, 0);
  bool can_know = items.size() <= 2 * kMostKeys;
  for (size_t i = 0; i < items.size(); i += 2) {
    if (items[i].type != ValueType::kText) {
      can_know = false;
      continue;
    }
    const uint8_t role = RoleOf(items[i].text);
    if (role < kRoles) places_[role] = static_cast<uint32_t>(i + 1);
    if (can_know) known_keys_.push_back(items[i].text);
  }
  if (!can_know) known_keys_.clear();
}

uint32_t SnapshotReader::OnItems(uint32_t handle, std::span<const Value> items,
                                 uint64_t offset) {
  if (!HasKnownKeys(items)) LearnKeys(items);
  // A dict that comes in portions is none of those that are looked at.
  if (handle != 0 && KindOf(handle) != kWhole) return Handle(kUnknown);
  return Take({items, places_.data()}, items, offset);
}

uint32_t SnapshotReader::Take(const Fields& fields,
                              std::span<const Value> items, uint64_t offset) {
  if (fields.Has(kAction)) return TakeEvent(fields, offset);
  if (fields.Has(kFilename) || fields.Has(kLine))
    return Handle(kFrame,
                  FrameNumber({fields.Text(kName), fields.Text(kFilename),
                               fields.Int(kLine)}));
  if (fields.Has(kTotalSize)) {
    FinalSegment segment;
    segment.address = static_cast<uint64_t>(fields.Int(kAddress));
    segment.size = std::clamp<int64_t>(fields.Int(kTotalSize), 0, kMostBytes);
    segment.device =
        std::clamp<int64_t>(fields.Int(kDevice), 0, int64_t{kMostDevices} - 1);
    segment.stream = static_cast<uint64_t>(fields.Int(kStream));
    segment.expandable = fields.Has(kIsExpandable) &&
                         fields.At(kIsExpandable).number != 0 &&
                         fields.At(kIsExpandable).type == ValueType::kBool;
    if (fields.Has(torch_memory::kBlocks) &&
        fields.At(torch_memory::kBlocks).type == ValueType::kList &&
        KindOf(fields.At(torch_memory::kBlocks).handle) == Kind::kBlocks)
      segment.blocks =
          fields.At(torch_memory::kBlocks).handle & ((1u << kNumberBits) - 1);
    segments.push_back(std::move(segment));
    return Handle(Kind::kSegment, segments.size() - 1);
  }
  if (fields.Has(kState)) {
    FinalBlock block;
    block.address = static_cast<uint64_t>(fields.Int(kAddress));
    block.size = std::clamp<int64_t>(fields.Int(kSize), 0, kMostBytes);
    block.requested =
        std::clamp<int64_t>(fields.Int(kRequestedSize), 0, kMostBytes);
    block.live = RoleOf(fields.Text(kState)) == kActive;
    if (fields.Has(kFrames)) block.stack = StackOf(fields.At(kFrames));
    if (fields.Has(torch_memory::kHistory))
      block.stack = StackOf(fields.At(torch_memory::kHistory));
    blocks.push_back(block);
    return Handle(Kind::kBlock, blocks.size() - 1);
  }
  // Of torch 2.0: who allocated a block, and how much of it.
  if (fields.Has(kRealSize))
    return Handle(Kind::kHistory,
                  fields.Has(kFrames) ? StackOf(fields.At(kFrames)) : 0);
  if (fields.Has(kStage)) {
    annotations.push_back(
        {fields.Text(kName), fields.Int(kDevice),
         std::clamp<int64_t>(fields.Int(kTimeUs), 0, kMostTimeUs) * 1000,
         RoleOf(fields.Text(kStage)) == kStart});
    return Handle(kUnknown);
  }
  if (fields.Has(kSegmentsKey) || fields.Has(kDeviceTraces)) {
    const auto list = [&](Role role) {
      return fields.Has(role) && fields.At(role).type == ValueType::kList
                 ? fields.At(role).handle
                 : 0;
    };
    segments_ = std::max(segments_, list(kSegmentsKey));
    lists_ = std::max(lists_, list(kDeviceTraces));
    return Handle(kWhole);
  }
  if (fields.Has(kSetting)) return TakeSettings(items);
  // Perhaps the value of a setting.
  constexpr size_t kMostItems = 64;
  constexpr size_t kMostTexts = 64;
  if (items.size() > 2 * kMostItems || texts_.size() >= kMostTexts)
    return Handle(kUnknown);
  std::string text;
  for (size_t i = 0; i < items.size(); i += 2)
    text += (i > 0 ? "," : "") + Shown(items[i]) + ":" + Shown(items[i + 1]);
  texts_.push_back(std::move(text));
  return Handle(Kind::kText, texts_.size() - 1);
}

std::string SnapshotReader::Shown(const Value& value) const {
  switch (value.type) {
    case ValueType::kInt:
      return std::to_string(value.number);
    case ValueType::kFloat:
      return Format("%g", value.real);
    case ValueType::kBool:
      return value.number != 0 ? "True" : "False";
    case ValueType::kText:
      return std::string(builder_.strings().view(value.text));
    case ValueType::kDict:
      if (KindOf(value.handle) == Kind::kText)
        return texts_[value.handle & ((1u << kNumberBits) - 1)];
      return {};
    default:
      return {};
  }
}

uint32_t SnapshotReader::TakeSettings(std::span<const Value> items) {
  constexpr size_t kMostSettings = 256;
  for (size_t i = 0; i < items.size() && settings.size() < kMostSettings;
       i += 2)
    settings.emplace_back(Shown(items[i]), Shown(items[i + 1]));
  return Handle(kUnknown);
}

uint32_t SnapshotReader::StackOf(const Value& value) const {
  if (value.type != ValueType::kList || KindOf(value.handle) != kStack)
    return 0;
  return value.handle & ((1u << kNumberBits) - 1);
}

uint32_t SnapshotReader::StreamNumber(uint64_t stream) {
  if (last_stream_number_ != 0xffffffffu && stream == last_stream_)
    return last_stream_number_;
  if (streams.size() >= kMostStreams && !stream_numbers_.contains(stream))
    return kMostStreams;
  const auto [it, fresh] = stream_numbers_.try_emplace(
      stream, static_cast<uint32_t>(streams.size()));
  if (fresh) streams.push_back(stream);
  last_stream_ = stream;
  return last_stream_number_ = it->second;
}

StringId SnapshotReader::NoteOf(const Fields& fields) {
  const StringId text = fields.Text(kUserMetadata);
  return text.v != 0 ? text : builder_.Intern("annotation");
}

uint32_t SnapshotReader::TakeEvent(const Fields& fields, uint64_t offset) {
  Ledger& ledger = builder_.ledger();
  const uint8_t action = RoleOf(fields.Text(kAction));
  const int64_t size = fields.Int(kSize);
  const bool incident = action >= kOom && action <= kAnnotate;
  if (action < kAlloc || action > kAnnotate) {
    ledger.Reject("unknown action", offset,
                  builder_.strings().view(fields.Text(kAction)).substr(0, 40));
    return Handle(kUnknown);
  }
  if (!incident && (!fields.HasInt(kAddr) || !fields.HasInt(kSize))) {
    ledger.Reject("event without an address and a size", offset);
    return Handle(kUnknown);
  }
  const int64_t time_us = fields.Int(kTimeUs);
  if (size < 0 || size > kMostBytes || time_us < 0 || time_us > kMostTimeUs) {
    ledger.Reject("size or time out of range", offset);
    return Handle(kUnknown);
  }
  const uint32_t stream =
      StreamNumber(static_cast<uint64_t>(fields.Int(kStream)));
  if (stream >= kMostStreams ||
      (incident && incidents.size() >= kMostIncidents)) {
    ledger.Reject("one of too many streams or incidents", offset);
    return Handle(kUnknown);
  }
  has_times &= fields.HasInt(kTimeUs);
  Column<StoredMemoryEvent>& events = builder_.stored_memory();
  const uint32_t stack = fields.Has(kFrames) ? StackOf(fields.At(kFrames)) : 0;
  if (incident) {
    ledger.Keep();
    incidents.push_back({events.size(), time_us * 1000, size,
                         fields.HasInt(kDeviceFree) ? fields.Int(kDeviceFree)
                                                    : fields.Int(kAddr),
                         stack, 0, action == kOom,
                         action == kAnnotate ? NoteOf(fields) : StringId{}});
    return Handle(Kind::kIncident);
  }
  const auto address = static_cast<uint64_t>(fields.Int(kAddr));
  constexpr auto kFree = static_cast<uint32_t>(MemoryKind::kFree);
  // A block is given back when it is freed, unless another stream uses it.
  if (action == kFreeCompleted && !events.empty()) {
    const StoredMemoryEvent& last = events[events.size() - 1];
    if (last.packed == kFree && last.address == address && last.bytes == size) {
      ledger.Keep();
      return Handle(kEvent);
    }
    has_lone_ends = true;
  }
  const uint32_t kind =
      action == kAlloc           ? static_cast<uint32_t>(MemoryKind::kAllocate)
      : action == kFreeRequested ? kFree
      : action == kFreeCompleted ? kFree | kCompleted
      : action == kSegmentAlloc
          ? static_cast<uint32_t>(MemoryKind::kReservedAllocate)
          : static_cast<uint32_t>(MemoryKind::kReservedFree);
  ledger.Keep();
  if (!events.Append({time_us * 1000, address, size, {}, stream, stack, kind}))
    builder_.SetOutOfMemory();
  return Handle(kEvent);
}

uint32_t SnapshotReader::FrameNumber(const Frame& frame) {
  const uint64_t hash = Mix(Mix(frame.function.v, frame.file.v),
                            static_cast<uint64_t>(frame.line));
  const auto [first, last] = frame_numbers_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (frames[it->second] == frame) return it->second;
  frames.push_back(frame);
  frame_numbers_.emplace(hash, static_cast<uint32_t>(frames.size() - 1));
  return static_cast<uint32_t>(frames.size() - 1);
}

// Lists with the same frames are one stack.
uint32_t SnapshotReader::AppendFrames(uint32_t handle,
                                      std::span<const Value> items,
                                      uint64_t offset) {
  constexpr uint32_t kNumber = (1u << kNumberBits) - 1;
  constexpr size_t kMostFrames = 4096;
  scratch_.clear();
  if (KindOf(handle) == kStack) {
    // Python puts a thousand at once into a list: who puts one in at a time
    // makes a stack of each.
    if (stack_frames.size() > offset + kMostFrames) return handle;
    const Stack& old = stacks[handle & kNumber];
    scratch_.assign(stack_frames.begin() + old.first,
                    stack_frames.begin() + old.first + old.count);
  }
  for (const Value& item : items)
    if (item.type == ValueType::kDict && KindOf(item.handle) == kFrame &&
        scratch_.size() < kMostFrames)
      scratch_.push_back(item.handle & kNumber);
  uint64_t hash = scratch_.size();
  for (const uint32_t frame : scratch_) hash = Mix(hash, frame);
  const auto [first, last] = stack_numbers_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Stack& known = stacks[it->second];
    if (std::equal(scratch_.begin(), scratch_.end(),
                   stack_frames.begin() + known.first,
                   stack_frames.begin() + known.first + known.count))
      return Handle(kStack, it->second);
  }
  stacks.push_back({static_cast<uint32_t>(stack_frames.size()),
                    static_cast<uint32_t>(scratch_.size())});
  stack_frames.insert(stack_frames.end(), scratch_.begin(), scratch_.end());
  stack_numbers_.emplace(hash, static_cast<uint32_t>(stacks.size() - 1));
  return Handle(kStack, stacks.size() - 1);
}

uint32_t SnapshotReader::OnAppend(uint32_t handle, std::span<const Value> items,
                                  uint64_t offset) {
  constexpr uint32_t kNumber = (1u << kNumberBits) - 1;
  Kind inner = kUnknown;
  for (const Value& item : items)
    if (item.type == ValueType::kDict || item.type == ValueType::kList) {
      inner = KindOf(item.handle);
      if (inner != kUnknown) break;
    }
  const bool of_lists = items[0].type == ValueType::kList;
  const Kind mine = KindOf(handle);
  if (inner == kEvent || inner == Kind::kIncident) {
    // What came since the last list is in this one: nothing stands between.
    const uint32_t list =
        mine == Kind::kEvents ? handle & kNumber : next_list_++;
    for (StoredMemoryEvent& event :
         builder_.stored_memory().span().subspan(static_cast<size_t>(placed_)))
      event.place.v = list;
    for (size_t i = placed_incidents_; i < incidents.size(); ++i)
      incidents[i].list = list;
    placed_ = builder_.stored_memory().size();
    placed_incidents_ = incidents.size();
    return Handle(Kind::kEvents, list);
  }
  if (inner == kFrame) return AppendFrames(handle, items, offset);
  // The last one that allocated the block.
  if (inner == Kind::kHistory) {
    for (const Value& item : items)
      if (KindOf(item.handle) == Kind::kHistory)
        return Handle(kStack, item.handle & kNumber);
  }
  const bool lists = of_lists && (inner == Kind::kEvents || inner == 0);
  if (inner != Kind::kBlock && inner != Kind::kSegment && !lists)
    return handle == 0 ? Handle(kUnknown) : handle;
  const Kind wanted = inner == Kind::kBlock     ? Kind::kBlocks
                      : inner == Kind::kSegment ? Kind::kSegments
                                                : Kind::kLists;
  if (handle != 0 && mine != wanted) return Handle(kUnknown);
  if (handle == 0) {
    members.emplace_back();
    handle = Handle(wanted, members.size() - 1);
    if (handle == 0xffffffffu) return handle;
  }
  for (const Value& item : items) {
    const bool fits = wanted == Kind::kLists ? item.type == ValueType::kList
                                             : item.type == ValueType::kDict &&
                                                   KindOf(item.handle) == inner;
    if (!fits) continue;
    // Of lists: 0 is one of a device without events.
    const bool events =
        wanted != Kind::kLists || KindOf(item.handle) == Kind::kEvents;
    members[handle & kNumber].push_back(events ? item.handle & kNumber : 0);
  }
  return handle;
}

bool SnapshotReader::Finish(const Value& whole) {
  constexpr uint32_t kNumber = (1u << kNumberBits) - 1;
  const bool dict = whole.type == ValueType::kDict && whole.handle != 0 &&
                    KindOf(whole.handle) == kWhole;
  // Before torch 2.0's recorder there were segments alone.
  const bool list = whole.type == ValueType::kList && whole.handle != 0 &&
                    KindOf(whole.handle) == Kind::kSegments;
  if (!dict && !list) return false;
  device_of_list.assign(next_list_, 0xffffffffu);
  if (dict && KindOf(lists_) == Kind::kLists) {
    const std::vector<uint32_t>& lists = members[lists_ & kNumber];
    for (size_t i = 0; i < lists.size(); ++i)
      if (lists[i] != 0 && i < kMostDevices)
        device_of_list[lists[i]] = static_cast<uint32_t>(i);
  }
  for (const FinalSegment& segment : segments)
    builder_.ledger().Keep(1 + members[segment.blocks].size());
  return true;
}

}  // namespace stepscope::torch_memory
