// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/collective_args.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/json_fragment.h"

namespace stepscope {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 60;

// Nothing unless all of the text is a number.
std::optional<int64_t> IntegerOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

// "[0, 1, 2]"; empty if it is not a whole list of numbers ("[0, 1, ..., 7]").
std::vector<int64_t> IntegersOf(std::string_view text) {
  std::vector<int64_t> list;
  bool whole = text.ends_with(']');
  ForEachJsonItem(text, [&](std::string_view item) {
    const std::optional<int64_t> value = IntegerOf(item);
    whole &= value.has_value();
    list.push_back(value.value_or(0));
  });
  if (!whole) list.clear();
  return list;
}

std::string_view Unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    return text.substr(1, text.size() - 2);
  return text;
}

uint64_t Multiply(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kMostBytes / b ? kMostBytes : a * b;
}

// Elements of "[[1049600]]" or "[[8, 4], [2]]": products, added up.
uint64_t ElementsOf(std::string_view dims) {
  uint64_t sum = 0;
  for (size_t at = 0; at < dims.size();) {
    const size_t open = dims.find('[', at);
    if (open == dims.npos) break;
    const size_t next = dims.find_first_of("[]", open + 1);
    if (next == dims.npos) break;
    at = next;
    if (dims[next] != ']') continue;
    const std::vector<int64_t> shape =
        IntegersOf(dims.substr(open, next - open + 1));
    if (shape.empty()) continue;
    uint64_t product = 1;
    for (const int64_t size : shape)
      product = Multiply(product, size < 0 ? 0 : static_cast<uint64_t>(size));
    sum = std::min(sum + product, kMostBytes);
  }
  return sum;
}

// What is told first; sizes follow when the type of elements is known.
struct Told {
  uint64_t in = 0;
  uint64_t out = 0;
  std::string type;
  uint64_t elements = 0;  // by shape
  std::string input_type;
};

void Take(std::string_view key, std::string_view value, CollectiveArgs& args,
          Told& told) {
  const auto integer = [&](int64_t& to) {
    if (const auto number = IntegerOf(value)) to = *number;
  };
  const auto size = [&](uint64_t& to) {
    const auto number = IntegerOf(value);
    if (number && *number > 0) to = static_cast<uint64_t>(*number);
  };
  if (key == "Collective name") {
    args.name = value;
  } else if (key == "Process Group Name") {
    args.group = value;
  } else if (key == "Process Group Ranks") {
    args.ranks = IntegersOf(value);
  } else if (key == "Group size") {
    integer(args.group_size);
  } else if (key == "Seq" || key == "seq") {
    integer(args.seq);
  } else if (key == "Src Rank" || key == "trainer_id") {
    integer(args.source);
  } else if (key == "Dst Rank") {
    integer(args.target);
  } else if (key == "In msg nelems") {
    size(told.in);
  } else if (key == "Out msg nelems") {
    size(told.out);
  } else if (key == "dtype") {
    told.type = value;
  } else if (key == "bytes") {
    size(args.bytes);
  } else if (key == "Input Dims") {
    told.elements = ElementsOf(value);
  } else if (key == "Input type") {
    // ["float"], of which the first counts.
    const size_t open = value.find('"');
    const size_t close = open == value.npos ? open : value.find('"', open + 1);
    if (close != value.npos)
      told.input_type = value.substr(open + 1, close - open - 1);
  }
}

}  // namespace

uint64_t ElementBytes(std::string_view type) {
  std::string lower;
  for (const char c : type)
    lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.starts_with("c10::")) lower.erase(0, 5);
  constexpr std::array<std::pair<std::string_view, uint64_t>, 18> kTypes = {
      {{"float", 4},
       {"float32", 4},
       {"double", 8},
       {"float64", 8},
       {"half", 2},
       {"float16", 2},
       {"bfloat16", 2},
       {"int", 4},
       {"int32", 4},
       {"long", 8},
       {"long int", 8},
       {"int64", 8},
       {"short", 2},
       {"byte", 1},
       {"char", 1},
       {"bool", 1},
       {"unsigned char", 1},
       {"signed char", 1}}};
  for (const auto& [name, bytes] : kTypes)
    if (lower == name) return bytes;
  return lower.starts_with("float8") ? 1 : 0;
}

CollectiveArgs CollectiveArgReader::Read(Row row) {
  CollectiveArgs args;
  Told told;
  for (const Arg& arg : trace_.args_of(row)) {
    const std::string_view key = trace_.str(arg.key);
    if (arg.kind == ArgKind::kInt)
      Take(key, std::to_string(arg.int_value), args, told);
    else if (arg.has_text())
      Take(key, trace_.str(arg.text), args, told);
  }
  ForEachJsonMember(raw_.Get(row),
                    [&](std::string_view key, std::string_view value) {
                      Take(key, Unquoted(value), args, told);
                      return true;
                    });
  if (args.bytes == 0)
    args.bytes = Multiply(std::max(told.in, told.out), ElementBytes(told.type));
  if (args.bytes == 0)
    args.bytes = Multiply(told.elements, ElementBytes(told.input_type));
  return args;
}

}  // namespace stepscope
