// SPDX-License-Identifier: Apache-2.0
//
// JsonWriter: strict JSON into a string, commas by itself. Output is valid
// UTF-8 whatever the strings contain: bytes that are not become U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace stepscope {

class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view key);

  JsonWriter& Int(int64_t value);
  JsonWriter& UInt(uint64_t value);
  // Shortest text that reads back as the same number; null unless finite.
  JsonWriter& Number(double value);
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  JsonWriter& String(std::string_view text);

  // Key and value in one.
  JsonWriter& Field(std::string_view key, int64_t value) {
    return Key(key).Int(value);
  }
  JsonWriter& Field(std::string_view key, uint64_t value) {
    return Key(key).UInt(value);
  }
  JsonWriter& Field(std::string_view key, double value) {
    return Key(key).Number(value);
  }
  JsonWriter& Field(std::string_view key, bool value) {
    return Key(key).Bool(value);
  }
  JsonWriter& Field(std::string_view key, std::string_view value) {
    return Key(key).String(value);
  }
  JsonWriter& Field(std::string_view key, const char* value) {
    return Key(key).String(value);
  }

  std::string Take() { return std::move(out_); }

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  void Separate();

  std::string out_;
  bool comma_ = false;  // a value precedes at this level
};

}  // namespace stepscope
