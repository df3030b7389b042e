// SPDX-License-Identifier: Apache-2.0
#include "query/table_function.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>
#include <vector>

#include "query/duckdb_library.h"

namespace stepscope {
namespace {

using duckdb::Api;

// Of a registered function; lives as long as its database.
struct Registered {
  std::shared_ptr<const TableSource> source;
  bool parallel = false;
};

// Of one scan, shared by its threads.
struct Scan {
  Registered* table = nullptr;
  std::vector<size_t> columns;  // that are asked for, in their order
  std::atomic<uint64_t> next{0};
};

template <typename T>
void Delete(void* data) {
  delete static_cast<T*>(data);
}

// The callbacks get nothing but `info`, and only bind may ask for what was
// registered: it hands that on. Nothing may throw into DuckDB.
const Api& LoadedApi() {
  // Whoever calls back has been loaded.
  static const Api& api = (*duckdb::LoadLibrary())->api;
  return api;
}

void Bind(duckdb::BindInfo* info) {
  const Api& api = LoadedApi();
  auto* const table = static_cast<Registered*>(api.bind_get_extra_info(info));
  for (const ColumnSpec& column : table->source->columns()) {
    duckdb::LogicalTypeHandle* type =
        api.create_logical_type(TypeIdOf(column.type));
    api.bind_add_result_column(info, column.name, type);
    api.destroy_logical_type(&type);
  }
  api.bind_set_cardinality(info, table->source->rows(), true);
  api.bind_set_bind_data(info, table, nullptr);
}

void Init(duckdb::InitInfo* info) {
  const Api& api = LoadedApi();
  auto* const table = static_cast<Registered*>(api.init_get_bind_data(info));
  auto* const scan = new (std::nothrow) Scan;
  if (scan == nullptr) {
    api.init_set_error(info, "not enough memory");
    return;
  }
  scan->table = table;
  const uint64_t count = api.init_get_column_count(info);
  for (uint64_t i = 0; i < count; ++i)
    scan->columns.push_back(api.init_get_column_index(info, i));
  api.init_set_init_data(info, scan, &Delete<Scan>);
  const uint64_t chunks = table->source->rows() / api.vector_size() + 1;
  api.init_set_max_threads(
      info, table->parallel ? std::min<uint64_t>(chunks, 1024) : 1);
}

void Produce(duckdb::FunctionInfo* info, duckdb::DataChunkHandle* chunk) {
  const Api& api = LoadedApi();
  auto* const scan = static_cast<Scan*>(api.function_get_init_data(info));
  const TableSource& source = *scan->table->source;
  const uint64_t size = api.vector_size();
  const uint64_t first = scan->next.fetch_add(size);
  const uint64_t rows = source.rows();
  const uint64_t count = first >= rows ? 0 : std::min(size, rows - first);
  try {
    for (size_t i = 0; count > 0 && i < scan->columns.size(); ++i) {
      // A count of all rows names a column that is none.
      if (scan->columns[i] >= source.columns().size()) continue;
      VectorOut out(api, api.data_chunk_get_vector(chunk, i));
      source.Fill(scan->columns[i], first, count, out);
    }
  } catch (const std::exception& error) {
    api.function_set_error(info, error.what());
    api.data_chunk_set_size(chunk, 0);
    return;
  }
  api.data_chunk_set_size(chunk, count);
}

}  // namespace

const char* SqlTypeName(ColumnType type) {
  switch (type) {
    case ColumnType::kBigint:
      return "BIGINT";
    case ColumnType::kInt:
      return "INTEGER";
    case ColumnType::kDouble:
      return "DOUBLE";
    case ColumnType::kBoolean:
      return "BOOLEAN";
    case ColumnType::kText:
      return "VARCHAR";
  }
  return "";
}

duckdb::TypeId TypeIdOf(ColumnType type) {
  switch (type) {
    case ColumnType::kBigint:
      return duckdb::TypeId::kBigint;
    case ColumnType::kInt:
      return duckdb::TypeId::kInteger;
    case ColumnType::kDouble:
      return duckdb::TypeId::kDouble;
    case ColumnType::kBoolean:
      return duckdb::TypeId::kBoolean;
    case ColumnType::kText:
      break;
  }
  return duckdb::TypeId::kVarchar;
}

Status RegisterTableFunction(const Api& api,
                             duckdb::ConnectionHandle* connection,
                             const std::string& name,
                             std::shared_ptr<const TableSource> source,
                             bool parallel) {
  duckdb::TableFunctionHandle* function = api.create_table_function();
  api.table_function_set_name(function, name.c_str());
  api.table_function_set_extra_info(function,
                                    new Registered{std::move(source), parallel},
                                    &Delete<Registered>);
  api.table_function_set_bind(function, &Bind);
  api.table_function_set_init(function, &Init);
  api.table_function_set_function(function, &Produce);
  api.table_function_supports_projection_pushdown(function, true);
  const duckdb::State state = api.register_table_function(connection, function);
  api.destroy_table_function(&function);
  if (state != duckdb::kSuccess)
    return Fail(ErrorCode::kIo, "DuckDB: it does not take table " + name);
  return Ok();
}

}  // namespace stepscope
