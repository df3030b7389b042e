// SPDX-License-Identifier: Apache-2.0
//
// What the tests of src/importers/input share.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "importers/input/input_source.h"

namespace stepscope {

inline std::string Sample(size_t size) {
  std::string text;
  while (text.size() < size) text += std::to_string(text.size() * 7919) + ",";
  text.resize(size);
  return text;
}

inline std::string Gzip(const std::string& plain) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Everything, by reads of `piece` bytes.
inline std::string ReadAll(InputSource& input, size_t piece) {
  std::string all;
  std::vector<uint8_t> buffer(piece);
  while (true) {
    const Result<size_t> got = input.Read(buffer);
    if (!got) return "error: " + got.error().message;
    if (*got == 0) return all;
    all.append(reinterpret_cast<char*>(buffer.data()), *got);
  }
}

inline std::string Text(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace stepscope
