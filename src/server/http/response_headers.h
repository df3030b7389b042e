// SPDX-License-Identifier: Apache-2.0
//
// What every answer carries, errors too: nothing is run, framed, cached or
// read by anybody but the page itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace stepscope::server {

using HeaderLine = std::pair<std::string_view, std::string_view>;
std::span<const HeaderLine> SecurityHeaders();

// The first of them, of a page that others may frame (frame_ancestors.h).
inline constexpr const char* kPolicyHeader = "Content-Security-Policy";
std::string PolicyFramedBy(std::string_view sources);

inline constexpr std::string_view kNoStore = "no-store";
// Of assets whose name changes with their content.
inline constexpr std::string_view kImmutable =
    "public, max-age=31536000, immutable";

}  // namespace stepscope::server
