// SPDX-License-Identifier: Apache-2.0
#include "importers/json/header.h"

#include <string>

#include "importers/json/json_string.h"
#include "importers/json/number.h"
#include "importers/json/tokens.h"

namespace stepscope::json {
namespace {

// Member `wanted` of an object, as written; empty if it has none.
std::string_view MemberOf(const TokenIndex& index, std::string_view wanted) {
  const Tokens tokens = index.tokens();
  if (tokens.count() == 0 || tokens.kind(0) != '{') return {};
  Members members(tokens, 0);
  while (members.Next() == Members::State::kMember) {
    const char kind = tokens.kind(members.value());
    if (tokens.Text(members.key()) == wanted && kind != '{' && kind != '[')
      return tokens.Scalar(members.value());
    if (!members.SkipValue()) break;
  }
  return {};
}

}  // namespace

void Header::Add(TraceBuilder& builder, uint32_t process, std::string_view key,
                 std::string_view value) {
  std::string buffer;
  const bool text =
      value.size() >= 2 && value.front() == '"' && value.back() == '"';
  const std::string_view shown =
      text ? Unescaped(value.substr(1, value.size() - 2), buffer) : value;
  const std::pair entry = {builder.Intern(key), builder.Intern(shown)};
  builder.process(process).metadata.push_back(entry);
  if (key == "schemaVersion") {
    paddle_ |= text;
    kineto_ |= !text;
  } else if (key == "span_indx") {
    paddle_ = true;
  } else if (key == "baseTimeNanoseconds") {
    has_base_ = ParseInteger(value, base_ns_);
  } else if (key == "trace_id" || key == "cupti_version" ||
             key == "traceName" || key == "distributedInfo") {
    kineto_ = true;
  }
  if (key == "host_name") {
    builder.process(process).host = entry.second;
  } else if (key == "distributedInfo" || key == "stepscope") {
    TokenIndex index;
    if (!index.Find(value)) return;
    if (key == "distributedInfo") {
      ParseInteger(MemberOf(index, "rank"), builder.process(process).rank);
    } else {
      epoch_known_ = MemberOf(index, "epochKnown") != "false";
    }
  }
}

}  // namespace stepscope::json
