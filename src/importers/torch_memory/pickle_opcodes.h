// SPDX-License-Identifier: Apache-2.0
//
// The opcodes of pickles that are read, and what the refused ones do.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stepscope::torch_memory {

enum Opcode : uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinUnicode = 'X',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kEmptyList = ']',
  kAppend = 'a',
  kDict = 'd',
  kEmptyDict = '}',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kList = 'l',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetItems = 'u',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kBinBytes8 = 0x8e,
  kEmptySet = 0x8f,
  kAddItems = 0x90,
  kFrozenSet = 0x91,
  kMemoize = 0x94,
  kFrame = 0x95,
  kByteArray8 = 0x96,
};

// How many bytes follow an opcode before anything of its own length.
inline size_t FixedBytes(uint8_t opcode) {
  switch (opcode) {
    case kBinFloat:
    case kBinUnicode8:
    case kBinBytes8:
    case kByteArray8:
    case kFrame:
      return 8;
    case kBinInt:
    case kBinUnicode:
    case kBinString:
    case kBinBytes:
    case kLongBinGet:
    case kLongBinPut:
    case kLong4:
      return 4;
    case kBinInt2:
      return 2;
    case kBinInt1:
    case kShortBinString:
    case kShortBinBytes:
    case kShortBinUnicode:
    case kBinGet:
    case kBinPut:
    case kLong1:
    case kProto:
      return 1;
    default:
      return 0;
  }
}

// The number that an opcode pushes. Its bytes, or 0: it is no such opcode, or
// the number has no byte or more than eight. REQUIRES: ten bytes are there.
inline size_t ReadInt(const uint8_t* code, int64_t& number) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t bits = 0;
  switch (*code) {
    case kBinInt1:
      number = code[1];
      return 2;
    case kBinInt2:
      number = code[1] | code[2] << 8;
      return 3;
    case kBinInt:
      std::memcpy(&bits, code + 1, 4);
      number = static_cast<int32_t>(static_cast<uint32_t>(bits));
      return 5;
    case kLong1: {
      const size_t size = code[1];
      if (size == 0 || size > 8) return 0;
      std::memcpy(&bits, code + 2, 8);
      const auto unused = static_cast<unsigned>(64 - 8 * size);
      number = static_cast<int64_t>(bits << unused) >> unused;
      return 2 + size;
    }
    default:
      return 0;
  }
}

// What no plain data have, by its opcode; null: not such a one.
inline const char* CodeName(uint8_t opcode) {
  switch (opcode) {
    case 'c':
    case 0x93:
      return "imports a name";
    case 'R':
      return "calls a function";
    case 'b':
      return "sets the state of an object";
    case 'i':
    case 'o':
    case 0x81:
    case 0x92:
      return "makes an object of a class";
    case 'P':
    case 'Q':
      return "refers to an object outside it";
    case 0x82:
    case 0x83:
    case 0x84:
      return "uses a registered extension";
    case 0x97:
    case 0x98:
      return "refers to a buffer outside it";
    default:
      return nullptr;
  }
}

}  // namespace stepscope::torch_memory
