// SPDX-License-Identifier: Apache-2.0
#include "importers/chrome/args.h"

#include <charconv>
#include <cstddef>
#include <iterator>

#include "importers/json/json_string.h"
#include "importers/json/number.h"
#include "trace/request_events.h"

namespace stepscope::json {
namespace {

// Typed arguments, under the names that the files have for them.
constexpr std::string_view kTypedKeys[] = {"Input Dims",
                                           "Input type",
                                           "Concrete Inputs",
                                           "input_shapes",
                                           "input_dtypes",
                                           "grid",
                                           "block",
                                           "bytes",
                                           "blocks per SM",
                                           "est. achieved occupancy %",
                                           "theoretical achieved occupancy %",
                                           kMembersKey,
                                           kRequestKey,
                                           kRequestIdKey,
                                           kTraceparentKey,
                                           kRequestErrorKey};
static_assert(std::size(kTypedKeys) == ArgReader::kTypedKeyCount);

constexpr size_t IndexOf(std::string_view key) {
  size_t i = 0;
  while (kTypedKeys[i] != key) ++i;
  return i;
}

std::string_view ValueOf(const Tokens& tokens, const MemberAt& member) {
  const char kind = tokens.kind(member.value);
  if (kind != '{' && kind != '[') return tokens.Scalar(member.value);
  return tokens.Between(tokens.offset(member.value),
                        tokens.offset(member.next - 1) + 1);
}

}  // namespace

void ArgReader::Read(const Tokens& tokens, const EventText& event, ArgSet set,
                     bool own_times) {
  correlation_ = external_id_ = sequence_ = graph_node_ = -1;
  step_number_ = -1;
  device_ = stream_ = -1;
  start_time_ = end_time_ = {};
  flags_ = 0;
  has_name_ = made_up_ = false;
  // All names of such events begin so, and few others do.
  is_request_ = event.name.starts_with(kRequestBegins) &&
                (set == ArgSet::kHost || set == ArgSet::kInstant) &&
                !FindArg(tokens, event, kRequestKey).empty();
  runs_.clear();
  typed_.clear();
  uint32_t run_next = ~0u - 1;  // the token behind the last run
  const auto keep = [&](const MemberAt& member, std::string_view value) {
    const char* const end = value.data() + value.size();
    const char* begin = tokens.Between(tokens.offset(member.key), 0).data();
    if (member.key == run_next + 1) {
      begin = runs_.back().data();
      runs_.pop_back();
    }
    runs_.emplace_back(begin, static_cast<size_t>(end - begin));
    run_next = member.next;
  };
  for (const MemberAt& member : event.args) {
    const std::string_view key = tokens.Text(member.key);
    const std::string_view value = ValueOf(tokens, member);
    bool taken = own_times && TakeOwn(key, value);
    if (!taken) {
      switch (set) {
        case ArgSet::kNone:
          break;
        case ArgSet::kInstant:
          taken = is_request_ && TakeServing(key, value);
          break;
        case ArgSet::kHost:
          taken = TakeHost(key, value);
          break;
        case ArgSet::kApi:
          taken = TakeApi(key, value);
          break;
        case ArgSet::kDevice:
          taken = TakeDevice(key, value);
          break;
      }
    }
    if (!taken) keep(member, value);
  }
  for (const MemberAt& member : event.others) {
    run_next = ~0u - 1;  // of the event, not of the arguments
    keep(member, ValueOf(tokens, member));
  }
}

std::string ArgReader::rest() const {
  std::string rest;
  for (const std::string_view run : runs_) {
    if (!rest.empty()) rest += ", ";
    rest += run;
  }
  return rest;
}

// What our own exporter and Paddle add to the arguments.
bool ArgReader::TakeOwn(std::string_view key, std::string_view value) {
  if (key == "start_time") {
    start_time_ = value;
  } else if (key == "end_time") {
    end_time_ = value;
  } else if (key == "name_bytes") {
    return TakeName(value);
  } else if (value != "true") {
    return false;
  } else if (key == "open_at_end") {
    flags_ |= kEventOpenAtEnd;
  } else if (key == "name_clipped") {
    flags_ |= kEventNameClipped;
  } else if (key == "inferred") {
    flags_ |= kEventInferred;
  } else if (key == "made_up") {
    made_up_ = true;
  } else {
    return false;
  }
  return true;
}

// Two hexadecimal digits a byte, in quotes.
bool ArgReader::TakeName(std::string_view value) {
  if (value.size() < 2 || value.size() % 2 != 0 || value.front() != '"')
    return false;
  value = value.substr(1, value.size() - 2);
  name_.clear();
  for (size_t i = 0; i < value.size(); i += 2) {
    uint8_t byte = 0;
    const auto [end, error] =
        std::from_chars(&value[i], value.data() + i + 2, byte, 16);
    if (error != std::errc() || end != value.data() + i + 2) return false;
    name_ += static_cast<char>(byte);
  }
  has_name_ = true;
  return true;
}

// The three below tell keys by their length first: then a comparison is one
// of words.
bool ArgReader::TakeHost(std::string_view key, std::string_view value) {
  switch (key.size()) {
    case 8:
      // Of TensorFlow and JAX, a number as text; kept as written as well.
      if (key == "step_num") ParseInteger(value, step_number_);
      return false;
    case 10:
      if (key == "Input Dims") return TakeTyped(IndexOf("Input Dims"), value);
      if (key == "Input type") return TakeTyped(IndexOf("Input type"), value);
      return false;
    case 11:
      // Kept as written as well: it becomes a link only where it is needed.
      if (key == "External id" || key == "external id") {
        ParseInteger(value, external_id_);
        return false;
      }
      return TakeServing(key, value);
    case 12:
      if (key == "input_shapes")
        return TakeTyped(IndexOf("input_shapes"), value);
      if (key == "input_dtypes")
        return TakeTyped(IndexOf("input_dtypes"), value);
      return false;
    case 15:
      if (key == "Sequence number") return ParseInteger(value, sequence_);
      if (key == "Concrete Inputs")
        return TakeTyped(IndexOf("Concrete Inputs"), value);
      return false;
    default:
      return TakeServing(key, value);
  }
}

// Who takes part in an iteration, in lists of which all but the first have a
// number behind the key, and what events of requests say.
bool ArgReader::TakeServing(std::string_view key, std::string_view value) {
  if (key.starts_with(kMembersKey)) {
    const std::string_view rest = key.substr(kMembersKey.size());
    return (rest.empty() || rest.starts_with(" (")) && value.starts_with('[') &&
           TakeTyped(IndexOf(kMembersKey), value);
  }
  if (!is_request_) return false;
  for (const std::string_view wanted :
       {kRequestKey, kRequestIdKey, kTraceparentKey, kRequestErrorKey})
    if (key == wanted) return TakeTyped(IndexOf(wanted), value);
  return false;
}

bool ArgReader::TakeApi(std::string_view key, std::string_view value) {
  return (key == "correlation" || key == "correlation id") &&
         ParseInteger(value, correlation_);
}

bool ArgReader::TakeDevice(std::string_view key, std::string_view value) {
  switch (key.size()) {
    case 4:
      return key == "grid" && TakeTyped(IndexOf("grid"), value);
    case 5:
      if (key == "block") return TakeTyped(IndexOf("block"), value);
      if (key == "bytes") return TakeTyped(IndexOf("bytes"), value);
      return false;
    case 6:
      if (key == "device") return ParseInteger(value, device_);
      if (key == "stream") return ParseInteger(value, stream_);
      return false;
    case 11:
      if (key == "correlation") return ParseInteger(value, correlation_);
      if (key == "External id" || key == "external id")
        ParseInteger(value, external_id_);
      return false;
    case 13:
      if (key == "blocks per SM")
        return TakeTyped(IndexOf("blocks per SM"), value);
      return key == "graph node id" && ParseInteger(value, graph_node_);
    case 14:
      return key == "correlation id" && ParseInteger(value, correlation_);
    default:
      if (key == "est. achieved occupancy %")
        return TakeTyped(IndexOf("est. achieved occupancy %"), value);
      return key == "theoretical achieved occupancy %" &&
             TakeTyped(IndexOf("theoretical achieved occupancy %"), value);
  }
}

bool ArgReader::TakeTyped(size_t key, std::string_view value) {
  StringId& id = key_ids_[key];
  if (id == StringId{}) id = builder_.Intern(kTypedKeys[key]);
  typed_.push_back({id, value});
  return true;
}

// "[1, 2, 3]"
bool ArgReader::AddNumbers(Row row, const Typed& typed) {
  constexpr ptrdiff_t kSafeDigits = 18;
  numbers_.clear();
  const char* at = typed.value.data() + 1;
  const char* const end = typed.value.data() + typed.value.size() - 1;
  while (at < end) {
    while (at < end && Tokens::IsSpace(*at)) ++at;
    const char* const first = at;
    // Digits are counted up on the way; what has others, or too many to be
    // sure, is read once more.
    int64_t number = 0;
    bool plain = true;
    for (; at < end && *at != ',' && !Tokens::IsSpace(*at); ++at) {
      plain &= *at >= '0' && *at <= '9' && at - first < kSafeDigits;
      if (plain) number = number * 10 + (*at - '0');
    }
    if ((!plain || at == first) &&
        !ParseSigned({first, static_cast<size_t>(at - first)}, number))
      return false;
    numbers_.push_back(number);
    while (at < end && Tokens::IsSpace(*at)) ++at;
    if (at < end && *at++ != ',') return false;
  }
  Arg arg;
  arg.row = row;
  arg.key = typed.key;
  builder_.AddListArg(arg, numbers_);
  return true;
}

void ArgReader::AddTyped(Row row) {
  for (const Typed& typed : typed_) {
    const std::string_view value = typed.value;
    const char kind = value.front();
    if (kind == '[' && AddNumbers(row, typed)) continue;
    Arg arg;
    arg.row = row;
    arg.key = typed.key;
    if (kind == '"') {
      arg.kind = ArgKind::kText;
      arg.text = builder_.Intern(
          Unescaped(value.substr(1, value.size() - 2), buffer_));
    } else if (kind == '[' || kind == '{') {
      arg.kind = ArgKind::kJson;
      arg.text = builder_.Intern(value);
    } else if (ParseInteger(value, arg.int_value)) {
      arg.kind = ArgKind::kInt;
    } else if (ParseReal(value, arg.double_value)) {
      arg.kind = ArgKind::kDouble;
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
