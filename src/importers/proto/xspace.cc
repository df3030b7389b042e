// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/xspace.h"

#include <algorithm>
#include <string>

#include "importers/proto/xplane_fields.h"

namespace stepscope::proto {
namespace {

using namespace xplane;  // NOLINT: field numbers only

// Lines with fewer events do not make tables grow often.
constexpr uint64_t kWorthCounting = 1024;

std::string ToText(const StatValue& value, const StringPool& strings) {
  switch (value.kind) {
    case StatValue::Kind::kInt:
      return std::to_string(static_cast<int64_t>(value.number));
    case StatValue::Kind::kUint:
      return std::to_string(value.number);
    case StatValue::Kind::kDouble:
      return std::to_string(std::bit_cast<double>(value.number));
    case StatValue::Kind::kText:
      return std::string(strings.view(value.text));
    case StatValue::Kind::kNone:
      break;
  }
  return {};
}

}  // namespace

void ImportXSpace(const Input& input, TraceBuilder& builder) {
  XSpace(input, builder).Read();
}

XSpace::XSpace(const Input& input, TraceBuilder& builder)
    : input_(input), out_(input.bytes, builder), tracks_(builder) {
  Process process;
  process.source = out_.Intern(input.path);
  process_ = builder.AddProcess(std::move(process));
}

void XSpace::Read() {
  ReadTop();
  ReadEnvironment();
  for (const Bytes plane : planes_) ReadPlane(plane);
  if (input_.options == nullptr || input_.options->dataflow) AddArrows();
}

void XSpace::ReadTop() {
  TraceBuilder& builder = out_.builder();
  Message message(input_.bytes);
  while (message.Next()) {
    switch (message.tag()) {
      case kPlane:
        planes_.push_back(message.bytes());
        break;
      case kError:
      case kWarning:
        builder.AddNote(input_.path +
                        ": the profiler says: " + std::string(message.text()));
        break;
      case kHostname:
        builder.process(process_).host = out_.Intern(message.text());
        break;
      default:
        break;
    }
    if (message.cut()) out_.FileEndsEarly(input_.path, message);
  }
  out_.RejectRest(message);
}

// Times count from the start of the session. Its Unix time is in a plane of
// its own, which old files lack.
void XSpace::ReadEnvironment() {
  int64_t epoch_ns = 0;
  for (const Bytes plane : planes_) {
    std::string_view name;
    Message message(plane);
    while (message.Next())
      if (message.tag() == kPlaneName) name = message.text();
    if (name != "Task Environment") continue;
    const XPlaneTables tables(plane, out_);
    for (const StatValue& value : tables.stats()) {
      if (out_.builder().strings().view(value.stat->name) ==
          "profile_start_time")
        epoch_ns = ToTime(value.number);
    }
  }
  out_.SetEpoch(epoch_ns, epoch_ns >= kPlausibleEpochNs);
}

void XSpace::ReadPlane(Bytes plane) {
  const XPlaneTables tables(plane, out_);
  AddMetadata(tables);
  Message message(plane);
  while (message.Next())
    if (message.tag() == kLine) ReadLine(message.bytes(), tables);
  out_.RejectRest(message);
}

void XSpace::AddMetadata(const XPlaneTables& tables) {
  TraceBuilder& builder = out_.builder();
  std::string key;
  for (const StatValue& value : tables.stats()) {
    const std::string_view stat = builder.strings().view(value.stat->name);
    // A stat without a name is an entry of a table of its own (call stacks).
    if (stat.empty()) continue;
    if (stat == "process_id")
      builder.process(process_).pid = static_cast<int64_t>(value.number);
    key = tables.name();
    key += ' ';
    key += stat;
    builder.process(process_).metadata.emplace_back(
        builder.Intern(key), builder.Intern(ToText(value, builder.strings())));
  }
}

XSpace::LineInfo XSpace::ReadLineInfo(Bytes line, const XPlaneTables& tables) {
  LineInfo info;
  std::string_view display_name;
  Message message(line);
  while (message.Next()) {
    // Fields are in the order of their numbers: all that is needed has come.
    if (message.tag() == kEvent && !info.name.empty()) break;
    switch (message.tag()) {
      case kLineId:
        info.id = message.sint();
        break;
      case kLineName:
        info.name = message.text();
        break;
      case kLineTimestamp:
        info.timestamp_ns = message.sint();
        break;
      case kLineDisplayName:
        display_name = message.text();
        break;
      default:
        break;
    }
  }
  if (info.name.empty()) info.name = display_name;
  info.role = RoleOfLine(tables.name(), info.name, info.id);
  info.track = TrackOf(info, tables);
  return info;
}

uint32_t XSpace::TrackOf(const LineInfo& line, const XPlaneTables& tables) {
  TraceBuilder& builder = out_.builder();
  std::string_view type;
  int64_t device = 0;
  const bool on_device = ParseDevicePlane(tables.name(), &type, &device);
  uint32_t index = 0;
  switch (line.role) {
    case LineRole::kHostThread:
      index = tracks_.Thread(process_, line.id);
      break;
    case LineRole::kDeviceStream:
      index = tracks_.Stream(process_, type, device, line.id);
      break;
    case LineRole::kDeviceSteps:
    case LineRole::kDerived: {
      Track track;
      track.process = process_;
      // Steps that only the device knows stand on a thread, where tables look
      // for them.
      track.kind = line.role == LineRole::kDeviceSteps && !host_steps_
                       ? TrackKind::kThread
                       : TrackKind::kAsync;
      track.id = line.id;
      track.device = on_device ? device : -1;
      std::string name(tables.name());
      name += ' ';
      name += line.name;
      track.name = out_.Intern(name);
      return builder.AddTrack(track);
    }
  }
  if (builder.track(index).name.v == 0)
    builder.track(index).name = out_.Intern(line.name);
  return index;
}

// Events and stats of a line: the first all, the second as its first event has
// them.
void XSpace::ExpectEventsOf(Bytes line) {
  uint64_t events = 0;
  uint64_t stats = 0;
  Message message(line);
  while (message.Next()) {
    if (message.tag() != kEvent) continue;
    if (events++ > 0) continue;
    Message event(message.bytes());
    while (event.Next()) stats += event.tag() == kEventStat;
  }
  if (events < kWorthCounting) return;
  // A stat takes four bytes at least.
  const uint64_t args = std::min<uint64_t>(events * stats, line.size() / 4);
  out_.Expect(std::max<uint64_t>(events, out_.builder().event_count()), args,
              0);
}

void XSpace::ReadLine(Bytes line, const XPlaneTables& tables) {
  ExpectEventsOf(line);
  LineInfo info = ReadLineInfo(line, tables);
  Message message(line);
  while (message.Next()) {
    if (message.tag() == kEvent)
      ReadEvent(message.bytes(), message.cut(), info, tables);
  }
  out_.RejectRest(message);
}

uint32_t XSpace::MemoryTrack(LineInfo& line) {
  if (line.has_memory_track) return line.memory_track;
  Track track;
  track.process = process_;
  track.kind = TrackKind::kAsync;
  track.id = line.id;
  track.name = out_.Intern(std::string(line.name) + " allocations");
  line.memory_track = out_.builder().AddTrack(track);
  line.has_memory_track = true;
  return line.memory_track;
}

// From each producer to those who consumed what it announced.
void XSpace::AddArrows() {
  TraceBuilder& builder = out_.builder();
  const StringId name = out_.Intern("dataflow");
  for (const auto& [key, consumer] : consumers_) {
    const auto producer = producers_.find(key);
    if (producer == producers_.end()) continue;
    // A row is an id that no other arrow of the trace has.
    const uint64_t id = uint64_t{consumer.row} << 16;
    builder.AddFlow({producer->second.time_ns, id, name, producer->second.track,
                     FlowPhase::kBegin});
    builder.AddFlow(
        {consumer.time_ns, id, name, consumer.track, FlowPhase::kEnd});
  }
}

}  // namespace stepscope::proto
