// SPDX-License-Identifier: Apache-2.0
#include "exporters/timeline/timeline.h"

#include <stepscope/c.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "exporters/arg_lookup.h"
#include "exporters/chrome/json_text.h"
#include "exporters/out_buffer.h"
#include "exporters/timeline/clocks.h"
#include "exporters/timeline/groups.h"

namespace stepscope {
namespace timeline {
namespace {

using chrome::AppendInt;
using chrome::AppendMicros;
using chrome::AppendTextField;

// What the original takes out of names.
constexpr std::string_view kExecutor = "ParallelExecutor::Run/";

std::string Shortened(std::string_view name) {
  std::string out(name);
  for (size_t at = out.find(kExecutor); at != std::string::npos;
       at = out.find(kExecutor, at))
    out.erase(at, kExecutor.size());
  return out;
}

// "Place(gpu:1)" as the original names it: "gpu:1".
std::string PlaceName(std::string_view place) {
  if (place.starts_with("Place(") && place.ends_with(")")) {
    place.remove_prefix(6);
    place.remove_suffix(1);
  }
  const size_t colon = place.rfind(':');
  std::string kind(place.substr(0, colon));
  const std::string device(colon == place.npos ? "0" : place.substr(colon + 1));
  if (kind == "cuda_pinned" || kind == "gpu_pinned") kind = "cudapinnedplace";
  return kind + ":" + device;
}

class Writer {
 public:
  Writer(std::span<const LabelledTrace> traces, Clocks clocks, Sink& sink)
      : traces_(traces), clocks_(std::move(clocks)), out_(sink) {}

  Status Write() {
    NameGroups();
    out_.Append("{\"traceEvents\":[");
    WriteMetadata();
    for (size_t i = 0; i < traces_.size(); ++i) WriteSlices(i);
    for (size_t i = 0; i < traces_.size(); ++i) WriteMemory(i);
    std::string end = "]";
    if (clocks_.base_ns != 0) {
      end += ",\"baseTimeNanoseconds\":";
      AppendInt(end, clocks_.base_ns);
    }
    AppendClockFacts(end);
    out_.Append(end + "}\n");
    return out_.Finish();
  }

 private:
  std::string LabelOf(size_t index, uint32_t process) const {
    const LabelledTrace& item = traces_[index];
    if (item.trace->processes().size() < 2) return item.label;
    return item.label + ":" +
           std::to_string(item.trace->processes()[process].pid);
  }

  // Which process of the file an event belongs to.
  std::string GroupOf(size_t index, Row row) const {
    const Trace& trace = *traces_[index].trace;
    const Track& track = trace.tracks()[trace.track()[row]];
    const std::string label = LabelOf(index, track.process);
    if (track.kind == TrackKind::kStream) {
      std::string type(trace.str(track.device_type));
      if (type.empty()) type = "gpu";
      for (char& c : type)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      return label + ":" + type + ":" + std::to_string(track.device);
    }
    if (trace.type()[row] == STEPSCOPE_CUDA_RUNTIME) return label + ":cuda_api";
    const int64_t block = ArgLookup(trace, row).Int("block").value_or(0);
    return label + ":cpu:block:" + std::to_string(block);
  }

  std::string MemoryGroupOf(size_t index, const MemoryEvent& event) const {
    const Trace& trace = *traces_[index].trace;
    return "memory usage on " +
           LabelOf(index, trace.tracks()[event.track].process) + ":" +
           PlaceName(trace.str(event.place));
  }

  // In the order of the original: per label all events, then all memory.
  void NameGroups() {
    for (size_t i = 0; i < traces_.size(); ++i) {
      const Trace& trace = *traces_[i].trace;
      pid_of_row_.emplace_back(trace.size());
      for (Row row = 0; row < trace.size(); ++row)
        pid_of_row_[i][row] =
            static_cast<uint32_t>(groups_.Pid(GroupOf(i, row)));
      for (const MemoryEvent& event : trace.memory()) {
        groups_.Pid(MemoryGroupOf(i, event));
        const std::string label =
            LabelOf(i, trace.tracks()[event.track].process);
        for (const char* always : {"cpu:0", "gpu:0", "cudapinnedplace:0"})
          groups_.Pid("memory usage on " + label + ":" + always);
      }
    }
  }

  // Starts an entry; all but the first follow a comma.
  void Begin() {
    text_ = first_ ? "" : ",\n";
    first_ = false;
  }

  void WriteMetadata() {
    for (size_t pid = 0; pid < groups_.names().size(); ++pid) {
      Begin();
      text_ += R"({"name":"process_name","ph":"M","pid":)";
      AppendInt(text_, static_cast<int64_t>(pid));
      text_ += R"(,"args":{)";
      AppendTextField(text_, "name", groups_.names()[pid]);
      text_ += "}}";
      out_.Append(text_);
    }
  }

  // What was added to the times of whom.
  void AppendClockFacts(std::string& end) const {
    bool any = false;
    for (const LabelledTrace& item : traces_) {
      if (item.clock_facts.empty()) continue;
      end += any ? "," : ",\"clocks\":[";
      any = true;
      end += '{';
      AppendTextField(end, "label", item.label);
      for (const auto& [key, value] : item.clock_facts) {
        end += ',';
        AppendTextField(end, key, value);
      }
      end += '}';
    }
    if (any) end += ']';
  }

  int64_t Time(size_t index, int64_t time_ns) const {
    return clocks_.maps[index](time_ns) - clocks_.base_ns;
  }

  void WriteSlices(size_t index) {
    const Trace& trace = *traces_[index].trace;
    for (Row row = 0; row < trace.size() && !out_.failed(); ++row) {
      const Track& track = trace.tracks()[trace.track()[row]];
      const std::string_view name = trace.str(trace.name()[row]);
      Begin();
      text_ += R"({"ph":"X","cat":"Op",)";
      AppendTextField(text_, "name", Shortened(name));
      text_ += R"(,"pid":)";
      AppendInt(text_, pid_of_row_[index][row]);
      text_ += R"(,"tid":)";
      // Viewers draw what overlaps wrongly: on a row of its own.
      if (track.lane > 0) text_ += '"';
      AppendInt(text_, track.id);
      if (track.lane > 0) text_ += " lane " + std::to_string(track.lane) + "\"";
      text_ += R"(,"ts":)";
      AppendMicros(text_, Time(index, trace.start_ns()[row]));
      text_ += R"(,"dur":)";
      AppendMicros(text_, Time(index, trace.end_ns(row)) -
                              Time(index, trace.start_ns()[row]));
      text_ += R"(,"args":{)";
      AppendTextField(text_, "name", name);
      const ArgLookup args(trace, row);
      if (const auto bytes = args.Int("bytes"); bytes && *bytes > 0) {
        text_ += R"(,"mem_bytes":)";
        AppendInt(text_, *bytes);
      }
      if (const auto detail = args.Text("detail_info"); !detail.empty()) {
        text_ += ',';
        AppendTextField(text_, "detail_info", detail);
      }
      text_ += "}}";
      out_.Append(text_);
    }
  }

  // A total for each place, and one entry for points at the same time.
  void WriteMemory(size_t index) {
    const Trace& trace = *traces_[index].trace;
    const MemoryTable& memory = trace.memory();
    const bool stated = std::any_of(
        memory.begin(), memory.end(),
        [](const MemoryEvent& event) { return event.total_allocated != 0; });
    std::map<int64_t, int64_t> totals;        // by pid
    std::map<int64_t, int64_t> at_this_time;  // pid -> total
    for (size_t i = 0; i < memory.size(); ++i) {
      const MemoryEvent& event = memory[i];
      const int64_t pid = groups_.Pid(MemoryGroupOf(index, event));
      if (event.kind == MemoryKind::kAllocate ||
          event.kind == MemoryKind::kFree) {
        int64_t& total = totals[pid];
        total = stated ? static_cast<int64_t>(event.total_allocated)
                       : total + event.bytes;
        at_this_time[pid] = total;
      }
      if (i + 1 < memory.size() && memory[i + 1].time_ns == event.time_ns)
        continue;
      for (const auto& [group, total] : at_this_time)
        WriteCounter(group, Time(index, event.time_ns), total);
      at_this_time.clear();
    }
  }

  void WriteCounter(int64_t pid, int64_t time_ns, int64_t total) {
    Begin();
    text_ += R"({"ph":"C","cat":"Memory","name":"Memory","pid":)";
    AppendInt(text_, pid);
    text_ += R"(,"tid":0,"ts":)";
    AppendMicros(text_, time_ns);
    text_ += R"(,"args":{"0":)";
    AppendInt(text_, total);
    text_ += "}}";
    out_.Append(text_);
  }

  std::span<const LabelledTrace> traces_;
  Clocks clocks_;
  OutBuffer out_;
  Groups groups_;
  std::vector<std::vector<uint32_t>> pid_of_row_;  // by trace
  std::string text_;
  bool first_ = true;
};

}  // namespace
}  // namespace timeline

Status WriteTimeline(std::span<const LabelledTrace> traces, Sink& sink,
                     std::vector<std::string>& notes) {
  return timeline::Writer(traces, timeline::AlignClocks(traces, notes), sink)
      .Write();
}

}  // namespace stepscope
