// SPDX-License-Identifier: Apache-2.0
//
// map: a small partial beside each trace, by as many processes as there are
// ranks. reduce: the tables of the job from the partials of all.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "cli/frame/exit_code.h"
#include "cli/frame/verbs.h"

namespace stepscope {

struct MapArguments {
  std::vector<std::string> inputs;
  std::string output;  // empty: beside the trace
};
ExitCode RunMap(const MapArguments& arguments);

struct ReduceArguments {
  std::vector<std::string> inputs;
  SummaryArguments tables;  // without an input
};
ExitCode RunReduce(const ReduceArguments& arguments);

// As commands.cc declares the others.
Command MapCommand(MapArguments& arguments);
// `like`: the command summary, which has the same options for tables.
Command ReduceCommand(ReduceArguments& arguments, Command like);

}  // namespace stepscope
