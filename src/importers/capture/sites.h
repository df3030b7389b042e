// SPDX-License-Identifier: Apache-2.0
//
// SiteTable: site ids of a capture to names and types of the trace.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/string_pool.h"
#include "format/live_file.h"

namespace stepscope::capture {

struct Site {
  StringId name;
  uint16_t type = 0;
  uint16_t flags = 0;  // EventFlag | kSiteOdd
};
// Marks a site whose events are repaired; never part of an event's flags.
inline constexpr uint16_t kSiteOdd = 0x8000;

class SiteTable {
 public:
  explicit SiteTable(StringPool& strings);

  void Add(const format::NameRecord& record, std::string_view name);

  // Ids are dense, so that the decoder looks a site up by index. Beyond, and
  // for holes, it asks Resolve().
  std::span<const Site> dense() const { return dense_; }

  // Any id. One that no Names block named gets a name that says so.
  Site Resolve(uint32_t id);
  // Why the events of an odd site are repaired.
  std::string_view RepairReason(uint32_t id) const;
  // The name alone, as key of an argument, counter, place.
  StringId NameOf(uint32_t id) { return Resolve(id).name; }

 private:
  static constexpr uint32_t kMaxDense = 1u << 22;

  StringPool& strings_;
  std::vector<Site> dense_;
  std::unordered_map<uint32_t, Site> sparse_;  // what lies beyond kMaxDense
  std::unordered_map<uint32_t, Site> missing_;
};

}  // namespace stepscope::capture
