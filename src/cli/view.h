// SPDX-License-Identifier: Apache-2.0
//
// view: the timeline and all tables in a browser.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "cli/frame/exit_code.h"

namespace stepscope {

struct ViewArguments {
  std::vector<std::string> inputs;
  std::string logdir;  // the same, as VisualDL spells it
  std::string host = "127.0.0.1";
  int port = 8080;
  bool no_browser = false;
  std::vector<std::string> frame_ancestors;
  std::vector<std::string> allow_host;
  bool end_with_stdin = false;
  std::string cache;        // empty: STEPSCOPE_CACHE, or the usual folder
  std::string cache_limit;  // empty: the usual
  bool no_cache = false;
  std::string compute_peak;  // TFLOP/s of a device; empty: not stated
  std::string memory_peak;   // GB/s of its memory; empty: not stated
  uint64_t cache_bytes = 0;  // what cache_limit says, once it is read
};

Command ViewCommand(ViewArguments& arguments);
ExitCode RunView(const ViewArguments& arguments);

// Of builds with the server: serves until it is interrupted.
ExitCode ServeView(const std::vector<std::string>& paths,
                   const ViewArguments& arguments);

}  // namespace stepscope
