// SPDX-License-Identifier: Apache-2.0
#include "importers/json/args.h"

#include <charconv>

#include "importers/json/json_string.h"
#include "importers/json/number.h"

namespace stepscope::json {
namespace {

// Typed arguments, under the names that the files have for them.
bool IsTypedOfHost(std::string_view key) {
  return key == "Input Dims" || key == "Input type" ||
         key == "Concrete Inputs" || key == "input_shapes" ||
         key == "input_dtypes";
}

bool IsTypedOfDevice(std::string_view key) {
  switch (key.size()) {
    case 4:
      return key == "grid";
    case 5:
      return key == "block" || key == "bytes";
    case 12:
      return key == "warps per SM";
    case 13:
      return key == "blocks per SM" || key == "shared memory";
    case 20:
      return key == "registers per thread";
    case 25:
      return key == "est. achieved occupancy %";
    case 32:
      return key == "theoretical achieved occupancy %";
    default:
      return false;
  }
}

// The member as written, from its key to the end of its value.
std::string_view Whole(const Tokens& tokens, const MemberAt& member) {
  const size_t from = tokens.offset(member.key);
  const char kind = tokens.kind(member.value);
  if (kind == '{' || kind == '[')
    return tokens.Between(from, tokens.offset(member.next - 1) + 1);
  const std::string_view value = tokens.Scalar(member.value);
  return tokens.Between(from, tokens.offset(member.value) + value.size());
}

std::string_view ValueOf(const Tokens& tokens, const MemberAt& member) {
  const char kind = tokens.kind(member.value);
  if (kind != '{' && kind != '[') return tokens.Scalar(member.value);
  return tokens.Between(tokens.offset(member.value),
                        tokens.offset(member.next - 1) + 1);
}

bool ParseId(std::string_view value, int64_t& id) {
  return ParseInteger(value, id);
}

}  // namespace

void ArgReader::Read(const Tokens& tokens, const EventText& event, ArgSet set,
                     bool own_times) {
  correlation_ = external_id_ = sequence_ = graph_node_ = -1;
  device_ = stream_ = -1;
  start_time_ = end_time_ = {};
  flags_ = 0;
  rest_.clear();
  typed_.clear();
  for (const MemberAt& member : event.args) {
    const std::string_view key = tokens.Text(member.key);
    const std::string_view value = ValueOf(tokens, member);
    if (own_times && key == "start_time") {
      start_time_ = value;
    } else if (own_times && key == "end_time") {
      end_time_ = value;
    } else if ((own_times && TakeNote(key, value)) ||
               Take(set, key, value, tokens.kind(member.value))) {
      continue;
    } else {
      Keep(tokens, member);
    }
  }
  for (const MemberAt& member : event.others) Keep(tokens, member);
}

void ArgReader::Keep(const Tokens& tokens, const MemberAt& member) {
  if (!rest_.empty()) rest_ += ", ";
  rest_ += Whole(tokens, member);
}

// Notes that our own exporter adds.
bool ArgReader::TakeNote(std::string_view key, std::string_view value) {
  if (value != "true") return false;
  if (key == "open_at_end") flags_ |= kEventOpenAtEnd;
  else if (key == "name_clipped") flags_ |= kEventNameClipped;
  else if (key == "inferred") flags_ |= kEventInferred;
  else return false;
  return true;
}

bool ArgReader::Take(ArgSet set, std::string_view key, std::string_view value,
                     char kind) {
  switch (set) {
    case ArgSet::kNone:
      return false;
    case ArgSet::kHost:
      if (key == "External id" || key == "external id") {
        // Kept as written as well: it becomes a link only where it is needed.
        ParseId(value, external_id_);
        return false;
      }
      if (key == "Sequence number") return ParseId(value, sequence_);
      return IsTypedOfHost(key) && TakeTyped(key, value, kind);
    case ArgSet::kApi:
      if (key == "External id" || key == "external id") return false;
      return (key == "correlation" || key == "correlation id") &&
             ParseId(value, correlation_);
    case ArgSet::kDevice:
      if (key == "correlation" || key == "correlation id")
        return ParseId(value, correlation_);
      if (key == "External id" || key == "external id") {
        ParseId(value, external_id_);
        return false;
      }
      if (key == "device") return ParseId(value, device_);
      if (key == "stream") return ParseId(value, stream_);
      if (key == "graph node id") return ParseId(value, graph_node_);
      return IsTypedOfDevice(key) && TakeTyped(key, value, kind);
  }
  return false;
}

bool ArgReader::TakeTyped(std::string_view key, std::string_view value,
                          char kind) {
  typed_.push_back({builder_.Intern(key), value, kind});
  return true;
}

// "[1, 2, 3]"
bool ArgReader::AddNumbers(Row row, const Typed& typed) {
  numbers_.clear();
  std::string_view text = typed.value.substr(1, typed.value.size() - 2);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    while (!item.empty() && Tokens::IsSpace(item.front()))
      item.remove_prefix(1);
    while (!item.empty() && Tokens::IsSpace(item.back())) item.remove_suffix(1);
    int64_t number = 0;
    const auto [end, error] =
        std::from_chars(item.data(), item.data() + item.size(), number);
    if (error != std::errc() || end != item.data() + item.size()) return false;
    numbers_.push_back(number);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  Arg arg;
  arg.row = row;
  arg.key = typed.key;
  builder_.AddListArg(arg, numbers_);
  return true;
}

void ArgReader::AddTyped(Row row) {
  for (const Typed& typed : typed_) {
    Arg arg;
    arg.row = row;
    arg.key = typed.key;
    const std::string_view value = typed.value;
    const char* const end = value.data() + value.size();
    if (ParseInteger(value, arg.int_value) && typed.kind != '"') {
      arg.kind = ArgKind::kInt;
    } else if (typed.kind == '[' && AddNumbers(row, typed)) {
      continue;
    } else if (const auto number =
                   std::from_chars(value.data(), end, arg.double_value);
               number.ec == std::errc() && number.ptr == end) {
      arg.kind = ArgKind::kDouble;
    } else if (typed.kind == '"') {
      arg.kind = ArgKind::kText;
      arg.text = builder_.Intern(
          Unescaped(value.substr(1, value.size() - 2), buffer_));
    } else {
      arg.kind = ArgKind::kJson;
      arg.text = builder_.Intern(value);
    }
    builder_.AddArg(arg);
  }
}

std::string_view FindArg(const Tokens& tokens, const EventText& event,
                         std::string_view key) {
  for (const MemberAt& member : event.args)
    if (tokens.Text(member.key) == key) return ValueOf(tokens, member);
  return {};
}

}  // namespace stepscope::json
