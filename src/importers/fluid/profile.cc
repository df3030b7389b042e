// SPDX-License-Identifier: Apache-2.0
#include "importers/fluid/profile.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "importers/fluid/fields.h"
#include "importers/proto/in_order.h"
#include "importers/proto/sniff.h"

namespace stepscope::proto::fluid {
namespace {

using Holds = Rule::Holds;

// A name may hold anything, and so may what is made of names.
constexpr Rule kEventRules[] = {
    {kName, Holds::kAny, nullptr, true},
    {kStart, Holds::kAny, nullptr, true},
    {kEnd, Holds::kAny, nullptr, true},
    {kDevice},
    {kSubDevice},
    {kMemcopy},
    {kType},
    {kDetail},
};
constexpr Shape kEventShape = {kEventRules, 3};
constexpr Rule kMemoryRules[] = {
    {kMemoryStart, Holds::kAny, nullptr, true},
    {kMemoryEnd, Holds::kAny, nullptr, true},
    {kMemoryBytes, Holds::kAny, nullptr, true},
    {kMemoryPlace},
    {kMemoryThread},
    {kMemoryDevice},
    {kAllocatedIn, Holds::kAny, nullptr, true},
    {kFreedIn, Holds::kAny, nullptr, true},
};
constexpr Shape kMemoryShape = {kMemoryRules, 5};
constexpr Rule kProfileRules[] = {
    {kEvent, Holds::kMessage, &kEventShape},
    {kProfileStart},
    {kProfileEnd},
    {kMemoryEvent, Holds::kMessage, &kMemoryShape},
};
constexpr Shape kProfileShape = {kProfileRules};

// Memory places by number.
constexpr std::string_view kPlaces[] = {"gpu", "cpu", "cuda_pinned", "xpu",
                                        "npu"};

// Parts of an operator, as fluid names them behind the operator's own name.
constexpr std::string_view kInner[] = {"compute", "infer_shape", "prepare_data",
                                       "infer_meta"};

// Of "backward/Local_MatmulGradNode/matmul_grad infer_meta": the part behind
// the last slash, or behind the blank in it.
std::string_view LastPart(std::string_view path) {
  return path.substr(path.find_last_of("/ ") + 1);
}

uint16_t HostType(std::string_view name) {
  const std::string_view last = LastPart(name);
  if (std::find(std::begin(kInner), std::end(kInner), last) != std::end(kInner))
    return STEPSCOPE_OPERATOR_INNER;
  // Operators are lower case; what frames them is Executor::Run and the like.
  const bool plain = std::all_of(last.begin(), last.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain && !last.empty() && last.front() != '_' ? STEPSCOPE_OPERATOR
                                                       : STEPSCOPE_USER_DEFINED;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// Of a small event.
constexpr uint64_t kBytesAnEvent = 40;
// Room for the names of a step or two.
constexpr ptrdiff_t kMaxHeadBytes = 64 * 1024;

// The kernel's own name is the detail where an annotation is the name.
uint16_t DeviceType(std::string_view name, std::string_view detail,
                    bool copied) {
  const auto says = [&](std::string_view a, std::string_view b) {
    return Contains(name, a) || Contains(detail, a) || Contains(name, b) ||
           Contains(detail, b);
  };
  if (copied || says("MEMCPY", "Memcpy")) return STEPSCOPE_MEMCPY;
  return says("MEMSET", "Memset") ? STEPSCOPE_MEMSET : STEPSCOPE_KERNEL;
}

}  // namespace

bool IsFluidProfile(Bytes head) { return BeginsAs(kProfileShape, head); }

void ImportFluidProfile(const Input& input, TraceBuilder& builder) {
  FluidProfile(input, builder).Read();
}

FluidProfile::FluidProfile(const Input& input, TraceBuilder& builder)
    : input_(input),
      out_(input.bytes, builder, Recorder::Order::kMixed),
      tracks_(builder),
      first_track_(builder.track_count()) {
  process_ = builder.AddProcess({});
}

FluidProfile::FluidProfile(const FluidProfile& whole, TraceBuilder& fork)
    : input_(whole.input_),
      out_(whole.out_, fork),
      tracks_(whole.tracks_, fork),
      first_track_(whole.first_track_),
      process_(whole.process_),
      is_fork_(true) {}

void FluidProfile::Read() {
  out_.Expect(input_.bytes.size() / kBytesAnEvent, 0, 0);
  const size_t readers = ReadRecords();
  out_.builder().PlaceStaged([&](const TraceBuilder::Work& place) {
    input_.executor().ForEach(readers, [&](size_t) { place(); });
  });
  AddMemoryEvents();
  SetStart();
}

size_t FluidProfile::ReadRecords() {
  const uint8_t* at = input_.bytes.data();
  const uint8_t* const end = at + input_.bytes.size();
  // Up to the first event, which says what times are, and some more: what is
  // named there need not be named anew in every part.
  at = ReadPart(at, {at, at + std::min(kMaxHeadBytes, (end - at) / 16)});
  while (at < end && !out_.epoch_set()) at = ReadPart(at, {at, at + 1});
  const Bytes rest(at, static_cast<size_t>(end - at));
  const size_t count =
      ReadersFor(rest.size(), input_.readers, input_.executor());
  const std::vector<Range> parts = ShareBytes({&rest, 1}, count);
  std::vector<TraceBuilder> forks;
  std::vector<FluidProfile> readers;
  forks.reserve(count);
  readers.reserve(count);
  for (size_t i = 1; i < count; ++i) {
    forks.push_back(out_.builder().Fork());
    readers.push_back(FluidProfile(*this, forks.back()));
    readers.back().out_.Expect(rest.size() / count / kBytesAnEvent, 0, 0);
  }
  input_.executor().ForEach(count, [&](size_t i) {
    (i > 0 ? readers[i - 1] : *this).ReadPart(at, parts[i]);
  });
  for (size_t i = 1; i < count; ++i) Join(std::move(readers[i - 1]), parts[i]);
  return count;
}

void FluidProfile::Join(FluidProfile&& next, const Range& part) {
  out_.builder().Join(std::move(next.out_.builder()));
  tracks_.Learn(first_track_);
  if (next.stopped_at_ != nullptr)
    ReadPart(next.stopped_at_, {next.stopped_at_, part.to});
}

const uint8_t* FluidProfile::ReadPart(const uint8_t* from, const Range& part) {
  const uint8_t* const end = input_.bytes.data() + input_.bytes.size();
  // Events that follow each other, up to the last few bytes.
  const ptrdiff_t ahead = std::min(InOrder::kLookahead, end - from);
  InOrder events({from, end - ahead}, end);
  for (Bytes event; events.Sub(kEvent, &event);) {
    if (from >= part.to) return from;
    if (from >= part.from) ReadEvent(event, false);
    from = event.data() + event.size();
  }
  Message message({from, end}, end);
  while (message.Next()) {
    if (message.field() < part.from) continue;
    if (message.field() >= part.to) return message.field();
    if (is_fork_ && message.tag() != kEvent)
      return stopped_at_ = message.field();
    switch (message.tag()) {
      case kEvent:
        ReadEvent(message.bytes(), message.cut());
        break;
      case kMemoryEvent:
        ReadMemory(message.bytes(), message.cut());
        break;
      case kProfileStart:
        start_ = message.value();
        break;
      case kProfileEnd:
        end_ = message.value();
        break;
      default:
        break;
    }
    if (message.cut()) out_.FileEndsEarly(input_.path, message);
  }
  if (!part.Holds(message.field())) return message.ok() ? end : message.field();
  out_.RejectRest(message);
  return end;
}

void FluidProfile::ReadEvent(Bytes event, bool cut) {
  std::string_view name;
  std::string_view detail;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t device_bits = 0;
  uint64_t sub_device = 0;
  uint64_t kind_number = static_cast<uint64_t>(Kind::kCpu);
  bool copied = false;
  uint64_t bytes = 0;
  uint32_t times = 0;
  bool wrong = false;
  bool ok = true;
  const uint8_t* const file_end = input_.bytes.data() + input_.bytes.size();
  InOrder fields(event, file_end);
  fields.Text(kName, &name);
  times += fields.Time(kStart, &start);
  times += fields.Time(kEnd, &end);
  fields.Small(kDevice, &device_bits);
  fields.Small(kSubDevice, &sub_device);
  fields.Small(kType, &kind_number);
  if (!fields.rest().empty()) {
    Message message(fields.rest(), file_end);
    while (message.Next()) {
      switch (message.tag()) {
        case kName:
          name = message.text();
          break;
        case kStart:
          start = message.value();
          ++times;
          break;
        case kEnd:
          end = message.value();
          ++times;
          break;
        case kDevice:
          device_bits = message.value();
          break;
        case kSubDevice:
          sub_device = message.value();
          break;
        case kMemcopy: {
          copied = true;
          Message copy(message.bytes());
          while (copy.Next())
            if (copy.tag() == kMemcopyBytes) bytes = copy.value();
          break;
        }
        case kType:
          kind_number = message.value();
          break;
        case kDetail:
          detail = message.text();
          break;
        default:
          wrong |= message.number() <= kDetail >> 3;
          break;
      }
    }
    ok = message.ok();
  }
  if (out_.RejectIfBroken(ok, cut, wrong, times == 2, event)) return;
  const auto kind = static_cast<Kind>(kind_number);
  const auto device = static_cast<int64_t>(device_bits);
  Span span;
  span.start_ns = ToTime(start);
  span.end_ns = ToTime(end);
  span.name = out_.Intern(name);
  std::string_view repair;
  if (kind == Kind::kCpu) {
    span.track = TrackOf(false, 0, sub_device, [&] {
      return tracks_.Thread(process_, static_cast<int64_t>(sub_device));
    });
    span.type = device == -1 ? static_cast<uint16_t>(STEPSCOPE_CUDA_RUNTIME)
                             : TypeOf(span.name, host_types_,
                                      [&] { return HostType(name); });
  } else {
    if (kind != Kind::kGpuKernel && kind != Kind::kNpuKernel)
      repair = "unknown event type";
    span.track = TrackOf(true, device, sub_device, [&] {
      return tracks_.Stream(process_, kind == Kind::kNpuKernel ? "NPU" : "GPU",
                            device, static_cast<int64_t>(sub_device));
    });
    span.type = copied || !detail.empty()
                    ? DeviceType(name, detail, copied)
                    : TypeOf(span.name, kernel_types_,
                             [&] { return DeviceType(name, {}, false); });
  }
  const Row row = out_.Add(span, event.data(), repair);
  if (row == kNoRow) return;
  TraceBuilder& builder = out_.builder();
  if (kind == Kind::kCpu && device != 0 && device != -1)
    builder.AddInt(row, "block", device);
  if (copied) builder.AddInt(row, "bytes", static_cast<int64_t>(bytes));
  if (!detail.empty()) builder.AddText(row, "detail_info", detail);
}

void FluidProfile::ReadMemory(Bytes event, bool cut) {
  MemoryEvent first;
  int64_t end = 0;
  uint64_t bytes = 0;
  uint64_t place = 0;
  uint64_t thread = 0;
  uint64_t device = 0;
  bool wrong = false;
  uint32_t times = 0;
  Message message(event);
  while (message.Next()) {
    switch (message.tag()) {
      case kMemoryStart:
        first.time_ns = ToTime(message.value());
        ++times;
        break;
      case kMemoryEnd:
        end = ToTime(message.value());
        ++times;
        break;
      case kMemoryBytes:
        bytes = message.value();
        break;
      case kMemoryPlace:
        place = message.value();
        break;
      case kMemoryThread:
        thread = message.value();
        break;
      case kMemoryDevice:
        device = message.value();
        break;
      case kAllocatedIn:
      case kFreedIn:
        break;  // the owner is found by time
      default:
        wrong |= message.number() <= kFreedIn >> 3;
        break;
    }
  }
  if (out_.RejectIfBroken(message.ok(), cut, wrong, times == 2, event)) return;
  if (!out_.Shift(&first.time_ns) || !out_.Shift(&end) || bytes > INT64_MAX) {
    out_.Reject(bytes > INT64_MAX ? "size out of range" : kTimeRange,
                event.data());
    return;
  }
  const std::string name =
      place < std::size(kPlaces)
          ? Format("Place(%s:%llu)", std::string(kPlaces[place]).c_str(),
                   static_cast<unsigned long long>(device))
          : Format("Place(%llu:%llu)", static_cast<unsigned long long>(place),
                   static_cast<unsigned long long>(device));
  first.bytes = static_cast<int64_t>(bytes);
  first.place = out_.Intern(name);
  first.track = tracks_.Thread(process_, static_cast<int64_t>(thread));
  MemoryEvent last = first;
  last.kind = MemoryKind::kFree;
  last.time_ns = std::max(end, first.time_ns);
  last.bytes = -first.bytes;
  memory_.push_back(first);
  memory_.push_back(last);
  if (end < first.time_ns) {
    out_.Repair(kEndBeforeStart, event.data());
  } else {
    out_.Keep();
  }
}

// Totals are not in the file: they follow, per place, from what was recorded.
void FluidProfile::AddMemoryEvents() {
  std::stable_sort(memory_.begin(), memory_.end(),
                   [](const MemoryEvent& a, const MemoryEvent& b) {
                     return a.time_ns < b.time_ns;
                   });
  std::map<StringId, uint64_t> totals;
  for (MemoryEvent& event : memory_) {
    uint64_t& total = totals[event.place];
    total += static_cast<uint64_t>(event.bytes);
    event.total_allocated = total;
    out_.builder().AddMemory(event);
  }
}

void FluidProfile::SetStart() {
  int64_t begin_ns = ToTime(start_);
  int64_t end_ns = ToTime(end_);
  // Some versions write 0, or times of another clock than that of the events.
  if (start_ == 0 || begin_ns >= end_ns) return;
  if (!out_.Shift(&begin_ns) || !out_.Shift(&end_ns)) return;
  out_.builder().process(process_).start_ns = begin_ns;
}

}  // namespace stepscope::proto::fluid

namespace stepscope {

const Importer& FluidImporter() {
  // Never destroyed: files may be read while the process ends.
  static const auto* const importer = new proto::ProtoImporter(
      "fluid", proto::fluid::IsFluidProfile, proto::fluid::ImportFluidProfile);
  return *importer;
}

}  // namespace stepscope
