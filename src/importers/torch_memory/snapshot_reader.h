// SPDX-License-Identifier: Apache-2.0
//
// SnapshotReader: makes memory events of the dicts of a memory snapshot, as
// the pickle goes by. What a dict is follows from its keys, which differ from
// version to version and never overlap. Events lie in the builder from the
// beginning, with numbers of this reader in place of rows, tracks and places;
// `history.h` turns these into what a Trace has.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "importers/torch_memory/pickle.h"
#include "trace/build/trace_builder.h"

namespace stepscope::torch_memory {

struct Frame {
  StringId function;
  StringId file;
  int64_t line = 0;
  friend bool operator==(const Frame&, const Frame&) = default;
};

// A part of SnapshotReader::stack_frames; innermost first.
struct Stack {
  uint32_t first = 0;
  uint32_t count = 0;
};

// A segment or, inside it, a block as they were when the snapshot was taken.
struct FinalBlock {
  uint64_t address = 0;
  int64_t size = 0;
  int64_t requested = 0;  // 0: not stated
  uint32_t stack = 0;
  bool live = false;  // or not given back by a stream yet
};
struct FinalSegment {
  uint64_t address = 0;
  int64_t size = 0;
  int64_t device = 0;
  uint64_t stream = 0;
  bool expandable = false;
  uint32_t blocks = 0;  // of SnapshotReader::members
};

// What an event of the trace says beside allocations: that memory was out, that
// a snapshot was taken, or what the program says of a tensor (torch 2.15).
struct Incident {
  uint64_t event = 0;  // number of memory events before it
  int64_t time_ns = 0;
  int64_t bytes = 0;        // that were asked for
  int64_t device_free = 0;  // by the driver
  uint32_t stack = 0;
  uint32_t list = 0;
  bool out_of_memory = false;
  StringId note;  // of the program
};

struct Annotation {
  StringId name;
  int64_t device = 0;
  int64_t time_ns = 0;
  bool begins = false;
};

class SnapshotReader : public PickleListener {
 public:
  explicit SnapshotReader(TraceBuilder& builder);

  uint32_t OnItems(uint32_t handle, std::span<const Value> items,
                   uint64_t offset) override;
  uint32_t OnAppend(uint32_t handle, std::span<const Value> items,
                    uint64_t offset) override;
  // Whether the value of the whole pickle is a snapshot.
  bool Finish(const Value& whole);

  // Marks of events that are not of the Trace, in `packed` in place of
  // owner_stated: the free of a block that a stream still used.
  static constexpr uint32_t kCompleted = 4;

  // Events of further streams are rejected.
  static constexpr uint32_t kMostStreams = 4096;

  bool has_times = true;
  // The end of some frees stands apart from them, or alone: a recording may
  // leave one of the two out.
  bool has_lone_ends = false;
  std::vector<Frame> frames;
  std::vector<uint32_t> stack_frames;
  std::vector<Stack> stacks;      // 0: none
  std::vector<uint64_t> streams;  // by the number in StoredMemoryEvent::track
  std::vector<FinalSegment> segments;
  std::vector<FinalBlock> blocks;
  // Of each list of blocks, segments or lists: the numbers of what is in it.
  std::vector<std::vector<uint32_t>> members;
  std::vector<Incident> incidents;
  std::vector<Annotation> annotations;
  std::vector<std::pair<std::string, std::string>> settings;
  // Device of a list, which is what StoredMemoryEvent::place holds; 0xffffffff:
  // not one of a device.
  std::vector<uint32_t> device_of_list;

 private:
  // What a handle is of. Four bits; the rest is a number.
  enum Kind : uint32_t {
    kUnknown = 1,
    kEvent,
    kIncident,
    kFrame,
    kStack,
    kEvents,  // a list
    kLists,
    kBlock,
    kBlocks,
    kSegment,
    kSegments,
    kHistory,
    kText,  // a small dict of settings
    kWhole,
  };
  struct Fields;

  static constexpr uint32_t kNumberBits = 24;
  static uint32_t Handle(Kind kind, size_t number = 0);
  static Kind KindOf(uint32_t handle);
  bool HasKnownKeys(std::span<const Value> items) const;
  void LearnKeys(std::span<const Value> items);
  uint32_t Take(const Fields& fields, std::span<const Value> items,
                uint64_t offset);
  uint32_t TakeEvent(const Fields& fields, uint64_t offset);
  StringId NoteOf(const Fields& fields);
  uint32_t TakeSettings(std::span<const Value> items);
  uint32_t StackOf(const Value& value) const;
  uint32_t AppendFrames(uint32_t handle, std::span<const Value> items,
                        uint64_t offset);
  uint32_t FrameNumber(const Frame& frame);
  uint8_t RoleOf(StringId text);
  std::string Shown(const Value& value) const;
  uint32_t StreamNumber(uint64_t stream);

  TraceBuilder& builder_;
  std::vector<uint8_t> roles_;  // by id of the text, 0xff: not looked up yet
  std::vector<StringId> known_keys_;  // of the last dict; empty: not known
  std::vector<uint32_t> places_;      // of its values: Fields
  std::vector<std::string> texts_;
  std::unordered_multimap<uint64_t, uint32_t> frame_numbers_;  // by hash
  std::unordered_multimap<uint64_t, uint32_t> stack_numbers_;
  std::unordered_map<uint64_t, uint32_t> stream_numbers_;
  uint64_t last_stream_ = 0;
  uint32_t last_stream_number_ = 0xffffffffu;
  std::vector<uint32_t> scratch_;
  uint64_t placed_ = 0;  // events that a list has
  uint64_t placed_incidents_ = 0;
  uint32_t segments_ = 0;  // list of them, as a handle
  uint32_t lists_ = 0;     // list of events of each device
  uint32_t next_list_ = 1;
};

}  // namespace stepscope::torch_memory
