// SPDX-License-Identifier: Apache-2.0
#include "report/info/info.h"

#include "cli/frame/output.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"

namespace stepscope {

ExitCode RunInfo(const InfoOptions& options) {
  if (options.format != "text" && options.format != "json") {
    return Complain(kExitUsage,
                    "--format: unknown value \"" + options.format + "\"",
                    "choose from text, json");
  }
  ExitCode code = kExitOk;
  TraceInfo input;
  if (!LoadForInfo(options.input, input, code)) return code;
  return WriteOutput(options.format == "json" ? InfoJson(input)
                                              : InfoText(input));
}

}  // namespace stepscope
