// SPDX-License-Identifier: Apache-2.0
#include "exporters/paddle/node_trees.h"

#include <stepscope/c.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json_check.h"
#include "base/json_fragment.h"
#include "base/text.h"
#include "exporters/arrows.h"
#include "exporters/out_buffer.h"
#include "exporters/paddle/node_messages.h"
#include "exporters/paddle/tree_layout.h"
#include "exporters/paddle_facts.h"
#include "trace/event_type.h"
#include "trace/kind_names.h"

namespace stepscope::paddle {
namespace {

using proto::Message;

// A key of the extra information, which Paddle's tools pass over.
constexpr std::string_view kInferredTypes = "Inferred Types";

struct Call {
  uint64_t correlation = 0;
  std::vector<Row> work;
};

class Writer {
 public:
  Writer(const Trace& trace, const ExportOptions& options, Sink& sink)
      : trace_(trace), options_(options), out_(sink), messages_(trace) {
    FindCalls();
    FindPeaks();
  }

  Status Write() {
    Message head;
    head.Text(1, "1.0.2");
    head.Uint(2, static_cast<uint64_t>(SpanIndexOf(trace_, options_)));
    out_.Append(head.view());
    std::map<std::pair<uint32_t, int64_t>, std::vector<uint32_t>> threads;
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.kind == TrackKind::kThread)
        threads[{track.process, track.id}].push_back(t);
    }
    for (const auto& [key, tracks] : threads) {
      if (out_.failed()) break;
      WriteThread(key.first, key.second, tracks);
    }
    WriteExtra();
    WriteDevices();
    if (options_.notes != nullptr) AddNotes();
    return out_.Finish();
  }

 private:
  // Which device work each call launched.
  void FindCalls() {
    for (const Link& link : trace_.links())
      if (link.space == LinkSpace::kCorrelation && link.row != kNoRow &&
          IsCall(trace_.type()[link.row]))
        calls_[link.row].correlation = link.id;
    ForEachLaunch(trace_, [&](const Link* first, const Link* last) {
      const Link* const call = std::find_if(first, last, [&](const Link& link) {
        return link.row != kNoRow && !IsDeviceRow(trace_, link.row) &&
               IsCall(trace_.type()[link.row]);
      });
      if (call == last) return;
      for (const Link* link = first; link != last; ++link)
        if (link->row != kNoRow && IsDeviceRow(trace_, link->row)) {
          calls_[call->row].work.push_back(link->row);
          ++work_written_;
        }
    });
  }

  void FindPeaks() {
    std::map<std::pair<uint32_t, StringId>, Peak> peaks;
    peaks_.reserve(trace_.memory().size());
    for (const MemoryEvent& event : trace_.memory()) {
      Peak& peak = peaks[{trace_.tracks()[event.track].process, event.place}];
      peak.allocated = std::max(peak.allocated, event.total_allocated);
      peak.reserved = std::max(peak.reserved, event.total_reserved);
      const bool stated = event.peak_allocated > 0 || event.peak_reserved > 0;
      peaks_.push_back(stated ? Peak{event.peak_allocated, event.peak_reserved}
                              : peak);
    }
  }

  void WriteThread(uint32_t process, int64_t tid,
                   const std::vector<uint32_t>& tracks) {
    std::vector<size_t> memory;
    for (size_t i = 0; i < trace_.memory().size(); ++i)
      if (std::find(tracks.begin(), tracks.end(), trace_.memory()[i].track) !=
          tracks.end())
        memory.push_back(i);
    const TreeLayout layout = LayOut(trace_, tracks, memory);
    Message tree;
    // Readers know a tree by its id alone; events state the thread's own.
    tree.Int(1, tree_ids_.Take(tid, kFirstFreeId));
    auto call = layout.calls.begin();
    auto allocation = layout.memory.begin();
    for (uint32_t id = 0; id <= layout.nodes.size(); ++id) {
      Message node, event;
      node.Uint(1, id);
      if (id == 0) {
        node.Int(2, -1);
        messages_.FillRoot(event, messages_.pid(process), tid);
      } else {
        node.Uint(2, layout.parents[id - 1]);
        messages_.FillHost(event, layout.nodes[id - 1]);
      }
      node.Sub(3, event);
      for (; call != layout.calls.end() && call->first == id; ++call)
        node.Sub(4, CallNode(call->second));
      for (; allocation != layout.memory.end() && allocation->first == id;
           ++allocation) {
        Message inner, wrapped;
        messages_.FillMemory(inner, trace_.memory()[allocation->second],
                             peaks_[allocation->second]);
        wrapped.Sub(1, inner);
        node.Sub(5, wrapped);
      }
      Message supplement, wrapped;
      if (id > 0 && messages_.FillSupplement(supplement, layout.nodes[id - 1]))
        node.Sub(6, wrapped.Sub(1, supplement));
      tree.Sub(2, node);
    }
    Message field;
    field.Head(3, tree.view().size());
    out_.Append(field.view());
    out_.Append(tree.view());
  }

  Message CallNode(Row row) {
    const Call& call = calls_[row];
    Message event, node;
    messages_.FillCall(event, row, call.correlation);
    node.Sub(1, event);
    for (const Row work : call.work) {
      Message device, wrapped;
      messages_.FillDevice(device, work, call.correlation);
      wrapped.Sub(1, device);
      node.Sub(2, wrapped);
    }
    return node;
  }

  void WriteExtra() {
    Message tail;
    const auto add = [&](std::string_view key, std::string_view value) {
      Message entry;
      entry.Text(1, key).Text(2, value);
      tail.Sub(4, entry);
    };
    for (const auto& [key, value] : PaddleCpuUsage(trace_)) add(key, value);
    const std::string inferred = InferredTypes();
    if (!inferred.empty()) add(kInferredTypes, inferred);
    // Those of later processes carry the pid.
    for (const Track& track : trace_.tracks()) {
      if (track.kind != TrackKind::kThread || track.lane > 0 ||
          track.name.v == 0)
        continue;
      std::string key = std::to_string(track.id);
      if (track.process > 0)
        key = std::to_string(messages_.pid(track.process)) + ":" + key;
      add(key, trace_.str(track.name));
    }
    out_.Append(tail.view());
  }

  // Types of which no event was recorded as such: trees have no flags.
  std::string InferredTypes() const {
    std::array<bool, STEPSCOPE_PYTHON_USER_DEFINED + 1> inferred{};
    std::array<bool, STEPSCOPE_PYTHON_USER_DEFINED + 1> recorded{};
    for (Row row = 0; row < trace_.size(); ++row) {
      const uint16_t type = trace_.type()[row];
      if (type >= recorded.size()) continue;
      const bool flag = (trace_.flags()[row] & kEventInferred) != 0;
      (flag ? inferred : recorded)[type] = true;
    }
    std::string list;
    for (uint16_t type = 0; type < recorded.size(); ++type) {
      if (!inferred[type] || recorded[type]) continue;
      if (!list.empty()) list += ',';
      list += EventTypeName(type);
    }
    return list;
  }

  // Of the list that the recorder or the file stated as metadata.
  void WriteDevices();
  void AddNotes() const;

  const Trace& trace_;
  const ExportOptions& options_;
  OutBuffer out_;
  NodeMessages messages_;
  std::unordered_map<Row, Call> calls_;
  std::vector<Peak> peaks_;  // by memory event
  PidPool tree_ids_;
  uint64_t work_written_ = 0;
};

void Writer::WriteDevices() {
  constexpr auto& kKeys = kDevicePropertyKeys;
  std::string_view list;
  for (const Process& process : trace_.processes())
    for (const auto& [key, value] : process.metadata)
      if (list.empty() && trace_.str(key) == "deviceProperties")
        list = trace_.str(value);
  if (CheckJson(list) != JsonKind::kArray) return;
  ForEachJsonItem(list, [&](std::string_view object) {
    if (!object.starts_with('{')) return;
    // Every field is required; what is not stated is 0.
    std::string values[std::size(kKeys)];
    ForEachJsonMember(object.substr(1, object.size() - 2),
                      [&](std::string_view key, std::string_view value) {
                        if (key == "numSms") key = "smCount";
                        for (size_t i = 1; i < std::size(kKeys); ++i)
                          if (key == kKeys[i]) values[i] = value;
                        return true;
                      });
    Message device;
    for (uint32_t i = 1; i < std::size(kKeys); ++i) {
      const std::string& value = values[i];
      if (kKeys[i] == "name")
        device.Text(i, value.size() < 2 ? std::string_view()
                                        : std::string_view(value).substr(
                                              1, value.size() - 2));
      else
        device.Uint(i, std::strtoull(value.c_str(), nullptr, 10));
    }
    Message field;
    field.Sub(5, device);
    out_.Append(field.view());
  });
}

void Writer::AddNotes() const {
  uint64_t work = 0;
  uint64_t aside = 0;
  for (const Track& track : trace_.tracks()) {
    if (track.kind == TrackKind::kStream) work += track.last - track.first;
    if (track.kind == TrackKind::kAsync) aside += track.last - track.first;
  }
  if (aside > 0)
    options_.notes->push_back(
        Format("%llu events left out: they are of no thread and no stream, and "
               "Paddle's trees have no place for them",
               static_cast<unsigned long long>(aside)));
  if (work > work_written_)
    options_.notes->push_back(Format(
        "%llu device events left out: their launch was not recorded, and "
        "Paddle's trees have no place for them",
        static_cast<unsigned long long>(work - work_written_)));
}

}  // namespace

Status WriteNodeTrees(const Trace& trace, const ExportOptions& options,
                      Sink& sink) {
  return Writer(trace, options, sink).Write();
}

}  // namespace stepscope::paddle
