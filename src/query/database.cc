// SPDX-License-Identifier: Apache-2.0
#include "query/database.h"

#include <algorithm>

#include "query/table_function.h"

namespace stepscope {
namespace {

std::string Quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

Status Configure(const duckdb::Api& api, duckdb::ConfigHandle* config,
                 const Database::Settings& settings) {
  for (const auto& [name, value] : settings) {
    if (api.set_config(config, name.c_str(), value.c_str()) != duckdb::kSuccess)
      return Fail(ErrorCode::kInvalidArgument,
                  "DuckDB does not take " + name + "=" + value);
  }
  return Ok();
}

}  // namespace

std::string OneLine(const char* message) {
  std::string text = message == nullptr ? "no reason given" : message;
  text = text.substr(0, text.find("\n\nLINE "));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string SqlText(std::string_view text) { return Quoted(text, '\''); }
std::string SqlName(std::string_view name) { return Quoted(name, '"'); }

QueryResult::QueryResult(const duckdb::Api& api, duckdb::RawResult raw)
    : api_(api), raw_(raw) {
  const uint64_t count = api.column_count(&raw_);
  for (uint64_t i = 0; i < count; ++i) {
    names_.emplace_back(api.column_name(&raw_, i));
    types_.push_back(api.column_type(&raw_, i));
  }
  vectors_.resize(count);
}

QueryResult::QueryResult(QueryResult&& other) noexcept
    : api_(other.api_),
      raw_(std::exchange(other.raw_, {})),
      chunk_(std::exchange(other.chunk_, nullptr)),
      rows_(other.rows_),
      names_(std::move(other.names_)),
      types_(std::move(other.types_)),
      vectors_(std::move(other.vectors_)) {}

QueryResult::~QueryResult() {
  if (chunk_ != nullptr) api_.destroy_data_chunk(&chunk_);
  if (raw_.internal != nullptr) api_.destroy_result(&raw_);
}

bool QueryResult::NextChunk() {
  if (chunk_ != nullptr) api_.destroy_data_chunk(&chunk_);
  rows_ = 0;
  chunk_ = api_.fetch_chunk(raw_);
  if (chunk_ == nullptr) return false;
  rows_ = api_.data_chunk_get_size(chunk_);
  for (size_t i = 0; i < vectors_.size(); ++i) {
    duckdb::VectorHandle* const vector = api_.data_chunk_get_vector(chunk_, i);
    vectors_[i] = {api_.vector_get_data(vector),
                   api_.vector_get_validity(vector)};
  }
  return rows_ > 0;
}

bool QueryResult::IsNull(size_t column, size_t row) const {
  const uint64_t* const valid = vectors_[column].valid;
  return valid != nullptr && (valid[row / 64] >> (row % 64) & 1) == 0;
}

int64_t QueryResult::Int64(size_t column, size_t row) const {
  const void* const data = vectors_[column].data;
  const auto at = [&](auto type) {
    return static_cast<int64_t>(static_cast<const decltype(type)*>(data)[row]);
  };
  switch (types_[column]) {
    case duckdb::TypeId::kBoolean:
      return at(bool{});
    case duckdb::TypeId::kTinyint:
      return at(int8_t{});
    case duckdb::TypeId::kSmallint:
      return at(int16_t{});
    case duckdb::TypeId::kInteger:
      return at(int32_t{});
    case duckdb::TypeId::kUtinyint:
      return at(uint8_t{});
    case duckdb::TypeId::kUsmallint:
      return at(uint16_t{});
    case duckdb::TypeId::kUinteger:
      return at(uint32_t{});
    default:
      return at(int64_t{});
  }
}

double QueryResult::Double(size_t column, size_t row) const {
  const void* const data = vectors_[column].data;
  if (types_[column] == duckdb::TypeId::kDouble)
    return static_cast<const double*>(data)[row];
  if (types_[column] == duckdb::TypeId::kFloat)
    return static_cast<double>(static_cast<const float*>(data)[row]);
  return static_cast<double>(Int64(column, row));
}

std::string_view QueryResult::Text(size_t column, size_t row) const {
  return static_cast<const duckdb::Text*>(vectors_[column].data)[row].view();
}

Result<std::unique_ptr<Database>> Database::Open(const Settings& settings) {
  STEPSCOPE_TRY_ASSIGN(const duckdb::Library* const library,
                       duckdb::LoadLibrary());
  const duckdb::Api& api = library->api;
  std::unique_ptr<Database> db(new Database(api));
  duckdb::ConfigHandle* config = nullptr;
  if (api.create_config(&config) != duckdb::kSuccess)
    return Fail(ErrorCode::kIo, "DuckDB: not enough memory");
  Settings all = {{"autoinstall_known_extensions", "false"},
                  {"autoload_known_extensions", "false"}};
  all.insert(all.end(), settings.begin(), settings.end());
  const Status configured = Configure(api, config, all);
  char* error = nullptr;
  const duckdb::State opened =
      configured ? api.open_ext(nullptr, &db->database_, config, &error)
                 : duckdb::kSuccess;
  api.destroy_config(&config);
  if (!configured) return configured.error();
  if (opened != duckdb::kSuccess) {
    const std::string why = OneLine(error);
    api.free(error);
    return Fail(ErrorCode::kIo, "DuckDB: " + why);
  }
  if (api.connect(db->database_, &db->connection_) != duckdb::kSuccess)
    return Fail(ErrorCode::kIo, "DuckDB: it gives no connection");
  return db;
}

Database::~Database() {
  if (connection_ != nullptr) api_.disconnect(&connection_);
  if (database_ != nullptr) api_.close(&database_);
}

Status Database::AddTable(const std::string& name,
                          std::shared_ptr<const TableSource> source,
                          bool parallel) {
  // DuckDB keeps the first function of a name: a later table needs another.
  const std::string function =
      "stepscope_" + name + "_" + std::to_string(tables_++);
  STEPSCOPE_TRY(RegisterTableFunction(api_, connection_, function,
                                      std::move(source), parallel));
  return Run("CREATE OR REPLACE VIEW " + SqlName(name) + " AS SELECT * FROM " +
             SqlName(function) + "()");
}

Result<QueryResult> Database::Query(const std::string& sql) {
  duckdb::RawResult raw;
  if (api_.query(connection_, sql.c_str(), &raw) == duckdb::kSuccess)
    return QueryResult(api_, raw);
  const std::string why = OneLine(api_.result_error(&raw));
  api_.destroy_result(&raw);
  return Fail(ErrorCode::kInvalidArgument, why);
}

Status Database::Run(const std::string& sql) {
  STEPSCOPE_TRY(Query(sql));
  return Ok();
}

void Database::Interrupt() { api_.interrupt(connection_); }

}  // namespace stepscope
