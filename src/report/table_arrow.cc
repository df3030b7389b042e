// SPDX-License-Identifier: Apache-2.0
#include "report/table_arrow.h"

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "report/render_csv.h"

namespace stepscope {
namespace {

// A type as Arrow's format strings write it.
const char* FormatOf(CellType type) {
  switch (type) {
    case CellType::kTime:
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

std::string_view UnitOf(const TableColumn& column) {
  switch (column.type) {
    case CellType::kTime:
      return "ns";
    case CellType::kBytes:
      return "bytes";
    default:
      return column.unit;
  }
}

// What is behind an exported struct of either kind. Children may be moved out
// by the consumer, so each has storage of its own and is released by itself.
template <typename Struct>
struct Children {
  std::vector<std::unique_ptr<Struct>> owned;
  std::vector<Struct*> pointers;

  Struct* Add() {
    owned.push_back(std::make_unique<Struct>());
    pointers.push_back(owned.back().get());
    return pointers.back();
  }
  void Release() {
    for (Struct* child : pointers) {
      if (child->release != nullptr) child->release(child);
    }
  }
};

struct SchemaNode {
  std::string name;
  std::string metadata;
  Children<ArrowSchema> children;
};

void AppendSized(std::string& out, std::string_view text) {
  const auto size = static_cast<int32_t>(text.size());
  char bytes[sizeof size];
  std::memcpy(bytes, &size, sizeof size);
  out.append(bytes, sizeof bytes);
  out += text;
}

std::string Metadata(const TableColumn& column) {
  const int32_t pairs = 2;
  char bytes[sizeof pairs];
  std::memcpy(bytes, &pairs, sizeof pairs);
  std::string metadata(bytes, sizeof bytes);
  AppendSized(metadata, "unit");
  AppendSized(metadata, UnitOf(column));
  AppendSized(metadata, "meaning");
  AppendSized(metadata, column.meaning);
  return metadata;
}

void ReleaseSchema(ArrowSchema* schema) {
  auto* node = static_cast<SchemaNode*>(schema->private_data);
  node->children.Release();
  delete node;
  schema->release = nullptr;
}

// `node`: with its children filled.
void FillSchema(ArrowSchema* out, const char* format,
                std::unique_ptr<SchemaNode> node) {
  *out = {};
  out->format = format;
  out->name = node->name.c_str();
  out->metadata = node->metadata.empty() ? nullptr : node->metadata.data();
  out->flags = ARROW_FLAG_NULLABLE;
  out->n_children = static_cast<int64_t>(node->children.pointers.size());
  out->children = node->children.pointers.data();
  out->release = ReleaseSchema;
  out->private_data = node.release();
}

void FillStruct(ArrowSchema* out, const std::string& name,
                const std::vector<TableColumn>& columns);

void FillColumn(ArrowSchema* out, const std::string& name,
                const TableColumn& column) {
  auto node = std::make_unique<SchemaNode>();
  node->name = name;
  node->metadata = Metadata(column);
  if (column.type == CellType::kRows) {
    FillStruct(node->children.Add(), "item", column.columns);
  } else if (column.type == CellType::kList) {
    FillColumn(node->children.Add(), "item", column.columns.front());
  }
  FillSchema(out, FormatOf(column.type), std::move(node));
}

void FillStruct(ArrowSchema* out, const std::string& name,
                const std::vector<TableColumn>& columns) {
  auto node = std::make_unique<SchemaNode>();
  node->name = name;
  for (const TableColumn& column : columns) {
    FillColumn(node->children.Add(), FlatName(column.name), column);
  }
  FillSchema(out, "+s", std::move(node));
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
  std::vector<std::unique_ptr<ArrayNode>> parts;  // columns or items
  Children<ArrowArray> children;
  std::vector<const void*> buffers;
  const char* format = "";

  void AddValidity(bool is_valid) {
    ++length;
    if (!is_valid) ++nulls;
    valid.Append(is_valid);
  }
  // False: there is no room for so much.
  bool AddOffset(size_t end) {
    if (end > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      return false;
    }
    offsets.push_back(static_cast<int32_t>(end));
    return true;
  }
};

std::unique_ptr<ArrayNode> NewStruct(const std::vector<TableColumn>& columns);

std::unique_ptr<ArrayNode> NewColumn(const TableColumn& column) {
  auto node = std::make_unique<ArrayNode>();
  node->format = FormatOf(column.type);
  const bool list =
      column.type == CellType::kList || column.type == CellType::kRows;
  if (list || column.type == CellType::kText) node->offsets.push_back(0);
  if (column.type == CellType::kRows) {
    node->parts.push_back(NewStruct(column.columns));
  } else if (list) {
    node->parts.push_back(NewColumn(column.columns.front()));
  }
  return node;
}

std::unique_ptr<ArrayNode> NewStruct(const std::vector<TableColumn>& columns) {
  auto node = std::make_unique<ArrayNode>();
  node->format = "+s";
  for (const TableColumn& column : columns) {
    node->parts.push_back(NewColumn(column));
  }
  return node;
}

void AppendUtf8(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    if (NextCodePoint(text, at) == kInvalidUtf8) {
      out += "\xef\xbf\xbd";
    } else {
      out += text.substr(start, at - start);
    }
  }
}

bool AppendStructs(ArrayNode& node, const std::vector<TableColumn>& columns,
                   const RowList& rows);

bool AppendCell(ArrayNode& node, const TableColumn& column, const Cell& cell) {
  node.AddValidity(!IsNull(cell));
  switch (column.type) {
    case CellType::kTime:
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
      if (const auto* value = std::get_if<std::string_view>(&cell)) {
        AppendUtf8(node.text, *value);
      }
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
      for (size_t i = 0; i < rows->size(); ++i) {
        if (!AppendCell(items, value, value.cell((*rows)[i]))) return false;
      }
    }
  }
  return node.AddOffset(static_cast<size_t>(items.length));
}

bool AppendStructs(ArrayNode& node, const std::vector<TableColumn>& columns,
                   const RowList& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    node.AddValidity(true);
    for (size_t c = 0; c < columns.size(); ++c) {
      if (!AppendCell(*node.parts[c], columns[c], columns[c].cell(rows[i]))) {
        return false;
      }
    }
  }
  return true;
}

void ReleaseArray(ArrowArray* array) {
  auto* node = static_cast<ArrayNode*>(array->private_data);
  node->children.Release();
  delete node;
  array->release = nullptr;
}

void FillArray(ArrowArray* out, std::unique_ptr<ArrayNode> node) {
  *out = {};
  out->length = node->length;
  out->null_count = node->nulls;
  node->buffers.push_back(node->nulls > 0 ? node->valid.data() : nullptr);
  switch (node->format[0]) {
    case 'l':
      node->buffers.push_back(node->integers.data());
      break;
    case 'g':
      node->buffers.push_back(node->numbers.data());
      break;
    case 'b':
      node->buffers.push_back(node->truths.data());
      break;
    case 'u':
      node->buffers.push_back(node->offsets.data());
      node->buffers.push_back(node->text.data());
      break;
    default:  // "+l" has offsets, "+s" has none
      if (node->format[1] == 'l') node->buffers.push_back(node->offsets.data());
  }
  for (std::unique_ptr<ArrayNode>& part : node->parts) {
    FillArray(node->children.Add(), std::move(part));
  }
  out->n_buffers = static_cast<int64_t>(node->buffers.size());
  out->buffers = node->buffers.data();
  out->n_children = static_cast<int64_t>(node->children.pointers.size());
  out->children = node->children.pointers.data();
  out->release = ReleaseArray;
  out->private_data = node.release();
}

// A stream of one batch.
struct StreamNode {
  ArrowArray array = {};
  std::vector<TableColumn> columns;
};

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  const auto* node = static_cast<StreamNode*>(stream->private_data);
  FillStruct(out, "", node->columns);
  return 0;
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  auto* node = static_cast<StreamNode*>(stream->private_data);
  *out = node->array;  // moved; without a release it means the end
  node->array = {};
  return 0;
}

const char* GetLastError(ArrowArrayStream*) { return nullptr; }

void ReleaseStream(ArrowArrayStream* stream) {
  auto* node = static_cast<StreamNode*>(stream->private_data);
  if (node->array.release != nullptr) node->array.release(&node->array);
  delete node;
  stream->release = nullptr;
}

}  // namespace

void ExportArrowSchema(const TableSchema& table, ArrowSchema* out) {
  FillStruct(out, "", table.columns);
}

Status ExportArrowArray(const TableSchema& table, const Summary& summary,
                        ArrowArray* out) {
  *out = {};
  std::unique_ptr<ArrayNode> node = NewStruct(table.columns);
  if (!AppendStructs(*node, table.columns, table.rows(summary))) {
    return Fail(ErrorCode::kInvalidArgument,
                "table " + std::string(table.key) +
                    ": a column has more than 2 GiB of text; print it as CSV");
  }
  FillArray(out, std::move(node));
  return Ok();
}

Status ExportArrowStream(const TableSchema& table, const Summary& summary,
                         ArrowArrayStream* out) {
  *out = {};
  auto node = std::make_unique<StreamNode>();
  STEPSCOPE_TRY(ExportArrowArray(table, summary, &node->array));
  node->columns = table.columns;
  out->get_schema = GetSchema;
  out->get_next = GetNext;
  out->get_last_error = GetLastError;
  out->release = ReleaseStream;
  out->private_data = node.release();
  return Ok();
}

}  // namespace stepscope
