// SPDX-License-Identifier: Apache-2.0
#include "exporters/capture/table_writer.h"

#include <cstring>

namespace stepscope::capture {
namespace {

uint32_t WidthFor(uint64_t largest) {
  if (largest == 0) return 0;
  if (largest <= UINT8_MAX) return 1;
  if (largest <= UINT16_MAX) return 2;
  return largest <= UINT32_MAX ? 4 : 8;
}

template <typename T, typename Value>
void PutValues(char* out, uint32_t rows, Value value) {
  for (uint32_t i = 0; i < rows; ++i) {
    const auto v = static_cast<T>(value(i));
    std::memcpy(out + i * sizeof(T), &v, sizeof(T));
  }
}

template <typename Value>
void PutColumn(char* out, uint32_t rows, uint32_t width, Value value) {
  switch (width) {
    case 1:
      return PutValues<uint8_t>(out, rows, value);
    case 2:
      return PutValues<uint16_t>(out, rows, value);
    case 4:
      return PutValues<uint32_t>(out, rows, value);
    case 8:
      return PutValues<uint64_t>(out, rows, value);
    default:
      return;
  }
}

}  // namespace

void PackColumn(std::string& out, const uint64_t* values, uint32_t rows,
                uint32_t least_width) {
  auto low = static_cast<int64_t>(values[0]);
  auto high = low;
  uint64_t largest_delta = 0;
  for (uint32_t i = 1; i < rows; ++i) {
    const auto v = static_cast<int64_t>(values[i]);
    low = std::min(low, v);
    high = std::max(high, v);
    largest_delta = std::max(largest_delta, values[i] - values[i - 1]);
  }
  const uint32_t by_offset =
      WidthFor(static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
  const uint32_t by_delta = WidthFor(largest_delta);
  const bool delta = by_delta < by_offset;
  format::ColumnHeader header = {};
  header.coding = static_cast<uint8_t>(delta ? format::Coding::kDelta
                                             : format::Coding::kOffset);
  header.width = static_cast<uint8_t>(
      std::max(std::min(by_delta, by_offset), least_width));
  header.base = delta ? values[0] : static_cast<uint64_t>(low);
  out.append(reinterpret_cast<const char*>(&header), sizeof(header));
  const size_t at = out.size();
  const uint64_t bytes = uint64_t{rows} * header.width;
  out.resize(at + format::PaddedBytes(bytes));
  const uint64_t base = header.base;
  if (delta) {
    PutColumn(out.data() + at, rows, header.width, [=](uint32_t i) {
      return i == 0 ? 0 : values[i] - values[i - 1];
    });
  } else {
    PutColumn(out.data() + at, rows, header.width,
              [=](uint32_t i) { return values[i] - base; });
  }
}

void TableWriter::Start(format::Table table, uint64_t rows) {
  table_ = table;
  columns_ = format::ColumnsOf(table);
  stride_ = static_cast<size_t>(std::min<uint64_t>(rows, format::kTableRows));
  values_.resize(columns_ * stride_);
}

void TableWriter::Flush(uint64_t next_row) {
  format::TableHeader header = {};
  header.table = static_cast<uint32_t>(table_);
  header.rows = rows_;
  header.first_row = next_row - rows_;
  header.columns = columns_;
  header.extra_bytes = extra_.size();
  payload_.assign(reinterpret_cast<const char*>(&header), sizeof(header));
  for (uint32_t c = 0; c < columns_; ++c)
    PackColumn(payload_, values_.data() + c * stride_, rows_, c == 0 ? 1 : 0);
  payload_ += extra_;
  blocks_.Write(format::BlockKind::kTable, payload_.data(), payload_.size());
  rows_ = 0;
  extra_.clear();
}

}  // namespace stepscope::capture
