// SPDX-License-Identifier: Apache-2.0
//
// Events that state a phase of Chrome's JSON instead of a type.
#include <algorithm>

#include "importers/perfetto/fields.h"
#include "importers/perfetto/reader.h"

namespace stepscope::pftrace {
namespace {

using proto::Bytes;
using proto::Message;

struct Legacy {
  uint64_t phase = 0;
  int64_t duration_us = 0;
  uint64_t id = 0;
  char id_kind = 0;  // 'u' unscoped, 'l' of the process, 'g' of the file
  std::string_view scope;
  uint64_t bind_id = 0;
  uint64_t direction = 0;
  int64_t pid = 0;
  int64_t tid = 0;
  bool has_pid = false;
  bool has_tid = false;
  bool has_bind_id = false;
  uint64_t name_iid = 0;
};

Legacy Parse(Bytes bytes) {
  Legacy legacy;
  const auto id = [&](const Message& message, char kind) {
    legacy.id = message.value();
    legacy.id_kind = kind;
  };
  Message message(bytes);
  while (message.Next()) {
    switch (message.tag()) {
      case tag::kLegacyName:
        legacy.name_iid = message.value();
        break;
      case tag::kPhase:
        legacy.phase = message.value();
        break;
      case tag::kDurationUs:
        legacy.duration_us = message.sint();
        break;
      case tag::kUnscopedId:
        id(message, 'u');
        break;
      case tag::kLocalId:
        id(message, 'l');
        break;
      case tag::kGlobalId:
        id(message, 'g');
        break;
      case tag::kIdScope:
        legacy.scope = message.text();
        break;
      case tag::kBindId:
        legacy.bind_id = message.value();
        legacy.has_bind_id = true;
        break;
      case tag::kFlowDirection:
        legacy.direction = message.value();
        break;
      case tag::kPidOverride:
        legacy.pid = message.sint();
        legacy.has_pid = true;
        break;
      case tag::kTidOverride:
        legacy.tid = message.sint();
        legacy.has_tid = true;
        break;
      default:
        break;
    }
  }
  return legacy;
}

constexpr uint64_t kFlowIn = 1;
constexpr uint64_t kFlowOut = 2;

}  // namespace

void Reader::TakeLegacy(Current& current) {
  const Legacy legacy = Parse(current.event.legacy);
  if (legacy.has_pid || legacy.has_tid) {
    const TrackInfo& own = tracks_.info(current.index);
    const int64_t pid = legacy.has_pid ? legacy.pid : own.pid;
    const int64_t tid = legacy.has_tid ? legacy.tid : own.tid;
    current.index = tracks_.Thread(pid, tid);
  }
  if (current.name.v == 0 && legacy.name_iid != 0 && current.sequence.state)
    if (const uint32_t id = current.sequence.state->names.Find(legacy.name_iid);
        id != kNone)
      current.name = {id};
  const auto async = [&] {
    current.index = tracks_.Async(current.index,
                                  std::string(1, legacy.id_kind) +
                                      std::to_string(legacy.id) + ' ' +
                                      std::string(legacy.scope),
                                  current.name);
  };
  const auto flow = [&](FlowPhase phase, uint64_t id) {
    Flow arrow;
    arrow.time_ns = current.time_ns;
    arrow.id = id;
    arrow.name = current.name;
    arrow.track = tracks_.TrackOf(current.index);
    arrow.phase = phase;
    out_.builder().AddFlow(arrow);
  };
  if (legacy.has_bind_id && legacy.direction != 0)
    flow(legacy.direction == kFlowOut  ? FlowPhase::kBegin
         : legacy.direction == kFlowIn ? FlowPhase::kEnd
                                       : FlowPhase::kStep,
         legacy.bind_id);
  const uint64_t flow_id = legacy.id_kind != 0 ? legacy.id : legacy.bind_id;
  switch (legacy.phase) {
    case 'B':
      AddBegin(current);
      return;
    case 'E':
      current.repair = {};
      AddEnd(current);
      return;
    case 'X': {
      int64_t dur = 0;
      if (legacy.duration_us < 0) {
        current.repair = "negative duration";
      } else if (__builtin_mul_overflow(legacy.duration_us, int64_t{1000},
                                        &dur) ||
                 dur >= proto::Recorder::kMaxTimeNs -
                            std::max<int64_t>(current.time_ns, 0)) {
        Reject(proto::kTimeRange);
        return;
      }
      AddComplete(current, dur);
      return;
    }
    case 'b':
    case 'S':
      async();
      AddBegin(current);
      return;
    case 'e':
    case 'F':
      async();
      current.repair = {};
      AddEnd(current);
      return;
    case 'n':
    case 'T':
    case 'p':
      async();
      AddInstant(current);
      return;
    case 's':
    case 't':
    case 'f':
      flow(legacy.phase == 's'   ? FlowPhase::kBegin
           : legacy.phase == 't' ? FlowPhase::kStep
                                 : FlowPhase::kEnd,
           flow_id);
      Count(current.repair, current.name);
      return;
    case 'C':
      AddLegacyCounters(current);
      return;
    case 'M':
      Count({});
      return;
    case 'i':
    case 'I':
    case 'R':
    case 'P':
    case 'N':
    case 'O':
    case 'D':
    case 'V':
    case 'v':
    case 'c':
    case '(':
    case ')':
    case '=':
      AddInstant(current);
      return;
    default:
      Reject("unknown phase");
  }
}

// Each argument is a series.
void Reader::AddLegacyCounters(Current& current) {
  bool added = false;
  Message message(current.event.bytes);
  while (message.Next()) {
    if (message.tag() != tag::kAnnotation) continue;
    const Annotation said =
        annotations_.Read(message.bytes(), current.sequence);
    const bool real = said.holds == Annotation::Holds::kDouble;
    if (!real && said.holds != Annotation::Holds::kInt &&
        said.holds != Annotation::Holds::kUint)
      continue;
    std::string name(out_.builder().strings().view(current.name));
    if (const std::string_view key = annotations_.KeyOf(said);
        !key.empty() && key != "value")
      name += ' ' + std::string(key);
    AddSample(current.sequence,
              tracks_.LegacyCounter(current.index, out_.Intern(name)),
              current.time_ns, !real, said.number);
    added = true;
  }
  if (added)
    Count(current.repair, current.name);
  else
    Reject("counter without a value");
}

}  // namespace stepscope::pftrace
