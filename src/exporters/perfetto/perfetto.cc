// SPDX-License-Identifier: Apache-2.0
#include "exporters/perfetto/perfetto.h"

#include <string>

#include "base/utf8.h"
#include "exporters/chrome/time_base.h"
#include "exporters/perfetto/facts.h"
#include "exporters/perfetto/packets.h"
#include "exporters/perfetto/slices.h"
#include "exporters/perfetto/tracks.h"
#include "trace/kind_names.h"

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

// Arrows stand at the events they touch, which says neither when nor what they
// are called: for who reads the trace back.
void WriteFlows(const Trace& trace, int64_t zero_ns, const Tracks& tracks,
                Packets& packets) {
  for (const Flow& flow : trace.flows()) {
    Message inner;
    inner.Uint(facts::kFlowTime, Since(flow.time_ns, zero_ns));
    inner.Uint(facts::kFlowId, flow.id);
    if (flow.name.v != 0) inner.Text(facts::kFlowName, trace.str(flow.name));
    inner.Uint(facts::kFlowGroup, tracks.GroupOf(flow.track));
    inner.Uint(facts::kFlowPhase, static_cast<uint64_t>(flow.phase));
    packets.WriteFact(Message().Sub(facts::kFlow, inner));
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
    add("allocated", static_cast<int64_t>(memory.total_allocated));
    add("reserved", static_cast<int64_t>(memory.total_reserved));
    const auto say = [&](std::string_view key, std::string_view value) {
      std::string text;
      AppendValidUtf8(text, value);
      annotation.Clear();
      annotation.Uint(kAnnotationNameIid, packets.KeyIid(key));
      annotation.Text(kStringValue, text);
      event.Sub(kDebugAnnotations, annotation);
    };
    say("place", trace.str(memory.place));
    say("kind", NameOf(memory.kind));
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

class PerfettoExporting : public Exporter {
 public:
  std::string_view name() const override { return "perfetto"; }
  uint32_t carries() const override {
    return kAllContent & ~(kLosses | kLedger);
  }

  Status Export(const Trace& trace, const ExportOptions& options,
                Sink& sink) const override {
    OutBuffer out(sink);
    Packets packets(trace, out);
    const int64_t zero = chrome::FindTimeBase(trace).ts_ns;
    Tracks tracks(trace, zero, packets);
    packets.WriteStart(zero);
    tracks.Write();
    WriteSlices(trace, zero, options.dataflow, tracks, packets);
    if (options.dataflow) WriteFlows(trace, zero, tracks, packets);
    WriteCounters(trace, zero, tracks, packets);
    if (options.memory) WriteMemory(trace, zero, tracks, packets);
    return out.Finish();
  }
};

}  // namespace
}  // namespace perfetto

const Exporter& PerfettoExporter() {
  static const auto* const exporter = new perfetto::PerfettoExporting;
  return *exporter;
}

}  // namespace stepscope
