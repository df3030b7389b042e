// SPDX-License-Identifier: Apache-2.0
#include "exporters/perfetto/tracks.h"

#include <string>

#include "base/utf8.h"
#include "exporters/perfetto/facts.h"
#include "exporters/pid_pool.h"

namespace stepscope::perfetto {
namespace {

using proto::Message;

constexpr int64_t kMaxId = 0x7fffffff;  // ids are 32 bits in the format

std::string Valid(std::string_view text) {
  std::string out;
  AppendValidUtf8(out, text);
  return out;
}

// Perfetto knows a process by its pid; ranks of several hosts may share one.
int64_t FreePid(PidPool& pool, int64_t wanted) {
  const int64_t pid = wanted >= 1 && wanted <= kMaxId ? wanted : 1;
  return pool.Take(pid, pid <= kMaxId / 2 ? pid : 1);
}

facts::Kind KindOf(TrackKind kind) {
  switch (kind) {
    case TrackKind::kThread:
      return facts::kThread;
    case TrackKind::kStream:
      return facts::kStream;
    case TrackKind::kCounter:
      return facts::kCounter;
    case TrackKind::kAsync:
      break;
  }
  return facts::kAsync;
}

// Of a process: what the labels say to a reader, and what they do not.
Message FactsOfProcess(const Trace& trace, int64_t zero_ns, uint32_t index) {
  const Process& process = trace.processes()[index];
  Message out;
  out.Uint(facts::kKind, facts::kProcessKind).Uint(facts::kProcess, index);
  out.Int(facts::kId, process.pid).Int(facts::kRank, process.rank);
  out.Text(facts::kName, trace.str(process.name));
  out.Text(facts::kHost, trace.str(process.host));
  out.Uint(facts::kStart, static_cast<uint64_t>(process.start_ns) -
                              static_cast<uint64_t>(zero_ns));
  for (const auto& [key, value] : process.metadata) {
    Message entry;
    entry.Text(facts::kKey, trace.str(key));
    entry.Text(facts::kValue, trace.str(value));
    out.Sub(facts::kMetadata, entry);
  }
  return out;
}

}  // namespace

Message Tracks::FactsOf(uint32_t index) const {
  const Track& track = trace_.tracks()[index];
  Message out;
  out.Uint(facts::kKind, KindOf(track.kind));
  out.Uint(facts::kProcess, track.process).Uint(facts::kGroup, GroupOf(index));
  out.Int(facts::kId, track.id);
  if (track.device != -1) out.Int(facts::kDevice, track.device);
  if (track.device_type.v != 0)
    out.Text(facts::kDeviceType, trace_.str(track.device_type));
  if (track.name.v != 0) out.Text(facts::kName, trace_.str(track.name));
  return out;
}

void Tracks::Write() {
  PidPool taken;
  for (const Process& process : trace_.processes())
    pids_.push_back(FreePid(taken, process.pid));
  for (uint32_t i = 0; i < pids_.size(); ++i) WriteProcess(i);
  uuids_.resize(trace_.tracks().size());
  for (uint32_t i = 0; i < uuids_.size(); ++i)
    groups_.push_back(i > 0 && trace_.tracks()[i].lane > 0 ? groups_.back()
                                                           : i);
  for (uint32_t i = 0; i < uuids_.size(); ++i) WriteTrack(i);
}

void Tracks::WriteProcess(uint32_t index) {
  const Process& process = trace_.processes()[index];
  processes_.push_back(NewUuid());
  std::string name = "Process " + std::to_string(process.pid) + " (CPU)";
  if (process.name.v != 0) name = Valid(trace_.str(process.name));
  Message inner;
  inner.Int(kProcessPid, pids_[index]).Text(kProcessName, name);
  if (process.rank >= 0)
    inner.Text(kProcessLabels, "rank " + std::to_string(process.rank));
  if (process.host.v != 0)
    inner.Text(kProcessLabels, Valid(trace_.str(process.host)));
  if (pids_[index] != process.pid)
    inner.Text(kProcessLabels, "pid " + std::to_string(process.pid));
  Message track;
  track.Uint(kUuid, processes_.back()).Sub(kProcess, inner);
  track.Sub(facts::kFacts, FactsOfProcess(trace_, zero_ns_, index));
  packets_.WriteDescriptor(track);
}

void Tracks::WriteNamed(uint64_t uuid, uint64_t parent, std::string_view name,
                        int64_t rank, const Message& says) {
  Message track;
  track.Uint(kUuid, uuid).Uint(kParentUuid, parent).Text(kName, Valid(name));
  track.Uint(kChildOrdering, kExplicitOrder);
  if (rank >= 0 && rank <= kMaxId) track.Int(kSiblingOrderRank, rank);
  if (!says.empty()) track.Sub(facts::kFacts, says);
  packets_.WriteDescriptor(track);
}

void Tracks::WriteCounter(uint64_t uuid, uint64_t parent, std::string_view name,
                          uint64_t unit, const Message& says) {
  Message counter;
  if (unit != 0) counter.Uint(kCounterUnit, unit);
  Message track;
  track.Uint(kUuid, uuid).Uint(kParentUuid, parent).Text(kName, Valid(name));
  track.Sub(kCounter, counter).Sub(facts::kFacts, says);
  packets_.WriteDescriptor(track);
}

uint64_t Tracks::DeviceOf(const Track& track) {
  const auto [device, fresh] =
      devices_.try_emplace({track.process, track.device});
  if (fresh) {
    device->second = NewUuid();
    std::string type(trace_.str(track.device_type));
    if (type.empty()) type = "GPU";
    WriteNamed(device->second, processes_[track.process],
               "Device " + std::to_string(track.device) + " (" + type + ")",
               track.device, {});
  }
  return device->second;
}

// The first track of a thread id is the thread; lanes, and later threads that
// were given the same id, are its children.
void Tracks::WriteThread(uint32_t index) {
  const Track& track = trace_.tracks()[index];
  uuids_[index] = NewUuid();
  const std::string name = Valid(trace_.str(track.name));
  const auto [thread, fresh] =
      threads_.try_emplace({track.process, track.id}, uuids_[index]);
  if (!fresh) {
    WriteNamed(uuids_[index], thread->second,
               track.lane > 0 ? "lane " + std::to_string(track.lane)
                              : "later thread " + name,
               track.lane, FactsOf(index));
    return;
  }
  Message inner;
  inner.Int(kThreadPid, pids_[track.process]).Int(kThreadTid, track.id);
  inner.Text(kThreadName, name);
  Message message;
  message.Uint(kUuid, uuids_[index]).Sub(kThread, inner);
  message.Sub(facts::kFacts, FactsOf(index));
  packets_.WriteDescriptor(message);
}

void Tracks::WriteTrack(uint32_t index) {
  const Track& track = trace_.tracks()[index];
  const std::string name(trace_.str(track.name));
  switch (track.kind) {
    case TrackKind::kThread:
      WriteThread(index);
      return;
    case TrackKind::kStream: {
      const uint64_t device = DeviceOf(track);
      uuids_[index] = NewUuid();
      std::string shown = "stream " + std::to_string(track.id);
      if (!name.empty()) shown += ": " + name;
      // Of one name, so that the viewer shows lanes as one row.
      WriteNamed(uuids_[index], device, shown, track.id, FactsOf(index));
      return;
    }
    case TrackKind::kCounter:
      uuids_[index] = NewUuid();
      WriteCounter(uuids_[index], processes_[track.process], name, 0,
                   FactsOf(index));
      return;
    case TrackKind::kAsync:
      uuids_[index] = NewUuid();
      WriteNamed(uuids_[index], processes_[track.process],
                 name.empty() ? "async " + std::to_string(track.id) : name, -1,
                 FactsOf(index));
      return;
  }
}

uint64_t Tracks::MemoryCounter(uint32_t process, StringId place,
                               bool reserved) {
  const uint64_t key = uint64_t{place.v} * 2 + (reserved ? 1 : 0);
  const auto [counter, fresh] = memory_.try_emplace({process, key});
  if (fresh) {
    counter->second = NewUuid();
    WriteCounter(counter->second, processes_[process],
                 "Memory " + std::string(trace_.str(place)) +
                     (reserved ? " reserved" : " allocated"),
                 kUnitBytes, Message().Uint(facts::kKind, facts::kForViewers));
  }
  return counter->second;
}

uint64_t Tracks::MemoryRow(uint32_t track) {
  const auto [row, fresh] = memory_rows_.try_emplace(track);
  if (fresh) {
    row->second = NewUuid();
    Message says;
    says.Uint(facts::kKind, facts::kMemoryRow);
    says.Uint(facts::kGroup, GroupOf(track));
    WriteNamed(row->second, uuids_[track], "memory", -1, says);
  }
  return row->second;
}

}  // namespace stepscope::perfetto
