// SPDX-License-Identifier: Apache-2.0
//
// Protobuf has no magic number. A format is told by its shape: whether the
// first bytes of a file can be walked as messages of that format, and whether
// that walk meets what no other format has.
#pragma once

#include <span>

#include "importers/proto/wire.h"

namespace stepscope::proto {

struct Shape;

// What one field of a message holds.
struct Rule {
  enum class Holds : uint8_t {
    kAny,
    kText,     // printable UTF-8
    kPath,     // the same, beginning with '/'
    kVersion,  // "1.0.2"
    kMessage,
  };
  uint32_t tag = 0;
  Holds holds = Holds::kAny;
  const Shape* shape = nullptr;  // kMessage
  bool telling = false;          // evidence for the format
};

struct Shape {
  std::span<const Rule> rules;
  // A message with fewer different telling fields is no evidence itself.
  uint32_t least_telling = 0;
};

// Whether a file that begins with `head` is a message of that shape. The head
// may end anywhere. Unknown fields are allowed where known ones outnumber
// them; a known field with a wrong wire type is not.
bool BeginsAs(const Shape& shape, Bytes head);

}  // namespace stepscope::proto
