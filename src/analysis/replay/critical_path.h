// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a step: the chain of events, each waiting for the one
// before it, from the end of the step's period back to its begin. What is on it
// made the step as long as it was; the rest went on beside it. The pieces of a
// step add up to its period exactly.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/name_class.h"
#include "analysis/step_choice.h"

namespace stepscope {

struct ReplayGraph;

enum class PathCategory : uint8_t {
  kOperator,  // host code, named by the innermost event around it
  kLoader,    // host code inside a Dataloader event
  kKernel,
  kCopy,           // copies and sets
  kCommunication,  // kernels and host code
  kLaunch,         // calls that launch, and the time until the work begins
  kSync,           // calls that wait for the device
  kApiCall,        // other calls of the device's API
  kIdle,
};
inline constexpr size_t kPathCategories = 9;
std::string_view PathCategoryName(PathCategory category);

// What a piece without an event is called.
enum class PathCause : uint8_t {
  kEvent,          // it has one
  kOutsideEvents,  // host code that no event covers
  kHandOver,       // one thread goes on when another one is done
  kLaunchDelay,    // from the launching call to the begin of its work
  kStreamGap,      // between two pieces of work of a full queue
  kGraphGap,       // the same inside one launch
  kOtherStream,    // work waits for that of another stream
  kUnexplained,    // nothing recorded explains it
};
inline constexpr size_t kPathCauses = 8;
std::string_view PathCauseName(PathCause cause);

struct PathPiece {
  int64_t at_ns = 0;   // where it was recorded
  int64_t dur_ns = 0;  // on the path; never 0
  Row row = kNoRow;    // the event; kNoRow: see `cause`
  PathCategory category = PathCategory::kIdle;
  PathCause cause = PathCause::kEvent;
};
std::string_view NameOf(const PathPiece& piece, const Trace& trace);

struct PathStep {
  int64_t index = 0;
  uint32_t process = 0;
  int64_t period_ns = 0;  // as replayed; the sum of its pieces
  size_t first = 0;       // of CriticalPath::pieces
  size_t last = 0;        // one past the end
};

struct CriticalPath {
  std::vector<PathPiece> pieces;  // by step, then by time
  std::vector<PathStep> steps;
  bool has_steps = false;         // else the recorded window stands for one
  std::vector<int64_t> left_out;  // numbers of the steps that were not chosen
  int64_t total_ns = 0;           // of all periods
  double replay_error = 0;        // of the median step, to the recorded one
};

// Calls `visit` with the pieces of each chosen step, in the order of steps, and
// returns all else: `pieces` stay empty. Holds the pieces of a few steps only.
// `names` refers to the trace of the tree.
using VisitPath = std::function<void(std::span<const PathPiece> pieces)>;
CriticalPath WalkCriticalPath(const EventTree& tree, const ReplayGraph& graph,
                              NameClasses& names, const StepChoice& choice,
                              const VisitPath& visit);
// The same with all pieces.
CriticalPath FindCriticalPath(const EventTree& tree, const ReplayGraph& graph,
                              NameClasses& names, const StepChoice& choice);

}  // namespace stepscope
