// SPDX-License-Identifier: Apache-2.0
#include "memory/allocator_settings.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"

namespace stepscope::memory {
namespace {

constexpr size_t kDivisionSlots = 16;

size_t SlotOf(int64_t bytes) {
  const int log = 63 - std::countl_zero(static_cast<uint64_t>(bytes));
  constexpr int kFirst = 20;  // 1 MiB
  return static_cast<size_t>(
      std::clamp(log - kFirst, 0, static_cast<int>(kDivisionSlots) - 1));
}

int64_t RoundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::optional<int64_t> Number(std::string_view text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return {};
  return value;
}

std::optional<double> Real(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return {};
  return value;
}

bool IsDivisions(std::optional<int64_t> value) {
  return value && *value >= 0 && *value <= 1024 &&
         (*value == 0 || std::has_single_bit(static_cast<uint64_t>(*value)));
}

Error Bad(std::string_view setting, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument,
              "\"" + std::string(setting) + "\": " + std::string(why));
}

// At commas outside brackets.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t from = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (i > from) parts.push_back(text.substr(from, i - from));
    from = i + 1;
  }
  return parts;
}

// "8" or "[256:1,512:2,>:4]": sizes in MiB from which a value holds.
Status ReadDivisions(std::string_view setting, std::string_view value,
                     AllocatorSettings& settings) {
  constexpr std::string_view kWrong =
      "expected a power of two, or a list like [256:1,512:2,>:4]";
  auto& slots = settings.roundup_divisions;
  if (!value.starts_with('[')) {
    const auto all = Number(value);
    if (!IsDivisions(all)) return Bad(setting, kWrong);
    slots.fill(*all);
    return Ok();
  }
  if (!value.ends_with(']')) return Bad(setting, kWrong);
  value = value.substr(1, value.size() - 2);
  size_t first = 0;
  for (const std::string_view part : Split(value)) {
    const size_t colon = part.find(':');
    if (colon == part.npos) return Bad(setting, kWrong);
    const auto divisions = Number(part.substr(colon + 1));
    if (!IsDivisions(divisions)) return Bad(setting, kWrong);
    size_t last = kDivisionSlots;
    if (part.substr(0, colon) != ">") {
      const auto size = Number(part.substr(0, colon));
      if (!size || *size <= 0 ||
          !std::has_single_bit(static_cast<uint64_t>(*size)))
        return Bad(setting, kWrong);
      last = std::min<size_t>(
          kDivisionSlots - 1,
          static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(*size))));
      if (last < first) return Bad(setting, "sizes must ascend");
      // As torch reads it: from this size to twice of it. The first holds for
      // what is smaller, too; what lies between others keeps its own.
      slots[last] = *divisions;
      for (size_t i = 0; first == 0 && i < last; ++i) slots[i] = *divisions;
      first = last + 1;
      continue;
    }
    for (size_t i = first; i < last; ++i) slots[i] = *divisions;
    first = last;
  }
  return Ok();
}

}  // namespace

int64_t RoundSize(int64_t bytes, const AllocatorSettings& settings) {
  if (bytes < kMinBlock) return kMinBlock;
  const int64_t divisions = settings.roundup_divisions[SlotOf(bytes)];
  if (divisions > 1 && bytes > kMinBlock * divisions) {
    if (std::has_single_bit(static_cast<uint64_t>(bytes))) return bytes;
    const auto floor =
        static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
    return RoundUp(bytes, std::max<int64_t>(1, floor / divisions));
  }
  return RoundUp(bytes, kMinBlock);
}

int64_t SegmentSize(int64_t rounded) {
  if (rounded <= kSmallSize) return kSmallSegment;
  if (rounded < kMinLarge) return kLargeSegment;
  return RoundUp(rounded, kRoundLarge);
}

Result<AllocatorSettings> ParseSettings(std::string_view text,
                                        AllocatorSettings base) {
  std::set<std::string_view> seen;
  for (const std::string_view setting : Split(text)) {
    size_t colon = setting.find(':');
    colon = std::min(colon, setting.find('='));
    if (colon == setting.npos)
      return Bad(setting, "expected NAME:VALUE, like max_split_size_mb:128");
    const std::string_view name = setting.substr(0, colon);
    const std::string_view value = setting.substr(colon + 1);
    if (!seen.insert(name).second) return Bad(name, "is given twice");
    if (name == "expandable_segments") {
      if (value != "True" && value != "False")
        return Bad(setting, "expected True or False");
      base.expandable_segments = value == "True";
    } else if (name == "max_split_size_mb") {
      const auto size = Number(value);
      if (!size || *size <= kLargeSegment / kMiB || *size > int64_t{1} << 40)
        return Bad(setting, "expected a number of MiB above 20");
      base.max_split_bytes = *size * kMiB;
    } else if (name == "garbage_collection_threshold") {
      const auto share = Real(value);
      if (!share || !(*share > 0 && *share < 1))
        return Bad(setting, "expected a share between 0 and 1");
      base.garbage_collection_threshold = *share;
    } else if (name == "roundup_power2_divisions") {
      STEPSCOPE_TRY(ReadDivisions(setting, value, base));
    } else {
      return Bad(name,
                 "is not a setting that can be replayed; known are "
                 "expandable_segments, garbage_collection_threshold, "
                 "max_split_size_mb and roundup_power2_divisions");
    }
  }
  if (base.expandable_segments && base.max_split_bytes != base.kNoLimit)
    return Bad("max_split_size_mb",
               "has no meaning with expandable_segments:True, whose blocks are "
               "always split; give one of them");
  return base;
}

std::string SettingsText(const AllocatorSettings& settings) {
  std::string text;
  const auto add = [&](const std::string& part) {
    text += (text.empty() ? "" : ",") + part;
  };
  if (settings.expandable_segments) add("expandable_segments:True");
  if (settings.garbage_collection_threshold > 0)
    add(Format("garbage_collection_threshold:%g",
               settings.garbage_collection_threshold));
  if (settings.max_split_bytes != settings.kNoLimit)
    add("max_split_size_mb:" + std::to_string(settings.max_split_bytes / kMiB));
  const auto& slots = settings.roundup_divisions;
  if (std::all_of(slots.begin(), slots.end(), [](int64_t n) { return n == 0; }))
    return text;
  if (std::all_of(slots.begin(), slots.end(),
                  [&](int64_t n) { return n == slots[0]; })) {
    add("roundup_power2_divisions:" + std::to_string(slots[0]));
    return text;
  }
  std::string list;
  for (size_t i = 0; i < kDivisionSlots; ++i)
    list += (i == 0 ? "" : ",") +
            (i + 1 == kDivisionSlots ? std::string(">")
                                     : std::to_string(uint64_t{1} << i)) +
            ":" + std::to_string(slots[i]);
  add("roundup_power2_divisions:[" + list + "]");
  return text;
}

}  // namespace stepscope::memory
