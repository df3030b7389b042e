// SPDX-License-Identifier: Apache-2.0
#include "exporters/timeline/timeline.h"

#include <algorithm>
#include <optional>

#include "analysis/ranks/align_set.h"
#include "base/file.h"
#include "cli/frame/output.h"
#include "cli/frame/output_file.h"
#include "cli/frame/progress.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"
#include "exporters/output_file.h"
#include "importers/import_many.h"
#include "importers/registry.h"
#include "importers/tensorflow/tensorflow_importer.h"

namespace stepscope {
namespace {

constexpr const char* kDefaultProfile = "/tmp/profile";
constexpr const char* kDefaultTimeline = "/tmp/timeline";
constexpr const char* kDefaultLabel = "trainer";

struct Item {
  std::string label;
  std::string path;
};

// [LABEL=]FILE, or LABEL=FILE,LABEL=FILE... A path may itself hold '='.
Result<std::vector<Item>> ParseProfiles(const std::string& text) {
  std::vector<Item> items;
  if (text.find(',') == std::string::npos) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || FileExists(text))
      items.push_back({kDefaultLabel, text});
    else
      items.push_back({text.substr(0, equals), text.substr(equals + 1)});
    return items;
  }
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, comma - at);
    const size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size())
      return Fail(ErrorCode::kInvalidArgument,
                  "--profile_path: \"" + item + "\": expected LABEL=FILE");
    items.push_back({item.substr(0, equals), item.substr(equals + 1)});
    at = comma + 1;
  }
  for (size_t i = 0; i < items.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (items[i].label == items[j].label)
        return Fail(
            ErrorCode::kInvalidArgument,
            "--profile_path: label \"" + items[i].label + "\" is given twice");
  return items;
}

// All files, several at once. The first error in the order of the items.
Result<std::vector<LabelledTrace>> ImportItems(const std::vector<Item>& items) {
  std::vector<std::string> paths;
  for (const Item& item : items) paths.push_back(item.path);
  STEPSCOPE_TRY(CheckStandardInput(paths));
  ImportOptions options;
  options.formats.Set(TensorflowOptions{.show_memory = true});
  std::vector<std::optional<Result<std::shared_ptr<const Trace>>>> results(
      items.size());
  options.executor->ForEach(items.size(), [&](size_t i) {
    results[i] = ImportPath(items[i].path, options);
  });
  std::vector<LabelledTrace> traces;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!*results[i]) return results[i]->error();
    LabelledTrace& trace = traces.emplace_back();
    trace.label = items[i].label;
    trace.trace = **results[i];
  }
  return traces;
}

// Lays traces upon each other that met in collectives or calls. Who says no
// more than its own clock does stays as it is.
void AlignTraces(std::vector<LabelledTrace>& traces,
                 std::vector<std::string>& notes) {
  std::vector<std::shared_ptr<const Trace>> members;
  for (const LabelledTrace& item : traces) members.push_back(item.trace);
  TraceSet set(std::move(members));
  const SetClocks clocks = AlignSet(set);
  const auto is_found = [](const MemberClock& member) {
    return IsFoundByEvents(member.clock.method);
  };
  if (std::none_of(clocks.members.begin(), clocks.members.end(), is_found))
    return;
  const int64_t epoch = set.epoch().known ? set.epoch().ns : 0;
  for (size_t i = 0; i < traces.size(); ++i) {
    const TraceSet::Member& member = set.members()[i];
    traces[i].clock = member.clock.ThenShift(epoch);
    traces[i].clock_facts = member.facts;
  }
  for (const std::string& note : clocks.notes) notes.push_back(note);
}

Status WriteTimelineFile(const std::vector<LabelledTrace>& traces,
                         const std::string& path,
                         std::vector<std::string>& notes) {
  STEPSCOPE_TRY_ASSIGN(auto sink, OpenOutput(path));
  STEPSCOPE_TRY(WriteTimeline(traces, *sink, notes));
  return sink->Close();
}

}  // namespace

ExitCode RunTimeline(const TimelineOptions& options) {
  const std::string profiles =
      options.profile_path.empty() ? kDefaultProfile : options.profile_path;
  const std::string output =
      options.timeline_path.empty() ? kDefaultTimeline : options.timeline_path;
  const Result<std::vector<Item>> items = ParseProfiles(profiles);
  if (!items)
    return Complain(kExitUsage, items.error().message,
                    "see stepscope timeline --help");
  if (const ExitCode code = CheckOutput(output); code != kExitOk) return code;
  Result<std::vector<LabelledTrace>> traces = [&] {
    const Progress progress("reading " + profiles);
    return ImportItems(*items);
  }();
  if (!traces) return ComplainOfInput(traces.error());
  std::vector<std::string> notes;
  if (!options.no_align) AlignTraces(*traces, notes);
  const Status status = [&] {
    const Progress progress("writing " + output);
    return WriteTimelineFile(*traces, output, notes);
  }();
  if (!status) return ComplainOfOutput(status.error());
  for (const std::string& note : notes) PrintError("note: " + note);
  return kExitOk;
}

}  // namespace stepscope
