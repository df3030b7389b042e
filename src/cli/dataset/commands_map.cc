// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/partial/partial.h"
#include "analysis/tables/all_tables.h"
#include "cli/dataset/map.h"

namespace stepscope {

namespace {

constexpr const char* kGroup = "Jobs of very many ranks";

}  // namespace

Command MapCommand(MapArguments& arguments) {
  return {.name = "map",
          .group = kGroup,
          .summary = "write a small partial beside each trace of a job",
          .description =
              "Reads a trace and writes what the tables of the job need of "
              "it: sums by name, steps and collectives. Run it on each trace "
              "by srun, a Kubernetes job or xargs, then run stepscope reduce "
              "on the partials.",
          .operands = {{.name = "TRACE",
                        .meaning = "a trace file, or a folder of traces",
                        .target = &arguments.inputs,
                        .many = true}},
          .options = {{.name = "--output",
                       .short_name = "-o",
                       .value = "FILE",
                       .kind = ValueKind::kFile,
                       .meaning = "partial to write, of a single trace",
                       .fallback = "TRACE.sspart",
                       .group = "Output",
                       .target = &arguments.output}},
          .example_title = "the traces of a job, four at a time",
          .example = "ls job/*.json.gz | xargs -P 4 -n 1 stepscope map",
          .run = [&arguments] { return RunMap(arguments); }};
}

namespace {

// Of a partial nobody can ask for threads, for a choice of steps, or for the
// report of fluid.
bool NeedsEvents(const Option& option) {
  return option.name == "--thread-sep" || option.name == "--steps" ||
         option.name == "--place";
}

std::vector<std::string> ViewsOfPartials() {
  std::vector<std::string> names;
  for (const ViewName& view : ViewNames())
    if (view.views & kPartialViews) names.emplace_back(view.name);
  return names;
}

}  // namespace

Command ReduceCommand(ReduceArguments& arguments, Command like) {
  Command command = std::move(like);
  command.name = "reduce";
  command.group = kGroup;
  command.summary = "print tables of a job from the partials of its ranks";
  command.description =
      "Prints the tables that stepscope summary prints of all traces of a "
      "job, from the partials that stepscope map wrote. Sums, counts and "
      "extremes are the same; percentiles are off by at most 0.4 %. Tables "
      "that need all events at once are named and left out.";
  command.operands = {{.name = "PARTIAL",
                       .meaning = "partials, or a folder of them",
                       .target = &arguments.inputs,
                       .many = true}};
  std::erase_if(command.options, NeedsEvents);
  for (Option& option : command.options) {
    if (option.name == "--format") {
      std::erase(option.choices, "fluid");
    } else if (option.name == "--views") {
      option.choices = ViewsOfPartials();
      option.fallback = "those of summary that are in partials";
    } else if (option.name == "--sort") {
      option.meaning = "order of the rows";
      option.choices.clear();
      for (const SortKeyName& key : SortKeyNames())
        option.choices.emplace_back(key.name);
      option.accepts = [](const std::string& text) {
        return ParseSortKey(text).has_value();
      };
    }
  }
  command.example_title = "which rank makes the job wait, in which operators?";
  command.example = "stepscope reduce job --views stragglers,operator --top 10";
  command.run = [&arguments] { return RunReduce(arguments); };
  return command;
}

}  // namespace stepscope
