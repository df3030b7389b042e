// SPDX-License-Identifier: Apache-2.0
//
// Names of event types (stepscope_event_type), as Paddle spells them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// Of Paddle 3, under its numbers: an operator's kernel is chosen and run. Its
// own schema of node trees does not have them.
inline constexpr uint16_t kDygraphKernelLaunch = 15;
inline constexpr uint16_t kStaticKernelLaunch = 16;

// "Operator", "Dataloader", ...; "" for a number without a name.
std::string_view EventTypeName(uint16_t type);
// By name, in any case.
std::optional<uint16_t> EventTypeByName(std::string_view name);

}  // namespace stepscope
