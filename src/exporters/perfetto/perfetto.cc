// SPDX-License-Identifier: Apache-2.0
#include "exporters/perfetto/perfetto.h"

#include "exporters/chrome/time_base.h"
#include "exporters/perfetto/packets.h"
#include "exporters/perfetto/slices.h"
#include "exporters/perfetto/tracks.h"

namespace stepscope {
namespace perfetto {
namespace {

using proto::Message;

uint64_t Since(int64_t time_ns, int64_t zero_ns) {
  return static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(zero_ns);
}

void WriteCounters(const Trace& trace, int64_t zero_ns, const Tracks& tracks,
                   Packets& packets) {
  Message event;
  for (const CounterSample& sample : trace.counters()) {
    event.Clear();
    event.Uint(kType, kCounterType);
    event.Uint(kTrackUuid, tracks.uuid(sample.track));
    if (sample.integer)
      event.Int(kCounterValue, sample.int_value);
    else
      event.Double(kDoubleCounterValue, sample.value);
    packets.WriteEvent(Since(sample.time_ns, zero_ns), event);
  }
}

void WriteMemory(const Trace& trace, int64_t zero_ns, Tracks& tracks,
                 Packets& packets) {
  Message event, annotation;
  for (const MemoryEvent& memory : trace.memory()) {
    const uint64_t time = Since(memory.time_ns, zero_ns);
    event.Clear();
    event.Uint(kType, kInstant);
    event.Uint(kTrackUuid, tracks.MemoryRow(memory.track));
    event.Uint(kNameIid, packets.NameIid(std::string_view(
                             memory.bytes < 0 ? "free" : "allocate")));
    const auto add = [&](std::string_view key, int64_t value) {
      annotation.Clear();
      annotation.Uint(kAnnotationNameIid, packets.KeyIid(key));
      annotation.Int(kIntValue, value);
      event.Sub(kDebugAnnotations, annotation);
    };
    add("bytes", memory.bytes);
    add("address", static_cast<int64_t>(memory.address));
    packets.WriteEvent(time, event);
    const uint32_t process = trace.tracks()[memory.track].process;
    for (const bool reserved : {false, true}) {
      event.Clear();
      event.Uint(kType, kCounterType);
      event.Uint(kTrackUuid,
                 tracks.MemoryCounter(process, memory.place, reserved));
      event.Uint(kCounterValue,
                 reserved ? memory.total_reserved : memory.total_allocated);
      packets.WriteEvent(time, event);
    }
  }
}

class Exporting : public Exporter {
 public:
  std::string_view name() const override { return "perfetto"; }
  uint32_t carries() const override {
    return kAllContent & ~(kMetadata | kLosses | kLedger | kWindow);
  }

  Status Export(const Trace& trace, const ExportOptions& options,
                Sink& sink) const override {
    OutBuffer out(sink);
    Packets packets(trace, out);
    Tracks tracks(trace, packets);
    const int64_t zero = chrome::FindTimeBase(trace).ts_ns;
    packets.WriteStart(zero);
    tracks.Write();
    WriteSlices(trace, zero, options.dataflow, tracks, packets);
    WriteCounters(trace, zero, tracks, packets);
    if (options.memory) WriteMemory(trace, zero, tracks, packets);
    return out.Finish();
  }
};

}  // namespace
}  // namespace perfetto

const Exporter& PerfettoExporter() {
  static const auto* const exporter = new perfetto::Exporting;
  return *exporter;
}

}  // namespace stepscope
