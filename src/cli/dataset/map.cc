// SPDX-License-Identifier: Apache-2.0
#include "cli/dataset/map.h"

#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "base/executor.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/dataset/partial_files.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "cli/load.h"
#include "importers/import_many.h"
#include "importers/registry.h"
#include "trace/job/jobs.h"

namespace stepscope {
namespace {

// One trace to be mapped.
struct Task {
  std::string trace;
  std::string partial;
  bool named = false;  // by the user; not found in a folder
};

struct MapOutcome {
  std::optional<Error> error;
  bool no_trace = false;     // of no known format
  bool not_written = false;  // the error is that of the output
  std::string line;          // what was done
};

Result<Partial> MapFile(const Task& task, uint64_t& events) {
  const std::string& path = task.trace;
  // Before it is read: what changes meanwhile is noticed afterwards.
  STEPSCOPE_TRY_ASSIGN(TraceStamp stamp, StampOf(path));
  ImportOptions options;
  options.found = !task.named;
  STEPSCOPE_TRY_ASSIGN(const Importer* const importer,
                       FindImporter(path, options));
  TraceBuilder builder;
  STEPSCOPE_TRY(ImportInto(*importer, path, options, builder));
  STEPSCOPE_TRY_ASSIGN(const std::shared_ptr<const Trace> trace,
                       builder.Finish());
  events = trace->size();
  Partial partial;
  partial.head.stamp = std::move(stamp);
  partial.head.facts = FactsOf(*trace, path, importer->format());
  partial.head.facts.path.clear();
  partial.body = MapTrace(*trace, {});
  ReplacePath(path, "", partial.body);
  return partial;
}

MapOutcome MapOne(const Task& task) {
  MapOutcome outcome;
  uint64_t events = 0;
  Result<Partial> partial = [&]() -> Result<Partial> {
    // On a thread of its own, where nobody else would catch it.
    try {
      return MapFile(task, events);
    } catch (const std::bad_alloc&) {
      return Fail(ErrorCode::kIo,
                  task.trace + ": not enough memory to read it");
    }
  }();
  if (!partial) {
    outcome.error = partial.error();
    outcome.no_trace = partial.error().code == ErrorCode::kUnsupported;
    return outcome;
  }
  const std::string bytes = EncodePartial(*partial);
  if (Status status = ReplaceFile(task.partial, bytes); !status) {
    outcome.error = status.error();
    outcome.not_written = true;
    return outcome;
  }
  outcome.line = task.partial + ": " + CountText(bytes.size()) + " bytes, of " +
                 CountText(events) + " events\n";
  return outcome;
}

// False: what was wrong has been said.
bool FindTasks(const MapArguments& arguments, std::vector<Task>& tasks,
               ExitCode& code) {
  for (const std::string& input : arguments.inputs) {
    if (input == "-") {
      code = Complain(kExitUsage,
                      "a partial lies beside its trace: - has no place",
                      "save the trace to a file first");
      return false;
    }
    if (!IsDirectory(input)) {
      tasks.push_back({input, PartialPathOf(input), true});
      continue;
    }
    const Result<std::vector<std::string>> files = FilesOfFolder(input);
    if (!files) {
      code = ComplainOfInput(files.error());
      return false;
    }
    for (const std::string& file : *files) {
      if (file.ends_with(kPartialSuffix) || file.ends_with(".live")) continue;
      tasks.push_back({file, PartialPathOf(file), false});
    }
  }
  if (arguments.output.empty()) return true;
  if (tasks.size() == 1) {
    tasks[0].partial = arguments.output;
    return true;
  }
  code = Complain(kExitUsage, "--output is for one trace",
                  "leave it out: each partial lies beside its trace");
  return false;
}

}  // namespace

ExitCode RunMap(const MapArguments& arguments) {
  std::vector<Task> tasks;
  ExitCode code = kExitOk;
  if (!FindTasks(arguments, tasks, code)) return code;
  std::vector<MapOutcome> outcomes(tasks.size());
  {
    Progress progress("mapping " + arguments.inputs.front());
    std::mutex mutex;
    uint64_t done = 0;
    Executor::Shared().ForEach(tasks.size(), [&](size_t i) {
      outcomes[i] = MapOne(tasks[i]);
      const std::lock_guard lock(mutex);
      progress.Set(++done, tasks.size());
    });
  }
  std::string lines;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const MapOutcome& outcome = outcomes[i];
    lines += outcome.line;
    if (!outcome.error) continue;
    // Folders hold other files too.
    if (outcome.no_trace && !tasks[i].named) continue;
    const ExitCode one = outcome.not_written
                             ? Complain(kExitIo, outcome.error->message,
                                        "choose another place with --output")
                             : ComplainOfInput(*outcome.error);
    // In a folder a damaged file is skipped; who named one is told.
    if (outcome.not_written || tasks[i].named) code = one;
  }
  if (code == kExitOk && lines.empty()) {
    return Complain(kExitUnreadable,
                    arguments.inputs.front() + ": no trace that can be read",
                    "stepscope info says what is in a folder");
  }
  const ExitCode written = WriteOutput(lines);
  return code != kExitOk ? code : written;
}

}  // namespace stepscope
