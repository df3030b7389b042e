// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/table_block.h"

#include <cstring>

#include "format/block.h"

namespace stepscope::capture {
namespace {

using format::Coding;
using format::ColumnHeader;
using format::TableHeader;

bool IsWidth(uint8_t width) {
  return width == 0 || width == 1 || width == 2 || width == 4 || width == 8;
}

template <typename Stored, typename T>
void DecodeAs(const uint8_t* data, Coding coding, uint64_t base, uint32_t rows,
              T* out) {
  const auto at = [data](uint32_t i) {
    Stored v;
    std::memcpy(&v, data + i * sizeof(Stored), sizeof(Stored));
    return static_cast<uint64_t>(v);
  };
  if (coding == Coding::kOffset) {
    for (uint32_t i = 0; i < rows; ++i) out[i] = static_cast<T>(base + at(i));
    return;
  }
  uint64_t value = base;
  for (uint32_t i = 0; i < rows; ++i) {
    value += at(i);
    out[i] = static_cast<T>(value);
  }
}

}  // namespace

std::optional<TableBlock> TableBlock::Parse(std::span<const uint8_t> payload) {
  TableHeader header;
  if (payload.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, payload.data(), sizeof(header));
  const auto table = static_cast<format::Table>(header.table);
  const uint32_t known = format::ColumnsOf(table);
  // Columns that a later version added stand behind ours.
  if (known == 0 || header.columns < known || header.rows == 0 ||
      header.rows > format::kTableRows)
    return std::nullopt;
  TableBlock block;
  block.table_ = table;
  block.rows_ = header.rows;
  block.first_row_ = header.first_row;
  size_t at = sizeof(header);
  for (uint32_t c = 0; c < header.columns; ++c) {
    Column column;
    if (payload.size() - at < sizeof(column.header)) return std::nullopt;
    std::memcpy(&column.header, payload.data() + at, sizeof(column.header));
    at += sizeof(column.header);
    if (!IsWidth(column.header.width) || column.header.coding > 1 ||
        (c == 0 && column.header.width == 0))
      return std::nullopt;
    const uint64_t bytes = format::PaddedBytes(
        uint64_t{header.rows} * column.header.width);
    if (payload.size() - at < bytes) return std::nullopt;
    column.data = payload.data() + at;
    at += static_cast<size_t>(bytes);
    if (c < known) block.columns_.push_back(column);
  }
  if (payload.size() - at != header.extra_bytes) return std::nullopt;
  block.extra_ = {reinterpret_cast<const char*>(payload.data()) + at,
                  payload.size() - at};
  return block;
}

template <typename T>
void TableBlock::Decode(uint32_t column, T* out) const {
  const Column& c = columns_[column];
  const auto coding = static_cast<Coding>(c.header.coding);
  switch (c.header.width) {
    case 0:
      for (uint32_t i = 0; i < rows_; ++i)
        out[i] = static_cast<T>(c.header.base);
      return;
    case 1:
      return DecodeAs<uint8_t>(c.data, coding, c.header.base, rows_, out);
    case 2:
      return DecodeAs<uint16_t>(c.data, coding, c.header.base, rows_, out);
    case 4:
      return DecodeAs<uint32_t>(c.data, coding, c.header.base, rows_, out);
    default:
      return DecodeAs<uint64_t>(c.data, coding, c.header.base, rows_, out);
  }
}

template void TableBlock::Decode(uint32_t, uint64_t*) const;
template void TableBlock::Decode(uint32_t, int64_t*) const;
template void TableBlock::Decode(uint32_t, uint32_t*) const;
template void TableBlock::Decode(uint32_t, uint16_t*) const;

}  // namespace stepscope::capture
