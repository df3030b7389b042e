// SPDX-License-Identifier: Apache-2.0
//
// The commands of the program. A new one is a function in commands.cc.
#pragma once

#include <string>
#include <vector>

#include "cli/dataset/map.h"
#include "cli/dataset/query.h"
#include "cli/doctor/doctor.h"
#include "cli/frame/command.h"
#include "cli/frame/completion.h"
#include "cli/frame/verbs.h"
#include "cli/record/run.h"
#include "cli/record/trigger.h"
#include "cli/view.h"

namespace stepscope {

// What the parser fills, command by command.
struct Arguments {
  RunOptions run;
  TriggerArguments trigger;
  DoctorOptions doctor;
  SummaryArguments summary;
  AdviseArguments advise;
  WhatifArguments whatif;
  CompareArguments compare;
  ViewArguments view;
  ReportArguments report;
  MapArguments map;
  ReduceArguments reduce;
  QueryArguments query;
  InfoOptions info;
  ConvertOptions convert;
  TimelineOptions timeline;
  CompletionArguments completion;
  std::string step_range;  // of all that read traces
};

// In the order in which people meet them. `arguments` must outlive the result.
std::vector<Command> MakeCommands(Arguments& arguments);

}  // namespace stepscope
