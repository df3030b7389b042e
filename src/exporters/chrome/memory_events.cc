// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "exporters/chrome/json_text.h"
#include "exporters/chrome/side_events.h"
#include "trace/kind_names.h"

namespace stepscope::chrome {
namespace {

void AppendField(std::string& out, std::string_view key, uint64_t value) {
  out += key;
  AppendUint(out, value);
}

void AppendInstant(std::string& out, const Context& context,
                   const MemoryEvent& event, uint64_t peak_allocated,
                   uint64_t peak_reserved, bool say_stated) {
  context.rows.Use(event.track, Side::kCpp);
  out += R"({"name":"[memory]","cat":")";
  out += NameOf(event.kind);
  out += R"(","ph":"i","s":"t","pid":)";
  AppendInt(out, context.rows.pid(event.track));
  out += R"(,"tid":)";
  out += context.rows.Tid(event.track, Side::kCpp);
  out += R"(,"ts":)";
  AppendMicros(out, Since(event.time_ns, context.base.ts_ns));
  out += R"(,"args":{)";
  AppendTextField(out, "place", context.trace.str(event.place));
  AppendField(out, R"(,"addr":")", event.address);
  out += R"(","increase_bytes":)";
  AppendInt(out, event.bytes);
  AppendField(out, R"(,"current_allocated":)", event.total_allocated);
  AppendField(out, R"(,"current_reserved":)", event.total_reserved);
  AppendField(out, R"(,"peak_allocated":)", peak_allocated);
  AppendField(out, R"(,"peak_reserved":)", peak_reserved);
  if (say_stated) out += R"(,"peaks_stated":true)";
  out += "}},\n";
}

void AppendTotals(std::string& out, const Context& context,
                  const MemoryEvent& event) {
  uint32_t process = context.trace.tracks()[event.track].process;
  out += "{";
  AppendTextField(out, "name",
                  "Memory " + std::string(context.trace.str(event.place)));
  out += R"(,"ph":"C","pid":)";
  AppendInt(out, context.rows.process_pid(process));
  out += R"(,"ts":)";
  AppendMicros(out, Since(event.time_ns, context.base.ts_ns));
  AppendField(out, R"(,"args":{"allocated":)", event.total_allocated);
  AppendField(out, R"(,"reserved":)", event.total_reserved);
  out += "}},\n";
}

}  // namespace

MemoryWriter::MemoryWriter(const Context& context, ChromeStyle style)
    : context_(context), style_(style) {
  FindPeaks();
  if (style != ChromeStyle::kPaddle) return;
  for (const Entry& entry : entries_)
    (entry.event.owner == kNoRow ? unowned_ : owned_).push_back(entry);
  std::stable_sort(owned_.begin(), owned_.end(),
                   [](const Entry& a, const Entry& b) {
                     return a.event.owner < b.event.owner;
                   });
  std::stable_sort(unowned_.begin(), unowned_.end(),
                   [](const Entry& a, const Entry& b) {
                     return a.event.track < b.event.track;
                   });
}

// Of the process's life, where the recorder stated them; else of the window.
void MemoryWriter::FindPeaks() {
  const Trace& trace = context_.trace;
  entries_.reserve(trace.memory().size());
  for (const MemoryEvent& event : trace.memory())
    entries_.push_back({event, {}});
  // Peaks need the order of time, whatever the order of the table.
  std::stable_sort(entries_.begin(), entries_.end(), [](auto& a, auto& b) {
    return a.event.time_ns < b.event.time_ns;
  });
  std::map<std::pair<uint32_t, StringId>, Peak> peaks;
  for (Entry& entry : entries_) {
    const MemoryEvent& event = entry.event;
    Peak& peak = peaks[{trace.tracks()[event.track].process, event.place}];
    peak.allocated = std::max(peak.allocated, event.total_allocated);
    peak.reserved = std::max(peak.reserved, event.total_reserved);
    entry.peak = peak;
    if (event.peak_allocated > 0 || event.peak_reserved > 0)
      entry.peak = {event.peak_allocated, event.peak_reserved};
  }
}

void MemoryWriter::Write(const Entry& entry, bool totals) {
  if (context_.out.failed()) return;
  text_.clear();
  AppendInstant(
      text_, context_, entry.event, entry.peak.allocated, entry.peak.reserved,
      style_ != ChromeStyle::kPaddle &&
          (entry.event.peak_allocated > 0 || entry.event.peak_reserved > 0));
  if (totals) AppendTotals(text_, context_, entry.event);
  context_.out.Append(text_);
}

void MemoryWriter::WriteUnowned(uint32_t track) {
  auto at = std::lower_bound(unowned_.begin(), unowned_.end(), track,
                             [](const Entry& entry, uint32_t wanted) {
                               return entry.event.track < wanted;
                             });
  for (; at != unowned_.end() && at->event.track == track; ++at)
    Write(*at, false);
}

void MemoryWriter::WriteOwned() {
  const Row owner = next_owner();
  for (; next_owner() == owner; ++next_) Write(owned_[next_], false);
}

void MemoryWriter::WriteRest() {
  const bool written = !owned_.empty() || !unowned_.empty();
  for (const Entry& entry : entries_) {
    if (!written) {
      Write(entry, true);
    } else if (!context_.out.failed()) {
      text_.clear();
      AppendTotals(text_, context_, entry.event);
      context_.out.Append(text_);
    }
  }
}

}  // namespace stepscope::chrome
