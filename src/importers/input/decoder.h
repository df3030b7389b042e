// SPDX-License-Identifier: Apache-2.0
//
// Decoder: one compressed stream, fed piece by piece. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace stepscope {

class Decoder {
 public:
  struct Step {
    size_t consumed = 0;
    size_t produced = 0;
    bool damaged = false;  // nothing after this can be read; see reason()
  };

  virtual ~Decoder() = default;

  // Takes from `in`, writes to `out`, until one of them is used up. Goes on
  // into further members (gzip) or frames (zstd).
  virtual Step Decode(std::span<const uint8_t> in, std::span<uint8_t> out) = 0;
  // Whether the stream may end here: between two members.
  virtual bool AtBoundary() const = 0;
  virtual std::string_view reason() const = 0;
};

// Null where memory is refused; the second also in a build without zstd.
std::unique_ptr<Decoder> MakeGzipDecoder();
std::unique_ptr<Decoder> MakeZstdDecoder();
bool HaveZstd();

}  // namespace stepscope
