// SPDX-License-Identifier: Apache-2.0
//
// FieldWriter: protobuf messages field by field, as bytes or as JSON. Who
// writes a message does not know which of the two it becomes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "report/otlp/fields.h"

namespace stepscope::otlp {

enum class Encoding : uint8_t { kJson, kProtobuf };

class FieldWriter {
 public:
  virtual ~FieldWriter() = default;

  // A message within the message that is being written.
  virtual void Begin(Field field) = 0;
  virtual void End() = 0;
  // A repeated field of messages: EndList after the last one.
  virtual void BeginList(Field field) = 0;
  virtual void BeginItem() = 0;
  virtual void EndList() = 0;

  virtual void Text(Field field, std::string_view value) = 0;
  virtual void Id(Field field, std::span<const uint8_t> bytes) = 0;
  virtual void Int(Field field, int64_t value) = 0;      // int64
  virtual void Number(Field field, uint32_t value) = 0;  // uint32 and enums
  virtual void Time(Field field, int64_t ns) = 0;        // fixed64
  virtual void Flags(Field field, uint32_t value) = 0;   // fixed32
  virtual void Double(Field field, double value) = 0;
  virtual void Bool(Field field, bool value) = 0;

  // The message, after everything.
  virtual std::string Take() = 0;
};

std::unique_ptr<FieldWriter> MakeFieldWriter(Encoding encoding);

}  // namespace stepscope::otlp
