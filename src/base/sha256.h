// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4), for what others must be able to check or must not be
// able to guess: hashes in a page's security policy, names that are hidden.
// base/hash.h is the fast one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

std::array<uint8_t, 32> Sha256(std::string_view bytes);
// As Content-Security-Policy has it: 44 characters.
std::string Sha256Base64(std::string_view bytes);
// Lower case, 64 characters.
std::string Sha256Hex(std::string_view bytes);

}  // namespace stepscope
