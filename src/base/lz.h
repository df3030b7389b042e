// SPDX-License-Identifier: Apache-2.0
//
// A small, fast LZ77 codec for text that repeats itself. Captures hold what it
// makes: the layout stays.
//
// A packed block is a row of sequences:
//   token     high 4 bits: literals, low 4 bits: match length - 4
//   [bytes]   where a field is 15: more of it, 255 meaning "and again"
//   literals
//   distance  2 bytes, little endian, 1..65535; absent in the last sequence
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

// REQUIRES: plain.size() < 2^31.
std::vector<uint8_t> LzPack(std::span<const uint8_t> plain);

// Fills `plain` exactly; false if `packed` is not what LzPack made of as many
// bytes. Never reads or writes outside of the two.
bool LzUnpack(std::span<const uint8_t> packed, std::span<uint8_t> plain);

}  // namespace stepscope
