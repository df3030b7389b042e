// SPDX-License-Identifier: Apache-2.0
//
// Options of commands that read traces of several ranks.
#pragma once

#include "cli/frame/command.h"

namespace stepscope {

inline Option NoAlignOption(bool* target) {
  return {.name = "--no-align",
          .meaning = "leave the clocks of ranks as recorded",
          .group = "Several ranks",
          .target = target};
}

}  // namespace stepscope
