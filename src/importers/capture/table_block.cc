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
    const uint64_t bytes =
        format::PaddedBytes(uint64_t{header.rows} * column.header.width);
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

TableBlock::Values::Values(const TableBlock& block, uint32_t column)
    : header_(block.columns_[column].header),
      data_(block.columns_[column].data),
      value_(header_.base) {}

template <typename Stored, typename T>
void TableBlock::Values::NextAs(uint32_t rows, T* out) {
  const uint8_t* const data = data_;
  const auto at = [data](uint32_t i) {
    Stored v;
    std::memcpy(&v, data + i * sizeof(Stored), sizeof(Stored));
    return static_cast<uint64_t>(v);
  };
  data_ += rows * sizeof(Stored);
  uint64_t value = value_;
  if (static_cast<Coding>(header_.coding) == Coding::kOffset) {
    for (uint32_t i = 0; i < rows; ++i) out[i] = static_cast<T>(value + at(i));
    return;
  }
  for (uint32_t i = 0; i < rows; ++i) {
    value += at(i);
    out[i] = static_cast<T>(value);
  }
  value_ = value;
}

template <typename T>
void TableBlock::Values::Next(uint32_t rows, T* out) {
  switch (header_.width) {
    case 0:
      for (uint32_t i = 0; i < rows; ++i) out[i] = static_cast<T>(value_);
      return;
    case 1:
      return NextAs<uint8_t>(rows, out);
    case 2:
      return NextAs<uint16_t>(rows, out);
    case 4:
      return NextAs<uint32_t>(rows, out);
    default:
      return NextAs<uint64_t>(rows, out);
  }
}

template void TableBlock::Values::Next(uint32_t, uint64_t*);
template void TableBlock::Values::Next(uint32_t, int64_t*);
template void TableBlock::Values::Next(uint32_t, uint32_t*);
template void TableBlock::Values::Next(uint32_t, uint16_t*);

}  // namespace stepscope::capture
