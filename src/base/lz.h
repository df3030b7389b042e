// SPDX-License-Identifier: Apache-2.0
//
// A small, fast codec for text that repeats itself, in the block layout of
// LZ4: any LZ4 library reads what LzPack makes, and LzUnpack reads what any of
// them makes. Captures hold such blocks: the layout stays.
//
// A packed block is a row of sequences:
//   token     high 4 bits: literals, low 4 bits: match length - 4
//   [bytes]   where a field is 15: more of it, 255 meaning "and again"
//   literals
//   distance  2 bytes, little endian, 1..65535; absent in the last sequence
//
// LZ4's rule for the end: the last 5 bytes are literals, and the last match
// begins at least 12 bytes before the end. Captures of stepscope before this
// rule hold blocks that end in a match; LzUnpack reads them too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

// REQUIRES: plain.size() < 2^31.
std::vector<uint8_t> LzPack(std::span<const uint8_t> plain);

// Fills `plain` exactly; false if `packed` is not a block of as many bytes.
// Never reads or writes outside of the two.
bool LzUnpack(std::span<const uint8_t> packed, std::span<uint8_t> plain);

// Whether a block that unpacks to `plain_size` bytes keeps LZ4's rule for the
// end. Looks at the lengths alone, without unpacking.
bool IsLz4Block(std::span<const uint8_t> packed, size_t plain_size);

}  // namespace stepscope
