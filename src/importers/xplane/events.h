// SPDX-License-Identifier: Apache-2.0
//
// XEvents: reads the events of lines into one builder. Lines, tracks and
// tables are made before, so several may work on parts of one file at once,
// each with a builder of its own.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "importers/proto/parts.h"
#include "importers/proto/recorder.h"
#include "importers/xplane/metadata.h"

namespace stepscope::proto::xplane {

struct XLine {
  Bytes bytes;
  const XPlaneMetadata* tables = nullptr;
  int64_t id = 0;
  int64_t timestamp_ns = 0;
  std::string_view name;
  LineRole role = LineRole::kHostThread;
  uint32_t track = 0;
  uint32_t memory_track = 0;  // of allocations, if there are any
};

class XEvents {
 public:
  // Events are those of `process`; `file` is where all bytes come from.
  XEvents(Bytes file, const Recorder& out, TraceBuilder& builder,
          uint32_t process)
      : file_end_(file.data() + file.size()),
        out_(out, builder),
        process_(process) {}

  // See Recorder::Expect.
  void Expect(uint64_t events, uint64_t args) { out_.Expect(events, args, 0); }
  // Reads those events of the line that begin in `range`.
  void Read(const XLine& line, const Range& range);

  // Takes over what another has read of what follows in the file. Their
  // builders are joined as well.
  void Join(XEvents&& next);
  // Arrows from each producer to those who consumed what it announced.
  void AddArrows();
  // Some host thread has steps.
  bool host_steps() const { return host_steps_; }

 private:
  // One event while it is read; its stats are in stats_.
  struct Fields {
    uint64_t metadata_id = 0;
    int64_t offset_ps = 0;
    int64_t duration_ps = 0;
    bool aggregated = false;
    bool unknown_stat = false;  // one was left out
    bool special = false;       // a stat is a known one
    int64_t occurrences = 0;
  };
  // One end of an arrow between threads: type and id, where and when.
  using ArrowKey = std::pair<uint64_t, uint64_t>;
  struct ArrowEnd {
    ArrowKey key;
    Row row = kNoRow;
    uint32_t track = 0;
    int64_t time_ns = 0;
  };

  bool ReadAsWritten(Bytes event, const XPlaneMetadata& plane, Fields* fields);
  bool ReadStatAsWritten(Bytes stat, const XPlaneMetadata& plane);
  bool ReadInAnyOrder(Bytes event, bool cut, const XPlaneMetadata& plane,
                      Fields* fields);
  bool AddPlain(const Fields& fields, const uint8_t* at, const XLine& line);
  void Add(const Fields& fields, const uint8_t* at, const XLine& line);
  void AddFacts(const XEventFacts& facts, const EventName& name, Row row,
                const XLine& line);
  void AddStat(Row row, const StatValue& value) {
    if (value.stat->known == KnownStat::kOther) [[likely]]
      AddPlainStat(row, value);
    else
      AddSpecialStat(row, value);
  }
  void AddPlainStat(Row row, const StatValue& value) {
    Arg& arg = out_.builder().NewArg(row, value.stat->name);
    if (value.kind == StatValue::Kind::kInt) [[likely]]
      arg.int_value = static_cast<int64_t>(value.number);
    else
      SetValue(value, arg);
  }
  void SetValue(const StatValue& value, Arg& arg);
  void AddSpecialStat(Row row, const StatValue& value);
  void AddKernelDetails(Row row, std::string_view text, StringId key);

  const uint8_t* file_end_;
  Recorder out_;
  uint32_t process_;
  bool host_steps_ = false;
  std::vector<StatValue> stats_;  // of the event being read
  std::vector<ArrowEnd> producers_;
  std::vector<ArrowEnd> consumers_;
};

}  // namespace stepscope::proto::xplane
