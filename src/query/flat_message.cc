// SPDX-License-Identifier: Apache-2.0
#include "query/flat_message.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stepscope {

static_assert(std::endian::native == std::endian::little);

template <typename T>
void FlatMessage::Append(T value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
void FlatMessage::Put(size_t at, T value) {
  std::memcpy(bytes_.data() + at, &value, sizeof(value));
}

void FlatMessage::Align(size_t unit, size_t rest) {
  while (bytes_.size() % unit != rest) bytes_.push_back('\0');
}

void FlatMessage::Refer(Reference from) {
  Put(from, static_cast<uint32_t>(bytes_.size() - from));
}

std::vector<FlatMessage::Reference> FlatMessage::AddTable(
    Reference from, std::initializer_list<Field> fields) {
  constexpr size_t kHead = sizeof(int32_t);  // where the table of slots is
  const auto size_of = [](const Field& field) {
    return field.size == kRefers ? sizeof(uint32_t) : size_t{field.size};
  };
  // The widest first: behind the head, each is where its size wants it.
  size_t slots = 0;
  std::vector<size_t> offsets(fields.size());
  size_t end = kHead;
  for (const size_t width : {8, 4, 2, 1}) {
    for (size_t i = 0; i < fields.size(); ++i) {
      const Field& field = fields.begin()[i];
      slots = std::max<size_t>(slots, field.slot + 1u);
      if (size_of(field) != width) continue;
      offsets[i] = end;
      end += width;
    }
  }
  const size_t list = (2 + slots) * sizeof(uint16_t);
  // The table begins half-way between two multiples of 8, so that what
  // follows its head is at one of them.
  while ((bytes_.size() + list) % 8 != kHead) bytes_.push_back('\0');
  const size_t list_at = bytes_.size();
  Append(static_cast<uint16_t>(list));
  Append(static_cast<uint16_t>(end));
  bytes_.append(slots * sizeof(uint16_t), '\0');
  for (size_t i = 0; i < fields.size(); ++i)
    Put(list_at + (2u + fields.begin()[i].slot) * sizeof(uint16_t),
        static_cast<uint16_t>(offsets[i]));
  Refer(from);
  const size_t table_at = bytes_.size();
  Append(static_cast<int32_t>(table_at - list_at));
  bytes_.append(end - kHead, '\0');
  std::vector<Reference> references;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Field& field = fields.begin()[i];
    const size_t at = table_at + offsets[i];
    if (field.size == kRefers)
      references.push_back(at);
    else
      std::memcpy(bytes_.data() + at, &field.value, field.size);
  }
  return references;
}

void FlatMessage::AddText(Reference from, std::string_view text) {
  Align(4, 0);
  Refer(from);
  Append(static_cast<uint32_t>(text.size()));
  bytes_.append(text);
  bytes_.push_back('\0');
}

std::vector<FlatMessage::Reference> FlatMessage::AddList(Reference from,
                                                         size_t count) {
  Align(4, 0);
  Refer(from);
  Append(static_cast<uint32_t>(count));
  std::vector<Reference> references(count);
  for (Reference& one : references) {
    one = bytes_.size();
    Append(uint32_t{0});
  }
  return references;
}

void FlatMessage::AddPairs(
    Reference from, const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  Align(8, 4);
  Refer(from);
  Append(static_cast<uint32_t>(pairs.size()));
  for (const auto& [first, second] : pairs) {
    Append(first);
    Append(second);
  }
}

}  // namespace stepscope
