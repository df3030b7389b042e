// SPDX-License-Identifier: Apache-2.0
#include "report/table_arrow.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "report/arrow_node.h"
#include "report/render_csv.h"
#include "report/table_json.h"

namespace stepscope {
namespace {

// A type as Arrow's format strings write it.
const char* FormatOf(CellType type) {
  switch (type) {
    case CellType::kTime:
    case CellType::kMoment:
    case CellType::kCount:
    case CellType::kBytes:
      return "l";
    case CellType::kRatio:
    case CellType::kNumber:
      return "g";
    case CellType::kText:
      return "u";
    case CellType::kBool:
      return "b";
    case CellType::kList:
    case CellType::kRows:
      return "+l";
  }
  return "n";
}

void FillStruct(ArrowSchema* out, const std::string& name,
                const std::vector<TableColumn>& columns);

void FillColumn(ArrowSchema* out, const std::string& name,
                const TableColumn& column) {
  auto node = NewColumnSchema(name, UnitText(column), column.meaning);
  if (column.type == CellType::kRows)
    FillStruct(node->AddChild(), "item", column.columns);
  else if (column.type == CellType::kList)
    FillColumn(node->AddChild(), "item", column.columns.front());
  FillArrowSchema(FormatOf(column.type), std::move(node), out);
}

void FillStruct(ArrowSchema* out, const std::string& name,
                const std::vector<TableColumn>& columns) {
  auto node = std::make_unique<ArrowNode<ArrowSchema>>();
  node->name = name;
  for (const TableColumn& column : columns)
    FillColumn(node->AddChild(), FlatName(column.name), column);
  FillArrowSchema("+s", std::move(node), out);
}

// Bits that grow at the end, the lowest first.
class Bits {
 public:
  void Append(bool bit) {
    if (count_ % 8 == 0) bytes_.push_back(0);
    if (bit) bytes_.back() |= static_cast<uint8_t>(1u << count_ % 8);
    ++count_;
  }
  const void* data() const { return bytes_.data(); }

 private:
  std::vector<uint8_t> bytes_;
  size_t count_ = 0;
};

// A column that is being filled, and later what owns its memory.
struct ArrayNode {
  int64_t length = 0;
  int64_t nulls = 0;
  Bits valid;
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  Bits truths;
  std::vector<int32_t> offsets;  // of text and of lists, one more than rows
  std::string text;
  std::vector<std::shared_ptr<ArrayNode>> parts;  // columns or items
  const char* format = "";

  void AddValidity(bool is_valid) {
    ++length;
    if (!is_valid) ++nulls;
    valid.Append(is_valid);
  }
  // False: there is no room for so much.
  bool AddOffset(size_t end) {
    if (end > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
      return false;
    offsets.push_back(static_cast<int32_t>(end));
    return true;
  }
};

std::shared_ptr<ArrayNode> NewStruct(const std::vector<TableColumn>& columns);

std::shared_ptr<ArrayNode> NewColumn(const TableColumn& column) {
  auto node = std::make_shared<ArrayNode>();
  node->format = FormatOf(column.type);
  const bool list =
      column.type == CellType::kList || column.type == CellType::kRows;
  if (list || column.type == CellType::kText) node->offsets.push_back(0);
  if (column.type == CellType::kRows)
    node->parts.push_back(NewStruct(column.columns));
  else if (list)
    node->parts.push_back(NewColumn(column.columns.front()));
  return node;
}

std::shared_ptr<ArrayNode> NewStruct(const std::vector<TableColumn>& columns) {
  auto node = std::make_shared<ArrayNode>();
  node->format = "+s";
  for (const TableColumn& column : columns)
    node->parts.push_back(NewColumn(column));
  return node;
}

bool AppendStructs(ArrayNode& node, const std::vector<TableColumn>& columns,
                   const RowList& rows);

bool AppendCell(ArrayNode& node, const TableColumn& column, const Cell& cell) {
  node.AddValidity(!IsNull(cell));
  switch (column.type) {
    case CellType::kTime:
    case CellType::kMoment:
    case CellType::kCount:
    case CellType::kBytes: {
      const auto* value = std::get_if<int64_t>(&cell);
      node.integers.push_back(value != nullptr ? *value : 0);
      return true;
    }
    case CellType::kRatio:
    case CellType::kNumber: {
      const auto* value = std::get_if<double>(&cell);
      node.numbers.push_back(value != nullptr ? *value : 0);
      return true;
    }
    case CellType::kBool: {
      const auto* value = std::get_if<bool>(&cell);
      node.truths.Append(value != nullptr && *value);
      return true;
    }
    case CellType::kText:
      if (const auto* value = std::get_if<std::string_view>(&cell))
        AppendValidUtf8(node.text, *value);
      return node.AddOffset(node.text.size());
    case CellType::kList:
    case CellType::kRows:
      break;
  }
  ArrayNode& items = *node.parts.front();
  if (const auto* rows = std::get_if<RowList>(&cell)) {
    if (column.type == CellType::kRows) {
      if (!AppendStructs(items, column.columns, *rows)) return false;
    } else {
      const TableColumn& value = column.columns.front();
      for (size_t i = 0; i < rows->size(); ++i)
        if (!AppendCell(items, value, value.cell((*rows)[i]))) return false;
    }
  }
  return node.AddOffset(static_cast<size_t>(items.length));
}

bool AppendStructs(ArrayNode& node, const std::vector<TableColumn>& columns,
                   const RowList& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    node.AddValidity(true);
    for (size_t c = 0; c < columns.size(); ++c)
      if (!AppendCell(*node.parts[c], columns[c], columns[c].cell(rows[i])))
        return false;
  }
  return true;
}

void FillArray(ArrowArray* out, std::shared_ptr<const ArrayNode> from) {
  auto node = std::make_unique<ArrowNode<ArrowArray>>();
  node->buffers.push_back(from->nulls > 0 ? from->valid.data() : nullptr);
  switch (from->format[0]) {
    case 'l':
      node->buffers.push_back(from->integers.data());
      break;
    case 'g':
      node->buffers.push_back(from->numbers.data());
      break;
    case 'b':
      node->buffers.push_back(from->truths.data());
      break;
    case 'u':
      node->buffers.push_back(from->offsets.data());
      node->buffers.push_back(from->text.data());
      break;
    default:  // "+l" has offsets, "+s" has none
      if (from->format[1] == 'l') node->buffers.push_back(from->offsets.data());
  }
  for (const std::shared_ptr<ArrayNode>& part : from->parts)
    FillArray(node->AddChild(), part);
  node->owner = from;
  FillArrowArray(from->length, from->nulls, std::move(node), out);
}

}  // namespace

void ExportArrowSchema(const TableSchema& table, ArrowSchema* out) {
  FillStruct(out, "", table.columns);
}

Status ExportArrowArray(const TableSchema& table, const Summary& summary,
                        ArrowArray* out) {
  *out = {};
  std::shared_ptr<ArrayNode> node = NewStruct(table.columns);
  if (!AppendStructs(*node, table.columns, table.rows(summary))) {
    return Fail(ErrorCode::kInvalidArgument,
                "table " + std::string(table.key) +
                    ": a column has more than 2 GiB of text; print it as CSV");
  }
  FillArray(out, std::move(node));
  return Ok();
}

Result<std::shared_ptr<const ArrowTable>> MakeArrowTable(
    const TableSchema& table, const Summary& summary) {
  auto made = std::make_shared<ArrowTable>();
  STEPSCOPE_TRY(ExportArrowArray(table, summary, &made->array));
  made->schema = [columns = table.columns](ArrowSchema* out) {
    FillStruct(out, "", columns);
  };
  return std::shared_ptr<const ArrowTable>(std::move(made));
}

}  // namespace stepscope
