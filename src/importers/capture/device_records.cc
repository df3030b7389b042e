// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/device_records.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/name_display.h"
#include "base/text.h"

namespace stepscope::capture {
namespace {

// The pairs behind the fixed part; false: there are not as many as stated.
template <typename Record, typename Behind>
bool ReadBehind(std::span<const uint8_t> body, const Record& record,
                std::vector<Behind>* pairs) {
  const size_t room = (body.size() - sizeof(Record)) / sizeof(Behind);
  if (record.count > room) return false;
  pairs->resize(record.count);
  if (pairs->empty()) return true;
  std::memcpy(pairs->data(), body.data() + sizeof(Record),
              pairs->size() * sizeof(Behind));
  return true;
}

}  // namespace

DeviceRecords::DeviceRecords(TraceBuilder& builder, uint32_t process,
                             const ClockMap& clock, int64_t offset_ns,
                             SiteTable& sites)
    : builder_(builder),
      process_(process),
      clock_(clock),
      offset_ns_(offset_ns),
      sites_(sites) {}

void DeviceRecords::Reject(std::string_view reason) {
  builder_.ledger().Reject(reason, offset_);
}

void DeviceRecords::AddBlock(std::span<const uint8_t> payload,
                             uint64_t offset) {
  offset_ = offset;
  format::DeviceHeader header = {};
  if (!ReadFixed(payload, &header)) return Reject("damaged device block");
  device_type_ = sites_.NameOf(header.device_type);
  payload = payload.subspan(sizeof(header));
  while (!payload.empty()) {
    stepscope_record_head head = {};
    if (!ReadFixed(payload, &head) || head.bytes < sizeof(head) ||
        head.bytes % 8 != 0 || head.bytes > payload.size())
      return Reject("damaged device block");
    if (!Add(head, payload.first(head.bytes))) Reject("damaged device record");
    payload = payload.subspan(head.bytes);
  }
}

bool DeviceRecords::Add(const stepscope_record_head& head, Body body) {
  switch (head.kind) {
    case STEPSCOPE_RECORD_WORK:
      return Work(body);
    case STEPSCOPE_RECORD_DETAILS:
      return Details(body);
    case STEPSCOPE_RECORD_CALL:
      return Call(body);
    case STEPSCOPE_RECORD_WAIT:
      return Wait(body);
    case STEPSCOPE_RECORD_MEMORY:
      return Memory(body);
    case STEPSCOPE_RECORD_DEVICE:
      return Device(body);
    case STEPSCOPE_RECORD_OVERHEAD:
      return Overhead(body);
    case STEPSCOPE_RECORD_NOTE:
      return AddNote(body);
    case STEPSCOPE_RECORD_NODE:
      return Node(body);
    case STEPSCOPE_RECORD_STATS:
      return AddStats(body);
    case STEPSCOPE_RECORD_CLOCK:
      return Clock(body);
    case STEPSCOPE_RECORD_SAMPLE:
      return Sample(body);
    default:
      Reject("device record of a later version");
      return true;
  }
}

int64_t DeviceRecords::ToNs(uint64_t tick) {
  const int64_t ns = clock_.ToNs(tick) + offset_ns_;
  latest_ns_ = std::max(latest_ns_, ns);
  return ns;
}

StringId DeviceRecords::NameOf(uint32_t site) {
  const Site found = sites_.Resolve(site);
  if (found.type != STEPSCOPE_KERNEL) return found.name;
  const auto [it, fresh] = kernel_names_.try_emplace(site, found.name);
  if (fresh)
    it->second = builder_.Intern(Demangle(builder_.strings().view(found.name)));
  return it->second;
}

Row DeviceRecords::AddEvent(uint32_t track, uint32_t site, uint64_t start,
                            uint64_t end) {
  if (end < start) return kNoRow;
  EventSpec event;
  event.track = track;
  event.start_ns = ToNs(start);
  event.dur_ns = ToNs(end) - event.start_ns;
  event.name = NameOf(site);
  event.type = sites_.Resolve(site).type;
  const Row row = builder_.AddEvent(event);
  if (row != kNoRow) builder_.ledger().Keep();
  return row;
}

uint32_t DeviceRecords::StreamTrack(uint32_t device, uint32_t context,
                                    uint32_t stream) {
  const auto [it, fresh] = streams_.try_emplace(
      std::tuple(device_type_.v, device, context, stream), 0);
  if (fresh) {
    Track track;
    track.process = process_;
    track.kind = TrackKind::kStream;
    track.id = stream;
    track.device = device;
    track.device_type = device_type_;
    track.name = builder_.Intern(Format("stream %u", stream));
    it->second = builder_.AddTrack(track);
  }
  return it->second;
}

uint32_t DeviceRecords::ThreadTrack(uint32_t tid) {
  const auto [it, fresh] = threads_.try_emplace(tid, 0);
  if (fresh) {
    // A thread that called the device and recorded nothing itself.
    Track track;
    track.process = process_;
    track.kind = TrackKind::kThread;
    track.id = tid;
    it->second = builder_.AddTrack(track);
  }
  return it->second;
}

uint32_t DeviceRecords::SideTrack(std::string_view name) {
  const std::string full =
      std::string(builder_.strings().view(device_type_)) + std::string(name);
  const auto [it, fresh] = side_tracks_.try_emplace(full, 0);
  if (fresh) {
    Track track;
    track.process = process_;
    track.kind = TrackKind::kAsync;
    track.name = builder_.Intern(full);
    it->second = builder_.AddTrack(track);
  }
  return it->second;
}

bool DeviceRecords::Work(Body body) {
  stepscope_record_work work = {};
  if (!ReadFixed(body, &work)) return false;
  if (work.start <= stop_tick_) return AddWork(work, device_type_);
  late_.emplace_back(work, device_type_);
  return true;
}

bool DeviceRecords::AddWork(const stepscope_record_work& work,
                            StringId device_type) {
  device_type_ = device_type;
  const uint32_t track = StreamTrack(work.device, work.context, work.stream);
  const Row row = AddEvent(track, work.head.name, work.start, work.end);
  if (row == kNoRow) return false;
  if (work.correlation != 0) {
    builder_.AddLink(
        {process_, LinkSpace::kCorrelation, work.correlation, row});
  }
  if (work.correlation != 0 || work.graph_node != 0)
    work_.push_back({work.correlation, row, work.graph_node});
  if (work.details != 0) details_.Use(work.details, work.device, row);
  if (work.amount != 0)
    builder_.AddInt(row, "bytes", static_cast<int64_t>(work.amount));
  builder_.AddInt(row, "context", work.context);
  return true;
}

bool DeviceRecords::Details(Body body) {
  stepscope_record_details details = {};
  std::vector<stepscope_record_pair> pairs;
  if (!ReadFixed(body, &details) || !ReadBehind(body, details, &pairs))
    return false;
  std::vector<NamedNumber> values;
  for (const stepscope_record_pair& pair : pairs)
    values.emplace_back(builder_.strings().view(sites_.NameOf(pair.key)),
                        pair.value);
  details_.SetDetails(details.id, std::move(values));
  return true;
}

bool DeviceRecords::Call(Body body) {
  stepscope_record_call call = {};
  if (!ReadFixed(body, &call)) return false;
  const Row row =
      AddEvent(ThreadTrack(call.thread), call.head.name, call.start, call.end);
  if (row == kNoRow) return false;
  if (call.correlation != 0) {
    builder_.AddLink(
        {process_, LinkSpace::kCorrelation, call.correlation, row});
    calls_.push_back({call.correlation, row});
  }
  if (call.result != 0) builder_.AddInt(row, "result", call.result);
  return true;
}

bool DeviceRecords::Wait(Body body) {
  stepscope_record_wait wait = {};
  if (!ReadFixed(body, &wait) || wait.end < wait.start) return false;
  waits_.push_back(wait);
  return true;
}

bool DeviceRecords::Memory(Body body) {
  stepscope_record_memory memory = {};
  if (!ReadFixed(body, &memory) || memory.kind > STEPSCOPE_RESERVED_FREE ||
      memory.bytes > static_cast<uint64_t>(INT64_MAX))
    return false;
  memory_.push_back(memory);
  return true;
}

bool DeviceRecords::Device(Body body) {
  stepscope_record_device device = {};
  std::vector<stepscope_record_pair> pairs;
  if (!ReadFixed(body, &device) || !ReadBehind(body, device, &pairs))
    return false;
  const std::string type(builder_.strings().view(device_type_));
  const std::string prefix =
      (type.empty() ? "GPU" : type) + std::to_string(device.device) + ".";
  std::vector<NamedNumber> properties;
  const StringId name_key = builder_.Intern(prefix + "name");
  builder_.process(process_).metadata.emplace_back(
      name_key, sites_.NameOf(device.head.name));
  for (const stepscope_record_pair& pair : pairs) {
    const std::string key(builder_.strings().view(sites_.NameOf(pair.key)));
    const StringId id = builder_.Intern(prefix + key);
    const StringId value = builder_.Intern(std::to_string(pair.value));
    builder_.process(process_).metadata.emplace_back(id, value);
    properties.emplace_back(key, pair.value);
  }
  details_.SetDevice(device.device, std::move(properties));
  return true;
}

bool DeviceRecords::Overhead(Body body) {
  stepscope_record_overhead overhead = {};
  if (!ReadFixed(body, &overhead)) return false;
  const Row row = AddEvent(SideTrack(" recording overhead"), overhead.head.name,
                           overhead.start, overhead.end);
  if (row == kNoRow) return false;
  if (overhead.thread != 0) builder_.AddInt(row, "thread", overhead.thread);
  return true;
}

bool DeviceRecords::AddNote(Body body) {
  stepscope_record_note note = {};
  Note kept;
  if (!ReadFixed(body, &note) || !ReadBehind(body, note, &kept.pairs))
    return false;
  kept.correlation = note.correlation;
  kept.offset = offset_;
  notes_.push_back(std::move(kept));
  return true;
}

bool DeviceRecords::Node(Body body) {
  stepscope_record_node node = {};
  if (!ReadFixed(body, &node) || node.node == 0) return false;
  nodes_.push_back(node);
  return true;
}

bool DeviceRecords::AddStats(Body body) {
  stepscope_record_stats stats = {};
  if (!ReadFixed(body, &stats)) return false;
  stats_[{stats.meaning, stats.head.name}] = {stats.meaning, stats.count};
  return true;
}

bool DeviceRecords::Clock(Body body) {
  stepscope_record_clock clock = {};
  if (!ReadFixed(body, &clock)) return false;
  clock_method_ = clock.method;
  clock_error_ticks_ = std::max(clock_error_ticks_, clock.error_ticks);
  return true;
}

// A value holds until the next one begins. Where none follows at once, nothing
// is known for a while.
bool DeviceRecords::Sample(Body body) {
  constexpr int64_t kGapNs = 1000;  // what clocks may differ by
  stepscope_record_sample sample = {};
  std::vector<stepscope_record_value> values;
  if (!ReadFixed(body, &sample) || !ReadBehind(body, sample, &values) ||
      sample.end < sample.start)
    return false;
  const int64_t start = ToNs(sample.start);
  const int64_t end = ToNs(sample.end);
  for (const stepscope_record_value& value : values) {
    const auto [it, fresh] = counters_.try_emplace(value.key);
    CounterTrack& counter = it->second;
    if (fresh) {
      Track track;
      track.process = process_;
      track.kind = TrackKind::kCounter;
      track.name = sites_.NameOf(value.key);
      counter.track = builder_.AddTrack(track);
    } else if (start > counter.end_ns + kGapNs) {
      AddCounter(counter.track, counter.end_ns,
                 std::numeric_limits<double>::quiet_NaN());
    }
    AddCounter(counter.track, start, value.value);
    counter.end_ns = end;
  }
  builder_.ledger().Keep();
  return true;
}

void DeviceRecords::AddCounter(uint32_t track, int64_t time_ns, double value) {
  CounterSample sample;
  sample.time_ns = time_ns;
  sample.track = track;
  sample.value = value;
  builder_.AddCounter(sample);
}

void DeviceRecords::EndCounters() {
  for (const auto& [key, counter] : counters_)
    AddCounter(counter.track, counter.end_ns,
               std::numeric_limits<double>::quiet_NaN());
}

}  // namespace stepscope::capture
