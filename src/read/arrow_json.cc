// SPDX-License-Identifier: Apache-2.0
//
// Tables as JSON, for who has no Arrow library at hand.
#include "read/arrow_json.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "base/json_writer.h"
#include "base/wide_integer.h"

namespace stepscope {
namespace {

// Frees a schema at the end of a scope.
class OwnedSchema {
 public:
  explicit OwnedSchema(const ArrowTable& table) { table.schema(&schema_); }
  ~OwnedSchema() { schema_.release(&schema_); }
  OwnedSchema(const OwnedSchema&) = delete;
  OwnedSchema& operator=(const OwnedSchema&) = delete;
  const ArrowSchema& operator*() const { return schema_; }

 private:
  ArrowSchema schema_ = {};
};

// Format of Arrow: whole numbers of 38 digits, decimal128(38, 0).
constexpr std::string_view kWide = "d:38,0";

template <typename T>
T ValueAt(const ArrowArray& array, int64_t row, int buffer = 1) {
  return static_cast<const T*>(array.buffers[buffer])[array.offset + row];
}

bool BitAt(const ArrowArray& array, int64_t row, int buffer) {
  const int64_t at = array.offset + row;
  const auto byte = static_cast<const uint8_t*>(array.buffers[buffer])[at / 8];
  return (byte >> (at % 8) & 1) != 0;
}

template <typename Offset>
std::string_view TextAt(const ArrowArray& array, int64_t row) {
  const auto begin = ValueAt<Offset>(array, row);
  const auto end = ValueAt<Offset>(array, row + 1);
  return {static_cast<const char*>(array.buffers[2]) + begin,
          static_cast<size_t>(end - begin)};
}

void AppendValue(std::string& out, const ArrowSchema& schema,
                 const ArrowArray& array, int64_t row);

void AppendStruct(std::string& out, const ArrowSchema& schema,
                  const ArrowArray& array, int64_t row) {
  out += '{';
  for (int64_t c = 0; c < schema.n_children; ++c) {
    if (c > 0) out += ',';
    AppendJsonString(out, schema.children[c]->name);
    out += ':';
    AppendValue(out, *schema.children[c], *array.children[c], row);
  }
  out += '}';
}

void AppendList(std::string& out, const ArrowSchema& schema,
                const ArrowArray& array, int64_t row) {
  out += '[';
  const auto begin = ValueAt<int32_t>(array, row);
  const auto end = ValueAt<int32_t>(array, row + 1);
  for (auto i = begin; i < end; ++i) {
    if (i > begin) out += ',';
    AppendValue(out, *schema.children[0], *array.children[0], i);
  }
  out += ']';
}

// JsonWriter has no numbers of 128 bits, so this writes by itself.
void AppendValue(std::string& out, const ArrowSchema& schema,
                 const ArrowArray& array, int64_t row) {
  if (array.n_buffers > 0 && array.buffers[0] != nullptr &&
      !BitAt(array, row, 0)) {
    out += "null";
    return;
  }
  if (schema.dictionary != nullptr) {
    AppendValue(out, *schema.dictionary, *array.dictionary,
                ValueAt<int32_t>(array, row));
    return;
  }
  const std::string_view format = schema.format;
  if (format == "l") {
    out += std::to_string(ValueAt<int64_t>(array, row));
  } else if (format == "i") {
    out += std::to_string(ValueAt<int32_t>(array, row));
  } else if (format == "g") {
    out += JsonWriter().Number(ValueAt<double>(array, row)).Take();
  } else if (format == "b") {
    out += BitAt(array, row, 1) ? "true" : "false";
  } else if (format == "u") {
    AppendJsonString(out, TextAt<int32_t>(array, row));
  } else if (format == "U") {
    AppendJsonString(out, TextAt<int64_t>(array, row));
  } else if (format == kWide) {
    out += WideText(ValueAt<WideInteger>(array, row));
  } else if (format == "+l") {
    AppendList(out, schema, array, row);
  } else if (format == "+s") {
    AppendStruct(out, schema, array, row);
  } else {
    out += "null";
  }
}

// The value of a key of Arrow's metadata: pairs of sized texts.
std::string_view MetadataOf(const ArrowSchema& schema, std::string_view key) {
  const char* at = schema.metadata;
  if (at == nullptr) return {};
  const auto size = [&at] {
    int32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return static_cast<size_t>(value);
  };
  const auto text = [&] {
    const size_t length = size();
    const std::string_view value(at, length);
    at += length;
    return value;
  };
  for (size_t left = size(); left > 0; --left) {
    const bool found = text() == key;
    const std::string_view value = text();
    if (found) return value;
  }
  return {};
}

std::string_view TypeName(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr) return "text";
  const std::string_view format = schema.format;
  if (format == "l" || format == "i" || format == kWide) return "integer";
  if (format == "g") return "number";
  if (format == "b") return "bool";
  if (format == "u" || format == "U") return "text";
  return "list";
}

void WriteColumns(JsonWriter& json, const ArrowSchema& schema) {
  json.BeginArray();
  for (int64_t c = 0; c < schema.n_children; ++c) {
    const ArrowSchema& column = *schema.children[c];
    json.BeginObject().Field("name", column.name);
    json.Field("type", TypeName(column));
    json.Field("unit", MetadataOf(column, "unit"));
    json.Field("meaning", MetadataOf(column, "meaning"));
    if (column.n_children == 1 && column.children[0]->n_children > 0) {
      json.Key("columns");
      WriteColumns(json, *column.children[0]);
    }
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string RowsAsJson(const ArrowTable& table, int64_t first, int64_t count) {
  const OwnedSchema schema(table);
  const int64_t rows = table.array.length;
  const int64_t begin = std::clamp<int64_t>(first, 0, rows);
  const int64_t end = begin + std::clamp<int64_t>(count, 0, rows - begin);
  std::string out = "[";
  for (int64_t row = begin; row < end; ++row) {
    if (row > begin) out += ',';
    AppendStruct(out, *schema, table.array, row);
  }
  return out + ']';
}

std::string ColumnsAsJson(const ArrowTable& table) {
  const OwnedSchema schema(table);
  JsonWriter json;
  WriteColumns(json, *schema);
  return json.Take();
}

}  // namespace stepscope
