// SPDX-License-Identifier: Apache-2.0
#include "query/rank_data.h"

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include "analysis/communication.h"
#include "analysis/flat_map.h"
#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "analysis/step_finder.h"
#include "analysis/views/stage_lookup.h"
#include "base/utf8.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

void Need(bool there) {
  if (!there) throw std::bad_alloc();
}

std::vector<uint8_t> FindThreads(const Trace& trace) {
  std::vector<uint8_t> threads;
  for (const Track& track : trace.tracks())
    threads.push_back(track.kind == TrackKind::kThread ? 1 : 0);
  return threads;
}

// Events that the tables of `summary` add up together by name.
uint32_t GroupOf(uint16_t type) {
  return IsUserDefined(type) ? uint32_t{STEPSCOPE_USER_DEFINED} : type;
}

}  // namespace

RankData::RankData(std::shared_ptr<const Trace> trace, int64_t source_id)
    : trace_(std::move(trace)),
      source_id_(source_id),
      tree_(*trace_),
      steps_(tree_),
      is_thread_(FindThreads(*trace_)) {
  MakeLines();
  MakeTexts();
  MarkHostEvents();
  NameClasses names(trace_->strings());
  const Communication communication(tree_, names);
  MarkDeviceWork();
  MarkCommunication(communication);
  calls_ = FindRankCalls(tree_, steps_, names, communication);
}

duckdb::Text RankData::Keep(std::string_view text) {
  return duckdb::Text(kept_.emplace_back(ValidUtf8(text)));
}

void RankData::MakeTexts() {
  const StringPool& strings = trace_->strings();
  texts_.reserve(strings.size());
  for (uint32_t i = 0; i < strings.size(); ++i) {
    const std::string_view text = strings.view(StringId{i});
    texts_.push_back(IsValidUtf8(text) ? duckdb::Text(text) : Keep(text));
  }
  // A type without a name is told by its number.
  uint16_t last = 0;
  for (const uint16_t type : trace_->type()) last = std::max(last, type);
  for (uint32_t type = 0; type <= last; ++type) {
    const std::string_view name = EventTypeName(static_cast<uint16_t>(type));
    type_texts_.push_back(name.empty() ? Keep("Type" + std::to_string(type))
                                       : Keep(name));
  }
  for (size_t slot = 0; slot < kStageSlots; ++slot)
    stage_texts_.push_back(Keep(StageName(slot)));
}

void RankData::MarkHostEvents() {
  const Trace& trace = *trace_;
  Need(depth_.Resize(trace.size()) && marks_.Resize(trace.size()));
  const Nesting& nesting = trace.nesting();
  for (const Track& track : trace.tracks()) {
    if (track.kind == TrackKind::kThread) continue;
    for (Row row = track.first; row < track.last; ++row) {
      depth_[row] = nesting.depth[row];
      marks_[row] = nesting.depth[row] == 0 ? kOutermost : 0;
    }
  }
  struct Open {
    OpenSpan span;
    size_t thread = SIZE_MAX;
  };
  FlatMap slots;
  std::vector<Open> open;
  const auto type = trace.type();
  const auto name = trace.name();
  for (size_t thread = 0; thread < tree_.threads().size(); ++thread) {
    tree_.ForEachNested(thread, [&](Row row, const Interval& span) {
      const Row parent = tree_.parent(row);
      depth_[row] = parent == kNoRow ? 0 : depth_[parent] + 1;
      uint32_t slot =
          slots.Insert(uint64_t{GroupOf(type[row])} << 32 | name[row].v);
      if (slot == FlatMap::kNew) {
        slot = static_cast<uint32_t>(open.size());
        open.emplace_back();
      }
      if (open[slot].thread != thread) open[slot] = {{}, thread};
      if (open[slot].span.Enter(span.begin, span.end))
        marks_[row] |= kOutermost;
    });
  }
}

// What an operator calls through Python is a part of the operator.
Row RankData::WithoutFunctions(Row row) const {
  while (row != kNoRow && trace_->type()[row] == STEPSCOPE_PYTHON_FUNCTION)
    row = tree_.parent(row);
  return row;
}

void RankData::MarkDeviceWork() {
  if (tree_.work().empty()) return;
  const size_t size = trace_->size();
  Need(launch_.Resize(size) && owner_.Resize(size) && operator_.Resize(size));
  for (Column<Row>* column : {&launch_, &owner_, &operator_})
    std::fill(column->data(), column->data() + size, kNoRow);
  for (const DeviceWork& work : tree_.work()) {
    launch_[work.row] = work.launch;
    const Row owner = WithoutFunctions(work.owner);
    owner_[work.row] = owner;
    Row op = owner;
    while (op != kNoRow && trace_->type()[op] != STEPSCOPE_OPERATOR)
      op = tree_.parent(op);
    operator_[work.row] = op;
  }
}

void RankData::MarkCommunication(const Communication& communication) {
  for (const DeviceWork& work : tree_.work()) {
    if (trace_->type()[work.row] == STEPSCOPE_KERNEL &&
        communication.IsKernel(work))
      marks_[work.row] |= kCommunication;
  }
  for (const Track& track : trace_->tracks()) {
    if (track.kind != TrackKind::kThread) continue;
    for (Row row = track.first; row < track.last; ++row)
      if (communication.IsHostEvent(row)) marks_[row] |= kCommunication;
  }
}

// What StepFinder and StageLookup say changes only where a step or a stage of
// the thread, or of the stepping thread, begins or ends.
TimeLine<RankData::Place> RankData::LineOf(uint32_t thread,
                                           uint32_t process) const {
  const uint32_t main = steps_.main_thread(process);
  std::vector<int64_t> times = {INT64_MIN};
  const auto add = [&](std::span<const StepInterval> spans) {
    for (const StepInterval& span : spans) {
      if (span.thread != thread && span.thread != main) continue;
      times.push_back(span.range.begin);
      times.push_back(span.range.end);
    }
  };
  add(steps_.steps());
  add(steps_.stages());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  TimeLine<Place> line;
  const std::span<const StepInterval> of_main =
      main == kNoThread ? std::span<const StepInterval>()
                        : steps_.steps_of(main);
  const StepFinder finder(tree_, steps_);
  const StageLookup stages(tree_, steps_);
  for (const int64_t time : times) {
    Place place;
    const uint32_t step = finder.Find(process, time);
    if (step != StepFinder::kNone) place.step = of_main[step].index;
    if (thread != kNoThread && !steps_.stages().empty()) {
      const size_t stage = stages.Find(thread, time);
      if (stage != StageLookup::kNoStage)
        place.stage = static_cast<uint8_t>(stage);
    }
    line.Add(time, place);
  }
  return line;
}

void RankData::MakeLines() {
  const Threads& threads = tree_.threads();
  for (uint32_t i = 0; i < threads.size(); ++i)
    lines_.push_back(LineOf(i, threads[i].process));
  for (uint32_t i = 0; i < trace_->processes().size(); ++i)
    lines_.push_back(LineOf(kNoThread, i));
  for (uint32_t i = 0; i < trace_->tracks().size(); ++i)
    line_of_track_.push_back(is_thread_[i] != 0
                                 ? threads.of_track(i)
                                 : static_cast<uint32_t>(threads.size()) +
                                       trace_->tracks()[i].process);
}

const RankData::Place& RankData::PlaceOf(Row row, Cursor& cursor) const {
  static const Place nowhere;
  if (!launch_.empty() && !IsHost(row) && IsDeviceWork(trace_->type()[row])) {
    row = launch_[row];
    if (row == kNoRow) return nowhere;
  }
  const uint32_t line = line_of_track_[trace_->track()[row]];
  if (line != cursor.line) cursor = {line, 0};
  return lines_[line].At(trace_->start_ns()[row], cursor.likely, nowhere);
}

}  // namespace stepscope
