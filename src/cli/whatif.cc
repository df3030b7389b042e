// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/whatif.h"

#include <charconv>

#include "analysis/replay/memory_whatif.h"
#include "base/byte_count.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "cli/frame/usage.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"
#include "cli/step_options.h"
#include "cli/table_style.h"
#include "report/render_memory_whatif.h"
#include "report/render_whatif.h"

namespace stepscope {
namespace {

bool ReadChanges(const std::vector<std::string>& texts,
                 std::vector<Change>& changes) {
  for (const std::string& text : texts) {
    Result<Change> change = ParseChange(text);
    if (!change) {
      PrintError("--change " + change.error().message);
      return false;
    }
    changes.push_back(std::move(*change));
  }
  return true;
}

bool ReadFactor(const std::string& option, const std::string& text,
                double& factor) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error == std::errc() && end == text.data() + text.size() && factor > 0 &&
      factor <= 1024)
    return true;
  PrintError(option + " \"" + text +
             "\": expected a factor above 0, up to 1024");
  return false;
}

// The recordings of other batch sizes.
ExitCode LoadRecorded(const std::vector<std::string>& texts,
                      MemoryWhatifOptions& options) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals + 1 == text.size()) {
      PrintError("--recorded \"" + text + "\": expected FACTOR=FILE");
      return kExitUsage;
    }
    double factor = 1;
    if (!ReadFactor("--recorded", text.substr(0, equals), factor))
      return kExitUsage;
    ExitCode code = kExitOk;
    auto trace = LoadTrace({text.substr(equals + 1)}, code);
    if (trace == nullptr) return code;
    options.recorded.emplace_back(factor, std::move(trace));
  }
  return kExitOk;
}

bool ReadMemoryOptions(const WhatifArguments& arguments,
                       MemoryWhatifOptions& options) {
  options.settings = arguments.settings;
  options.checkpoints = arguments.checkpoints;
  options.free_early = arguments.free_early;
  if (!arguments.device_memory.empty()) {
    const auto bytes = ParseByteCount(arguments.device_memory);
    if (!bytes || *bytes == 0 || *bytes > uint64_t{1} << 50) {
      PrintError("--device-memory \"" + arguments.device_memory +
                 "\": expected an amount of bytes, like 80GiB");
      return false;
    }
    options.device_bytes = static_cast<int64_t>(*bytes);
  }
  if (!arguments.batch.empty() &&
      !ReadFactor("--batch", arguments.batch, options.batch))
    return false;
  if (!arguments.recorded.empty() && arguments.batch.empty()) {
    PrintError(
        "--recorded says how memory grows with --batch, which is missing");
    return false;
  }
  return true;
}

ExitCode RunMemoryWhatif(const WhatifArguments& arguments) {
  MemoryWhatifOptions options;
  if (!arguments.changes.empty()) {
    PrintError("--change is of time; with --memory, give --setting");
    return kExitUsage;
  }
  if (!ReadMemoryOptions(arguments, options)) return kExitUsage;
  ExitCode code = kExitOk;
  const std::shared_ptr<const Trace> trace = LoadTrace({arguments.input}, code);
  if (trace == nullptr) return code;
  code = LoadRecorded(arguments.recorded, options);
  if (code != kExitOk) return code;
  const Result<MemoryWhatif> whatif = ComputeMemoryWhatif(*trace, options);
  if (!whatif) {
    PrintError(whatif.error().message);
    return kExitUsage;
  }
  return WriteOutput(arguments.format == "json"
                         ? RenderMemoryWhatifJson(*whatif)
                     : arguments.format == "md"
                         ? RenderMemoryWhatifMarkdown(*whatif)
                         : RenderMemoryWhatifText(*whatif, WidthOfTables()));
}

}  // namespace

ExitCode RunWhatif(const WhatifArguments& arguments) {
  if (arguments.memory) return RunMemoryWhatif(arguments);
  if (!arguments.settings.empty() || !arguments.device_memory.empty() ||
      !arguments.batch.empty() || !arguments.recorded.empty() ||
      !arguments.checkpoints.empty() || arguments.free_early) {
    PrintError(
        "--setting, --device-memory, --batch, --recorded, --checkpoint and "
        "--free-early need --memory");
    return kExitUsage;
  }
  if (arguments.changes.empty()) {
    PrintError("--change is required; with --memory, none is");
    return kExitUsage;
  }
  WhatifOptions options;
  std::optional<StepChoice> steps;
  if (!ReadChanges(arguments.changes, options.changes) ||
      !ReadSteps(arguments.steps, steps) ||
      !ReadUnprofiled(arguments.unprofiled, options.unprofiled_ns)) {
    return kExitUsage;
  }
  if (steps) options.steps = *steps;
  ExitCode code = kExitOk;
  const std::shared_ptr<const Trace> trace = LoadTrace({arguments.input}, code);
  if (trace == nullptr) return code;
  std::string text;
  {
    const Progress progress("replaying " + arguments.input);
    const Result<Whatif> whatif = ComputeWhatif(*trace, options);
    if (!whatif) return ComplainOfSteps(whatif.error());
    text = arguments.format == "json" ? RenderWhatifJson(*whatif)
           : arguments.format == "md"
               ? RenderWhatifMarkdown(*whatif)
               : RenderWhatifText(*whatif, WidthOfTables());
  }
  return WriteOutput(text);
}

}  // namespace stepscope
