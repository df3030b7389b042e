// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/memory_whatif.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "analysis/memory_category.h"
#include "analysis/memory_script.h"
#include "analysis/memory_sums.h"
#include "analysis/process_name.h"
#include "analysis/step_finder.h"
#include "analysis/steps.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

using memory::ReplayResult;

// What belongs to the data of a step grows with the batch; the rest does not.
memory::Script Scaled(const MemoryScript& script, double batch,
                      const std::optional<BatchFit>& fit,
                      MemoryCategories& categories) {
  memory::Script scaled = script.script;
  std::array<double, kMemoryCategories> factors;
  for (size_t i = 0; i < kMemoryCategories; ++i) {
    const auto category = static_cast<MemoryCategory>(i);
    const bool grows = category == MemoryCategory::kActivations ||
                       category == MemoryCategory::kTemporary;
    factors[i] = fit ? fit->FactorOf(category, batch) : grows ? batch : 1;
  }
  for (memory::Op& op : scaled.ops) {
    if (op.kind != memory::OpKind::kAllocate) continue;
    const double factor =
        factors[static_cast<size_t>(categories.Of(script.allocations[op.id]))];
    op.bytes = std::max<int64_t>(
        1, std::llround(static_cast<double>(op.bytes) * factor));
  }
  return scaled;
}

// A program, as it was recorded or changed.
struct Program {
  std::string change;   // empty: as recorded
  memory::Script own;   // of a changed one: there are millions of ops
  bool scaled = false;  // what was there before may lie elsewhere
  std::optional<MadeAgain> made_again;
  std::optional<FreedEarly> freed_early;
};

std::string Joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ", " + b;
}

class Asker {
 public:
  Asker(const EventTree& tree, const StepTable& steps, const StepFinder& finder,
        const MemoryWhatifOptions& options, MemoryWhatif& result)
      : tree_(tree),
        trace_(tree.trace()),
        finder_(finder),
        options_(options),
        result_(result),
        categories_(tree, steps) {
    for (const std::string& name : options.checkpoints)
      calls_.emplace_back(tree, name);
  }

  // Of the first name that no call has.
  Status CheckNames() const {
    for (size_t i = 0; i < calls_.size(); ++i)
      if (calls_[i].calls().empty())
        return Fail(ErrorCode::kInvalidArgument,
                    "--checkpoint \"" + options_.checkpoints[i] +
                        "\": no module and no range of the program has this "
                        "name; stepscope summary --views modules lists them, "
                        "and torch.profiler.record_function(NAME) marks a "
                        "range, in snapshots, too");
    return Ok();
  }

  Status Ask(const MemoryScript& script, const MemorySums& recorded) {
    const ReplayResult base =
        memory::Replay(script.script, {script.settings, true});
    MemoryWhatif::Recorded& row = result_.recorded.emplace_back();
    row.place = trace_.str(script.place);
    SetProcess(script, row);
    row.settings = memory::SettingsText(script.settings);
    row.peak_reserved_bytes = recorded.peak_reserved();
    row.peak_allocated_bytes = recorded.peak_allocated();
    row.replayed_reserved_bytes = base.peak_reserved;
    row.allocations = script.script.allocations;
    row.fit = FitOf(row.place);
    STEPSCOPE_TRY(AskOf(script, AsItWas(script)));
    for (size_t i = 0; i < calls_.size(); ++i)
      STEPSCOPE_TRY(AskOf(script, Checkpointed(script, i)));
    if (options_.free_early) STEPSCOPE_TRY(AskOf(script, Freed(script)));
    return Ok();
  }

  bool needs_size() const { return needs_size_; }

 private:
  template <typename Of>
  void SetProcess(const MemoryScript& script, Of& row) const {
    row.process = NameAmongSeveral(trace_, script.process);
    const int64_t rank = trace_.processes()[script.process].rank;
    if (rank >= 0) row.rank = rank;
  }

  std::optional<BatchFit> FitOf(const std::string& place) const {
    if (options_.batch == 1 || options_.recorded.empty()) return std::nullopt;
    std::vector<BatchPoint> points;
    const auto add = [&](const EventTree& tree, double batch) {
      if (const auto point = PointOfBatch(tree, place, batch))
        points.push_back(*point);
    };
    add(tree_, 1);
    for (const auto& [batch, trace] : options_.recorded)
      add(EventTree(*trace), batch);
    const bool differ =
        std::any_of(points.begin(), points.end(),
                    [](const BatchPoint& point) { return point.batch != 1; });
    return differ ? std::optional<BatchFit>(std::move(points)) : std::nullopt;
  }

  Program AsItWas(const MemoryScript& script) {
    Program program;
    if (options_.batch == 1) return program;
    program.change = Format("batch x %g", options_.batch);
    program.own = Scaled(script, options_.batch, result_.recorded.back().fit,
                         categories_);
    program.scaled = true;
    return program;
  }

  RecordedMemory Of(const MemoryScript& script) {
    return {tree_, finder_, script, categories_};
  }

  // To be changed.
  Program Copy(const MemoryScript& script) {
    Program program = AsItWas(script);
    if (!program.scaled) program.own = script.script;
    return program;
  }

  Program Checkpointed(const MemoryScript& script, size_t name) {
    Program program = Copy(script);
    program.change =
        Joined("checkpoint " + options_.checkpoints[name], program.change);
    program.made_again = Checkpoint(Of(script), calls_[name], program.own);
    return program;
  }

  Program Freed(const MemoryScript& script) {
    Program program = Copy(script);
    program.change = Joined(std::string(kFreeEarlyChange), program.change);
    program.freed_early = FreeEarly(Of(script), program.own);
    return program;
  }

  Status AskOf(const MemoryScript& script, const Program& program) {
    if (options_.device_bytes || !program.change.empty() ||
        options_.settings.empty())
      Add(script, program, script.settings, "");
    for (const std::string& text : options_.settings) {
      STEPSCOPE_TRY_ASSIGN(const memory::AllocatorSettings settings,
                           memory::ParseSettings(text, script.settings));
      Add(script, program, settings, text);
      if (settings.garbage_collection_threshold > 0 && !options_.device_bytes)
        needs_size_ = true;
    }
    return Ok();
  }

  void Add(const MemoryScript& script, const Program& program,
           const memory::AllocatorSettings& settings,
           const std::string& setting) {
    const memory::Script& ops =
        program.change.empty() ? script.script : program.own;
    const ReplayResult replay = memory::Replay(
        ops,
        {settings, !program.scaled && settings == script.settings,
         options_.device_bytes.value_or(memory::AllocatorSettings::kNoLimit)});
    MemoryWhatifRow row;
    row.place = trace_.str(script.place);
    SetProcess(script, row);
    row.change = Joined(setting, program.change);
    if (row.change.empty()) row.change = "as recorded";
    row.peak_reserved_bytes = replay.peak_reserved;
    row.peak_allocated_bytes = replay.peak_allocated;
    row.saving_bytes =
        result_.recorded.back().replayed_reserved_bytes - replay.peak_reserved;
    row.segments = replay.forced.size();
    row.retries = replay.retries;
    row.short_bytes = replay.short_bytes;
    row.made_again = program.made_again;
    row.freed_early = program.freed_early;
    const bool out = replay.short_bytes > 0;
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

  const EventTree& tree_;
  const Trace& trace_;
  const StepFinder& finder_;
  const MemoryWhatifOptions& options_;
  MemoryWhatif& result_;
  MemoryCategories categories_;
  std::vector<ModuleCalls> calls_;  // by name of options.checkpoints
  bool needs_size_ = false;
};

// What the figures do not know.
void AddNotes(const MemoryWhatifOptions& options, bool needs_size,
              MemoryWhatif& result) {
  std::vector<std::string>& notes = result.notes;
  for (const MemoryWhatif::Recorded& recorded : result.recorded)
    if (!recorded.exact())
      notes.push_back(
          WhoseText(recorded) +
          ": the replay of the unchanged recording does not reserve what was "
          "recorded, so predictions are off by about as much");
  if (needs_size)
    notes.push_back(
        "garbage_collection_threshold is a share of what may be reserved, so "
        "it does nothing without --device-memory");
  if (options.batch != 1)
    notes.push_back(
        options.recorded.empty()
            ? "activations and temporary memory were scaled; which these are "
              "was concluded from when they are made and freed; with "
              "--recorded "
              "FACTOR=FILE, how they grow is fitted to recordings"
            : "activations and temporary memory were scaled as they grow from "
              "recording to recording; which these are was concluded from when "
              "they are made and freed");
  if (!options.checkpoints.empty())
    notes.push_back(
        "a checkpoint keeps what a call got and what its last operator made; "
        "which these are was concluded from the order of the allocations");
  if (options.free_early)
    notes.push_back(
        "free early: what a step made and the next one freed goes when the "
        "first ends, which are gradients and results of modules; whether the "
        "program reads them in between is not recorded, and neither are last "
        "uses within a step");
  if (options.device_bytes)
    notes.push_back(
        "the size is what the allocator may reserve; the driver, libraries and "
        "other processes need memory of the device, too");
}

}  // namespace

Result<MemoryWhatif> ComputeMemoryWhatif(const Trace& trace,
                                         const MemoryWhatifOptions& options) {
  // A setting is refused whatever the trace has.
  for (const std::string& text : options.settings)
    STEPSCOPE_TRY(memory::ParseSettings(text));
  std::vector<MemoryScript> scripts = MakeMemoryScripts(trace);
  std::erase_if(scripts, [&](const MemoryScript& script) {
    return !IsOfDevice(trace.str(script.place));
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
  result.has_device_work = !tree.work().empty();
  Asker asker(tree, steps, finder, options, result);
  STEPSCOPE_TRY(asker.CheckNames());
  const std::vector<MemorySums> sums = SumsOf(trace, scripts);
  // The rank that is first to be out of memory is what counts for a job.
  std::vector<size_t> order(scripts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  StableSort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return sums[a].peak_reserved() > sums[b].peak_reserved();
  });
  for (const size_t i : order) STEPSCOPE_TRY(asker.Ask(scripts[i], sums[i]));
  AddNotes(options, asker.needs_size(), result);
  return result;
}

}  // namespace stepscope
