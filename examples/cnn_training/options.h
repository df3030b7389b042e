// SPDX-License-Identifier: Apache-2.0
//
// Command line of the example.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cnn {

struct Options {
  int64_t steps = 60;
  int loader_threads = 1;
  int64_t batch = 32;
  int storage_latency_ms = 60;  // a batch, simulated
  std::string out = "./profiler_demo";
  // Steps [begin, end) are recorded.
  int64_t profile_begin = 10;
  int64_t profile_end = 20;
  bool profile = true;
  bool forever = false;  // `steps` does not count; records from step 0
  bool help = false;
};

// Options, or what is wrong with the command line.
struct ParsedOptions {
  Options options;
  std::string error;  // empty: all is well
};

// `args` without the program's name.
ParsedOptions ParseOptions(std::span<const char* const> args);

// What --help prints.
const char* HelpText();

}  // namespace cnn
