// SPDX-License-Identifier: Apache-2.0
#include "importers/json/args.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "importers/json/json_string.h"
#include "importers/json/number.h"

namespace stepscope::json {
namespace {

// Typed arguments, under the names that the files have for them.
constexpr std::string_view kTypedKeys[] = {
    "Input Dims", "Input type", "Concrete Inputs", "input_shapes",
    "input_dtypes",  // of the host up to here
    "grid", "block", "bytes", "blocks per SM", "est. achieved occupancy %",
    "theoretical achieved occupancy %"};
constexpr size_t kHostKeys = 5;
constexpr size_t kAllKeys = std::size(kTypedKeys);
static_assert(kAllKeys == ArgReader::kTypedKeyCount);

// Which of keys [first, last) it is; `last` if none.
size_t FindTyped(std::string_view key, size_t first, size_t last) {
  while (first < last && kTypedKeys[first] != key) ++first;
  return first;
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

bool IsHostInitial(char c) {
  return c == 'E' || c == 'e' || c == 'S' || c == 'I' || c == 'C' || c == 'i';
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
  run_ = {};
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
  Flush();
  for (const MemberAt& member : event.others) {
    Keep(tokens, member);
    Flush();
  }
}

// Members that stand side by side are copied in one go.
void ArgReader::Keep(const Tokens& tokens, const MemberAt& member) {
  const std::string_view text = Whole(tokens, member);
  if (!run_.empty() && member.key == run_next_ + 1) {
    run_ = {run_.data(),
            static_cast<size_t>(text.data() + text.size() - run_.data())};
  } else {
    Flush();
    run_ = text;
  }
  run_next_ = member.next;
}

void ArgReader::Flush() {
  if (run_.empty()) return;
  if (!rest_.empty()) rest_ += ", ";
  rest_ += run_;
  run_ = {};
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
      // By its first letter, most of what there is means nothing to us.
      if (key.empty() || !IsHostInitial(key[0])) return false;
      if (key == "External id" || key == "external id") {
        // Kept as written as well: it becomes a link only where it is needed.
        ParseId(value, external_id_);
        return false;
      }
      if (key == "Sequence number") return ParseId(value, sequence_);
      return TakeTyped(FindTyped(key, 0, kHostKeys), kHostKeys, value, kind);
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
      return TakeTyped(FindTyped(key, kHostKeys, kAllKeys), kAllKeys,
                       value, kind);
  }
  return false;
}

bool ArgReader::TakeTyped(size_t key, size_t none, std::string_view value,
                          char kind) {
  if (key == none) return false;
  StringId& id = key_ids_[key];
  if (id == StringId{}) id = builder_.Intern(kTypedKeys[key]);
  typed_.push_back({id, value, kind});
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
    if (typed.kind != '"' && ParseInteger(value, arg.int_value)) {
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
