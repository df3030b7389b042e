// SPDX-License-Identifier: Apache-2.0
//
// Writes pickles as Python does, and memory snapshots as torch does, for
// tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::torch_memory {

class PickleWriter {
 public:
  explicit PickleWriter(int protocol) : protocol_(protocol) {
    text_ = "\x80";
    text_ += static_cast<char>(protocol);
  }

  static std::string Little(uint64_t value, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < bytes; ++i)
      text += static_cast<char>(value >> (8 * i));
    return text;
  }

  PickleWriter& Int(int64_t value) {
    if (value >= 0 && value < 256)
      text_ += "K" + Little(static_cast<uint64_t>(value), 1);
    else if (value >= INT32_MIN && value <= INT32_MAX)
      text_ += "J" + Little(static_cast<uint64_t>(value), 4);
    else
      text_ += "\x8a\x08" + Little(static_cast<uint64_t>(value), 8);
    return *this;
  }
  PickleWriter& Text(std::string_view text) {
    if (protocol_ >= 4 && text.size() < 256)
      text_ += "\x8c" + Little(text.size(), 1);
    else
      text_ += "X" + Little(text.size(), 4);
    text_ += text;
    return Memoize();
  }
  PickleWriter& None() { return Put("N"); }
  PickleWriter& BeginList() { return Put("]").Memoize().Put("("); }
  PickleWriter& EndList() { return Put("e"); }
  PickleWriter& BeginDict() { return Put("}").Memoize().Put("("); }
  PickleWriter& EndDict() { return Put("u"); }
  std::string Take() { return text_ + "."; }

 private:
  PickleWriter& Put(std::string_view opcode) {
    text_ += opcode;
    return *this;
  }
  PickleWriter& Memoize() {
    if (protocol_ >= 4) return Put("\x94");
    text_ += "r" + Little(memo_++, 4);
    return *this;
  }

  const int protocol_;
  std::string text_;
  uint64_t memo_ = 0;
};

struct EventOfSnapshot {
  std::string action;
  uint64_t address = 0;
  int64_t size = 0;
  int64_t stream = 0;
  int64_t time_us = 0;
  std::string file = "train.py";  // empty: no frames
  int64_t line = 18;
};
struct BlockOfSnapshot {
  uint64_t address = 0;
  int64_t size = 0;
  int64_t requested = 0;
  std::string state;
};
struct SegmentOfSnapshot {
  uint64_t address = 0;
  int64_t size = 0;
  std::vector<BlockOfSnapshot> blocks;
};
struct RangeOfSnapshot {
  std::string name;
  int64_t begin_us = 0;
  int64_t end_us = 0;
};
struct SnapshotSpec {
  int protocol = 4;
  bool has_times = true;
  bool only_segments = false;
  std::vector<EventOfSnapshot> events;
  std::vector<SegmentOfSnapshot> segments;
  std::vector<RangeOfSnapshot> ranges;
};

inline void WriteFrames(PickleWriter& out, const std::string& file,
                        int64_t line) {
  out.Text("frames").BeginList();
  if (!file.empty())
    out.BeginDict()
        .Text("name")
        .Text("forward")
        .Text("filename")
        .Text(file)
        .Text("line")
        .Int(line)
        .EndDict();
  out.EndList();
}

inline void WriteSegments(PickleWriter& out, const SnapshotSpec& spec) {
  out.BeginList();
  for (const SegmentOfSnapshot& segment : spec.segments) {
    out.BeginDict().Text("device").Int(0).Text("address").Int(
        static_cast<int64_t>(segment.address));
    out.Text("total_size").Int(segment.size).Text("stream").Int(0);
    out.Text("segment_type").Text("small").Text("blocks").BeginList();
    for (const BlockOfSnapshot& block : segment.blocks) {
      out.BeginDict().Text("address").Int(static_cast<int64_t>(block.address));
      out.Text("size").Int(block.size);
      out.Text("requested_size").Int(block.requested);
      out.Text("state").Text(block.state).EndDict();
    }
    out.EndList().EndDict();
  }
  out.EndList();
}

inline std::string WriteSnapshot(const SnapshotSpec& spec) {
  PickleWriter out(spec.protocol);
  if (spec.only_segments) {
    WriteSegments(out, spec);
    return out.Take();
  }
  out.BeginDict().Text("segments");
  WriteSegments(out, spec);
  out.Text("device_traces").BeginList().BeginList();
  for (const EventOfSnapshot& event : spec.events) {
    out.BeginDict().Text("action").Text(event.action);
    out.Text("addr").Int(static_cast<int64_t>(event.address));
    out.Text("size").Int(event.size).Text("stream").Int(event.stream);
    if (spec.has_times) out.Text("time_us").Int(event.time_us);
    WriteFrames(out, event.file, event.line);
    out.EndDict();
  }
  out.EndList().EndList();
  if (!spec.ranges.empty()) {
    out.Text("external_annotations").BeginList();
    for (const RangeOfSnapshot& range : spec.ranges)
      for (const bool begins : {true, false})
        out.BeginDict()
            .Text("stage")
            .Text(begins ? "START" : "END")
            .Text("name")
            .Text(range.name)
            .Text("device")
            .Int(0)
            .Text("time_us")
            .Int(begins ? range.begin_us : range.end_us)
            .EndDict();
    out.EndList();
  }
  return out.EndDict().Take();
}

}  // namespace stepscope::torch_memory
