// SPDX-License-Identifier: Apache-2.0
#include "importers/xplane/xspace.h"

#include <algorithm>
#include <string>

#include "importers/proto/parts.h"
#include "importers/thread_id.h"
#include "importers/xplane/fields.h"

namespace stepscope::proto::xplane {
namespace {

// Some event of the line may be an allocation.
bool HasMemory(Bytes line, const XPlaneMetadata& plane) {
  Message message(line);
  while (message.Next()) {
    if (message.tag() != kEvent) continue;
    Message event(message.bytes());
    while (event.Next()) {
      if (event.tag() != kEventMetadataId) continue;
      const EventName* const name = plane.FindEvent(event.value());
      if (name != nullptr && name->memory) return true;
    }
  }
  return false;
}

// How many events and stats a line has, by its first ones; rather too many.
struct Guess {
  uint64_t events = 0;
  uint64_t stats = 0;
};
Guess GuessAt(const XLine& line) {
  constexpr uint64_t kLook = 64;
  Guess guess;
  uint64_t bytes = 0;
  Message message(line.bytes);
  while (guess.events < kLook && message.Next()) {
    if (message.tag() != kEvent) continue;
    ++guess.events;
    bytes += message.bytes().size() + 1;
    Message event(message.bytes());
    while (event.Next()) guess.stats += event.tag() == kEventStat;
  }
  // An event takes two bytes at least, a stat four.
  const uint64_t scale = line.bytes.size() / std::max<uint64_t>(bytes, 1) + 1;
  return {std::min<uint64_t>(guess.events * scale, line.bytes.size() / 2),
          std::min<uint64_t>(guess.stats * scale, line.bytes.size() / 4)};
}

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
  process_ = builder.AddProcess({});
}

void XSpace::Read() {
  ReadTop();
  ReadEnvironment();
  for (const Bytes plane : planes_) ReadPlane(plane);
  ReadEvents();
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
    const XPlaneMetadata metadata(plane, out_.builder().strings());
    for (const StatValue& value : metadata.stats()) {
      if (out_.builder().strings().view(value.stat->name) ==
          "profile_start_time")
        epoch_ns = ToTime(value.number);
    }
  }
  out_.SetEpoch(epoch_ns, epoch_ns >= kPlausibleEpochNs);
}

void XSpace::ReadPlane(Bytes plane) {
  tables_.push_back(
      std::make_unique<XPlaneMetadata>(plane, out_.builder().strings()));
  const XPlaneMetadata& metadata = *tables_.back();
  AddMetadata(metadata);
  Message message(plane);
  while (message.Next())
    if (message.tag() == kLine) ReadLine(message.bytes(), metadata);
  out_.RejectRest(message);
}

void XSpace::AddMetadata(const XPlaneMetadata& plane) {
  TraceBuilder& builder = out_.builder();
  std::string key;
  for (const StatValue& value : plane.stats()) {
    const std::string_view stat = builder.strings().view(value.stat->name);
    // A stat without a name is an entry of a table of its own (call stacks).
    if (stat.empty()) continue;
    if (stat == "process_id")
      builder.process(process_).pid = static_cast<int64_t>(value.number);
    key = plane.name();
    key += ' ';
    key += stat;
    builder.process(process_).metadata.emplace_back(
        builder.Intern(key), builder.Intern(ToText(value, builder.strings())));
  }
}

void XSpace::ReadLine(Bytes bytes, const XPlaneMetadata& plane) {
  XLine line;
  line.bytes = bytes;
  line.tables = &plane;
  std::string_view display_name;
  Message message(bytes);
  while (message.Next()) {
    // Fields are in the order of their numbers: all that is needed has come.
    if (message.tag() == kEvent && !line.name.empty()) break;
    switch (message.tag()) {
      case kLineId:
        line.id = message.sint();
        break;
      case kLineName:
        line.name = message.text();
        break;
      case kLineTimestamp:
        line.timestamp_ns = message.sint();
        break;
      case kLineDisplayName:
        display_name = message.text();
        break;
      default:
        break;
    }
  }
  if (line.name.empty()) line.name = display_name;
  line.role = RoleOfLine(plane.name(), line.name, line.id);
  line.track = TrackOf(line);
  if (plane.has_memory() && HasMemory(bytes, plane))
    line.memory_track = AddMemoryTrack(line);
  lines_.push_back(line);
}

uint32_t XSpace::TrackOf(const XLine& line) {
  TraceBuilder& builder = out_.builder();
  const std::string_view plane = line.tables->name();
  std::string_view type;
  int64_t device = 0;
  const bool on_device = ParseDevicePlane(plane, &type, &device);
  uint32_t index = 0;
  switch (line.role) {
    case LineRole::kHostThread:
      index = tracks_.Thread(process_, importers::UnsignedThreadId(line.id));
      break;
    case LineRole::kDeviceStream:
      index = tracks_.Stream(process_, type, device, line.id);
      break;
    case LineRole::kDeviceSteps:
    case LineRole::kDerived: {
      Track track;
      track.process = process_;
      track.kind = TrackKind::kAsync;
      track.id = line.id;
      track.device = on_device ? device : -1;
      std::string name(plane);
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

uint32_t XSpace::AddMemoryTrack(const XLine& line) {
  Track track;
  track.process = process_;
  track.kind = TrackKind::kAsync;
  track.id = line.id;
  track.name = out_.Intern(std::string(line.name) + " allocations");
  return out_.builder().AddTrack(track);
}

XEvents XSpace::ReadParts() {
  TraceBuilder& builder = out_.builder();
  std::vector<Bytes> pieces;
  uint64_t bytes = 0;
  Guess guess;
  for (const XLine& line : lines_) {
    pieces.push_back(line.bytes);
    bytes += line.bytes.size();
    const Guess more = GuessAt(line);
    guess.events += more.events;
    guess.stats += more.stats;
  }
  const size_t count = ReadersFor(bytes, input_.readers, input_.executor());
  const std::vector<Range> ranges = ShareBytes(pieces, count);
  // The first reads into the builder itself, which has room for all.
  std::vector<TraceBuilder> forks;
  std::vector<XEvents> readers;
  forks.reserve(count);
  readers.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) forks.push_back(builder.Fork());
    readers.emplace_back(input_.bytes, out_, i > 0 ? forks.back() : builder,
                         process_);
    readers.back().Expect(guess.events / (i > 0 ? count : 1),
                          guess.stats / (i > 0 ? count : 1));
  }
  input_.executor().ForEach(count, [&](size_t i) {
    for (const XLine& line : lines_)
      if (ranges[i].Touches(line.bytes)) readers[i].Read(line, ranges[i]);
  });
  for (size_t i = 1; i < count; ++i) readers[0].Join(std::move(readers[i]));
  return std::move(readers[0]);
}

void XSpace::ReadEvents() {
  TraceBuilder& builder = out_.builder();
  XEvents events = ReadParts();
  // Steps that only the device knows stand on a thread, where tables look for
  // them.
  for (const XLine& line : lines_)
    if (line.role == LineRole::kDeviceSteps && !events.host_steps())
      builder.track(line.track).kind = TrackKind::kThread;
  if (input_.FormatOptions<XPlaneOptions>().dataflow) events.AddArrows();
}

}  // namespace stepscope::proto::xplane

namespace stepscope {

const Importer& XPlaneImporter() {
  // Never destroyed: files may be read while the process ends.
  static const auto* const importer = new proto::ProtoImporter(
      "xplane", proto::xplane::IsXSpace, proto::xplane::ImportXSpace);
  return *importer;
}

}  // namespace stepscope
