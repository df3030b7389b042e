// SPDX-License-Identifier: Apache-2.0
//
// The commands. Each has its arguments, filled as commands.cc declares them,
// and a function that does the work and returns the exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/exit_code.h"

namespace stepscope {

inline constexpr int kTopNotGiven = -1;

// info: what was recorded, by whom, and what was lost.
struct InfoOptions {
  std::string input;
  std::string format = "text";
};
ExitCode RunInfo(const InfoOptions& options);

// summary: the tables. The spellings are those of the tables' own
// declarations and of table_options.h.
struct SummaryArguments {
  std::string input;
  std::string views;   // by comma; empty: what suits the format
  std::string layout;  // of text; empty: by the other options
  std::string sort;    // empty: CPUTotal; of fluid, as calls ended
  std::string unit;    // empty: auto on a terminal, else ms
  std::string format;  // empty: by the name of the output, else text
  std::string output = "-";
  std::string place;       // of fluid: CPU, GPU or All; empty: All
  int top = kTopNotGiven;  // rows of a table; 0: all
  bool no_op_detail = false;
  bool thread_sep = false;
  bool group_digits = false;
  bool flops = false;
  std::string bill = "tokens";
  std::string steps;         // a choice of steps; empty: everything
  std::string unprofiled;    // a duration; empty: not known
  std::string link_peak;     // GB/s; empty: not stated
  std::string compute_peak;  // TFLOP/s of a device; empty: not stated
  std::string memory_peak;   // GB/s of its memory; empty: not stated
  bool no_align = false;     // clocks of ranks as recorded
};
ExitCode RunSummary(const SummaryArguments& arguments);

// advise: what holds the steps up, worst first.
struct AdviseArguments {
  std::string input;
  std::string format = "text";
  int top = 0;  // findings; 0: all
  std::string steps = "settled";
  std::string unprofiled;  // a duration; empty: not known
  bool no_align = false;   // clocks of ranks as recorded
};
ExitCode RunAdvise(const AdviseArguments& arguments);

// whatif: what a step would take after a change.
struct WhatifArguments {
  std::string input;
  std::vector<std::string> changes;
  std::string unprofiled;  // a duration; empty: what the trace says
  std::string steps = "settled";
  std::string format = "text";
  bool memory = false;                   // what would be reserved, not the time
  std::vector<std::string> settings;     // of torch's allocator
  std::string device_memory;             // bytes; empty: no limit
  std::string batch;                     // a factor; empty: as recorded
  std::vector<std::string> recorded;     // FACTOR=FILE: of other batch sizes
  std::vector<std::string> checkpoints;  // names of modules or ranges
  bool free_early = false;               // what a step leaves to the next one
};
ExitCode RunWhatif(const WhatifArguments& arguments);

// compare: is B slower than A, and where?
struct CompareArguments {
  std::string a;
  std::string b;
  double fail_if_slower = -1;  // percent; negative: no gate
  std::string steps = "settled";
  std::string kind;  // of iterations, or "request"; empty: steps
  std::string bill;  // of requests; empty: by tokens
  std::string format = "text";
  int top = kTopNotGiven;  // rows of a table; 0: all
};
ExitCode RunCompare(const CompareArguments& arguments);

// report: everything about a trace in one file of HTML.
struct ReportArguments {
  std::string input;
  std::string output;
  std::string steps = "settled";
  std::string unprofiled;  // a duration; empty: not known
  std::string from;        // both from the begin of the recording
  std::string to;
  int top = 30;  // rows of a table; 0: all
  bool redact = false;
};
ExitCode RunReport(const ReportArguments& arguments);

// convert: the same trace in another format.
struct ConvertOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::string to;            // empty: by the name of the output
  bool show_memory = false;  // of TensorFlow's step statistics
  bool no_dataflow = false;
  bool critical_path = false;  // drawn in
  bool remove_live = false;    // of killed processes, once the output is there
  bool no_commit = false;      // of parquet: a later call puts it in place
  std::string mode;            // of cuda-profile: csv or kvp
  std::string config;          // of cuda-profile: a file of options
  bool no_align = false;       // clocks of ranks as recorded
  std::string bill;            // of otlp and tables; empty: by tokens
};
ExitCode RunConvert(const ConvertOptions& options);
// For --help: the formats, their suffixes, and what each cannot hold.
std::string DescribeFormats();

// timeline: profiles of several processes as one timeline.
struct TimelineOptions {
  std::string profile_path;  // [LABEL=]FILE[,LABEL=FILE]...
  std::string timeline_path;
  bool no_align = false;  // clocks of ranks as recorded
};
ExitCode RunTimeline(const TimelineOptions& options);

}  // namespace stepscope
