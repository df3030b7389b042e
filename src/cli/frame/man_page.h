// SPDX-License-Identifier: Apache-2.0
//
// What is kept in docs/ and made from the declarations of the commands. A test
// compares; STEPSCOPE_UPDATE_DOCS=1 makes it write instead.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/command.h"

namespace stepscope {

// docs/man/stepscope.1
std::string ManPage(const std::vector<Command>& commands);

// docs/guide/cli.md: its lines between "<!-- options: NAME -->" (or "<!--
// commands -->", "<!-- exit codes -->") and "<!-- end -->" made anew.
std::string FillGuide(const std::vector<Command>& commands,
                      const std::string& guide);

}  // namespace stepscope
