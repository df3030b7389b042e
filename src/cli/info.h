// SPDX-License-Identifier: Apache-2.0
//
// The two outputs of `stepscope info`.
#pragma once

#include <string>

#include "cli/load.h"

namespace stepscope {

std::string InfoText(const LoadedInput& input);
std::string InfoJson(const LoadedInput& input);

}  // namespace stepscope
