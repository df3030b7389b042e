// SPDX-License-Identifier: Apache-2.0
#include "report/otlp/span_ids.h"

#include <algorithm>
#include <array>

#include "base/sha256.h"

namespace stepscope::otlp {
namespace {

template <typename Id>
Id IdOf(std::string_view kind, std::string_view what) {
  std::string text(kind);
  text += '\0';
  text += what;
  const std::array<uint8_t, 32> hash = Sha256(text);
  Id id;
  std::copy_n(hash.begin(), id.size(), id.begin());
  if (IsNone(id)) id.back() = 1;
  return id;
}

void Add(std::string& text, std::string_view part) {
  text += part;
  text += '\0';
}

}  // namespace

std::string IdentityOf(const Trace& trace, uint32_t process) {
  const Process& one = trace.processes()[process];
  std::string text;
  bool has_start = false;
  for (const auto& [key, value] : one.metadata) {
    const std::string_view name = trace.str(key);
    if (name != "boot_id" && name != "pid_start") continue;
    has_start = has_start || name == "pid_start";
    Add(text, trace.str(value));
  }
  Add(text, trace.str(one.host));
  Add(text, std::to_string(one.pid));
  if (has_start) return text;
  Add(text, trace.str(one.name));
  Add(text, std::to_string(one.rank));
  Add(text, std::to_string(trace.epoch_ns()));
  Add(text, std::to_string(trace.begin_ns()));
  return text;
}

TraceId TraceIdOf(std::string_view what) {
  return IdOf<TraceId>("trace", what);
}

SpanId SpanIdOf(std::string_view what) { return IdOf<SpanId>("span", what); }

}  // namespace stepscope::otlp
