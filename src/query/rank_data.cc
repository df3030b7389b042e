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
#include "query/valid_utf8.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

void Need(bool there) {
  if (!there) throw std::bad_alloc();
}

std::vector<bool> FindThreads(const Trace& trace) {
  std::vector<bool> threads;
  for (const Track& track : trace.tracks())
    threads.push_back(track.kind == TrackKind::kThread);
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
      finder_(tree_, steps_),
      stages_(tree_, steps_),
      is_thread_(FindThreads(*trace_)) {
  // The same order as StepFinder's.
  for (uint32_t p = 0; p < trace_->processes().size(); ++p) {
    for (const StepInterval& step : steps_.steps()) {
      if (tree_.threads()[step.thread].process == p &&
          step.thread == steps_.main_thread(p))
        step_numbers_.push_back(step.index);
    }
  }
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
    type_texts_.push_back(
        name.empty() ? Keep("Type" + std::to_string(type)) : Keep(name));
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
      uint32_t slot = slots.Insert(uint64_t{GroupOf(type[row])} << 32 |
                                   name[row].v);
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

std::optional<Row> RankData::Decision(Row row) const {
  if (launch_.empty() || IsHost(row) || !IsDeviceWork(trace_->type()[row]))
    return row;
  if (launch_[row] == kNoRow) return std::nullopt;
  return launch_[row];
}

std::optional<int64_t> RankData::StepAt(uint32_t process, int64_t time_ns,
                                        uint32_t& likely) const {
  const uint32_t step = finder_.FindOfAll(process, time_ns, likely);
  if (step == StepFinder::kNone) return std::nullopt;
  return step_numbers_[step];
}

size_t RankData::StageAt(uint32_t track, int64_t time_ns) const {
  if (!is_thread_[track]) return StageLookup::kNoStage;
  return stages_.Find(tree_.threads().of_track(track), time_ns);
}

}  // namespace stepscope
