// SPDX-License-Identifier: Apache-2.0
//
// The two outputs of `stepscope info`.
#pragma once

#include <string>

#include "trace/trace.h"

namespace stepscope {

std::string InfoText(const Trace& trace);
std::string InfoJson(const Trace& trace);

}  // namespace stepscope
