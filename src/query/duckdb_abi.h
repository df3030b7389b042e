// SPDX-License-Identifier: Apache-2.0
//
// The part of DuckDB's C interface that is used here, as its compiled form has
// it: DuckDB keeps this interface stable over its releases, and no header of
// it is needed to build stepscope. duckdb_library.h loads the functions.
//
// Handles are pointers to structs of DuckDB that nobody looks into. Booleans,
// counts and states are as C has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace stepscope::duckdb {

struct DatabaseHandle;
struct ConnectionHandle;
struct ConfigHandle;
struct LogicalTypeHandle;
struct DataChunkHandle;
struct VectorHandle;
struct TableFunctionHandle;
struct BindInfo;
struct InitInfo;
struct FunctionInfo;
struct PreparedHandle;
struct PendingHandle;
struct StatementsHandle;

using State = int;  // 0: it worked
inline constexpr State kSuccess = 0;

// Numbers of the types, as in duckdb_type.
enum class TypeId : int {
  kBoolean = 1,
  kTinyint = 2,
  kSmallint = 3,
  kInteger = 4,
  kBigint = 5,
  kUtinyint = 6,
  kUsmallint = 7,
  kUinteger = 8,
  kUbigint = 9,
  kFloat = 10,
  kDouble = 11,
  kTimestamp = 12,
  kDate = 13,
  kHugeint = 16,
  kVarchar = 17,
  kBlob = 18,
  kDecimal = 19,
  kUhugeint = 32,
};

// The result of a query; passed by value and by address.
struct RawResult {
  uint64_t unused_columns = 0;
  uint64_t unused_rows = 0;
  uint64_t unused_changed = 0;
  void* unused_column_list = nullptr;
  char* unused_error = nullptr;
  void* internal = nullptr;
};
static_assert(sizeof(RawResult) == 48);

// An entry of a vector of texts. Up to 12 bytes lie inside; longer text stays
// where it is, and must stay there as long as the query runs.
struct Text {
  static constexpr size_t kInline = 12;

  Text() = default;
  explicit Text(std::string_view text)
      : length(static_cast<uint32_t>(text.size())) {
    if (text.size() <= kInline) {
      if (!text.empty()) std::memcpy(prefix, text.data(), text.size());
    } else {
      std::memcpy(prefix, text.data(), sizeof(prefix));
      const char* const data = text.data();
      std::memcpy(rest, &data, sizeof(data));
    }
  }
  std::string_view view() const {
    if (length <= kInline) return {prefix, length};
    const char* data = nullptr;
    std::memcpy(&data, rest, sizeof(data));
    return {data, length};
  }

  uint32_t length = 0;
  char prefix[4] = {};  // with `rest`: the text, or its begin and its address
  char rest[8] = {};
};
static_assert(sizeof(Text) == 16);

using DeleteCallback = void (*)(void*);
using BindCallback = void (*)(BindInfo*);
using InitCallback = void (*)(InitInfo*);
using FunctionCallback = void (*)(FunctionInfo*, DataChunkHandle*);

struct Progress {
  double percentage = 0;  // -1: not known
  uint64_t done = 0;
  uint64_t total = 0;
};

// X(name after "duckdb_", result, (parameters))
#define STEPSCOPE_DUCKDB_FUNCTIONS(X)                                          \
  X(library_version, const char*, ())                                          \
  X(open_ext, State, (const char*, DatabaseHandle**, ConfigHandle*, char**))   \
  X(close, void, (DatabaseHandle**))                                           \
  X(connect, State, (DatabaseHandle*, ConnectionHandle**))                     \
  X(disconnect, void, (ConnectionHandle**))                                    \
  X(interrupt, void, (ConnectionHandle*))                                      \
  X(query_progress, Progress, (ConnectionHandle*))                             \
  X(free, void, (void*))                                                       \
  X(create_config, State, (ConfigHandle**))                                    \
  X(set_config, State, (ConfigHandle*, const char*, const char*))              \
  X(destroy_config, void, (ConfigHandle**))                                    \
  X(query, State, (ConnectionHandle*, const char*, RawResult*))                \
  X(destroy_result, void, (RawResult*))                                        \
  X(result_error, const char*, (RawResult*))                                   \
  X(result_error_type, int, (RawResult*))                                      \
  X(column_count, uint64_t, (RawResult*))                                      \
  X(column_name, const char*, (RawResult*, uint64_t))                          \
  X(column_type, TypeId, (RawResult*, uint64_t))                               \
  X(column_logical_type, LogicalTypeHandle*, (RawResult*, uint64_t))           \
  X(fetch_chunk, DataChunkHandle*, (RawResult))                                \
  X(create_logical_type, LogicalTypeHandle*, (TypeId))                         \
  X(destroy_logical_type, void, (LogicalTypeHandle**))                         \
  X(get_type_id, TypeId, (LogicalTypeHandle*))                                 \
  X(decimal_scale, uint8_t, (LogicalTypeHandle*))                              \
  X(decimal_internal_type, TypeId, (LogicalTypeHandle*))                       \
  X(destroy_data_chunk, void, (DataChunkHandle**))                             \
  X(data_chunk_get_column_count, uint64_t, (DataChunkHandle*))                 \
  X(data_chunk_get_vector, VectorHandle*, (DataChunkHandle*, uint64_t))        \
  X(data_chunk_get_size, uint64_t, (DataChunkHandle*))                         \
  X(data_chunk_set_size, void, (DataChunkHandle*, uint64_t))                   \
  X(vector_size, uint64_t, ())                                                 \
  X(vector_get_data, void*, (VectorHandle*))                                   \
  X(vector_get_validity, uint64_t*, (VectorHandle*))                           \
  X(vector_ensure_validity_writable, void, (VectorHandle*))                    \
  X(vector_assign_string_element_len, void,                                    \
    (VectorHandle*, uint64_t, const char*, uint64_t))                          \
  X(create_table_function, TableFunctionHandle*, ())                           \
  X(destroy_table_function, void, (TableFunctionHandle**))                     \
  X(table_function_set_name, void, (TableFunctionHandle*, const char*))        \
  X(table_function_set_extra_info, void,                                       \
    (TableFunctionHandle*, void*, DeleteCallback))                             \
  X(table_function_set_bind, void, (TableFunctionHandle*, BindCallback))       \
  X(table_function_set_init, void, (TableFunctionHandle*, InitCallback))       \
  X(table_function_set_local_init, void, (TableFunctionHandle*, InitCallback)) \
  X(table_function_set_function, void,                                         \
    (TableFunctionHandle*, FunctionCallback))                                  \
  X(table_function_supports_projection_pushdown, void,                         \
    (TableFunctionHandle*, bool))                                              \
  X(register_table_function, State, (ConnectionHandle*, TableFunctionHandle*)) \
  X(bind_get_extra_info, void*, (BindInfo*))                                   \
  X(bind_add_result_column, void,                                              \
    (BindInfo*, const char*, LogicalTypeHandle*))                              \
  X(bind_set_bind_data, void, (BindInfo*, void*, DeleteCallback))              \
  X(bind_set_cardinality, void, (BindInfo*, uint64_t, bool))                   \
  X(bind_set_error, void, (BindInfo*, const char*))                            \
  X(init_get_bind_data, void*, (InitInfo*))                                    \
  X(init_set_init_data, void, (InitInfo*, void*, DeleteCallback))              \
  X(init_get_column_count, uint64_t, (InitInfo*))                              \
  X(init_get_column_index, uint64_t, (InitInfo*, uint64_t))                    \
  X(init_set_max_threads, void, (InitInfo*, uint64_t))                         \
  X(init_set_error, void, (InitInfo*, const char*))                            \
  X(function_get_init_data, void*, (FunctionInfo*))                            \
  X(function_get_local_init_data, void*, (FunctionInfo*))                      \
  X(function_set_error, void, (FunctionInfo*, const char*))                    \
  X(extract_statements, uint64_t,                                              \
    (ConnectionHandle*, const char*, StatementsHandle**))                      \
  X(extract_statements_error, const char*, (StatementsHandle*))                \
  X(destroy_extracted, void, (StatementsHandle**))                             \
  X(prepare_extracted_statement, State,                                        \
    (ConnectionHandle*, StatementsHandle*, uint64_t, PreparedHandle**))        \
  X(prepare_error, const char*, (PreparedHandle*))                             \
  X(prepared_statement_type, int, (PreparedHandle*))                           \
  X(destroy_prepare, void, (PreparedHandle**))                                 \
  X(pending_prepared, State, (PreparedHandle*, PendingHandle**))               \
  X(pending_execute_task, int, (PendingHandle*))                               \
  X(pending_error, const char*, (PendingHandle*))                              \
  X(execute_pending, State, (PendingHandle*, RawResult*))                      \
  X(destroy_pending, void, (PendingHandle**))

// The functions of a loaded library.
struct Api {
#define STEPSCOPE_DUCKDB_MEMBER(name, result, parameters) \
  result(*name) parameters = nullptr;
  STEPSCOPE_DUCKDB_FUNCTIONS(STEPSCOPE_DUCKDB_MEMBER)
#undef STEPSCOPE_DUCKDB_MEMBER
};

}  // namespace stepscope::duckdb
