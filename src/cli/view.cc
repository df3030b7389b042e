// SPDX-License-Identifier: Apache-2.0
#include "cli/view.h"

#include <algorithm>
#include <optional>

#include "base/byte_count.h"
#include "base/file.h"
#include "cli/frame/output.h"
#include "cli/load.h"
#include "cli/peak_options.h"

namespace stepscope {

Command ViewCommand(ViewArguments& arguments) {
  return {
      .name = "view",
      .group = "Find out where the time goes",
      .summary = "show timeline and tables in a browser",
      .description =
          "Shows a trace, or all traces of a folder, in a browser: a timeline "
          "and every table. Prints an address with a secret token; only people "
          "with the address can look. New traces in the folder appear while it "
          "runs. Ctrl-C ends it.",
      .operands = {{.name = "TRACE",
                    .meaning = "a trace file of any supported format, or a "
                               "folder with traces in it; several are shown "
                               "as one folder; none: the newest run in "
                               "profiler_log",
                    .target = &arguments.inputs,
                    .many = true,
                    .optional = true}},
      .options = {{.name = "--logdir",
                   .value = "DIR",
                   .kind = ValueKind::kFolder,
                   .meaning = "VisualDL's name for TRACE",
                   .group = "What to show",
                   .target = &arguments.logdir},
                  ComputePeakOption("What to show", &arguments.compute_peak),
                  MemoryPeakOption("What to show", &arguments.memory_peak),
                  {.name = "--host",
                   .value = "ADDRESS",
                   .kind = ValueKind::kText,
                   .meaning =
                       "address to listen on; 0.0.0.0 lets other machines in",
                   .fallback = "127.0.0.1, this machine only",
                   .group = "Where to serve",
                   .target = &arguments.host},
                  {.name = "--port",
                   .value = "PORT",
                   .kind = ValueKind::kCount,
                   .meaning =
                       "port to listen on; the next free one if it is taken, "
                       "0 for any",
                   .fallback = "8080",
                   .group = "Where to serve",
                   .target = &arguments.port},
                  {.name = "--no-browser",
                   .meaning = "print the address and open no browser",
                   .group = "Where to serve",
                   .target = &arguments.no_browser},
                  {.name = "--end-with-stdin",
                   .meaning = "end when standard input is closed, for a "
                              "program that starts the server",
                   .group = "Where to serve",
                   .target = &arguments.end_with_stdin},
                  {.name = "--frame-ancestors",
                   .value = "ORIGIN",
                   .kind = ValueKind::kText,
                   .meaning = "let pages of ORIGIN show the viewer in a frame, "
                              "such as http://localhost:8888; self for a "
                              "proxy's own; may be given several times",
                   .fallback = "no page may",
                   .group = "In other pages and behind a proxy",
                   .target = &arguments.frame_ancestors},
                  {.name = "--allow-host",
                   .value = "NAME",
                   .kind = ValueKind::kText,
                   .meaning = "answer also under NAME, the host of a proxy in "
                              "front; may be given several times",
                   .group = "In other pages and behind a proxy",
                   .target = &arguments.allow_host},
                  {.name = "--cache",
                   .value = "DIR",
                   .kind = ValueKind::kFolder,
                   .meaning = "keep what was read of large traces in this "
                              "folder, so that they open faster the next time",
                   .fallback = "$STEPSCOPE_CACHE, or stepscope/traces in "
                               "$XDG_CACHE_HOME or ~/.cache",
                   .group = "What to keep",
                   .target = &arguments.cache},
                  {.name = "--cache-limit",
                   .value = "SIZE",
                   .kind = ValueKind::kText,
                   .meaning = "bytes that the folder may hold, such as 500M "
                              "or 20G; what was not used for longest is "
                              "removed first",
                   .fallback = "10G, or a tenth of the free disk if that is "
                               "less",
                   .group = "What to keep",
                   .target = &arguments.cache_limit},
                  {.name = "--no-cache",
                   .meaning = "keep nothing, and use nothing that was kept",
                   .group = "What to keep",
                   .target = &arguments.no_cache}},
      .example_title = "what was recorded last",
      .example = "stepscope view profiler_log",
      .run = [&arguments] { return RunView(arguments); }};
}

ExitCode RunView(const ViewArguments& arguments) {
  std::vector<std::string> paths = arguments.inputs;
  if (paths.empty() && !arguments.logdir.empty())
    paths.push_back(arguments.logdir);
  if (paths.empty()) {
    ExitCode code = kExitOk;
    if (!NameInput(paths.emplace_back(), code)) return code;
  }
  if (!arguments.inputs.empty() && !arguments.logdir.empty())
    return Complain(kExitUsage, "view: TRACE and --logdir say the same",
                    "give one of them");
  if (std::find(paths.begin(), paths.end(), "-") != paths.end())
    return Complain(kExitUsage, "view: standard input cannot be shown",
                    "give a file or a folder");
  if (arguments.port > 65535)
    return Complain(kExitUsage, "--port: there is no such port",
                    "give a number up to 65535");
  ViewArguments checked = arguments;
  if (!arguments.cache_limit.empty()) {
    const std::optional<uint64_t> bytes = ParseByteCount(arguments.cache_limit);
    if (!bytes || *bytes == 0)
      return Complain(
          kExitUsage,
          "--cache-limit: " + arguments.cache_limit + " is not a size",
          "write it as 500M or 20G, or keep nothing with "
          "--no-cache");
    checked.cache_bytes = *bytes;
  }
  for (const std::string& path : paths)
    if (!FileExists(path))
      return Complain(kExitUnreadable, path + ": No such file or directory",
                      "check the path");
#ifdef STEPSCOPE_HAVE_SERVER
  return ServeView(paths, checked);
#else
  return Complain(kExitUsage, "view: this build has no server",
                  "build stepscope with cpp-httplib");
#endif
}

}  // namespace stepscope
