// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/document.h"

#include <map>
#include <string_view>

#include "base/json_check.h"
#include "base/text.h"
#include "exporters/chrome/json_text.h"
#include "exporters/chrome/key_set.h"
#include "exporters/paddle_facts.h"

namespace stepscope::chrome {
namespace {

constexpr std::string_view kDeviceProperties = "deviceProperties";

// What the recorder stated as metadata of the process. Always a list: VisualDL
// refuses a file without one.
std::string DeviceProperties(const Trace& trace) {
  for (const Process& process : trace.processes()) {
    for (auto [key, value] : process.metadata) {
      if (trace.str(key) == kDeviceProperties &&
          CheckJson(trace.str(value)) == JsonKind::kArray)
        return std::string(trace.str(value));
    }
  }
  return "[]";
}

void AppendString(std::string& out, std::string_view text) {
  out += '"';
  AppendJsonEscaped(out, text);
  out += '"';
}

// Strings by thread id; ids of later processes carry the pid.
void AppendThreadNames(std::string& out, const Trace& trace) {
  KeySet keys;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kThread || track.lane > 0 || track.name.v == 0)
      continue;
    std::string key = std::to_string(track.id);
    if (track.process > 0)
      key = std::to_string(trace.processes()[track.process].pid) + ":" + key;
    out += out.back() == '{' ? "\n  \"" : ",\n  \"";
    out += keys.Add(key);
    out += "\": ";
    AppendString(out, trace.str(track.name));
  }
}

// Paddle's readers look up both utilisations unasked: there, one that was not
// measured is 0, and a key says so.
void AppendExtraInfo(std::string& out, const Trace& trace, bool paddle) {
  out += "\"ExtraInfo\": {";
  const auto add = [&](std::string_view key, std::string_view value) {
    out += out.back() == '{' ? "\n  \"" : ",\n  \"";
    out += key;
    out += "\": \"";
    out += value;
    out += '"';
  };
  if (paddle) {
    for (const auto& [key, value] : PaddleCpuUsage(trace)) add(key, value);
  } else {
    const CpuUsage& usage = trace.cpu_usage();
    if (usage.system >= 0) add(kSystemUtilization, Format("%f", usage.system));
    if (usage.process >= 0)
      add(kProcessUtilization, Format("%f", usage.process));
  }
  AppendThreadNames(out, trace);
  out += "\n}";
}

void AppendBins(std::string& out, std::string_view key,
                const std::map<std::string, Ledger::Bin, std::less<>>& bins) {
  out += ", \"";
  out += key;
  out += "\": {";
  KeySet keys;
  for (const auto& [reason, bin] : bins) {
    std::string escaped;
    AppendJsonEscaped(escaped, reason);
    out += out.back() == '{' ? "\"" : ", \"";
    out += keys.Add(escaped);
    out += "\": ";
    AppendUint(out, bin.count);
  }
  out += '}';
}

void AppendLedger(std::string& out, const Ledger& ledger) {
  out += "  \"ledger\": {\"seen\": ";
  AppendUint(out, ledger.seen());
  out += ", \"kept\": ";
  AppendUint(out, ledger.kept());
  AppendBins(out, "repaired", ledger.repaired());
  AppendBins(out, "rejected", ledger.rejected());
  out += "},\n";
}

// Events that the recorder could not keep, over all threads.
void AppendDropped(std::string& out, const Trace& trace) {
  std::map<std::string_view, uint64_t> dropped;
  for (const ThreadReport& thread : trace.threads())
    for (auto [reason, count] : thread.dropped)
      if (count > 0) dropped[reason] += count;
  out += "  \"dropped\": {";
  for (auto [reason, count] : dropped) {
    out += out.back() == '{' ? "" : ", ";
    AppendString(out, reason);
    out += ": ";
    AppendUint(out, count);
  }
  out += '}';
}

void AppendList(std::string& out, std::string_view key,
                const std::vector<std::string>& values) {
  out += '"';
  out += key;
  out += "\": [";
  for (const std::string& value : values) {
    out += out.back() == '[' ? "" : ", ";
    AppendString(out, value);
  }
  out += ']';
}

// What the file or the recorder said of each process, as texts.
void AppendMetadata(std::string& out, const Trace& trace) {
  out += "  \"processes\": [";
  for (const Process& process : trace.processes()) {
    out += out.back() == '[' ? "\n    {\"pid\": " : ",\n    {\"pid\": ";
    AppendInt(out, process.pid);
    out += ", \"metadata\": {";
    KeySet keys;
    for (const auto& [key, value] : process.metadata) {
      std::string escaped;
      AppendJsonEscaped(escaped, trace.str(key));
      out += out.back() == '{' ? "\"" : ", \"";
      out += keys.Add(escaped) + "\": ";
      AppendString(out, trace.str(value));
    }
    out += "}}";
  }
  out += "],\n";
}

}  // namespace

std::string Head(const Trace& trace, const TimeBase& base, int span_index,
                 ChromeStyle style) {
  const bool paddle = style == ChromeStyle::kPaddle;
  std::string out = "{\n\"displayTimeUnit\": \"ms\",\n";
  out += "\"schemaVersion\": \"1.0.2\",\n\"span_indx\": \"";
  AppendInt(out, span_index);
  // As Paddle 3.3 spells it; VisualDL insists on the other.
  if (paddle) {
    out += "\",\n\"span_index\": \"";
    AppendInt(out, span_index);
  }
  out += "\",\n\"deviceProperties\": ";
  out += DeviceProperties(trace);
  if (!paddle) {
    out += ",\n\"baseTimeNanoseconds\": ";
    AppendInt(out, Plus(trace.epoch_ns(), base.ts_ns));
  }
  out += ",\n\"traceEvents\": [\n";
  return out;
}

std::string Tail(const Trace& trace, const TimeBase& base, ChromeStyle style) {
  std::string out = "\n],\n";
  AppendExtraInfo(out, trace, style == ChromeStyle::kPaddle);
  out += ",\n\"stepscope\": {\n  \"version\": \"" STEPSCOPE_VERSION "\",\n";
  out += "  \"source\": {";
  AppendTextField(out, "format", trace.format());
  out += ", ";
  AppendList(out, "files", trace.files());
  out += "},\n  \"baseTimeNanoseconds\": \"";
  AppendInt(out, Plus(trace.epoch_ns(), base.ts_ns));
  out += "\",\n  \"epochKnown\": ";
  out += trace.clock().epoch_known ? "true" : "false";
  out += ",\n  \"windowBegin\": ";
  AppendInt(out, Since(trace.begin_ns(), base.ts_ns));
  out += ",\n  \"windowEnd\": ";
  AppendInt(out, Since(trace.end_ns(), base.ts_ns));
  if (style == ChromeStyle::kPaddle && !trace.memory().empty()) {
    out += ",\n  \"statedPeaks\": ";
    out += HasStatedPeaks(trace) ? "true" : "false";
  }
  out += ",\n  \"complete\": ";
  out += trace.complete() ? "true,\n" : "false,\n";
  AppendMetadata(out, trace);
  AppendLedger(out, trace.ledger());
  AppendDropped(out, trace);
  out += ",\n  ";
  AppendList(out, "notes", trace.notes());
  out += "\n}\n}\n";
  return out;
}

}  // namespace stepscope::chrome
