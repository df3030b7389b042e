// SPDX-License-Identifier: Apache-2.0
//
// The part of XEvents that makes arguments of stats.
#include <charconv>

#include "importers/xplane/events.h"

namespace stepscope::proto::xplane {
namespace {

using Kind = StatValue::Kind;

// One "key:value" of a details text, taken off its front.
bool TakePair(std::string_view& text, std::string_view* key,
              std::string_view* value) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view pair = text.substr(0, end);
  text.remove_prefix(end);
  const size_t colon = pair.find(':');
  if (colon == pair.npos) return false;
  *key = pair.substr(0, colon);
  *value = pair.substr(colon + 1);
  return true;
}

template <typename T>
bool Parse(std::string_view text, T* out) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseTriple(std::string_view text, int64_t (&out)[3]) {
  for (int64_t& value : out) {
    const size_t comma = std::min(text.find(','), text.size());
    if (!Parse(text.substr(0, comma), &value)) return false;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return text.empty();
}

}  // namespace

void XEvents::SetValue(const StatValue& value, Arg& arg) {
  switch (value.kind) {
    case Kind::kDouble:
      arg.kind = ArgKind::kDouble;
      arg.double_value = std::bit_cast<double>(value.number);
      return;
    case Kind::kText:
      arg.kind = ArgKind::kText;
      arg.text = value.text;
      return;
    case Kind::kUint:
      if (value.number <= INT64_MAX) break;
      arg.kind = ArgKind::kText;
      arg.text = out_.Intern(std::to_string(value.number));
      return;
    case Kind::kInt:
    case Kind::kNone:
      break;
  }
  arg.int_value = static_cast<int64_t>(value.number);
}

void XEvents::AddSpecialStat(Row row, const StatValue& value) {
  TraceBuilder& builder = out_.builder();
  const KnownStat known = value.stat->known;
  if (known == KnownStat::kCorrelation) return;  // is a link
  if (value.kind == Kind::kText) {
    const std::string_view text = builder.strings().view(value.text);
    if (known == KnownStat::kKernelDetails) {
      AddKernelDetails(row, text, value.stat->name);
      return;
    }
    if (known == KnownStat::kMemcpyDetails) {
      std::string_view rest = text;
      std::string_view key;
      std::string_view number;
      int64_t bytes = 0;
      while (TakePair(rest, &key, &number))
        if (key == "size" && Parse(number, &bytes))
          builder.AddInt(row, "bytes", bytes);
    }
  }
  AddPlainStat(row, value);
  if (known == KnownStat::kStepNumber)
    builder.AddInt(row, "step", static_cast<int64_t>(value.number));
}

// "regs:38 static_shared:0 dynamic_shared:0 grid:160,1,1 block:1024,1,1
// occ_pct:100": as the arguments that kernels of other sources have. A text
// that says something else is kept whole.
void XEvents::AddKernelDetails(Row row, std::string_view text,
                               StringId key_id) {
  TraceBuilder& builder = out_.builder();
  int64_t registers = 0;
  int64_t shared = 0;
  int64_t grid[3] = {};
  int64_t block[3] = {};
  double occupancy = -1;
  bool understood = true;
  std::string_view rest = text;
  std::string_view key;
  std::string_view value;
  while (understood && TakePair(rest, &key, &value)) {
    int64_t number = 0;
    if (key == "grid") {
      understood = ParseTriple(value, grid);
    } else if (key == "block") {
      understood = ParseTriple(value, block);
    } else if (key == "occ_pct") {
      understood = Parse(value, &occupancy);
    } else if (key == "regs") {
      understood = Parse(value, &registers);
    } else {
      understood =
          (key == "static_shared" || key == "dynamic_shared" || key == "shm") &&
          Parse(value, &number);
      shared += number;
    }
  }
  Arg arg;
  arg.row = row;
  arg.key = key_id;
  if (!understood || !rest.empty()) {
    arg.kind = ArgKind::kText;
    arg.text = out_.Intern(text);
    builder.AddArg(arg);
    return;
  }
  builder.AddInt(row, "registers per thread", registers);
  builder.AddInt(row, "shared memory", shared);
  arg.key = out_.Intern("grid");
  builder.AddListArg(arg, grid);
  arg.key = out_.Intern("block");
  builder.AddListArg(arg, block);
  if (occupancy >= 0)
    builder.AddDouble(row, "theoretical achieved occupancy %", occupancy);
}

}  // namespace stepscope::proto::xplane
