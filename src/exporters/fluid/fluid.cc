// SPDX-License-Identifier: Apache-2.0
#include "exporters/fluid/fluid.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <utility>

#include "exporters/arg_lookup.h"
#include "exporters/out_buffer.h"
#include "exporters/proto/wire.h"

namespace stepscope {
namespace fluid {
namespace {

using proto::Message;

// Field numbers and values are Paddle's (importers/fluid/fields.h).
enum EventField : uint32_t {
  kName = 1,
  kStart = 2,
  kEnd = 3,
  kDevice = 5,
  kSubDevice = 6,
  kMemcopy = 7,
  kType = 8,
  kDetail = 9,
};
enum MemoryField : uint32_t {
  kMemoryStart = 1,
  kMemoryEnd = 2,
  kBytes = 3,
  kPlace = 4,
  kThread = 5,
  kMemoryDevice = 6,
  kAllocatedIn = 7,
  kFreedIn = 8,
};
constexpr uint64_t kCpuEvent = 0;
constexpr uint64_t kGpuEvent = 1;

bool IsCall(uint16_t type) {
  return type == STEPSCOPE_CUDA_RUNTIME || type == STEPSCOPE_SYNCHRONIZATION ||
         type == STEPSCOPE_GRAPH_LAUNCH;
}

// "Place(gpu:1)" as (number of the kind, device).
std::pair<uint64_t, uint64_t> PlaceOf(std::string_view place) {
  constexpr std::string_view kPlaces[] = {"gpu", "cpu", "cuda_pinned", "xpu",
                                          "npu"};
  if (place.starts_with("Place(")) place.remove_prefix(6);
  const size_t colon = std::min(place.find(':'), place.size());
  std::string_view kind = place.substr(0, colon);
  if (kind.ends_with(")")) kind.remove_suffix(1);
  uint64_t device = 0;
  for (size_t i = colon + 1; i < place.size(); ++i) {
    if (place[i] < '0' || place[i] > '9' || device > 1'000'000) break;
    device = device * 10 + static_cast<uint64_t>(place[i] - '0');
  }
  uint64_t number = 1;  // what is unknown is taken for the host
  for (uint64_t i = 0; i < std::size(kPlaces); ++i)
    if (kind == kPlaces[i]) number = i;
  return {number, device};
}

class Writer {
 public:
  Writer(const Trace& trace, Sink& sink) : trace_(trace), out_(sink) {}

  Status Write() {
    NumberThreads();
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.kind != TrackKind::kThread && track.kind != TrackKind::kStream)
        continue;
      for (Row row = track.first; row < track.last; ++row) {
        if (out_.failed()) break;
        WriteEvent(track, row);
        first = std::min(first, trace_.start_ns()[row]);
        last = std::max(last, trace_.end_ns(row));
      }
    }
    Message ends;
    if (first <= last) {
      ends.Uint(2, Absolute(first)).Uint(3, Absolute(last));
      out_.Append(ends.view());
    }
    WriteMemory(last);
    return out_.Finish();
  }

 private:
  uint64_t Absolute(int64_t time_ns) const {
    return static_cast<uint64_t>(trace_.epoch_ns() + time_ns);
  }

  // fluid counts threads from 0; lanes of a thread are one.
  void NumberThreads() {
    for (const Track& track : trace_.tracks())
      if (track.kind == TrackKind::kThread)
        threads_.try_emplace({track.process, track.id}, threads_.size());
  }
  uint64_t ThreadOf(const Track& track) const {
    const auto found = threads_.find({track.process, track.id});
    return found == threads_.end() ? 0 : found->second;
  }

  void Put(uint32_t field, const Message& message) {
    Message whole;
    whole.Sub(field, message);
    out_.Append(whole.view());
  }

  void WriteEvent(const Track& track, Row row) {
    const uint16_t type = trace_.type()[row];
    const bool on_host = track.kind == TrackKind::kThread;
    const ArgLookup args(trace_, row);
    Message event;
    event.Uint(kStart, Absolute(trace_.start_ns()[row]));
    event.Uint(kEnd, Absolute(trace_.end_ns(row)));
    event.Int(kDevice, !on_host       ? std::max<int64_t>(track.device, 0)
                       : IsCall(type) ? -1
                                      : args.Int("block").value_or(0));
    event.Int(kSubDevice, on_host ? static_cast<int64_t>(ThreadOf(track))
                                  : std::max<int64_t>(track.id, 0));
    if (type == STEPSCOPE_MEMCPY) {
      Message copy;
      copy.Int(1, std::max<int64_t>(args.Int("bytes").value_or(0), 0));
      event.Sub(kMemcopy, copy);
    }
    event.Uint(kType, on_host ? kCpuEvent : kGpuEvent);
    const std::string_view detail = args.Text("detail_info");
    if (!detail.empty()) event.Text(kDetail, detail);
    // Last: readers know the format by the fields at the beginning of a file,
    // and a name may be longer than that.
    event.Text(kName, trace_.str(trace_.name()[row]));
    Put(1, event);
  }

  std::string_view NameOf(Row row) const {
    return row == kNoRow ? "Unknown" : trace_.str(trace_.name()[row]);
  }

  // One record per allocation: from when it was made to when it was freed, or
  // to the end.
  void WriteMemory(int64_t last) {
    std::map<std::pair<StringId, uint64_t>, MemoryEvent> live;
    for (const MemoryEvent& event : trace_.memory()) {
      last = std::max(last, event.time_ns);
      const std::pair key(event.place, event.address);
      if (event.kind == MemoryKind::kAllocate) {
        live[key] = event;
      } else if (event.kind == MemoryKind::kFree) {
        const auto found = live.find(key);
        if (found == live.end()) continue;
        PutMemory(found->second, event.time_ns, NameOf(event.owner));
        live.erase(found);
      }
    }
    for (const auto& [key, event] : live) PutMemory(event, last, "Unknown");
  }

  void PutMemory(const MemoryEvent& event, int64_t end,
                 std::string_view freed_in) {
    const auto [place, device] = PlaceOf(trace_.str(event.place));
    Message out;
    out.Uint(kMemoryStart, Absolute(event.time_ns));
    out.Uint(kMemoryEnd, Absolute(end)).Int(kBytes, event.bytes);
    out.Uint(kPlace, place);
    out.Uint(kThread, ThreadOf(trace_.tracks()[event.track]));
    out.Uint(kMemoryDevice, device).Text(kAllocatedIn, NameOf(event.owner));
    out.Text(kFreedIn, freed_in);
    Put(4, out);
  }

  const Trace& trace_;
  OutBuffer out_;
  std::map<std::pair<uint32_t, int64_t>, uint64_t> threads_;
};

class FluidExporting : public Exporter {
 public:
  std::string_view name() const override { return "fluid"; }
  uint32_t carries() const override {
    return kMemoryEvents | kHostEvents | kEpoch | kInstants;
  }

  Status Export(const Trace& trace, const ExportOptions&,
                Sink& sink) const override {
    return Writer(trace, sink).Write();
  }
};

}  // namespace
}  // namespace fluid

const Exporter& FluidExporter() {
  static const auto* const exporter = new fluid::FluidExporting;
  return *exporter;
}

}  // namespace stepscope
