// SPDX-License-Identifier: Apache-2.0
#include "report/otlp/field_writer.h"

#include <cmath>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "exporters/proto/wire.h"

namespace stepscope::otlp {
namespace {

class ProtobufFields : public FieldWriter {
 public:
  ProtobufFields() : open_(1) {}

  void Begin(Field field) override {
    fields_.push_back(field.number);
    open_.emplace_back();
  }
  void End() override {
    const proto::Message message = std::move(open_.back());
    open_.pop_back();
    open_.back().Sub(fields_.back(), message);
    fields_.pop_back();
  }
  void BeginList(Field field) override { lists_.push_back(field); }
  void BeginItem() override { Begin(lists_.back()); }
  void EndList() override { lists_.pop_back(); }

  void Text(Field field, std::string_view value) override {
    // Readers refuse a whole message for one byte that is not UTF-8.
    open_.back().Text(field.number,
                      IsValidUtf8(value) ? value : ValidUtf8(value));
  }
  void Id(Field field, std::span<const uint8_t> bytes) override {
    open_.back().Text(
        field.number,
        {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  void Int(Field field, int64_t value) override {
    open_.back().Int(field.number, value);
  }
  void Number(Field field, uint32_t value) override {
    open_.back().Uint(field.number, value);
  }
  void Time(Field field, int64_t ns) override {
    open_.back().Fixed(field.number, static_cast<uint64_t>(ns));
  }
  void Flags(Field field, uint32_t value) override {
    open_.back().Fixed32(field.number, value);
  }
  void Double(Field field, double value) override {
    open_.back().Double(field.number, value);
  }
  void Bool(Field field, bool value) override {
    open_.back().Uint(field.number, value ? 1 : 0);
  }
  std::string Take() override { return std::string(open_.front().view()); }

 private:
  std::vector<proto::Message> open_;  // the whole, then what is within it
  std::vector<uint32_t> fields_;      // of all but the first
  std::vector<Field> lists_;
};

// protobuf's mapping to JSON, but ids are hexadecimal, as OTLP has them.
class JsonFields : public FieldWriter {
 public:
  JsonFields() { json_.BeginObject(); }

  void Begin(Field field) override { json_.Key(field.name).BeginObject(); }
  void End() override { json_.EndObject(); }
  void BeginList(Field field) override { json_.Key(field.name).BeginArray(); }
  void BeginItem() override { json_.BeginObject(); }
  void EndList() override { json_.EndArray(); }

  void Text(Field field, std::string_view value) override {
    json_.Field(field.name, value);
  }
  void Id(Field field, std::span<const uint8_t> bytes) override {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (const uint8_t byte : bytes) {
      hex += kDigits[byte >> 4];
      hex += kDigits[byte & 15];
    }
    json_.Field(field.name, hex);
  }
  // 64 bits are text: a number of JavaScript has 53.
  void Int(Field field, int64_t value) override {
    json_.Field(field.name, std::to_string(value));
  }
  void Number(Field field, uint32_t value) override {
    json_.Field(field.name, uint64_t{value});
  }
  void Time(Field field, int64_t ns) override { Int(field, ns); }
  void Flags(Field field, uint32_t value) override { Number(field, value); }
  void Double(Field field, double value) override {
    if (std::isfinite(value))
      json_.Field(field.name, value);
    else
      json_.Field(field.name, std::isnan(value) ? "NaN"
                              : value > 0       ? "Infinity"
                                                : "-Infinity");
  }
  void Bool(Field field, bool value) override {
    json_.Field(field.name, value);
  }
  std::string Take() override {
    json_.EndObject();
    return json_.Take();
  }

 private:
  JsonWriter json_;
};

}  // namespace

std::unique_ptr<FieldWriter> MakeFieldWriter(Encoding encoding) {
  if (encoding == Encoding::kJson) return std::make_unique<JsonFields>();
  return std::make_unique<ProtobufFields>();
}

}  // namespace stepscope::otlp
