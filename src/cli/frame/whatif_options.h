// SPDX-License-Identifier: Apache-2.0
//
// The options of `whatif` that say what to change.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "cli/frame/verbs.h"

namespace stepscope {

std::vector<Option> ChangeOptions(WhatifArguments& arguments);
// The forms of --change, a line each.
std::string DescribeChanges();

}  // namespace stepscope
