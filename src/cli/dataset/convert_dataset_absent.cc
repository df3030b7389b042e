// SPDX-License-Identifier: Apache-2.0
#include "cli/dataset/convert_dataset.h"
#include "cli/frame/output.h"

namespace stepscope {

ExitCode RunConvertDataset(const ConvertOptions&) {
  return Complain(kExitUsage, "--to parquet: this build has no part for it",
                  "use a build of stepscope that is not the preset live");
}

}  // namespace stepscope
