// SPDX-License-Identifier: Apache-2.0
//
// Tables as JSON, for who has no Arrow library at hand.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/json_writer.h"
#include "read/arrow_table.h"

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

template <typename T>
T ValueAt(const ArrowArray& array, int64_t row, int buffer = 1) {
  return static_cast<const T*>(array.buffers[buffer])[array.offset + row];
}

bool BitAt(const ArrowArray& array, int64_t row, int buffer) {
  const int64_t at = array.offset + row;
  const auto byte = static_cast<const uint8_t*>(array.buffers[buffer])[at / 8];
  return (byte >> (at % 8) & 1) != 0;
}

void WriteValue(JsonWriter& json, const ArrowSchema& schema,
                const ArrowArray& array, int64_t row);

void WriteStruct(JsonWriter& json, const ArrowSchema& schema,
                 const ArrowArray& array, int64_t row) {
  json.BeginObject();
  for (int64_t c = 0; c < schema.n_children; ++c) {
    json.Key(schema.children[c]->name);
    WriteValue(json, *schema.children[c], *array.children[c], row);
  }
  json.EndObject();
}

void WriteValue(JsonWriter& json, const ArrowSchema& schema,
                const ArrowArray& array, int64_t row) {
  if (array.n_buffers > 0 && array.buffers[0] != nullptr &&
      !BitAt(array, row, 0)) {
    json.Null();
    return;
  }
  if (schema.dictionary != nullptr) {
    WriteValue(json, *schema.dictionary, *array.dictionary,
               ValueAt<int32_t>(array, row));
    return;
  }
  const std::string_view format = schema.format;
  if (format == "l") {
    json.Int(ValueAt<int64_t>(array, row));
  } else if (format == "i") {
    json.Int(ValueAt<int32_t>(array, row));
  } else if (format == "g") {
    json.Number(ValueAt<double>(array, row));
  } else if (format == "b") {
    json.Bool(BitAt(array, row, 1));
  } else if (format == "u") {
    const auto begin = ValueAt<int32_t>(array, row);
    const auto end = ValueAt<int32_t>(array, row + 1);
    json.String({static_cast<const char*>(array.buffers[2]) + begin,
                 static_cast<size_t>(end - begin)});
  } else if (format == "+l") {
    json.BeginArray();
    const auto end = ValueAt<int32_t>(array, row + 1);
    for (auto i = ValueAt<int32_t>(array, row); i < end; ++i) {
      WriteValue(json, *schema.children[0], *array.children[0], i);
    }
    json.EndArray();
  } else if (format == "+s") {
    WriteStruct(json, schema, array, row);
  } else {
    json.Null();
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
  if (format == "l" || format == "i") return "integer";
  if (format == "g") return "number";
  if (format == "b") return "bool";
  if (format == "u") return "text";
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
  JsonWriter json;
  json.BeginArray();
  for (int64_t row = begin; row < end; ++row) {
    WriteStruct(json, *schema, table.array, row);
  }
  json.EndArray();
  return json.Take();
}

std::string ColumnsAsJson(const ArrowTable& table) {
  const OwnedSchema schema(table);
  JsonWriter json;
  WriteColumns(json, *schema);
  return json.Take();
}

}  // namespace stepscope
