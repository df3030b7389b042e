// SPDX-License-Identifier: Apache-2.0
//
// How a user sees the parts of a step, stages, event classes and types: their
// words, their order and their colours. They are declared here alone. Text and
// the report read them from here; for the page, server/page_source.cc writes
// them as TypeScript and CSS when the page is built.
#pragma once

#include <stepscope/c.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/step_part.h"
#include "trace/event_type.h"
#include "trace/request_events.h"

namespace stepscope {

struct Colour {
  std::string_view key;
  std::string_view light;
  std::string_view dark;
};

// Grounds, lines and texts; in style sheets --KEY.
inline constexpr Colour kGrounds[] = {
    {"page", "#f5f6f8", "#0e1116"},
    {"card", "#ffffff", "#151920"},
    {"raised", "#ffffff", "#1b212a"},
    {"line", "#e3e6eb", "#272e39"},
    {"line-strong", "#cfd5dd", "#37404d"},
    {"text", "#15191f", "#e7eaee"},
    {"text-2", "#566070", "#a3adba"},
    {"text-3", "#656e7b", "#8590a0"},
    {"accent", "#0b62b0", "#6db7f2"},
    {"on-accent", "#ffffff", "#0e1116"},
    {"accent-soft", "#e4eef8", "#15304a"},
    {"soft", "#eef1f5", "#1b212a"},
    {"good", "#116b3c", "#97e8ba"},
    {"bad", "#b3261e", "#ff8a80"},
    {"bad-soft", "#fdecea", "#3a1d1b"},
    {"warn", "#8a5a00", "#fccf79"},
    {"warn-soft", "#fdf0dc", "#3a2c12"},
    // Of the timeline.
    {"canvas", "#ffffff", "#10141a"},
    {"canvas-text", "#15191f", "#f0f3f6"},
    {"canvas-group", "#f1f3f6", "#1a2029"},
    {"canvas-line", "#e3e6eb", "#222933"},
    {"canvas-grid", "#f0f2f5", "#191f27"},
    {"canvas-step", "#c3cad3", "#3a4452"},
    {"canvas-chosen", "#15191f", "#ffffff"},
};

// The hues that mean something; in style sheets --c-KEY. All kinds of sight
// tell them apart, and none stands without a word beside it. A legend lists
// them in this order; one without a title has that of its part of the step.
struct Hue : Colour {
  std::string_view title;
  bool of_device = false;  // events of a device alone have it
};
inline constexpr Hue kHues[] = {
    {{"kernel", "#2260b8", "#5490ee"}, "Kernel", true},
    {{"operator", "#5fb98b", "#97e8ba"}, "Operator"},
    {{"runtime", "#79818c", "#616976"}, "Runtime call"},
    {{"cpu-only", "#e9a531", "#fccf79"}, ""},
    {{"launch-gap", "#ad7743", "#b2681a"}, ""},
    {{"copy", "#86336a", "#de7994"}, "Copy, set", true},
    {{"user", "#dcd657", "#ccb81c"}, "User range"},
    {{"communication", "#b32d08", "#9a3410"}, "Communication"},
    {{"python", "#9fd7f5", "#6cc5f0"}, "Python function"},
    {{"stage", "#3891ab", "#80d8f6"}, "Stage"},
    {{"input", "#d9dc7f", "#b5af22"}, ""},
    {{"sync", "#7d3cd9", "#a24ff5"}, ""},
    {{"unexplained", "#b3b8bf", "#5f646b"}, ""},
};

// For things that have no colour of their own, such as ranks and lines of a
// program: the first ones are farthest apart.
inline constexpr std::string_view kSeriesHues[] = {
    "kernel", "cpu-only",   "operator", "copy",         "python",
    "stage",  "launch-gap", "user",     "communication"};

// What data calls a thing, what people read, and its hue.
struct Look {
  std::string_view name;
  std::string_view title;
  std::string_view hue;
};

// What the time of a step goes to, by StepPart.
struct PartLook : Look {
  std::string_view words;    // what that is
  std::string_view formula;  // how it is computed
  // The title where no device was recorded, if it is another.
  std::string_view alone = {};
};
inline constexpr PartLook kStepPartLooks[kStepParts] = {
    {{"kernel", "GPU computes", "kernel"},
     "kernels run",
     "union of the kernels that compute, of all streams"},
    {{"copy", "GPU copies", "copy"},
     "memory is copied or set",
     "union of copies and sets, less what is above"},
    {{"communication exposed", "Communication, exposed", "communication"},
     "only data is exchanged",
     "union of communicating kernels and of communication that the host does "
     "by itself, less what is above and, without a device, what operators "
     "compute meanwhile"},
    {{"launch gap", "Launch gap", "launch-gap"},
     "launched, not started yet",
     "union of [begin of the launch, begin of the work), less what is above"},
    {{"input stall", "Input stall", "input"},
     "waits for the data loader",
     "union of Dataloader events of the stepping thread, less what is above"},
    {{"host sync", "Host waits for GPU", "sync"},
     "in a call that waits",
     "union of calls that wait for the device, less what is above"},
    {{"other CPU", "CPU only, GPU idle", "cpu-only"},
     "the host runs recorded code",
     "union of all other host events but the step's, less what is above",
     "CPU works"},
    {{"unexplained", "Unexplained", "unexplained"},
     "nothing was recorded",
     "what remains of the step"},
};

// Columns of tables that hold one of these names.
inline constexpr std::string_view kStepPartColumns[] = {"cause", "idle_cause"};

// What the timeline colours an event by, by EventClass; at most 32.
enum class EventClass : uint8_t {
  kOther,
  kKernel,
  kCopy,
  kSet,
  kOperator,
  kRuntime,
  kUser,
  kCommunication,
  kPython,
  kStep,
  kDataloader,
  kForward,
  kBackward,
  kOptimizer,
  kSync,
  kOverhead,
};
inline constexpr Look kEventClassLooks[] = {
    {"other", "Other", "unexplained"},
    {"kernel", "Kernel", "kernel"},
    {"copy", "Copy", "copy"},
    {"set", "Set", "copy"},
    {"operator", "Operator", "operator"},
    {"runtime", "Runtime call", "runtime"},
    {"user", "User range", "user"},
    {"communication", "Communication", "communication"},
    {"python", "Python function", "python"},
    {"step", "Step", "user"},
    {"dataloader", "Data loading", "stage"},
    {"forward", "Forward", "stage"},
    {"backward", "Backward", "stage"},
    {"optimizer", "Optimizer", "stage"},
    {"sync", "Host sync", "runtime"},
    {"overhead", "Overhead", "runtime"},
};

// Types of events in tables, by stepscope_event_type; EventTypeName() is what
// data calls them, their hue is that of their class.
struct TypeLook {
  uint16_t type;
  EventClass event_class;
  std::string_view title;
};
inline constexpr TypeLook kEventTypeLooks[] = {
    {STEPSCOPE_OPERATOR, EventClass::kOperator, "Operators"},
    {STEPSCOPE_DATALOADER, EventClass::kDataloader, "Data loading"},
    {STEPSCOPE_PROFILE_STEP, EventClass::kStep, "Steps"},
    {STEPSCOPE_CUDA_RUNTIME, EventClass::kRuntime, "CUDA runtime"},
    {STEPSCOPE_KERNEL, EventClass::kKernel, "Kernels"},
    {STEPSCOPE_MEMCPY, EventClass::kCopy, "Memcpy"},
    {STEPSCOPE_MEMSET, EventClass::kSet, "Memset"},
    {STEPSCOPE_USER_DEFINED, EventClass::kUser, "User ranges"},
    {STEPSCOPE_OPERATOR_INNER, EventClass::kOperator, "Inside operators"},
    {STEPSCOPE_FORWARD, EventClass::kForward, "Forward"},
    {STEPSCOPE_BACKWARD, EventClass::kBackward, "Backward"},
    {STEPSCOPE_OPTIMIZATION, EventClass::kOptimizer, "Optimizer"},
    {STEPSCOPE_COMMUNICATION, EventClass::kCommunication, "Communication"},
    {STEPSCOPE_PYTHON_OP, EventClass::kOperator, "Python operators"},
    {STEPSCOPE_PYTHON_USER_DEFINED, EventClass::kUser, "Python ranges"},
    {kDygraphKernelLaunch, EventClass::kOperator, "Dygraph kernel launch"},
    {kStaticKernelLaunch, EventClass::kOperator, "Static kernel launch"},
    {STEPSCOPE_PYTHON_FUNCTION, EventClass::kPython, "Python functions"},
    {STEPSCOPE_SYNCHRONIZATION, EventClass::kSync, "Synchronization"},
    {STEPSCOPE_OVERHEAD, EventClass::kOverhead, "Overhead"},
    {STEPSCOPE_GRAPH_LAUNCH, EventClass::kRuntime, "Graph launch"},
    {kRequestType, EventClass::kUser, "Requests"},
};

// Rows of the model table. A chart of stages shows them beside each other, so
// that each has a hue of its own.
inline constexpr Look kStageLooks[] = {
    {"ProfileStep", "Step", "unexplained"},
    {"Dataloader", "Data loading", "input"},
    {"Forward", "Forward", "kernel"},
    {"Backward", "Backward", "communication"},
    {"Optimization", "Optimizer", "operator"},
    {"Others", "Other", "unexplained"},
};

// Rows of the table overlap_parts.
inline constexpr Look kOverlapLooks[] = {
    {"computes only", "computes", "kernel"},
    {"both at once", "both at once", "user"},
    {"communicates only", "communicates", "communication"},
    {"neither", "neither", "unexplained"},
};

// What the critical path goes through, by PathCategoryName().
inline constexpr Look kPathLooks[] = {
    {"operator", "Host code", "operator"},
    {"loader", "Data loading", "input"},
    {"kernel", "Kernel", "kernel"},
    {"copy", "Copy, set", "copy"},
    {"communication", "Communication", "communication"},
    {"launch", "Launch", "launch-gap"},
    {"sync", "Host waits for GPU", "sync"},
    {"API call", "Runtime call", "runtime"},
    {"idle", "Idle", "unexplained"},
};

// Iterations of a server, by NameOf(IterationKind): those that read prompts and
// those that make tokens are farthest apart.
inline constexpr Look kIterationLooks[] = {
    {"prefill", "Prefill", "cpu-only"},
    {"decode", "Decode", "kernel"},
    {"mixed", "Mixed", "copy"},
    {"verify", "Verify", "operator"},
    {"draft", "Draft", "python"},
    {"capture", "Graph capture", "user"},
    {"idle", "Idle", "unexplained"},
    {"unknown", "Kind not known", "runtime"},
};

// What a request of a server goes through, in this order.
inline constexpr Look kRequestPhaseLooks[] = {
    {"queue", "Queue", "unexplained"},
    {"prefill", "Prefill", "cpu-only"},
    {"decode", "Decode", "kernel"},
};

// Kinds of tracks that show a curve.
inline constexpr Look kCurveLooks[] = {
    {"busy", "Busy", "kernel"},       {"queue", "Launch queue", "launch-gap"},
    {"memory", "Memory", "copy"},     {"occupancy", "Occupancy", "operator"},
    {"counter", "Counter", "python"},
};

constexpr EventClass EventClassOf(uint16_t type) {
  for (const TypeLook& look : kEventTypeLooks)
    if (look.type == type) return look.event_class;
  return EventClass::kOther;
}
constexpr const PartLook& LookOf(StepPart part) {
  return kStepPartLooks[static_cast<size_t>(part)];
}
constexpr const Look& LookOf(EventClass event_class) {
  return kEventClassLooks[static_cast<size_t>(event_class)];
}
// What a table calls a thing as people read it; itself where nothing is said.
template <class Looks>
constexpr std::string_view TitleIn(const Looks& looks, std::string_view name) {
  for (const auto& look : looks)
    if (look.name == name) return look.title;
  return name;
}
// A cell of such a column as people read it; any other as it is.
constexpr std::string_view ShownIn(std::string_view column,
                                   std::string_view cell) {
  for (const std::string_view name : kStepPartColumns)
    if (column == name) return TitleIn(kStepPartLooks, cell);
  return cell;
}

// "--page:#f5f6f8;...;--c-kernel:#2260b8;...": of one theme.
inline std::string ColourVariables(std::string_view Colour::*theme) {
  std::string out;
  const auto add = [&](std::string_view prefix, const Colour& colour) {
    out.append(prefix).append(colour.key).append(":");
    out.append(colour.*theme).append(";");
  };
  for (const Colour& ground : kGrounds) add("--", ground);
  for (const Hue& hue : kHues) add("--c-", hue);
  return out;
}

}  // namespace stepscope
