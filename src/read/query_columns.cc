// SPDX-License-Identifier: Apache-2.0
#include "read/query_columns.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wide_integer.h"
#include "query/result_text.h"
#include "read/column_set.h"

namespace stepscope {
namespace {

using duckdb::TypeId;

// Decimals of Arrow have 38 digits; 128 bits would hold a little more.
constexpr WideInteger TenTo38() {
  WideInteger value = 1;
  for (int i = 0; i < 38; ++i) value *= 10;
  return value;
}

// Whole numbers of any size: 64 bits each, until one needs more.
class WideColumn {
 public:
  // False: it has too many digits.
  [[nodiscard]] bool Append(WideInteger value) {
    if (value <= -TenTo38() || value >= TenTo38()) return false;
    const auto narrow = static_cast<int64_t>(value);
    if (wide_.empty() && narrow == value) {
      narrow_.push_back(narrow);
      return true;
    }
    if (wide_.empty()) {
      wide_.assign(narrow_.begin(), narrow_.end());
      narrow_ = {};
    }
    wide_.push_back(value);
    return true;
  }

  const char* format() const { return wide_.empty() ? "l" : "d:38,0"; }
  const void* values() const {
    if (wide_.empty()) return narrow_.data();
    return wide_.data();
  }

 private:
  std::vector<int64_t> narrow_;
  std::vector<WideInteger> wide_;  // all of them, once they are needed
};

// One column; its type says which of these it uses.
struct ResultColumn {
  Validity validity;
  std::vector<int32_t> small;
  std::vector<double> real;
  Validity truth;  // bits
  WideColumn whole;
  TextColumn text;
};

// NULL cells have a value, too, which nobody looks at.
Status AppendCell(const QueryResult& rows, size_t c, size_t row,
                  ResultColumn& column) {
  const bool null = rows.IsNull(c, row);
  column.validity.Append(!null);
  bool fits = true;
  switch (rows.type(c)) {
    case TypeId::kBoolean:
      column.truth.Append(!null && rows.Int64(c, row) != 0);
      break;
    case TypeId::kTinyint:
    case TypeId::kSmallint:
    case TypeId::kInteger:
    case TypeId::kUtinyint:
    case TypeId::kUsmallint:
      column.small.push_back(null ? 0
                                  : static_cast<int32_t>(rows.Int64(c, row)));
      break;
    case TypeId::kFloat:
    case TypeId::kDouble:
      column.real.push_back(null ? 0 : rows.Double(c, row));
      break;
    case TypeId::kVarchar:
      column.text.Append(null ? std::string_view() : rows.Text(c, row));
      break;
    case TypeId::kUbigint:
      fits = column.whole.Append(
          null ? 0 : static_cast<uint64_t>(rows.Int64(c, row)));
      break;
    case TypeId::kHugeint:
      fits = column.whole.Append(
          null ? 0 : static_cast<WideInteger>(WideAt(rows, c, row)));
      break;
    case TypeId::kUhugeint: {
      const UnsignedWideInteger value = null ? 0 : WideAt(rows, c, row);
      constexpr auto kMost = static_cast<UnsignedWideInteger>(TenTo38());
      fits =
          value < kMost && column.whole.Append(static_cast<WideInteger>(value));
      break;
    }
    default:
      fits = column.whole.Append(null ? 0 : rows.Int64(c, row));
  }
  if (fits) return Ok();
  return Fail(ErrorCode::kInvalidArgument,
              rows.name(c) +
                  ": a number has more than 38 digits; CAST it to "
                  "DOUBLE or VARCHAR");
}

// Columns of ours are named after their units, and so are most of users.
std::string UnitOf(std::string_view name) {
  if (name.ends_with("_ns")) return "ns";
  return name == "bytes" || name.ends_with("_bytes") ? "bytes" : "";
}

ColumnData DescribeColumn(const std::string& name, TypeId type,
                          const ResultColumn& column) {
  ColumnData data;
  data.name = name;
  data.unit = UnitOf(name);
  data.validity = &column.validity;
  switch (type) {
    case TypeId::kBoolean:
      data.format = "b";
      data.values = column.truth.bits();
      break;
    case TypeId::kTinyint:
    case TypeId::kSmallint:
    case TypeId::kInteger:
    case TypeId::kUtinyint:
    case TypeId::kUsmallint:
      data.format = "i";
      data.values = column.small.data();
      break;
    case TypeId::kFloat:
    case TypeId::kDouble:
      data.format = "g";
      data.values = column.real.data();
      break;
    case TypeId::kVarchar:
      data.format = column.text.format();
      data.text = &column.text;
      break;
    default:
      data.format = column.whole.format();
      data.values = column.whole.values();
  }
  return data;
}

}  // namespace

Result<std::shared_ptr<const ArrowTable>> TakeRows(QueryResult& rows) {
  auto columns = std::make_shared<std::vector<ResultColumn>>(rows.columns());
  int64_t count = 0;
  while (rows.NextChunk()) {
    for (size_t c = 0; c < rows.columns(); ++c) {
      for (size_t row = 0; row < rows.rows(); ++row)
        STEPSCOPE_TRY(AppendCell(rows, c, row, (*columns)[c]));
    }
    count += static_cast<int64_t>(rows.rows());
  }
  std::vector<ColumnData> described;
  for (size_t c = 0; c < rows.columns(); ++c)
    described.push_back(
        DescribeColumn(rows.name(c), rows.type(c), (*columns)[c]));
  return MakeArrowTable(count, std::move(described), std::move(columns));
}

}  // namespace stepscope
