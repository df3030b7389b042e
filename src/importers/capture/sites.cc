// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/sites.h"

#include <stepscope/c.h>

#include "base/text.h"
#include "format/slot.h"
#include "trace/trace.h"

namespace stepscope::capture {

SiteTable::SiteTable(StringPool& strings) : strings_(strings) {
  format::NameRecord refused = {};
  refused.id = format::kRefusedSite;
  refused.type = STEPSCOPE_USER_DEFINED;
  refused.full_length = 1;  // clipped to nothing
  Add(refused, "(name beyond the recorder's bound)");
}

void SiteTable::Add(const format::NameRecord& record, std::string_view name) {
  Site site;
  site.name = strings_.Intern(name);
  site.type = static_cast<uint16_t>(record.type);
  if (record.full_length > record.length) site.flags |= kEventNameClipped;
  if (record.type > 0xffff) {
    site.type = STEPSCOPE_USER_DEFINED;
    site.flags |= kSiteOdd;
  }
  if (record.id >= kMaxDense) {
    sparse_[record.id] = site;
    return;
  }
  if (record.id >= dense_.size()) {
    Site hole;
    hole.flags = kSiteOdd;
    dense_.resize(size_t{record.id} + 1, hole);
  }
  dense_[record.id] = site;
}

Site SiteTable::Resolve(uint32_t id) {
  if (id < dense_.size() &&
      (dense_[id].flags != kSiteOdd || dense_[id].name.v != 0))
    return dense_[id];
  if (const auto it = sparse_.find(id); it != sparse_.end()) return it->second;
  const auto [it, added] = missing_.try_emplace(id);
  if (added) {
    it->second.name = strings_.Intern(Format("(unknown site %u)", id));
    it->second.type = STEPSCOPE_USER_DEFINED;
    it->second.flags = kSiteOdd;
  }
  return it->second;
}

std::string_view SiteTable::RepairReason(uint32_t id) const {
  return missing_.contains(id) ? "name missing" : "type out of range";
}

}  // namespace stepscope::capture
