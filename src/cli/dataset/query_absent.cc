// SPDX-License-Identifier: Apache-2.0
#include "cli/dataset/query.h"
#include "cli/frame/output.h"

namespace stepscope {

ExitCode RunQuery(const QueryArguments&) {
  return Complain(kExitUsage, "query is not part of this build",
                  "build stepscope with all its modules: make build");
}

std::vector<std::string> QueryNames() { return {}; }

}  // namespace stepscope
