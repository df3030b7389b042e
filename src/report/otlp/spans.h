// SPDX-License-Identifier: Apache-2.0
//
// Spans as OpenTelemetry has them, before they are written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stepscope::otlp {

using TraceId = std::array<uint8_t, 16>;
using SpanId = std::array<uint8_t, 8>;

// Ids of zeros only mean "none".
template <typename Id>
bool IsNone(const Id& id) {
  return id == Id{};
}

using Value = std::variant<int64_t, double, bool, std::string>;
struct Attribute {
  std::string key;
  Value value;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};
using Attributes = std::vector<Attribute>;

enum class SpanKind : uint8_t { kInternal = 1, kServer = 2 };

// Of Span.flags: the lowest byte is that of the traceparent; the next two bits
// say that it is known whether the parent is in another process, and if so.
inline constexpr uint32_t kFlagSampled = 0x01;
inline constexpr uint32_t kFlagKnowsRemote = 0x100;
inline constexpr uint32_t kFlagParentIsRemote = 0x200;

struct Link {
  TraceId trace = {};
  SpanId span = {};
  Attributes attributes = {};
};

struct SpanEvent {
  int64_t time_ns = 0;  // unix
  std::string name;
};

// When a span says all that it will, for who sends while a program runs.
enum class Final : uint8_t {
  kSoon,   // some time after it has ended
  kAtEnd,  // when the program has ended
  kNever,  // its request never ended
};

struct Span {
  TraceId trace = {};
  SpanId id = {};
  SpanId parent = {};
  uint32_t flags = 0;
  SpanKind kind = SpanKind::kInternal;
  std::string name;
  int64_t start_ns = 0;  // unix
  int64_t end_ns = 0;
  Attributes attributes = {};
  std::vector<SpanEvent> events = {};
  std::vector<Link> links = {};
  uint32_t dropped_links = 0;  // that it had beyond `links`
  bool failed = false;
  Final final = Final::kSoon;
};

// The spans of one process.
struct ResourceSpans {
  Attributes resource;
  std::vector<Span> spans;
};

}  // namespace stepscope::otlp
