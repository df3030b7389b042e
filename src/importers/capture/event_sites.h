// SPDX-License-Identifier: Apache-2.0
//
// Sites of a batch of events to names and types, several at a time.
#pragma once

#include <cstdint>
#include <span>

#include "format/event_unpack.h"
#include "importers/capture/sites.h"

namespace stepscope::capture {

// All bits of the types and flags of some sites.
struct SiteUnion {
  uint16_t types = 0;
  uint16_t flags = 0;
};

// Writes name and type of each event of the batch. A site beyond the table is
// that of number 0. REQUIRES: `sites` is not empty.
SiteUnion LookUpSites(std::span<const Site> sites,
                      const format::EventBatch& batch, StringId* name,
                      uint16_t* type);
// The same, one by one.
SiteUnion LookUpSitesPortably(std::span<const Site> sites,
                              const format::EventBatch& batch, StringId* name,
                              uint16_t* type);

}  // namespace stepscope::capture
