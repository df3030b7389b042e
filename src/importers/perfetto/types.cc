// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/types.h"

#include <charconv>

#include "trace/event_type.h"

namespace stepscope::pftrace {
namespace {

// "Type77", which our files say of a type without a name.
bool ParseNumbered(std::string_view category, uint16_t* type) {
  constexpr std::string_view kPrefix = "Type";
  if (!category.starts_with(kPrefix)) return false;
  category.remove_prefix(kPrefix.size());
  const char* const end = category.data() + category.size();
  const auto parsed = std::from_chars(category.data(), end, *type);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

}  // namespace

uint32_t Types::Add(std::string_view category) {
  const auto [it, fresh] = numbers_.try_emplace(
      std::string(category), static_cast<uint32_t>(entries_.size()));
  if (!fresh) return it->second;
  Entry entry;
  entry.words = importers::FindCategory(category);
  entry.known = !entry.words.name.empty();
  entry.words.name = {};
  if (const auto type = EventTypeByName(category)) {
    entry.words.type = *type;
    entry.final = true;
  } else if (ParseNumbered(category, &entry.words.type)) {
    entry.final = true;
  }
  entry.known |= entry.final;
  entries_.push_back(entry);
  return it->second;
}

importers::NameKind Types::KindOf(StringId name) {
  if (name.v >= name_kinds_.size()) name_kinds_.resize(name.v + 1024, 0);
  uint8_t& known = name_kinds_[name.v];
  if (known == 0)
    known = static_cast<uint8_t>(1 + static_cast<int>(importers::KindOfName(
                                         builder_.strings().view(name))));
  return static_cast<importers::NameKind>(known - 1);
}

}  // namespace stepscope::pftrace
