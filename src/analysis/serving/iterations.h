// SPDX-License-Identifier: Apache-2.0
//
// Iterations of an inference engine, by the marks that it puts around them
// (iteration_mark.h); where nobody marked any, those that can be concluded
// (concluded_iterations.h). An iteration owns what its thread launched from its
// mark to the next one, also where that runs later: an engine that works ahead
// has the device busy with one iteration while the host prepares the next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/percentiles.h"
#include "analysis/serving/iteration_mark.h"
#include "analysis/serving/members.h"

namespace stepscope {

// Why a device had nothing to run.
struct IterationIdle {
  int64_t host_inside = 0;   // the host was inside the mark, before a launch
  int64_t host_between = 0;  // the host was between two marks
  int64_t queued = 0;        // work was launched, and did not run yet
  int64_t in_graph = 0;      // between two kernels of one graph

  void Add(const IterationIdle& other) {
    host_inside += other.host_inside;
    host_between += other.host_between;
    queued += other.queued;
    in_graph += other.in_graph;
  }
};

struct IterationRow {
  std::string_view name;  // of the mark, as long as the trace
  IterationMark mark;
  Row row = kNoRow;  // of the mark, or of what it was concluded from
  uint32_t process = 0;
  int64_t start_ns = 0;
  int64_t host_ns = 0;               // of the mark
  std::optional<int64_t> period_ns;  // to the next mark; the last one has none
  // Another rank has an iteration of the same name at the same place: of the
  // two, this one adds device time only.
  bool repeats_another_rank = false;
  // Where it said so; see IterationTable::members_of().
  uint32_t first_member = 0;
  uint32_t member_count = 0;
  int64_t gpu_busy_ns = 0;               // its share, see SharedTime
  std::optional<int64_t> device_end_ns;  // of the last that it launched
  int64_t work_ns = 0;  // of its kernels, copies and sets, plain sum
  int64_t late_ns = 0;  // of these, after the next mark had begun
  uint64_t kernels = 0;
  uint64_t launches = 0;
  uint64_t graphs = 0;  // of the launches
  IterationIdle idle;
};

struct IterationKindRow {
  IterationKind kind = IterationKind::kUnknown;
  uint64_t count = 0;
  // Of those iterations that say so; nothing if none does.
  std::optional<int64_t> requests;
  std::optional<int64_t> tokens_context;
  std::optional<int64_t> tokens_generation;
  Spread period;
  int64_t host_ns = 0;
  int64_t host_p50_ns = 0;
  int64_t gpu_busy_ns = 0;
  int64_t gpu_busy_p50_ns = 0;
  std::optional<double> tokens_per_s;  // of the recorded periods
  // The same of the unrecorded ones; see AddUnprofiledRate().
  std::optional<double> unprofiled_tokens_per_s;
  uint64_t kernels = 0;
  uint64_t launches = 0;
  uint64_t graphs = 0;
  IterationIdle idle;
  int64_t work_ns = 0;
  int64_t late_ns = 0;

  double late_ratio() const {
    return work_ns > 0
               ? static_cast<double>(late_ns) / static_cast<double>(work_ns)
               : 0;
  }
};

struct IterationTable {
  std::string engine;  // "vLLM", or several; empty: nobody marked them
  // What they are and own, in words.
  std::string rule = "launched by its thread up to the next mark";
  bool concluded = false;  // and not marked
  uint64_t marks_seen = 0;
  uint64_t marks_nested = 0;
  uint64_t marks_unparsed = 0;
  // gpu_busy_ns of all iterations, outside_ns and unknown_ns add up to this.
  int64_t total_busy_ns = 0;
  int64_t outside_ns = 0;               // launched where no iteration was
  int64_t unknown_ns = 0;               // the launch was not recorded
  std::vector<IterationKindRow> kinds;  // those that occur
  std::vector<IterationRow> list;       // by start
  // Null: nothing in the trace speaks of requests.
  std::shared_ptr<const RequestLog> requests;
  std::vector<Membership> members;
  // By index of EventTree::work(): of `list`, else its size: outside; one more:
  // unknown.
  std::vector<uint32_t> owners;

  std::span<const Membership> members_of(const IterationRow& one) const {
    return std::span(members).subspan(one.first_member, one.member_count);
  }
};

// Empty for a trace without marks from which none can be concluded. Where the
// user said which ranges are the steps (trace/chosen_steps.h), these are the
// iterations, and no others.
IterationTable ComputeIterations(const EventTree& tree);

}  // namespace stepscope
