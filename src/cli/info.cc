// SPDX-License-Identifier: Apache-2.0
#include "cli/info.h"

#include "cli/load.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace stepscope {

ExitCode RunInfo(const InfoOptions& options) {
  if (options.format != "text" && options.format != "json") {
    return Complain(kExitUsage,
                    "--format: unknown value \"" + options.format + "\"",
                    "choose from text, json");
  }
  ExitCode code = kExitOk;
  LoadedInput input;
  if (!LoadForInfo(options.input, input, code)) return code;
  return WriteOutput(options.format == "json" ? InfoJson(input)
                                              : InfoText(input));
}

}  // namespace stepscope
