// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/memory_whatif.h"

#include <algorithm>
#include <cmath>

#include "analysis/memory_category.h"
#include "analysis/memory_script.h"
#include "analysis/step_finder.h"
#include "analysis/steps.h"
#include "base/text.h"

namespace stepscope {
namespace {

using memory::ReplayOptions;
using memory::ReplayResult;

struct Peaks {
  int64_t reserved = 0;
  int64_t allocated = 0;
};

// By the sums of the events, as the table of memory has them.
Peaks RecordedPeaks(const Trace& trace, const MemoryScript& script) {
  Peaks now;
  Peaks most;
  for (const MemoryEvent& event : trace.memory()) {
    if (event.place != script.place ||
        trace.tracks()[event.track].process != script.process)
      continue;
    const bool reserved = event.kind == MemoryKind::kReservedAllocate ||
                          event.kind == MemoryKind::kReservedFree;
    (reserved ? now.reserved : now.allocated) += event.bytes;
    most.reserved = std::max(most.reserved, now.reserved);
    most.allocated = std::max(most.allocated, now.allocated);
  }
  return most;
}

// What belongs to the data of a step grows with the batch; the rest does not.
memory::Script Scaled(const Trace& trace, const MemoryScript& script,
                      double batch) {
  memory::Script scaled = script.script;
  MemoryCategories categories(trace);
  for (memory::Op& op : scaled.ops) {
    if (op.kind != memory::OpKind::kAllocate) continue;
    const MemoryCategory category = categories.Of(script.allocations[op.id]);
    if (category == MemoryCategory::kActivations ||
        category == MemoryCategory::kTemporary)
      op.bytes = std::max<int64_t>(
          1, static_cast<int64_t>(
                 std::llround(static_cast<double>(op.bytes) * batch)));
  }
  return scaled;
}

class Asker {
 public:
  Asker(const Trace& trace, const StepFinder& finder,
        const MemoryWhatifOptions& options, MemoryWhatif& result)
      : trace_(trace), finder_(finder), options_(options), result_(result) {}

  Status Ask(const MemoryScript& script) {
    const Peaks peaks = RecordedPeaks(trace_, script);
    const ReplayResult base =
        memory::Replay(script.script, {script.settings, true});
    result_.recorded.push_back({std::string(trace_.str(script.place)),
                                memory::SettingsText(script.settings),
                                peaks.reserved, peaks.allocated,
                                base.peak_reserved, script.script.allocations});
    reserved_ = peaks.reserved;
    const bool scale = options_.batch != 1;
    const memory::Script scaled =
        scale ? Scaled(trace_, script, options_.batch) : memory::Script();
    const memory::Script& ops = scale ? scaled : script.script;
    const std::string more =
        scale ? Format("batch x %g", options_.batch) : std::string();
    if (options_.device_bytes || scale || options_.settings.empty())
      Add(script, ops, {script.settings, !scale, Limit()},
          scale ? more : "as recorded");
    for (const std::string& text : options_.settings) {
      STEPSCOPE_TRY_ASSIGN(const memory::AllocatorSettings settings,
                           memory::ParseSettings(text, script.settings));
      const bool same = settings == script.settings && !scale;
      Add(script, ops, {settings, same, Limit()},
          text + (scale ? ", " + more : ""));
      if (settings.garbage_collection_threshold > 0 && !options_.device_bytes)
        needs_size_ = true;
    }
    return Ok();
  }

  bool needs_size() const { return needs_size_; }

 private:
  int64_t Limit() const {
    return options_.device_bytes.value_or(memory::AllocatorSettings::kNoLimit);
  }

  void Add(const MemoryScript& script, const memory::Script& ops,
           const ReplayOptions& options, std::string change) {
    const ReplayResult replay = memory::Replay(ops, options);
    MemoryWhatifRow row;
    row.place = trace_.str(script.place);
    row.change = std::move(change);
    row.peak_reserved_bytes = replay.peak_reserved;
    row.peak_allocated_bytes = replay.peak_allocated;
    row.saving_bytes = reserved_ - replay.peak_reserved;
    row.segments = replay.forced.size();
    row.retries = replay.retries;
    row.short_bytes = replay.short_bytes;
    const bool out = replay.out_of_memory_op != ReplayResult::kNoOp;
    if (options_.device_bytes) row.fits = !out;
    const uint32_t at = out ? replay.worst_op : replay.peak_reserved_op;
    if (at != ReplayResult::kNoOp) {
      const MemoryEvent event = trace_.memory()[ops.ops[at].event];
      const uint32_t step = finder_.Find(script.process, event.time_ns);
      if (step != StepFinder::kNone) row.step = step;
      if (event.owner != kNoRow) {
        row.name = trace_.str(trace_.name()[event.owner]);
        row.line = LineOf(trace_, event.owner);
      }
    }
    result_.rows.push_back(std::move(row));
  }

  const Trace& trace_;
  const StepFinder& finder_;
  const MemoryWhatifOptions& options_;
  MemoryWhatif& result_;
  int64_t reserved_ = 0;
  bool needs_size_ = false;
};

}  // namespace

Result<MemoryWhatif> ComputeMemoryWhatif(const Trace& trace,
                                         const MemoryWhatifOptions& options) {
  // A setting is refused whatever the trace has.
  for (const std::string& text : options.settings)
    STEPSCOPE_TRY(memory::ParseSettings(text));
  std::vector<MemoryScript> scripts = MakeMemoryScripts(trace);
  std::erase_if(scripts, [&](const MemoryScript& script) {
    return !IsOfDevice(trace, script);
  });
  bool any = false;
  for (const MemoryScript& script : scripts)
    any |= !script.script.ops.empty() || !script.script.blocks.empty();
  if (!any)
    return Fail(ErrorCode::kInvalidArgument,
                "the trace has no allocations of a device with addresses; "
                "record with stepscope run --memory, or a memory snapshot with "
                "torch.cuda.memory._dump_snapshot");
  const EventTree tree(trace);
  const StepTable steps(tree);
  const StepFinder finder(tree, steps);
  MemoryWhatif result;
  result.device_bytes = options.device_bytes;
  Asker asker(trace, finder, options, result);
  for (const MemoryScript& script : scripts) STEPSCOPE_TRY(asker.Ask(script));
  for (const MemoryWhatif::Recorded& recorded : result.recorded)
    if (!recorded.exact())
      result.notes.push_back(
          recorded.place +
          ": the replay of the unchanged recording does not reserve what was "
          "recorded, so predictions are off by about as much");
  if (asker.needs_size())
    result.notes.push_back(
        "garbage_collection_threshold is a share of what may be reserved, so "
        "it does nothing without --device-memory");
  if (options.batch != 1)
    result.notes.push_back(
        "activations and temporary memory were scaled; which these are was "
        "concluded from when they are made and freed");
  if (options.device_bytes)
    result.notes.push_back(
        "the size is what the allocator may reserve; the driver, libraries and "
        "other processes need memory of the device, too");
  return result;
}

}  // namespace stepscope
