// SPDX-License-Identifier: Apache-2.0
//
// Where exported bytes go. Formatters fill large blocks and hand them over
// whole, so that a sink can write from the block itself, and a pipelined one
// can keep it while the formatter fills another. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope {

// Uninitialised bytes, of which the first `size` count.
struct Block {
  Block() = default;
  explicit Block(size_t bytes) : data(new char[bytes]), capacity(bytes) {}
  std::string_view view() const { return {data.get(), size}; }

  std::unique_ptr<char[]> data;
  size_t size = 0;
  size_t capacity = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;

  // Takes the bytes of `block` and leaves it empty. The storage may be
  // exchanged for another of at least the same capacity.
  virtual Status Write(Block& block) = 0;
  // After the last Write, once: what was written is complete. A sink that is
  // destroyed without it leaves nothing behind.
  virtual Status Close() = 0;
};

// Collects everything in one string.
class MemorySink : public Sink {
 public:
  Status Write(Block& block) override {
    text_.append(block.view());
    block.size = 0;
    return Ok();
  }
  Status Close() override { return Ok(); }
  std::string TakeText() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace stepscope
