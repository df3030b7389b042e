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
  const std::shared_ptr<const Trace> trace = LoadTrace({options.input}, code);
  if (trace == nullptr) return code;
  return WriteOutput(options.format == "json" ? InfoJson(*trace)
                                              : InfoText(*trace));
}

}  // namespace stepscope
