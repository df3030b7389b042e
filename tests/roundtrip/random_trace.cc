// SPDX-License-Identifier: Apache-2.0
#include "roundtrip/random_trace.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  std::shared_ptr<const Trace> Make(uint32_t events) {
    builder_.AlignEpoch(Number(), Coin());
    const uint32_t processes = 1 + Below(3);
    for (uint32_t i = 0; i < processes; ++i) AddProcess();
    const uint32_t tracks = 1 + Below(6);
    for (uint32_t i = 0; i < tracks; ++i) AddTrack(i, processes);
    for (uint32_t i = 0; i < events; ++i) AddEvent(tracks);
    for (uint32_t i = 0; i < events / 4; ++i) AddSide(tracks, processes);
    AddRest();
    auto trace = builder_.Finish();
    if (!trace) {
      std::fprintf(stderr, "%s\n", trace.error().message.c_str());
      std::abort();
    }
    return *trace;
  }

 private:
  uint32_t Below(uint32_t limit) {
    return static_cast<uint32_t>(random_() % limit);
  }
  bool Coin() { return Below(2) == 0; }
  // Small, large, negative.
  int64_t Number() {
    const auto value = static_cast<int64_t>(random_() >> Below(64));
    return Coin() ? value : -value;
  }
  double Real() {
    switch (Below(4)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return -std::numeric_limits<double>::infinity();
      case 2:
        return -0.0;
      default:
        return static_cast<double>(Number()) / 7;
    }
  }
  int64_t Time() {
    return static_cast<int64_t>(random_() & 0xffffffff) >> Below(16);
  }
  std::string Bytes() {
    const uint32_t length = Below(400) == 0 ? 100000 : Below(12);
    std::string text(length, '\0');
    // Eight at a time: one by one they are most of what a large trace costs.
    for (size_t at = 0; at < text.size(); at += sizeof(uint64_t)) {
      const uint64_t bytes = random_();
      std::memcpy(&text[at], &bytes, std::min(sizeof(bytes), text.size() - at));
    }
    return text;
  }
  StringId Text() { return builder_.Intern(Bytes()); }

  void AddProcess() {
    Process process;
    process.pid = Number();
    process.rank = Number();
    process.name = Text();
    process.host = Text();
    process.start_ns = Number();
    for (uint32_t i = 0; i < Below(4); ++i)
      process.metadata.emplace_back(Text(), Text());
    builder_.AddProcess(std::move(process));
  }

  // One of each kind, then any.
  void AddTrack(uint32_t index, uint32_t processes) {
    Track track;
    track.process = Below(processes);
    track.kind = static_cast<TrackKind>(index < 4 ? index : Below(4));
    track.id = Number();
    track.device = Number();
    track.name = Text();
    track.device_type = Text();
    builder_.AddTrack(track);
  }

  void AddEvent(uint32_t tracks) {
    EventSpec event;
    event.track = Below(tracks);
    event.start_ns = Time();
    event.dur_ns = Time() >> Below(30);
    event.name = Text();
    event.type = static_cast<uint16_t>(Below(40));
    event.flags = static_cast<uint16_t>(Below(16));
    const Row row = builder_.AddEvent(event);
    if (Below(4) == 0) builder_.AddRawArgs(row, "\"k\": \"" + Bytes() + "\"");
    for (uint32_t i = 0; i < Below(3); ++i) AddArg(row);
  }

  void AddArg(Row row) {
    Arg arg;
    arg.row = row;
    arg.key = Text();
    arg.kind = static_cast<ArgKind>(Below(5));
    arg.clipped = Coin();
    switch (arg.kind) {
      case ArgKind::kInt:
        arg.int_value = Number();
        break;
      case ArgKind::kDouble:
        arg.double_value = Real();
        break;
      case ArgKind::kText:
      case ArgKind::kJson:
        arg.text = Text();
        break;
      case ArgKind::kIntList: {
        std::vector<int64_t> values(Below(5));
        for (int64_t& value : values) value = Number();
        builder_.AddListArg(arg, values);
        return;
      }
    }
    builder_.AddArg(arg);
  }

  void AddSide(uint32_t tracks, uint32_t processes) {
    const uint32_t track = Below(tracks);
    builder_.AddFlow({.time_ns = Time(),
                      .id = random_(),
                      .name = Text(),
                      .track = track,
                      .phase = static_cast<FlowPhase>(Below(3))});
    builder_.AddLink({.process = Below(processes),
                      .space = static_cast<LinkSpace>(Below(4)),
                      .id = random_() >> Below(64),
                      .row = Below(9) == 0 || builder_.event_count() == 0
                                 ? kNoRow
                                 : Below(builder_.event_count())});
    builder_.AddCounter({.time_ns = Time(),
                         .track = track,
                         .integer = Coin(),
                         .int_value = Number(),
                         .value = Real()});
    builder_.AddMemory({.time_ns = Time(),
                        .address = random_(),
                        .bytes = Number(),
                        .total_allocated = random_(),
                        .total_reserved = random_(),
                        .place = Text(),
                        .track = track,
                        .kind = static_cast<MemoryKind>(Below(4))});
  }

  void AddRest() {
    ThreadReport thread;
    thread.recorded = random_();
    thread.side_recorded = random_();
    thread.side_dropped = random_();
    thread.dropped = {{"pool", random_()}, {"io", 1}};
    for (Row row = 0; row < std::min<Row>(builder_.event_count(), 3); ++row)
      thread.open_scopes.push_back(row);
    thread.exited = Coin();
    builder_.AddThread(thread);
    builder_.ledger().Keep(random_() >> 8);
    for (int i = 0; i < 6; ++i) {
      builder_.ledger().Repair(Bytes(), random_(), Bytes(), 1 + Below(9));
      builder_.ledger().Reject("same", random_(), Bytes(), 1 + Below(9));
    }
    if (Coin()) builder_.AddWindow(-5, Time());
    builder_.MergeClock({.source = Coin() ? "tsc" : "",
                         .anchors = random_(),
                         .worst_error_ns = Time(),
                         .ticks_per_second = 1e9 / 3,
                         .epoch_known = false});
    if (Coin()) builder_.MergeCpuUsage({1.25, 0.5});
    builder_.AddSource("made", "a.json");
    builder_.AddSource("up", Bytes());
    builder_.AddNote(Bytes());
    if (Coin()) builder_.SetIncomplete();
  }

  std::mt19937_64 random_;
  TraceBuilder builder_;
};

}  // namespace

std::shared_ptr<const Trace> RandomTrace(uint64_t seed, uint32_t events) {
  return Maker(seed).Make(events);
}

}  // namespace stepscope
