// SPDX-License-Identifier: Apache-2.0
#include "importers/chrome/header.h"

#include <charconv>
#include <cmath>
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

// "1.25", quoted or not; negative if it is no such number.
double UsageOf(std::string_view token) {
  if (token.size() >= 2 && token.front() == '"')
    token = token.substr(1, token.size() - 2);
  double usage = -1;
  const auto [end, error] =
      std::from_chars(token.data(), token.data() + token.size(), usage);
  const bool whole = end == token.data() + token.size();
  return error == std::errc() && whole && std::isfinite(usage) ? usage : -1;
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
  } else if (key == "span_indx" || key == "span_index") {
    paddle_ = true;
  } else if (key == "baseTimeNanoseconds") {
    has_base_ = ParseInteger(value, base_ns_);
  } else if (key == "trace_id" || key == "cupti_version" ||
             key == "traceName" || key == "distributedInfo") {
    kineto_ = true;
  }
  if (key == "host_name") {
    builder.process(process).host = entry.second;
  } else if (key == "distributedInfo" || key == "stepscope" ||
             key == "ExtraInfo") {
    TokenIndex index;
    if (!index.Find(value)) return;
    if (key == "distributedInfo") {
      ParseInteger(MemberOf(index, "rank"), builder.process(process).rank);
    } else if (key == "ExtraInfo") {
      // Of Paddle and of our exporter, as texts.
      const std::string_view not_measured = MemberOf(index, "Not Measured");
      const auto usage = [&](std::string_view of) {
        return not_measured.find(of) != not_measured.npos
                   ? -1
                   : UsageOf(MemberOf(index, of));
      };
      builder.MergeCpuUsage(
          {usage("Process Cpu Utilization"), usage("System Cpu Utilization")});
    } else {
      epoch_known_ = MemberOf(index, "epochKnown") != "false";
      stated_peaks_ = MemberOf(index, "statedPeaks") != "false";
      has_window_ =
          ParseInteger(MemberOf(index, "windowBegin"), window_begin_ns_) &&
          ParseInteger(MemberOf(index, "windowEnd"), window_end_ns_) &&
          window_begin_ns_ <= window_end_ns_;
    }
  }
}

void Header::AddWindow(TraceBuilder& builder, int64_t origin_ns) const {
  int64_t begin = 0;
  int64_t end = 0;
  if (has_window_ &&
      !__builtin_sub_overflow(window_begin_ns_, origin_ns, &begin) &&
      !__builtin_sub_overflow(window_end_ns_, origin_ns, &end))
    builder.AddWindow(begin, end);
}

}  // namespace stepscope::json
