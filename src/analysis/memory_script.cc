// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory_script.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "trace/memory_levels.h"

namespace stepscope {
namespace {

using memory::Op;
using memory::OpKind;

memory::AllocatorSettings SettingsOf(const Trace& trace, uint32_t process) {
  for (const auto& [key, value] : trace.processes()[process].metadata)
    if (trace.str(key) == "allocator_settings")
      if (const auto settings = memory::ParseSettings(trace.str(value)))
        return *settings;
  return {};
}

class ScriptMaker {
 public:
  explicit ScriptMaker(MemoryScript& to) : to_(to) {}

  void Add(const Trace& trace, const MemoryEvent& event, uint32_t index) {
    const auto stream = StreamOf(event.track);
    std::vector<Op>& ops = to_.script.ops;
    switch (event.kind) {
      case MemoryKind::kReservedAllocate:
        if (WasFound(trace, event))
          to_.script.segments.push_back({event.address, event.bytes, stream});
        else
          ops.push_back(
              {event.bytes, event.address, 0, index, stream, OpKind::kReserve});
        return;
      case MemoryKind::kReservedFree:
        ops.push_back({0, event.address, 0, index, stream, OpKind::kRelease});
        return;
      case MemoryKind::kAllocate:
        Allocate(trace, event, index, stream);
        return;
      case MemoryKind::kFree:
        Free(event, index, stream);
        return;
    }
  }

 private:
  struct Last {
    uint32_t id = 0;
    uint32_t free_op = BlockLife::kNever;
    bool live = false;
  };

  uint32_t StreamOf(uint32_t track) {
    return streams_.try_emplace(track, static_cast<uint32_t>(streams_.size()))
        .first->second;
  }

  void Allocate(const Trace& trace, const MemoryEvent& event, uint32_t index,
                uint32_t stream) {
    const auto id = static_cast<uint32_t>(to_.allocations.size());
    Last& last = at_[event.address];
    // Its free was not recorded.
    if (last.live) {
      to_.allocations[last.id].freed = index;
      to_.script.ops.push_back(
          {0, event.address, last.id, index, stream, OpKind::kFree});
    }
    last = {id, BlockLife::kNever, true};
    to_.allocations.push_back({index, BlockLife::kNever});
    ++to_.script.allocations;
    const int64_t requested = event.bytes - event.padding_bytes;
    if (WasFound(trace, event))
      to_.script.blocks.push_back(
          {event.address, event.bytes, requested, id, stream});
    else
      to_.script.ops.push_back(
          {requested, event.address, id, index, stream, OpKind::kAllocate});
  }

  void Free(const MemoryEvent& event, uint32_t index, uint32_t stream) {
    const auto found = at_.find(event.address);
    if (found == at_.end()) return;
    Last& last = found->second;
    std::vector<Op>& ops = to_.script.ops;
    if (!last.live) {
      // Another stream used it until now.
      if (event.bytes != 0 || last.free_op == BlockLife::kNever) return;
      ops[last.free_op].kind = OpKind::kNothing;
      last.free_op = BlockLife::kNever;
    } else {
      to_.allocations[last.id].freed = index;
      last.live = false;
      last.free_op = static_cast<uint32_t>(ops.size());
    }
    ops.push_back({0, event.address, last.id, index, stream, OpKind::kFree});
  }

  MemoryScript& to_;
  std::unordered_map<uint64_t, Last> at_;  // by address
  std::map<uint32_t, uint32_t> streams_;   // by track
};

}  // namespace

bool IsOfDevice(std::string_view place) {
  // importers/capture/history_join.cc names the latter.
  return !place.starts_with("Place(cpu") &&
         !place.ends_with(" beside torch)") && place != kMemoryLevelsPlace;
}

bool IsOfMemoryAlone(const Trace& trace) {
  const std::vector<Source>& sources = trace.sources();
  return !sources.empty() &&
         std::all_of(sources.begin(), sources.end(), [](const Source& source) {
           return source.format.starts_with("torch_memory");
         });
}

bool WasFound(const Trace& trace, const MemoryEvent& event) {
  return event.owner != kNoRow &&
         (trace.flags()[event.owner] & kEventInferred) != 0 &&
         (trace.flags()[event.owner] & kEventInstant) != 0;
}

std::string_view LineOf(const Trace& trace, Row row) {
  if (row == kNoRow) return {};
  for (const Arg& arg : trace.args_of(row))
    if (arg.kind == ArgKind::kText && trace.str(arg.key) == "line")
      return trace.str(arg.text);
  return {};
}

std::vector<MemoryScript> MakeMemoryScripts(const Trace& trace) {
  std::vector<MemoryScript> scripts;
  std::map<std::pair<uint32_t, uint32_t>, size_t> slots;
  const MemoryTable& events = trace.memory();
  for (size_t i = 0; i < events.size(); ++i) {
    const MemoryEvent event = events[i];
    if (event.address == 0) continue;
    const uint32_t process = trace.tracks()[event.track].process;
    if (slots.try_emplace({process, event.place.v}, scripts.size()).second) {
      MemoryScript& script = scripts.emplace_back();
      script.process = process;
      script.place = event.place;
      script.settings = SettingsOf(trace, process);
    }
  }
  std::vector<ScriptMaker> makers;
  makers.reserve(scripts.size());
  for (MemoryScript& script : scripts) makers.emplace_back(script);
  for (size_t i = 0; i < events.size(); ++i) {
    const MemoryEvent event = events[i];
    if (event.address == 0) continue;
    const uint32_t process = trace.tracks()[event.track].process;
    makers[slots[{process, event.place.v}]].Add(trace, event,
                                                static_cast<uint32_t>(i));
  }
  for (MemoryScript& script : scripts)
    std::sort(
        script.script.blocks.begin(), script.script.blocks.end(),
        [](const auto& a, const auto& b) { return a.address < b.address; });
  return scripts;
}

}  // namespace stepscope
