// SPDX-License-Identifier: Apache-2.0
//
// Writes pickles as Python does, and memory snapshots as torch does, for
// tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::torch_memory {

class PickleWriter {
 public:
  // `by_torch`: as torch's writer in C++ does, not Python's: lists and dicts
  // have their numbers once they are full.
  explicit PickleWriter(int protocol, bool by_torch = false)
      : protocol_(protocol), by_torch_(by_torch) {
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
  // Once; then by its number.
  PickleWriter& Text(std::string_view text) {
    const auto [known, fresh] = texts_.try_emplace(std::string(text), memo_);
    if (!fresh)
      return known->second < 256 ? Put("h" + Little(known->second, 1))
                                 : Put("j" + Little(known->second, 4));
    if (protocol_ >= 4 && text.size() < 256)
      text_ += "\x8c" + Little(text.size(), 1);
    else
      text_ += "X" + Little(text.size(), 4);
    text_ += text;
    return Memoize();
  }
  PickleWriter& None() { return Put("N"); }
  PickleWriter& Bool(bool value) { return Put(value ? "\x88" : "\x89"); }
  PickleWriter& Pair(int64_t a, int64_t b) { return Int(a).Int(b).Put("\x86"); }
  PickleWriter& BeginList() { return Begin("]"); }
  PickleWriter& EndList() { return End("e"); }
  PickleWriter& BeginDict() { return Begin("}"); }
  PickleWriter& EndDict() { return End("u"); }
  std::string Take() { return text_ + "."; }

 private:
  PickleWriter& Begin(std::string_view opcode) {
    Put(opcode);
    if (!by_torch_) Memoize();
    return Put("(");
  }
  PickleWriter& End(std::string_view opcode) {
    Put(opcode);
    return by_torch_ ? Memoize() : *this;
  }
  PickleWriter& Put(std::string_view opcode) {
    text_ += opcode;
    return *this;
  }
  PickleWriter& Memoize() {
    const uint64_t number = memo_++;
    return protocol_ >= 4 ? Put("\x94") : Put("r" + Little(number, 4));
  }

  const int protocol_;
  const bool by_torch_;
  std::map<std::string, uint64_t> texts_;  // their numbers
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
  std::string file = "";  // line 7 of it; empty: not stated
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
  bool by_torch = false;  // not by Python
  bool has_times = true;
  bool only_segments = false;
  // As of torch 2.0: blocks without addresses, each with the allocations that
  // it was used for, the last one first; events with frames of C++ as text.
  bool with_history = false;
  bool with_settings = false;  // and what else newer versions add
  bool expandable = false;     // one of the settings
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

inline void WriteUses(PickleWriter& out, const BlockOfSnapshot& block) {
  out.Text("history").BeginList();
  const int64_t requested = block.requested;
  for (const char* file : {block.file.c_str(), "before.py"}) {
    if (*file == '\0' || requested == 0) break;
    out.BeginDict().Text("addr").Int(static_cast<int64_t>(block.address));
    out.Text("real_size").Int(requested);
    WriteFrames(out, file, 7);
    out.EndDict();
  }
  out.EndList();
}

inline void WriteSegments(PickleWriter& out, const SnapshotSpec& spec) {
  out.BeginList();
  for (const SegmentOfSnapshot& segment : spec.segments) {
    out.BeginDict().Text("device").Int(0).Text("address").Int(
        static_cast<int64_t>(segment.address));
    out.Text("total_size").Int(segment.size).Text("stream").Int(0);
    out.Text("segment_type").Text("small");
    if (spec.with_settings)
      out.Text("segment_pool_id").Pair(0, 0).Text("is_expandable").Bool(false);
    out.Text("blocks").BeginList();
    for (const BlockOfSnapshot& block : segment.blocks) {
      out.BeginDict().Text("size").Int(block.size);
      out.Text("state").Text(block.state);
      if (spec.with_history)
        WriteUses(out, block);
      else
        out.Text("address")
            .Int(static_cast<int64_t>(block.address))
            .Text("requested_size")
            .Int(block.requested);
      if (!block.file.empty() && !spec.with_history)
        WriteFrames(out, block.file, 7);
      out.EndDict();
    }
    out.EndList().EndDict();
  }
  out.EndList();
}

// Of which the reader knows some, and the rest is other people's.
inline void WriteSettings(PickleWriter& out, bool expandable) {
  out.Text("allocator_settings").BeginDict();
  out.Text("PYTORCH_CUDA_ALLOC_CONF").Text("max_split_size_mb:64");
  out.Text("max_split_size").Int(64 << 20);
  out.Text("expandable_segments").Bool(expandable);
  out.Text("release_lock_on_cudamalloc").Bool(false);
  out.Text("roundup_power2_divisions").BeginDict().Text("1").Int(0).EndDict();
  out.EndDict();
}

inline std::string WriteSnapshot(const SnapshotSpec& spec) {
  PickleWriter out(spec.protocol, spec.by_torch);
  if (spec.only_segments) {
    WriteSegments(out, spec);
    return out.Take();
  }
  out.BeginDict().Text("segments");
  WriteSegments(out, spec);
  out.Text("device_traces").BeginList().BeginList();
  for (const EventOfSnapshot& event : spec.events) {
    out.BeginDict().Text("action").Text(event.action);
    out.Text(event.action == "oom" ? "device_free" : "addr");
    out.Int(static_cast<int64_t>(event.address));
    out.Text("size").Int(event.size).Text("stream").Int(event.stream);
    if (spec.has_times) out.Text("time_us").Int(event.time_us);
    if (spec.with_history)
      out.Text("cpp_frames").BeginList().Text("at::empty").EndList();
    if (spec.with_settings)
      out.Text("compile_context").Text("N/A").Text("user_metadata").Text("");
    WriteFrames(out, event.file, event.line);
    out.EndDict();
  }
  out.EndList().EndList();
  if (spec.with_settings) WriteSettings(out, spec.expandable);
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
