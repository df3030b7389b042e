// SPDX-License-Identifier: Apache-2.0
//
// Styles and script of a report, as they stand in its file. The page's security
// policy allows exactly these, by hash.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::html {

std::string PageStyle();
// Tables sort by a click on a column and get a field to filter by. Without the
// script everything can be read.
extern const std::string_view kPageScript;

}  // namespace stepscope::html
