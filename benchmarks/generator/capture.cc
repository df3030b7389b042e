// SPDX-License-Identifier: Apache-2.0
//
// A capture as the recorder leaves it: packed slots of the threads. One tick is
// one nanosecond.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/capture/block_writer.h"
#include "format/event_codec.h"
#include "format/live_file.h"
#include "generator/formats.h"
#include "generator/paddle_types.h"

namespace stepscope::generator {
namespace {

using format::BlockKind;
using format::Slot;

constexpr uint64_t kFirstTick = 1'000'000;  // of time 0
constexpr uint32_t kFirstSite = 2;          // 1 stands for refused names

template <typename T>
void AppendBytes(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

class CaptureFileWriter {
 public:
  CaptureFileWriter(const Workload& workload, OutBuffer& out)
      : workload_(workload),
        blocks_(out),
        names_(Dialect::kPaddle, workload.options().names),
        runs_(2 * size_t{workload.options().pairs}) {}

  Status Write() {
    blocks_.WriteFileHeader();
    WriteProcess();
    bool too_long = false;
    workload_.Walk([&](const Record& record) {
      if (!record.on_host() || record.is_memory()) return;
      too_long |= record.dur_ns >= UINT32_MAX - 1;
      last_ns_ = std::max(last_ns_, record.end_ns());
      const size_t thread = 2 * size_t{record.pair} + record.line;
      Run& run = runs_[thread];
      run.slots.push_back({kFirstTick + static_cast<uint64_t>(record.start_ns),
                           static_cast<uint32_t>(record.dur_ns) + 1,
                           Site(record)});
      if (run.slots.size() == format::kSlotsPerChunk) Flush(thread);
    });
    if (too_long)
      return Fail(ErrorCode::kUnsupported,
                  "capture: fewer events, steps get longer than 4 s");
    for (size_t thread = 0; thread < runs_.size(); ++thread) Flush(thread);
    WriteThreads();
    WriteClock();
    const format::EndRecord end = {Tick(last_ns_), 0, {}};
    blocks_.Write(BlockKind::kEnd, &end, sizeof(end));
    return blocks_.Finish();
  }

 private:
  struct Run {
    std::vector<Slot> slots;
    uint32_t seq = 0;
  };

  static uint64_t Tick(int64_t ns) {
    return kFirstTick + static_cast<uint64_t>(ns);
  }

  uint32_t Site(const Record& record) {
    const auto [it, fresh] =
        sites_.try_emplace({record.kind, record.name},
                           kFirstSite + static_cast<uint32_t>(sites_.size()));
    if (fresh) {
      const std::string& name = names_.Of(record);
      const auto size = static_cast<uint32_t>(name.size());
      AppendBytes(new_names_,
                  format::NameRecord{it->second, PaddleType(record.kind).type,
                                     size, size});
      new_names_ += name;
      new_names_.resize((new_names_.size() + 7) & ~size_t{7});
    }
    return it->second;
  }

  void Flush(size_t thread) {
    Run& run = runs_[thread];
    if (run.slots.empty()) return;
    if (!new_names_.empty())
      blocks_.Write(BlockKind::kNames, new_names_.data(), new_names_.size());
    new_names_.clear();
    format::EventsHeader header = {};
    header.thread_uid = static_cast<uint32_t>(thread) + 1;
    header.seq = run.seq++;
    header.incarnation = ++incarnation_;
    header.chunk = static_cast<uint32_t>(incarnation_ & 0xffff);
    header.slots = static_cast<uint32_t>(run.slots.size());
    header.base_tick = run.slots[0].begin;
    packed_.resize(sizeof(header) + format::MaxPackedBytes(run.slots.size()));
    const format::PackedCounts counts =
        format::EncodeSlots(run.slots.data(), header.slots, header.base_tick,
                            packed_.data() + sizeof(header));
    header.events = counts.events;
    header.controls = counts.controls;
    std::memcpy(packed_.data(), &header, sizeof(header));
    blocks_.Write(BlockKind::kEvents, packed_.data(),
                  sizeof(header) + counts.bytes);
    run.slots.clear();
  }

  void WriteProcess() {
    std::string payload;
    const auto add = [&](const std::string& key, const std::string& value) {
      AppendBytes(payload, static_cast<uint32_t>(key.size()));
      AppendBytes(payload, static_cast<uint32_t>(value.size()));
      payload += key + value;
    };
    add("pid", std::to_string(workload_.pid()));
    add("rank", std::to_string(workload_.options().rank));
    add("name", "generated");
    blocks_.Write(BlockKind::kProcess, payload.data(), payload.size());
  }

  void WriteThreads() {
    std::string payload;
    for (size_t thread = 0; thread < runs_.size(); ++thread) {
      const Line line = thread % 2 == 0 ? kMain : kAutograd;
      format::ThreadEntry entry = {};
      entry.state = static_cast<uint32_t>(format::ThreadState::kLive);
      entry.uid = static_cast<uint32_t>(thread) + 1;
      entry.tid = static_cast<uint32_t>(workload_.tid(kMain) +
                                        static_cast<int64_t>(thread));
      entry.runs = runs_[thread].seq;
      std::strcpy(entry.name, line == kMain ? "main" : "autograd");
      AppendBytes(payload, entry);
    }
    blocks_.Write(BlockKind::kThreads, payload.data(), payload.size());
  }

  void WriteClock() {
    std::string payload;
    AppendBytes(payload, format::ClockHeader{
                             static_cast<uint32_t>(format::ClockKind::kTsc), 2,
                             1'000'000'000});
    for (const int64_t ns : {int64_t{0}, last_ns_}) {
      const int64_t realtime = workload_.options().epoch_ns + ns;
      AppendBytes(payload, format::Anchor{Tick(ns), ns, realtime, ns, 20});
    }
    blocks_.Write(BlockKind::kClock, payload.data(), payload.size());
  }

  const Workload& workload_;
  capture::BlockWriter blocks_;
  Names names_;
  std::vector<Run> runs_;  // two of each pair: kMain, kAutograd
  std::map<std::pair<Kind, uint32_t>, uint32_t> sites_;
  std::string new_names_;
  std::vector<uint8_t> packed_;
  uint64_t incarnation_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace

Status WriteCapture(const Workload& workload, OutBuffer& out) {
  return CaptureFileWriter(workload, out).Write();
}

}  // namespace stepscope::generator
