// SPDX-License-Identifier: Apache-2.0
#include "analysis/capture_origin.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/raw_member.h"
#include "base/json_fragment.h"
#include "base/json_text.h"
#include "trace/captured_in.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

// The string that a text between quotes means; empty if the trace has none.
StringId FindEscaped(const Trace& trace, std::string_view raw) {
  if (raw.find('\\') == raw.npos) return trace.strings().Find(raw);
  std::string escaped;
  for (uint32_t i = 1; i < trace.strings().size(); ++i) {
    escaped.clear();
    AppendJsonEscaped(escaped, trace.str(StringId{i}));
    if (escaped == raw) return StringId{i};
  }
  return {};
}

void ReadPath(const Trace& trace, std::string_view text,
              std::vector<CapturedIn>& events) {
  ForEachJsonItem(text, [&](std::string_view item) {
    JsonCursor cursor(item);
    cursor.Take('[');
    const auto name = cursor.TakeString();
    cursor.Take(',');
    const auto type = cursor.TakeString();
    cursor.Take(',');
    const std::string_view number = cursor.TakeScalar();
    if (!name || !type) return;
    CapturedIn event;
    event.name = FindEscaped(trace, *name);
    event.type = EventTypeByName(*type).value_or(0);
    std::from_chars(number.data(), number.data() + number.size(), event.number);
    if (event.name != StringId{}) events.push_back(event);
  });
}

// The rows of device work that a graph replayed, in order.
std::vector<Row> ReplayedRows(const Trace& trace) {
  std::vector<Row> rows;
  for (const Link& link : trace.links())
    if (link.space == LinkSpace::kGraphNode) rows.push_back(link.row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

CaptureOrigins::CaptureOrigins(const Trace& trace, std::span<DeviceWork> work) {
  const StringId key = trace.strings().Find(kCapturedIn);
  // Files of other programs keep arguments as they were written.
  if (key == StringId{} && !trace.has_raw_args()) return;
  const std::vector<Row> replayed = ReplayedRows(trace);
  if (replayed.empty()) return;
  RawArgReader raw(trace);
  std::unordered_map<std::string_view, uint32_t> known;
  std::vector<std::string> kept;  // what `known` refers to, if raw
  const auto path_of = [&](std::string_view text, bool keep) {
    const auto found = known.find(text);
    if (found != known.end()) return found->second;
    const auto index = static_cast<uint32_t>(paths_.size());
    const size_t first = events_.size();
    ReadPath(trace, text, events_);
    paths_.emplace_back(first, events_.size() - first);
    if (keep) text = kept.emplace_back(text);
    known.emplace(text, index);
    return index;
  };
  kept.reserve(replayed.size());
  for (DeviceWork& item : work) {
    if (!std::binary_search(replayed.begin(), replayed.end(), item.row))
      continue;
    std::string_view text;
    for (const Arg& arg : trace.args_of(item.row))
      if (arg.key == key && arg.has_text()) text = trace.str(arg.text);
    const bool is_raw = text.empty() && trace.has_raw_args();
    if (is_raw) text = RawMember(raw.Get(item.row), kCapturedIn);
    if (!text.empty()) item.origin = path_of(text, is_raw);
  }
}

}  // namespace stepscope
