// SPDX-License-Identifier: Apache-2.0
//
// The part of TraceBuilder that keeps what is known about files: their names,
// clocks, ledgers and notes.
#include <algorithm>
#include <utility>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

bool IsNamed(const Source& source) {
  return !source.format.empty() || !source.path.empty();
}

// "a+b" and "b": "a+b".
void AddFormat(std::string& all, const std::string& format) {
  const auto enclosed = [](const std::string& text) {
    return "+" + text + "+";
  };
  if (enclosed(all).find(enclosed(format)) != std::string::npos) return;
  if (!all.empty()) all += '+';
  all += format;
}

void AddClock(ClockInfo& all, const ClockInfo& clock) {
  if (all.source.empty()) all.source = clock.source;
  if (all.ticks_per_second == 0) all.ticks_per_second = clock.ticks_per_second;
  all.anchors += clock.anchors;
  all.worst_error_ns = std::max(all.worst_error_ns, clock.worst_error_ns);
}

}  // namespace

Source& TraceBuilder::source() {
  if (trace_->sources_.empty()) trace_->sources_.emplace_back();
  return trace_->sources_.back();
}

uint32_t TraceBuilder::source_index() {
  source();
  return static_cast<uint32_t>(trace_->sources_.size() - 1);
}

void TraceBuilder::AddSource(std::string_view format, std::string_view path) {
  if (IsNamed(source())) trace_->sources_.emplace_back();
  source().format = format;
  source().path = path;
}

void TraceBuilder::MergeClock(const ClockInfo& clock) {
  AddClock(source().clock, clock);
}
void TraceBuilder::SetIncomplete() { source().complete = false; }
void TraceBuilder::AddNote(std::string note) {
  source().notes.push_back(std::move(note));
}
void TraceBuilder::AddTraceNote(std::string note) {
  trace_notes_.push_back(std::move(note));
}

void TraceBuilder::SetEpoch(const Epoch& epoch) {
  epoch_set_ = true;
  trace_->epoch_ns_ = epoch.ns;
  trace_->clock_.epoch_known = epoch.known;
}

ClockMap TraceBuilder::PlaceEpoch(const Epoch& epoch) {
  if (!epoch_set_) {
    SetEpoch(epoch);
    return {};
  }
  return MapBetween(epoch, {trace_->epoch_ns_, trace_->clock_.epoch_known});
}

int64_t TraceBuilder::AlignEpoch(int64_t epoch_ns, bool known) {
  const ClockMap map = PlaceEpoch({epoch_ns, known});
  source().epoch_ns = epoch_ns;
  source().clock.epoch_known = known;
  source().to_trace = map;
  return map.shift_ns();
}

// The totals over all sources, once they are complete.
void TraceBuilder::SumUpSources(Trace& t, std::vector<std::string> notes) {
  if (t.sources_.empty() && !t.processes_.empty()) t.sources_.emplace_back();
  for (const Source& source : t.sources_) {
    AddClock(t.clock_, source.clock);
    t.ledger_.Merge(source.ledger);
    t.complete_ &= source.complete;
    t.notes_.insert(t.notes_.end(), source.notes.begin(), source.notes.end());
    if (!IsNamed(source)) continue;
    AddFormat(t.format_, source.format);
    t.files_.push_back(source.path);
  }
  for (std::string& note : notes) t.notes_.push_back(std::move(note));
  for (Process& process : t.processes_)
    if (process.source >= t.sources_.size()) process.source = 0;
}

}  // namespace stepscope
