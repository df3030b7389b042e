// SPDX-License-Identifier: Apache-2.0
#include "query/arrow_stream.h"

#include <string_view>
#include <utility>

#include "query/flat_message.h"
#include "query/result_text.h"

namespace stepscope {
namespace {

using duckdb::TypeId;

constexpr size_t kBatchRows = 65536;
constexpr size_t kBatchBytes = size_t{1} << 26;  // of texts

// Numbers of Arrow's schemas (Message.fbs, Schema.fbs).
constexpr uint64_t kVersion5 = 4;
constexpr uint64_t kSchemaMessage = 1;
constexpr uint64_t kBatchMessage = 3;
constexpr uint64_t kDoublePrecision = 2;
enum class ArrowType : uint64_t {
  kInt = 2,
  kFloat = 3,
  kText = 5,
  kBool = 6,
  kDecimal = 7,
};

constexpr uint16_t kRefers = FlatMessage::kRefers;

struct TypeFacts {
  ArrowType type = ArrowType::kInt;
  uint64_t bits = 64;
  bool is_signed = true;
};

TypeFacts TypeFactsOf(TypeId type) {
  switch (type) {
    case TypeId::kBoolean:
      return {.type = ArrowType::kBool};
    case TypeId::kTinyint:
    case TypeId::kSmallint:
    case TypeId::kInteger:
    case TypeId::kUtinyint:
    case TypeId::kUsmallint:
      return {.bits = 32};
    case TypeId::kUbigint:
      return {.is_signed = false};
    case TypeId::kHugeint:
    case TypeId::kUhugeint:
      return {.type = ArrowType::kDecimal, .bits = 128};
    case TypeId::kFloat:
    case TypeId::kDouble:
      return {.type = ArrowType::kFloat};
    case TypeId::kVarchar:
      return {.type = ArrowType::kText};
    default:
      return {};
  }
}

void AddType(FlatMessage& message, FlatMessage::Reference from,
             const TypeFacts& facts) {
  switch (facts.type) {
    case ArrowType::kInt:
      message.AddTable(from, {{0, 4, facts.bits}, {1, 1, facts.is_signed}});
      break;
    case ArrowType::kFloat:
      message.AddTable(from, {{0, 2, kDoublePrecision}});
      break;
    case ArrowType::kDecimal:
      message.AddTable(from, {{0, 4, 38}, {1, 4, 0}, {2, 4, facts.bits}});
      break;
    case ArrowType::kText:
    case ArrowType::kBool:
      message.AddTable(from, {});
      break;
  }
}

void Pad(std::string& bytes) { bytes.append((8 - bytes.size() % 8) % 8, '\0'); }

template <typename T>
void Append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// A message with its length before it and its body behind.
std::string Framed(std::string head, const std::string& body) {
  Pad(head);
  std::string framed;
  framed.reserve(8 + head.size() + body.size());
  Append(framed, UINT32_MAX);
  Append(framed, static_cast<int32_t>(head.size()));
  return framed + head + body;
}

// The table around all messages; what is returned refers to what it is about.
FlatMessage::Reference AddEnvelope(FlatMessage& message, uint64_t kind,
                                   uint64_t body_bytes) {
  return message
      .AddTable(message.root(), {{0, 2, kVersion5},
                                 {1, 1, kind},
                                 {2, kRefers, 0},
                                 {3, 8, body_bytes}})
      .front();
}

constexpr WideInteger TenTo38() {
  WideInteger value = 1;
  for (int i = 0; i < 38; ++i) value *= 10;
  return value;
}

}  // namespace

ArrowStream::ArrowStream(const QueryResult& rows)
    : rows_(rows), columns_(rows.columns()) {}

std::string ArrowStream::Head() const {
  FlatMessage message;
  const auto schema = message.AddTable(AddEnvelope(message, kSchemaMessage, 0),
                                       {{0, 2, 0}, {1, kRefers, 0}});
  const auto fields = message.AddList(schema.front(), rows_.columns());
  for (size_t i = 0; i < fields.size(); ++i) {
    const TypeFacts facts = TypeFactsOf(rows_.type(i));
    const auto parts =
        message.AddTable(fields[i], {{0, kRefers, 0},
                                     {1, 1, true},
                                     {2, 1, static_cast<uint64_t>(facts.type)},
                                     {3, kRefers, 0},
                                     {5, kRefers, 0}});
    message.AddText(parts[0], rows_.name(i));
    AddType(message, parts[1], facts);
    message.AddList(parts[2], 0);  // has no children
  }
  return Framed(message.bytes(), "");
}

Status ArrowStream::Add(size_t row) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    const bool null = rows_.IsNull(i, row);
    if (count_ % 8 == 0) column.valid.push_back('\0');
    if (null)
      ++column.nulls;
    else
      column.valid.back() |= static_cast<char>(1 << count_ % 8);
    STEPSCOPE_TRY(AddCell(i, row, null));
  }
  ++count_;
  return Ok();
}

// NULL cells have a value, too, which nobody looks at.
Status ArrowStream::AddCell(size_t i, size_t row, bool null) {
  Column& column = columns_[i];
  const TypeFacts facts = TypeFactsOf(rows_.type(i));
  switch (facts.type) {
    case ArrowType::kBool:
      if (count_ % 8 == 0) column.values.push_back('\0');
      if (!null && rows_.Int64(i, row) != 0)
        column.values.back() |= static_cast<char>(1 << count_ % 8);
      break;
    case ArrowType::kInt: {
      const int64_t value = null ? 0 : rows_.Int64(i, row);
      if (facts.bits == 32)
        Append(column.values, static_cast<int32_t>(value));
      else
        Append(column.values, value);
      break;
    }
    case ArrowType::kFloat:
      Append(column.values, null ? 0.0 : rows_.Double(i, row));
      break;
    case ArrowType::kDecimal: {
      const UnsignedWideInteger bits = null ? 0 : WideAt(rows_, i, row);
      const auto value = static_cast<WideInteger>(bits);
      const bool below = rows_.type(i) == TypeId::kHugeint && value < 0;
      if (below ? value <= -TenTo38()
                : bits >= static_cast<UnsignedWideInteger>(TenTo38()))
        return Fail(ErrorCode::kInvalidArgument,
                    rows_.name(i) +
                        ": a number has more than 38 digits; CAST "
                        "it to DOUBLE or VARCHAR");
      Append(column.values, bits);
      break;
    }
    case ArrowType::kText: {
      const std::string_view text =
          null ? std::string_view() : rows_.Text(i, row);
      if (column.ends.empty()) column.ends.push_back(0);
      column.values.append(text);
      column.ends.push_back(static_cast<int32_t>(column.values.size()));
      bytes_ += text.size();
      break;
    }
  }
  return Ok();
}

bool ArrowStream::full() const {
  return count_ >= kBatchRows || bytes_ >= kBatchBytes;
}

std::string ArrowStream::TakeBatch() {
  if (count_ == 0) return "";
  std::string body;
  std::vector<std::pair<int64_t, int64_t>> nodes;    // rows, NULLs
  std::vector<std::pair<int64_t, int64_t>> buffers;  // offset, bytes
  const auto add = [&](std::string_view bytes) {
    buffers.emplace_back(body.size(), bytes.size());
    body.append(bytes);
    Pad(body);
  };
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    nodes.emplace_back(count_, column.nulls);
    add(column.nulls > 0 ? std::string_view(column.valid) : "");
    if (TypeFactsOf(rows_.type(i)).type == ArrowType::kText)
      add({reinterpret_cast<const char*>(column.ends.data()),
           column.ends.size() * sizeof(int32_t)});
    add(column.values);
  }
  FlatMessage message;
  const auto batch =
      message.AddTable(AddEnvelope(message, kBatchMessage, body.size()),
                       {{0, 8, count_}, {1, kRefers, 0}, {2, kRefers, 0}});
  message.AddPairs(batch[0], nodes);
  message.AddPairs(batch[1], buffers);
  columns_.assign(columns_.size(), {});
  count_ = 0;
  bytes_ = 0;
  return Framed(message.bytes(), body);
}

std::string ArrowStream::Tail() {
  std::string end;
  Append(end, UINT32_MAX);
  Append(end, int32_t{0});
  return end;
}

}  // namespace stepscope
