// SPDX-License-Identifier: Apache-2.0
#include "importers/torch_memory/history.h"

#include <stepscope/c.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/json_text.h"
#include "base/text.h"
#include "importers/torch_memory/device_history.h"
#include "importers/torch_memory/stack_names.h"

namespace stepscope::torch_memory {
namespace {

constexpr uint32_t kNoDevice = 0xffffffffu;

memory::AllocatorSettings RecordedSettings(const SnapshotReader& reader) {
  memory::AllocatorSettings settings;
  std::string divisions;
  for (const auto& [key, value] : reader.settings) {
    if (key == "expandable_segments")
      settings.expandable_segments = value == "True";
    else if (key == "max_split_size" && !value.empty() && value[0] != '-')
      std::from_chars(value.data(), value.data() + value.size(),
                      settings.max_split_bytes);
    else if (key == "garbage_collection_threshold")
      std::from_chars(value.data(), value.data() + value.size(),
                      settings.garbage_collection_threshold);
    else if (key == "roundup_power2_divisions")
      divisions = value;
  }
  // Blocks of expandable segments are always split, but torch takes both.
  if (settings.max_split_bytes <= 0 || settings.expandable_segments)
    settings.max_split_bytes = settings.kNoLimit;
  // Stated by every power of two.
  if (const auto parsed =
          memory::ParseSettings("roundup_power2_divisions:[" + divisions + "]");
      parsed)
    settings.roundup_divisions = parsed->roundup_divisions;
  return settings;
}

class History {
 public:
  History(const SnapshotReader& reader, TraceBuilder& builder)
      : reader_(reader),
        builder_(builder),
        settings_(RecordedSettings(reader)),
        rows_(reader.stacks.size(), kNoRow) {}

  void Finish(int64_t rank) {
    Process process;
    process.pid = 0;
    process.rank = rank;
    process.name = builder_.Intern("torch");
    process_ = builder_.AddProcess(std::move(process));
    DropStrayEvents();
    PlaceTimes();
    FollowAll();
    AddFound();
    for (StoredMemoryEvent& event : Events().subspan(found_)) Own(event);
    AddIncidents();
    AddAnnotations();
    AddMetadata();
  }

 private:
  std::span<StoredMemoryEvent> Events() {
    return builder_.stored_memory().span();
  }
  uint32_t DeviceOf(uint32_t list) const {
    return list < reader_.device_of_list.size() ? reader_.device_of_list[list]
                                                : kNoDevice;
  }

  // Events in a list that is not one of a device.
  void DropStrayEvents() {
    const auto stray = [&](const StoredMemoryEvent& event) {
      return DeviceOf(event.place.v) == kNoDevice;
    };
    const auto events = Events();
    const auto last = std::remove_if(events.begin(), events.end(), stray);
    const auto gone = static_cast<uint64_t>(events.end() - last);
    if (gone == 0) return;
    builder_.ledger().Reject(
        "event outside device_traces, as of pinned host memory", 0, {}, gone);
    if (!builder_.stored_memory().Resize(events.size() - gone))
      builder_.SetOutOfMemory();
  }

  // Times of a device never go back: their order is that of the file.
  void PlaceTimes() {
    std::map<uint32_t, int64_t> last;
    int64_t first = INT64_MAX;
    uint64_t moved = 0;
    const auto events = Events();
    uint32_t list = kNoDevice;
    int64_t* latest = nullptr;
    for (size_t i = 0; i < events.size(); ++i) {
      StoredMemoryEvent& event = events[i];
      if (!reader_.has_times) event.time_ns = static_cast<int64_t>(i) * 1000;
      if (event.place.v != list) {
        list = event.place.v;
        latest = &last[list];
      }
      if (event.time_ns < *latest) {
        event.time_ns = *latest;
        ++moved;
      }
      *latest = event.time_ns;
      first = std::min(first, event.time_ns);
    }
    if (moved > 0)
      builder_.AddNote(Format(
          "%llu events have a time before that of the event before them; they "
          "stay in the order of the file",
          static_cast<unsigned long long>(moved)));
    if (!reader_.has_times)
      builder_.AddNote(
          "this version of torch records no times: events are shown 1 us "
          "apart, in their order");
    for (const Annotation& annotation : reader_.annotations)
      if (reader_.has_times) first = std::min(first, annotation.time_ns);
    if (first == INT64_MAX) first = 0;
    const int64_t shift =
        builder_.AlignEpoch(first, reader_.has_times && !events.empty());
    shift_ns_ = shift - first;
    for (StoredMemoryEvent& event : events) event.time_ns += shift_ns_;
    begin_ns_ = shift;
    end_ns_ = events.empty() ? shift : events.back().time_ns;
  }

  DeviceHistory& DeviceAt(uint32_t device) {
    const auto [it, fresh] = devices_.try_emplace(device, settings_);
    return it->second;
  }

  uint32_t StreamNumber(uint64_t stream) {
    if (streams_.size() >= SnapshotReader::kMostStreams &&
        !stream_numbers_.contains(stream))
      return 0;
    const auto [it, fresh] = stream_numbers_.try_emplace(
        stream, static_cast<uint32_t>(streams_.size()));
    if (fresh) streams_.push_back(stream);
    return it->second;
  }

  template <typename Each>
  void ForEachEvent(Each each) {
    uint32_t list = kNoDevice;
    DeviceHistory* device = nullptr;
    for (StoredMemoryEvent& event : Events()) {
      if (device == nullptr || event.place.v != list) {
        list = event.place.v;
        device = &DeviceAt(DeviceOf(list));
      }
      each(*device, event);
    }
  }

  void FollowAll() {
    for (const uint64_t stream : reader_.streams) StreamNumber(stream);
    ForEachEvent([&](DeviceHistory& device, StoredMemoryEvent& event) {
      device.Look(event, reader_.has_lone_ends);
    });
    for (const FinalSegment& segment : reader_.segments) {
      DeviceHistory& device = DeviceAt(static_cast<uint32_t>(segment.device));
      const uint32_t stream = StreamNumber(segment.stream);
      device.AddFinalSegment(segment, stream);
      uint64_t address = segment.address;
      for (const uint32_t i : reader_.members[segment.blocks]) {
        FinalBlock block = reader_.blocks[i];
        // Old versions give no address: blocks lie one behind the other.
        if (block.address == 0) block.address = address;
        address = block.address + static_cast<uint64_t>(block.size);
        device.AddFinalBlock(block, stream);
      }
    }
    const auto events = Events();
    for (size_t i = events.size(); i-- > 0;)
      if (events[i].kind() == MemoryKind::kReservedAllocate ||
          events[i].kind() == MemoryKind::kReservedFree)
        DeviceAt(DeviceOf(events[i].place.v)).Unwind(events[i]);
    for (auto& [number, device] : devices_) device.FindBeginning();
    ForEachEvent([](DeviceHistory& device, StoredMemoryEvent& event) {
      device.Follow(event);
    });
  }

  // What was there goes before the first event, as if it were made then.
  void AddFound() {
    for (const auto& [number, device] : devices_)
      found_ += device.segments().size() + device.blocks().size();
    Column<StoredMemoryEvent>& events = builder_.stored_memory();
    const size_t recorded = events.size();
    if (!events.Resize(recorded + found_)) {
      builder_.SetOutOfMemory();
      found_ = 0;
      return;
    }
    if (recorded > 0)
      std::memmove(static_cast<void*>(events.data() + found_), events.data(),
                   recorded * sizeof(StoredMemoryEvent));
    size_t at = 0;
    for (const auto& [number, device] : devices_) {
      for (const bool segments : {true, false}) {
        for (const Found& found :
             segments ? device.segments() : device.blocks()) {
          const uint32_t kind = static_cast<uint32_t>(
              segments ? MemoryKind::kReservedAllocate : MemoryKind::kAllocate);
          const uint32_t track = TrackOf(number, found.stream);
          StoredMemoryEvent& event = events[at++];
          event = {begin_ns_,       found.address, found.bytes,
                   PlaceOf(number), track,         FoundRow(found.stack, track),
                   kind | 4};
          event.SetPadding(found.padding);
        }
      }
    }
  }

  void Own(StoredMemoryEvent& event) {
    const uint32_t device = DeviceOf(event.place.v);
    event.track = TrackOf(device, event.track);
    event.place = PlaceOf(device);
    const uint32_t stack = event.owner;
    if (rows_[stack] == kNoRow)
      rows_[stack] = AddStackRow(stack, event.track, event.time_ns, 0);
    event.owner = rows_[stack];
    event.packed |= 4;
  }

  StringId PlaceOf(uint32_t device) {
    if (device != place_device_) {
      place_ = builder_.Intern(Format("Place(gpu:%u)", device));
      place_device_ = device;
    }
    return place_;
  }

  uint32_t TrackOf(uint32_t device, uint32_t stream) {
    if (device == track_device_ && stream == track_stream_) return track_;
    const auto [it, fresh] = tracks_.try_emplace({device, stream}, 0u);
    if (fresh) {
      Track track;
      track.process = process_;
      track.id = static_cast<int64_t>(tracks_.size());
      track.device = device;
      track.name = builder_.Intern(
          Format("Allocator of GPU %u, stream %llu", device,
                 static_cast<unsigned long long>(streams_[stream])));
      it->second = builder_.AddTrack(track);
    }
    track_device_ = device;
    track_stream_ = stream;
    return track_ = it->second;
  }

  Row AddStackRow(uint32_t stack, uint32_t track, int64_t time_ns,
                  uint16_t more_flags) {
    const StackNames names(reader_, builder_.strings(), stack);
    EventSpec event;
    event.track = track;
    event.start_ns = time_ns;
    event.name = builder_.Intern(stack == 0 ? kNoStackName : names.name());
    event.type = STEPSCOPE_OPERATOR;
    event.flags = static_cast<uint16_t>(kEventInstant | more_flags);
    const Row row = builder_.AddEvent(event);
    if (row != kNoRow && stack != 0) {
      builder_.AddText(row, "line", names.line());
      builder_.AddRawArgs(row, names.FramesJson());
    }
    return row;
  }

  Row FoundRow(uint32_t stack, uint32_t track) {
    const auto [it, fresh] = found_rows_.try_emplace({stack, track}, kNoRow);
    if (!fresh) return it->second;
    if (stack != 0)
      return it->second = AddStackRow(stack, track, begin_ns_, kEventInferred);
    EventSpec event;
    event.track = track;
    event.start_ns = begin_ns_;
    event.name = builder_.Intern(kFoundName);
    event.type = STEPSCOPE_OPERATOR;
    event.flags = kEventInstant | kEventInferred;
    return it->second = builder_.AddEvent(event);
  }

  void AddIncidents() {
    for (const Incident& incident : reader_.incidents) {
      const uint32_t device = DeviceOf(incident.list);
      if (device == kNoDevice) continue;
      EventSpec event;
      event.track = TrackOf(device, 0 < streams_.size() ? 0 : StreamNumber(0));
      const auto events = Events();
      const size_t next = found_ + static_cast<size_t>(incident.event);
      event.start_ns = reader_.has_times ? incident.time_ns + shift_ns_
                       : next > 0 && next <= events.size()
                           ? events[next - 1].time_ns
                           : begin_ns_;
      event.name = incident.note.v != 0 ? incident.note
                   : incident.out_of_memory
                       ? builder_.Intern("out of memory")
                       : builder_.Intern("memory snapshot");
      event.type = STEPSCOPE_USER_DEFINED;
      event.flags = kEventInstant;
      end_ns_ = std::max(end_ns_, event.start_ns);
      const Row row = builder_.AddEvent(event);
      if (row == kNoRow || !incident.out_of_memory) continue;
      builder_.AddInt(row, "bytes", incident.bytes);
      builder_.AddInt(row, "device_free_bytes", incident.device_free);
      if (incident.stack == 0) continue;
      const StackNames names(reader_, builder_.strings(), incident.stack);
      builder_.AddText(row, "name", names.name());
      builder_.AddText(row, "line", names.line());
      builder_.AddRawArgs(row, names.FramesJson());
    }
  }

  // Ranges of the program, and from the optimizer's the steps: one ends where
  // the optimizer does.
  void AddAnnotations() {
    if (!reader_.has_times || reader_.annotations.empty()) return;
    Track track;
    track.process = process_;
    track.id = 0;
    track.name = builder_.Intern("Python");
    const uint32_t index = builder_.AddTrack(track);
    std::map<std::pair<StringId, int64_t>, std::vector<int64_t>> open;
    int64_t step_begin = begin_ns_;
    int64_t step = 0;
    for (const Annotation& annotation : reader_.annotations) {
      const int64_t time = annotation.time_ns + shift_ns_;
      std::vector<int64_t>& begins = open[{annotation.name, annotation.device}];
      if (annotation.begins) {
        begins.push_back(time);
        continue;
      }
      if (begins.empty() || time < begins.back()) continue;
      const bool optimizer = builder_.strings()
                                 .view(annotation.name)
                                 .starts_with("Optimizer.step#");
      EventSpec event;
      event.track = index;
      event.start_ns = begins.back();
      event.dur_ns = time - begins.back();
      event.name = annotation.name;
      event.type = optimizer ? STEPSCOPE_OPTIMIZATION : STEPSCOPE_USER_DEFINED;
      begins.pop_back();
      end_ns_ = std::max(end_ns_, time);
      builder_.AddEvent(event);
      if (!optimizer || !begins.empty() || time <= step_begin) continue;
      event.start_ns = step_begin;
      event.dur_ns = time - step_begin;
      event.name = builder_.Intern("ProfileStep#" + std::to_string(step++));
      event.type = STEPSCOPE_PROFILE_STEP;
      event.flags = kEventInferred;
      builder_.AddEvent(event);
      step_begin = time;
    }
    if (step > 0)
      builder_.AddNote(
          "steps were concluded: each ends where the optimizer's does");
  }

  void AddMetadata() {
    const auto add = [&](const std::string& key, const std::string& value) {
      const std::pair entry = {builder_.Intern(key), builder_.Intern(value)};
      builder_.process(process_).metadata.push_back(entry);
    };
    for (const auto& [key, value] : reader_.settings)
      add("allocator." + key, value);
    add("allocator_settings", memory::SettingsText(settings_));
    builder_.AddWindow(begin_ns_, end_ns_);
  }

  const SnapshotReader& reader_;
  TraceBuilder& builder_;
  const memory::AllocatorSettings settings_;
  uint32_t process_ = 0;
  std::map<uint32_t, DeviceHistory> devices_;
  std::vector<uint64_t> streams_;
  std::unordered_map<uint64_t, uint32_t> stream_numbers_;
  size_t found_ = 0;  // events before the recorded ones
  int64_t shift_ns_ = 0;
  int64_t begin_ns_ = 0;
  int64_t end_ns_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> tracks_;
  uint32_t track_device_ = kNoDevice;
  uint32_t track_stream_ = kNoDevice;
  uint32_t track_ = 0;
  uint32_t place_device_ = kNoDevice;
  StringId place_;
  std::vector<Row> rows_;  // by stack
  std::map<std::pair<uint32_t, uint32_t>, Row> found_rows_;
};

}  // namespace

void FinishHistory(const SnapshotReader& reader, TraceBuilder& builder,
                   int64_t rank) {
  History(reader, builder).Finish(rank);
}

}  // namespace stepscope::torch_memory
