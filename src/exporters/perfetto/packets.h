// SPDX-License-Identifier: Apache-2.0
//
// Packets of one sequence, with the strings that events refer to by number.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/out_buffer.h"
#include "exporters/perfetto/fields.h"
#include "exporters/proto/wire.h"
#include "trace/trace.h"

namespace stepscope::perfetto {

inline constexpr uint64_t kSequence = 1;

class Packets {
 public:
  Packets(const Trace& trace, OutBuffer& out);

  // The first packet: clears what a reader may know of this sequence, and
  // states what time `zero_ns` of the trace was, if that is known.
  void WriteStart(int64_t zero_ns);
  // One of facts::FileFact that comes later.
  void WriteFact(const proto::Message& fact);
  void WriteDescriptor(const proto::Message& descriptor);
  // An event with more than the fast path writes.
  void WriteEvent(uint64_t time_ns, const proto::Message& event);

  // Numbers of strings, which are defined on first use.
  uint64_t NameIid(StringId name) {
    if (names_[name.v] == kUndefined) [[unlikely]]
      DefineName(name);
    return uint64_t{name.v} + kFirstNameIid;
  }
  uint64_t CategoryIid(uint16_t type) {
    if (type >= categories_.size() || !categories_[type]) [[unlikely]]
      DefineCategory(type);
    return uint64_t{type} + 1;
  }
  uint64_t KeyIid(StringId key);
  // Of a key or name that is not in the trace.
  uint64_t KeyIid(std::string_view key);
  uint64_t NameIid(std::string_view name);

  // Whether the string is UTF-8; known once it has been defined.
  bool IsValid(StringId name) const { return names_[name.v] == kValid; }
  OutBuffer& out() { return out_; }

 private:
  static constexpr uint64_t kFirstNameIid = 1;
  enum NameState : uint8_t { kUndefined, kValid, kNotUtf8 };

  void DefineName(StringId name);
  void DefineCategory(uint16_t type);
  void Define(Interned kind, uint64_t iid, std::string_view text);
  void Write(const proto::Message& packet);

  const Trace& trace_;
  OutBuffer& out_;
  std::vector<NameState> names_;  // by StringId
  std::vector<bool> keys_;
  std::vector<bool> categories_;  // by event type
  std::vector<std::string> own_keys_;
  std::vector<std::string> own_names_;
  proto::Message packet_;
  proto::Message inner_;
};

}  // namespace stepscope::perfetto
