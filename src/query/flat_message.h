// SPDX-License-Identifier: Apache-2.0
//
// FlatMessage: as much of FlatBuffers as the heads of Arrow's messages need.
// What others refer to is written after them, so that every reference points
// forward, as the format wants it. Little-endian machines only.
// https://flatbuffers.dev/internals/
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {

class FlatMessage {
 public:
  // A place in the message that is to refer to something.
  using Reference = size_t;

  struct Field {
    uint16_t slot = 0;  // as the schema numbers them
    uint16_t size = 0;  // bytes: 1, 2, 4 or 8; kRefers: a reference
    uint64_t value = 0;
  };
  static constexpr uint16_t kRefers = 0;

  // The first thing of a message, to which its root refers, is a table.
  FlatMessage() : bytes_(sizeof(uint32_t), '\0') {}
  Reference root() const { return 0; }

  // Writes a table to which `from` refers. Returns the references among its
  // fields, in their order.
  std::vector<Reference> AddTable(Reference from,
                                  std::initializer_list<Field> fields);
  void AddText(Reference from, std::string_view text);
  // A list of references to be filled in.
  std::vector<Reference> AddList(Reference from, size_t count);
  // A list of structs of two 64-bit numbers.
  void AddPairs(Reference from,
                const std::vector<std::pair<int64_t, int64_t>>& pairs);

  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  void Append(T value);
  template <typename T>
  void Put(size_t at, T value);
  // Zeros, until the size is `rest` more than a multiple of `unit`.
  void Align(size_t unit, size_t rest);
  void Refer(Reference from);  // to what comes next

  std::string bytes_;
};

}  // namespace stepscope
