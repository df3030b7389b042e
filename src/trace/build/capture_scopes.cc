// SPDX-License-Identifier: Apache-2.0
#include "trace/build/capture_scopes.h"

#include <stepscope/c.h>

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/json_writer.h"
#include "trace/captured_in.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

bool IsOnThread(const Trace& trace, Row row) {
  return row < trace.size() &&
         trace.tracks()[trace.track()[row]].kind == TrackKind::kThread;
}

class CaptureScopes {
 public:
  CaptureScopes(const Trace& trace, StringPool& strings)
      : trace_(trace), strings_(strings), key_(strings.Intern(kCapturedIn)) {
    for (const Arg& arg : trace.args())
      if (arg.key == key_) known_.insert(arg.row);
  }

  // `links`: those of one node.
  void Add(std::span<const Link> links) {
    calls_.clear();
    for (const Link& link : links)
      if (IsOnThread(trace_, link.row)) calls_.push_back(link.row);
    if (calls_.empty()) return;
    const auto start = trace_.start_ns();
    std::sort(calls_.begin(), calls_.end(),
              [&](Row a, Row b) { return start[a] < start[b]; });
    for (const Link& link : links) {
      // Ids may be noted of no event at all.
      if (link.row >= trace_.size() || IsOnThread(trace_, link.row) ||
          known_.contains(link.row))
        continue;
      // An id that is used again belongs to the last node made under it.
      const auto after = std::upper_bound(
          calls_.begin(), calls_.end(), start[link.row],
          [&](int64_t time, Row call) { return time < start[call]; });
      if (after == calls_.begin()) continue;
      AddArg(link.row, TextOf(*(after - 1)));
    }
  }

  std::vector<Arg> Take() { return std::move(args_); }

 private:
  void AddArg(Row row, StringId text) {
    if (text == StringId{}) return;
    Arg arg;
    arg.row = row;
    arg.key = key_;
    arg.kind = ArgKind::kJson;
    arg.text = text;
    args_.push_back(arg);
  }

  // Empty: the call was in nothing.
  StringId TextOf(Row call) {
    const auto [known, is_new] = texts_.try_emplace(call);
    if (!is_new) return known->second;
    JsonWriter json;
    json.BeginArray();
    bool any = false;
    for (Row row = trace_.nesting().parent[call]; row != kNoRow;
         row = trace_.nesting().parent[row]) {
      const uint16_t type = trace_.type()[row];
      if (type == STEPSCOPE_CUDA_RUNTIME || type == STEPSCOPE_PROFILE_STEP)
        continue;
      const auto number = numbers_.try_emplace(row, numbers_.size() + 1);
      json.BeginArray().String(trace_.str(trace_.name()[row]));
      json.String(EventTypeName(type)).UInt(number.first->second).EndArray();
      any = true;
    }
    json.EndArray();
    return known->second = any ? strings_.Intern(json.Take()) : StringId{};
  }

  const Trace& trace_;
  StringPool& strings_;
  const StringId key_;
  std::unordered_set<Row> known_;
  std::unordered_map<Row, StringId> texts_;    // by call
  std::unordered_map<Row, uint64_t> numbers_;  // by event
  std::vector<Row> calls_;                     // of the node at hand
  std::vector<Arg> args_;
};

// The links of nodes, process by process. Others are skipped whole.
std::vector<std::span<const Link>> NodeLinks(std::span<const Link> links) {
  std::vector<std::span<const Link>> found;
  while (!links.empty()) {
    const Link& first = links.front();
    const auto end =
        std::partition_point(links.begin(), links.end(), [&](const Link& link) {
          return link.process == first.process && link.space == first.space;
        });
    const auto count = static_cast<size_t>(end - links.begin());
    if (first.space == LinkSpace::kGraphNode)
      found.push_back(links.first(count));
    links = links.subspan(count);
  }
  return found;
}

}  // namespace

std::vector<Arg> FindCaptureScopes(const Trace& trace, StringPool& strings) {
  std::optional<CaptureScopes> scopes;
  for (const std::span<const Link> links : NodeLinks(trace.links())) {
    if (std::none_of(links.begin(), links.end(), [&](const Link& link) {
          return IsOnThread(trace, link.row);
        }))
      continue;
    if (!scopes) scopes.emplace(trace, strings);
    for (size_t i = 0; i < links.size();) {
      size_t end = i + 1;
      while (end < links.size() && links[end].id == links[i].id) ++end;
      if (end - i > 1) scopes->Add(links.subspan(i, end - i));
      i = end;
    }
  }
  return scopes ? scopes->Take() : std::vector<Arg>();
}

}  // namespace stepscope
