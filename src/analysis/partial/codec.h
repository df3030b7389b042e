// SPDX-License-Identifier: Apache-2.0
//
// A partial as the bytes of a file, with its version and checksums;
// docs/formats/partial.md describes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "analysis/partial/partial.h"
#include "base/result.h"

namespace stepscope {

inline constexpr std::string_view kPartialSuffix = ".sspart";
// Of the layout and of what the figures mean: other versions are not read.
inline constexpr uint32_t kPartialVersion = 5;

std::string EncodePartial(const Partial& partial);

// Whether a file that begins so is a partial, of whatever version.
bool IsPartial(std::string_view begin);

// Of a whole file, checksums as well; without reading the fields of the body.
// kCorrupt: the message says at which byte, and what was expected there.
Result<PartialHead> CheckPartial(std::string_view bytes);
Result<Partial> DecodePartial(std::string_view bytes);

}  // namespace stepscope
